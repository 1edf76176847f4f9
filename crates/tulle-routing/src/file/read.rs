//! Reads routing files.
//!
//! The reader does not trust a file. The checksum detects damage, and the other checks detect files that a faulty program wrote. While a
//! file is read, the reader uses memory of at most a few times the size of the file.

use std::io::Read;
use std::path::Path;

use tulle_fabric::Fabric;

use super::columns::{Column, cut, named, shown};
use super::layers::read_layers;
use super::{BEGINNING, END, Form, Header, MAGIC, PATHS, VERSION, structural_hash};
use crate::{Error, PathSet, Routes, Routing, verify_paths};

/// Reads a routing of `fabric` from `path`.
pub(crate) fn load(path: &Path, fabric: &Fabric) -> Result<Routing, Error> {
    let mut bytes = Vec::new();
    let read = tulle_base::files::open(path).and_then(|mut file| file.read_to_end(&mut bytes));
    read.map_err(|source| Error::File { path: path.to_owned(), source })?;
    parse(&bytes, fabric).map_err(|problem| Error::Format { path: path.to_owned(), problem })
}

/// Reads a routing of `fabric` from the bytes that [`Routing::to_bytes`] returned.
pub(crate) fn from_bytes(bytes: &[u8], fabric: &Fabric) -> Result<Routing, Error> {
    parse(bytes, fabric).map_err(|problem| Error::Array {
        what: "bytes of a routing".to_owned(),
        problem,
        legal: "legal: the unchanged bytes of a routing of this fabric".to_owned(),
    })
}

fn parse(bytes: &[u8], fabric: &Fabric) -> Result<Routing, String> {
    let (header, columns) = split(bytes)?;
    let ours = format!("{:016x}", structural_hash(fabric));
    if header.fabric_hash != ours || header.switches != fabric.num_switches() as u64 {
        return Err(format!(
            "is a routing of {} (hash {}), not of {} (hash {ours})",
            shown(&header.fabric),
            shown(&header.fabric_hash),
            fabric.spec()
        ));
    }
    let columns = cut(&header.columns, columns)?;
    let routes = match header.form {
        Form::Paths => Routes::Paths(read_paths(&columns, fabric)?),
        Form::Layers => Routes::Layers(read_layers(&columns, fabric)?),
    };
    Ok(Routing::new(header.spec, routes))
}

/// Splits the file into its header and the bytes of its columns.
fn split(bytes: &[u8]) -> Result<(Header, &[u8]), String> {
    if !bytes.starts_with(&MAGIC) {
        return Err("is not a routing file: its first bytes differ".to_owned());
    }
    let word = |at: usize| -> Result<u32, String> {
        let word = bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
        word.map(u32::from_le_bytes).ok_or_else(|| format!("is truncated: {} bytes", bytes.len()))
    };
    let version = word(MAGIC.len())?;
    if version != VERSION {
        return Err(format!("has format version {version}; legal: {VERSION}"));
    }
    let length = word(MAGIC.len() + 4)? as usize;
    if bytes.len() < BEGINNING + END {
        return Err(format!("is truncated: {} bytes", bytes.len()));
    }
    let content = &bytes[..bytes.len() - END];
    let (stored, computed) = (word(content.len())?, crc32fast::hash(content));
    if stored != computed {
        return Err(format!(
            "is damaged or truncated: its stored checksum is {stored:08x}, but the checksum of its content is {computed:08x}"
        ));
    }
    let rest = &content[BEGINNING..];
    let json = rest
        .get(..length)
        .ok_or_else(|| format!("has a header of {length} bytes in a file of {} bytes", bytes.len()))?;
    let header: Header = serde_json::from_slice(json)
        .map_err(|error| format!("has a header that cannot be read: {}", shown(&error.to_string())))?;
    if header.spec.contains(char::is_control) {
        return Err(format!("has the spec '{}'; legal: one line", shown(&header.spec)));
    }
    Ok((header, &rest[length..]))
}

fn read_paths(columns: &[Column], fabric: &Fabric) -> Result<PathSet, String> {
    let [paths, hops, ports] = named(columns, PATHS)?;
    let paths = PathSet::assemble(fabric.num_switches(), paths.values(), hops.values(), ports.ports()?);
    let paths = paths.ok_or("has columns that do not fit together: their numbers of pairs, paths and hops differ")?;
    verify_paths(fabric, &paths).map_err(|flaw| flaw.to_string())?;
    Ok(paths)
}
