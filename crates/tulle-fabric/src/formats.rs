//! Files that hold a network: reading and writing by the extension of their name.
//!
//! A *graph file* holds cables between named switches, and in some formats endpoints; a *nodes file* beside it attaches
//! endpoints. Switches are numbered by their names: numbers by value first, then other names by their bytes, so neither
//! the order of lines nor of cables matters. Names 0 to S − 1 are the ids; other names become labels.
//!
//! What is written reads back to the same graph: the same switches, cables and endpoints under the same ids. Labels are
//! written as names where they would be read back to the same ids; ids are written otherwise. Coordinates, levels,
//! channel classes and virtual layers are not part of any format here.

mod csv;
mod edge_list;
mod graphml;
mod listing;
mod nodes;
mod text;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub(crate) use listing::Graph;
use listing::{Listing, names_to_write};
use text::{Text, shown};

use crate::{Error, Fabric};

/// A format of graph files.
struct Format {
    /// What it is, for errors.
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
static FORMATS: &[Format] = &[csv::FORMAT, edge_list::FORMAT, graphml::FORMAT];

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
    let mut files = vec![Replacement::new(path, |out| (format.write)(fabric, &names, out))?];
    if format.nodes_beside {
        let beside = path.with_extension("nodes.csv");
        files.push(Replacement::new(&beside, |out| nodes::write(fabric, &names, out))?);
    }
    files.into_iter().map(Replacement::put).collect()
}

/// A file written beside its place, to be renamed into it; removed where that does not happen.
struct Replacement {
    place: PathBuf,
    beside: Option<PathBuf>,
}

impl Replacement {
    fn new(place: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<Self, Error> {
        let mut name = std::ffi::OsString::from(".");
        name.push(place.file_name().unwrap_or_default());
        name.push(format!(".{}.tmp", std::process::id()));
        let beside = place.with_file_name(name);
        let error = |source| Error::File { path: place.to_owned(), source };
        let file = std::fs::OpenOptions::new().write(true).create(true).truncate(true).open(&beside).map_err(error)?;
        let replacement = Self { place: place.to_owned(), beside: Some(beside) };
        let mut out = io::BufWriter::new(file);
        write(&mut out).and_then(|()| out.flush()).map_err(error)?;
        Ok(replacement)
    }

    fn put(mut self) -> Result<PathBuf, Error> {
        if let Some(beside) = &self.beside {
            std::fs::rename(beside, &self.place).map_err(|source| Error::File { path: self.place.clone(), source })?;
        }
        self.beside = None;
        Ok(self.place.clone())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some(beside) = &self.beside {
            // The error that brought us here is the one to tell; a file left beside its place harms nobody.
            let _ = std::fs::remove_file(beside);
        }
    }
}
