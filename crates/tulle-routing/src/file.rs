//! Writes and reads routing files, which store tables or path sets. `docs/reference/routing-file.md` describes the format.
//!
//! A file consists of magic bytes, a JSON header, columns of little-endian numbers, and a checksum of all bytes before the checksum.

mod columns;
mod layers;
mod read;
mod write;

use std::path::Path;

use serde::{Deserialize, Serialize};
use tulle_base::random::fnv1a;
use tulle_fabric::Fabric;

use crate::{Error, Routing};

/// The magic bytes at the start of every routing file. They contain a byte that is not ASCII, and a line end. A transfer in text mode
/// changes these bytes, so readers detect the damage early.
const MAGIC: [u8; 8] = *b"\x89tulleR\n";

/// The version of the file format.
const VERSION: u32 = 1;

/// The number of bytes before the header: magic bytes, version number, and length of the header.
const BEGINNING: usize = MAGIC.len() + 8;

/// The number of bytes of the checksum, which follows the columns.
const END: usize = 4;

/// The header.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    /// The canonical spec of the routing.
    spec: String,
    /// The canonical spec of the fabric that was routed.
    fabric: String,
    /// The hash of the fabric's graph ([`structural_hash`]), as 16 hexadecimal digits.
    fabric_hash: String,
    switches: u64,
    form: Form,
    /// The shapes of all columns, in the order of the file.
    columns: Vec<Shape>,
}

/// The form of a routing: layers of tables, or a path set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Form {
    Layers,
    Paths,
}

/// The shape of a column: it has `count` numbers of `width` bytes each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    name: String,
    width: u8,
    count: u64,
}

/// The names of the columns of a path set.
const PATHS: [&str; 3] = ["paths", "hops", "ports"];

/// The names of the columns of one layer.
const LAYER: [&str; 4] = ["sets", "set-ports", "ports", "groups"];

/// The names of the additional columns of a layer that has shares.
const SHARES: [&str; 2] = ["port-shares", "layer-shares"];

impl Routing {
    /// Writes this routing of `fabric` to the file `path`. The function first writes a temporary file in the same folder and then renames
    /// it. `docs/reference/routing-file.md` describes the format.
    ///
    /// # Errors
    /// Returns [`Error::File`] if the file cannot be written.
    ///
    /// # Panics
    /// Panics if the routing and `fabric` have different numbers of switches.
    pub fn save(&self, fabric: &Fabric, path: &Path) -> Result<(), Error> {
        assert_eq!(self.num_switches(), fabric.num_switches(), "a routing can be saved only with its own fabric");
        write::save(self, fabric, path)
    }

    /// Reads a routing of `fabric` from the file `path`, and checks that every path reaches its destination without a loop.
    ///
    /// # Errors
    /// Returns [`Error::File`] if the file cannot be read. Returns [`Error::Format`] if the file is not a routing file, is damaged or
    /// truncated, belongs to another fabric, or has tables or paths that do not reach their destinations.
    pub fn load(path: &Path, fabric: &Fabric) -> Result<Self, Error> {
        read::load(path, fabric)
    }

    /// Returns the bytes that [`Routing::save`] writes.
    ///
    /// # Panics
    /// Panics if the routing and `fabric` have different numbers of switches.
    pub fn to_bytes(&self, fabric: &Fabric) -> Vec<u8> {
        assert_eq!(
            self.num_switches(),
            fabric.num_switches(),
            "a routing can be converted to bytes only with its own fabric"
        );
        write::to_bytes(self, fabric)
    }

    /// Reads a routing of `fabric` from the bytes that [`Routing::to_bytes`] returned. It makes the same checks as [`Routing::load`].
    ///
    /// # Errors
    /// Returns [`Error::Array`] if the bytes are not a valid routing of `fabric`.
    pub fn from_bytes(bytes: &[u8], fabric: &Fabric) -> Result<Self, Error> {
        read::from_bytes(bytes, fabric)
    }
}

/// Returns a hash of the graph of `fabric`. The hash includes the order of ports. It ignores names, endpoints, levels and virtual layers.
///
/// The hash is 64-bit FNV-1a over little-endian 4-byte words. The first word is the number of switches. The next words describe each
/// switch: the number of its channels, then the target and the reverse of each channel.
fn structural_hash(fabric: &Fabric) -> u64 {
    let mut bytes = Vec::with_capacity(4 * (1 + fabric.num_switches() + 2 * fabric.num_channels()));
    bytes.extend((fabric.num_switches() as u32).to_le_bytes());
    for switch in 0..fabric.num_switches() as u32 {
        bytes.extend((fabric.degree(switch) as u32).to_le_bytes());
        for channel in fabric.channels_of(switch) {
            bytes.extend(fabric.targets()[channel].to_le_bytes());
            bytes.extend(fabric.reverse()[channel].to_le_bytes());
        }
    }
    fnv1a(&bytes)
}
