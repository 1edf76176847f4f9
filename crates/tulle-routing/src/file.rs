//! Routing files for tables and path sets, in the format of `docs/routing-file.md`.
//!
//! A file consists of fixed first bytes, a JSON header, columns of little-endian numbers, and a checksum of everything before it.

mod columns;
mod layers;
mod read;
mod write;

use std::path::Path;

use serde::{Deserialize, Serialize};
use tulle_base::random::fnv1a;
use tulle_fabric::Fabric;

use crate::{Error, Routing};

/// The magic bytes of routing files: a byte that is not text, a name, and a line end that a transfer in text mode would change.
const MAGIC: [u8; 8] = *b"\x89tulleR\n";

/// The version of the layout.
const VERSION: u32 = 1;

/// The number of bytes before the header: magic bytes, version, and length of the header.
const BEGINNING: usize = MAGIC.len() + 8;

/// The number of bytes after the columns: the checksum.
const END: usize = 4;

/// The header.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    /// The canonical spec of the routing.
    spec: String,
    /// The canonical spec of the fabric that was routed.
    fabric: String,
    /// The structural hash of the fabric, as 16 hexadecimal digits.
    fabric_hash: String,
    switches: u64,
    form: Form,
    /// The columns that follow, in their order.
    columns: Vec<Shape>,
}

/// The form of a routing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Form {
    Layers,
    Paths,
}

/// A column: `count` numbers of `width` bytes each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    name: String,
    width: u8,
    count: u64,
}

/// Names of the columns of path sets.
const PATHS: [&str; 3] = ["paths", "hops", "ports"];

/// Names of the columns of every layer.
const LAYER: [&str; 4] = ["sets", "set-ports", "ports", "groups"];

/// Names of the additional columns of a layer with shares.
const SHARES: [&str; 2] = ["port-shares", "layer-shares"];

impl Routing {
    /// Writes this routing of `fabric` to `path`: first to a temporary file beside it, which is then renamed. `docs/routing-file.md`
    /// describes the format.
    ///
    /// # Errors
    /// [`Error::File`] if the operating system refuses.
    ///
    /// # Panics
    /// If the routing has another number of switches than `fabric`.
    pub fn save(&self, fabric: &Fabric, path: &Path) -> Result<(), Error> {
        assert_eq!(self.num_switches(), fabric.num_switches(), "a routing must be saved with its own fabric");
        write::save(self, fabric, path)
    }

    /// Reads a routing of `fabric` from the file `path`, and checks that every path reaches its destination without a loop.
    ///
    /// # Errors
    /// [`Error::File`] if the operating system refuses; [`Error::Format`] for a file that is damaged, truncated, not a routing file, of
    /// another fabric, or whose tables or paths do not reach their destinations.
    pub fn load(path: &Path, fabric: &Fabric) -> Result<Self, Error> {
        read::load(path, fabric)
    }

    /// Returns the bytes that [`Routing::save`] writes.
    ///
    /// # Panics
    /// If the routing has another number of switches than `fabric`.
    pub fn to_bytes(&self, fabric: &Fabric) -> Vec<u8> {
        assert_eq!(self.num_switches(), fabric.num_switches(), "a routing must be stored with its own fabric");
        write::to_bytes(self, fabric)
    }

    /// Reads a routing of `fabric` from the bytes of [`Routing::to_bytes`], as [`Routing::load`] reads a file.
    ///
    /// # Errors
    /// [`Error::Array`] if the bytes are not a valid routing of `fabric`.
    pub fn from_bytes(bytes: &[u8], fabric: &Fabric) -> Result<Self, Error> {
        read::from_bytes(bytes, fabric)
    }
}

/// Returns a hash of the graph of `fabric`, including the order of its ports, without names, endpoints, levels and virtual layers.
///
/// The hash is FNV-1a of 64 bits over little-endian words of 4 bytes: the number of switches, then for each switch the number of its
/// channels, and each channel's target and reverse.
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
