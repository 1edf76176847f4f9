//! Files that hold a network: reading and writing by the extension of their name.
//!
//! A *graph file* holds cables between named switches, and in some formats endpoints; a *nodes file* beside it attaches
//! endpoints. Switches are numbered by their names: numbers by value first, then other names by their bytes, so neither
//! the order of lines nor of cables matters. Names 0 to S − 1 are the ids; other names become labels.
//!
//! A written file reads back to the same graph: the same switches, cables and endpoints under the same ids. Labels are
//! written as names where they would be read back to the same ids; ids are written otherwise. Link properties, names,
//! levels and roles are in CSV and GraphML, and not in edge lists; coordinates, channel classes and virtual layers are
//! not part of any format here.

mod csv;
mod edge_list;
mod graphml;
mod hpcc;
mod known;
mod listing;
mod nodes;
mod opened;
mod replacement;
mod text;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub(crate) use listing::Graph;
use listing::{Listing, names_to_write};
pub use opened::open;
pub use replacement::Replacement;
use text::{Text, shown};

use crate::{Error, Fabric};

/// A format of graph files.
struct Format {
    /// Its name, for errors.
    name: &'static str,
    /// The extensions of its files, in small letters.
    extensions: &'static [&'static str],
    /// Whether endpoints are attached by a nodes file beside it.
    nodes_beside: bool,
    read: fn(&Text) -> Result<Listing, Error>,
    /// Why this fabric cannot be written, if so.
    refuses: fn(&Fabric) -> Option<String>,
    /// Whether a name can be written.
    can_name: fn(&str) -> bool,
    write: fn(&Fabric, &[String], &mut dyn Write) -> io::Result<()>,
}

/// All formats: one line and one file each.
static FORMATS: &[Format] = &[csv::FORMAT, edge_list::FORMAT, graphml::FORMAT, hpcc::FORMAT];

fn format_of(path: &Path) -> Result<&'static Format, Error> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
    FORMATS.iter().find(|format| format.extensions.contains(&extension.as_str())).ok_or_else(|| {
        let known: Vec<String> = FORMATS
            .iter()
            .map(|format| {
                let extensions: Vec<String> =
                    format.extensions.iter().map(|extension| format!(".{extension}")).collect();
                format!("{} ({})", extensions.join(" or "), format.name)
            })
            .collect();
        let problem = format!("'.{}' is not a known extension; legal: {}", shown(&extension), known.join(", "));
        Error::Format { path: path.to_owned(), line: 1, problem }
    })
}

/// The extensions of all formats, each with its point, in small letters.
pub fn extensions() -> Vec<String> {
    FORMATS.iter().flat_map(|format| format.extensions).map(|extension| format!(".{extension}")).collect()
}

/// The nodes file beside a graph file.
fn beside(edges: &Path) -> PathBuf {
    edges.with_extension("nodes.csv")
}

/// A note where the endpoints of a graph file are in a nodes file beside it, which was not asked for.
pub(crate) fn endpoints_beside(edges: &Path) -> Option<String> {
    let nodes = beside(edges);
    let told = format_of(edges).is_ok_and(|format| format.nodes_beside) && nodes.is_file();
    told.then(|| format!("{}: the endpoints are in {}; nodes= reads them", edges.display(), nodes.display()))
}

/// Reads the graph file `edges`, and the nodes file `nodes` where there is one.
///
/// # Errors
/// [`Error::File`] for a file that cannot be read, [`Error::Format`] with the line for one that does not hold what it
/// should.
pub(crate) fn read(edges: &Path, nodes: Option<&Path>) -> Result<Graph, Error> {
    let format = format_of(edges)?;
    let text = Text::load(edges)?;
    let mut listing = (format.read)(&text)?;
    if let Some(path) = nodes {
        let nodes = Text::load(path)?;
        if listing.has_endpoints() {
            return Err(nodes.error(1, "the graph file holds endpoints of its own; legal: without nodes="));
        }
        nodes::read(&nodes, &mut listing)?;
    }
    listing.into_graph().map_err(|problem| text.error(1, problem))
}

/// Writes the graph of `fabric` to `path` in the format of its extension: `.csv` (columns `a`, `b`), `.edges`, `.txt`
/// (edge list) or `.graphml`. The first two get a nodes file beside them: `x.csv` and `x.nodes.csv`. Each is written
/// beside its place and renamed into it. Gives the paths written.
///
/// # Errors
/// [`Error::Format`] for an unknown extension or a fabric that the format cannot hold, [`Error::File`] where the system
/// refuses.
pub fn write(fabric: &Fabric, path: &Path) -> Result<Vec<PathBuf>, Error> {
    let format = format_of(path)?;
    if let Some(problem) = (format.refuses)(fabric) {
        return Err(Error::Format { path: path.to_owned(), line: 1, problem });
    }
    let names = names_to_write(fabric, format.can_name);
    let error = |source| Error::File { path: path.to_owned(), source };
    let mut files = vec![Replacement::new(path, |out| (format.write)(fabric, &names, out)).map_err(error)?];
    if format.nodes_beside {
        let beside = beside(path);
        let error = |source| Error::File { path: beside.clone(), source };
        files.push(Replacement::new(&beside, |out| nodes::write(fabric, &names, out)).map_err(error)?);
    }
    let put = |file: Replacement| {
        let path = file.place().to_owned();
        file.put().map(|()| path.clone()).map_err(|source| Error::File { path, source })
    };
    files.into_iter().map(put).collect()
}
