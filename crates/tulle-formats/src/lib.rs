//! Reads and writes files that describe a network. The format is given by the user or follows from the extension of the file name.
//!
//! A *graph file* lists cables between named switches, and in some formats endpoints. A separate *nodes file* attaches endpoints to the
//! switches of a graph file. Most formats number switches by their names: numbers by value first, then other names by their bytes. So the
//! order of lines does not matter. If the names are exactly the numbers 0 to S − 1 (S is the number of switches), they are the ids;
//! otherwise the names become labels.
//!
//! If a file that tulle has written is read again, the result is the same graph: the same switches, cables and endpoints with the same ids.
//! There are two exceptions. In all formats except `fabric.json`, [`read`] leaves out switches without cables and endpoints, and warns. In
//! the format `ibnetdiscover`, switches and endpoints get ids in the order of their GUIDs, and [`left_out`] says so if ids change.
//! [`write`] refuses a format that cannot represent the graph of a fabric. Switches are written with their labels as names if
//! reading the file would give them the same ids again; otherwise their ids are written as names. Other properties that a format cannot
//! represent are left out, and [`left_out`] lists them. `fabric.json` represents everything.

mod adjacency;
mod anynet;
mod component;
mod counts;
mod csv;
mod dot;
mod edge_list;
mod evalnet;
mod fabric_json;
mod foreign;
mod graphml;
mod hpcc;
mod htsim;
mod ibnetdiscover;
mod indexed_error;
mod json;
mod listing;
mod matrix;
mod matrix_market;
mod metis;
mod netbench;
mod neutral;
mod node_link;
mod nodes;
mod parts;
mod properties;
mod recognised;
mod reverse_entries;
mod servers;
mod text;
mod writable;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use foreign::{Converter, convert_with};
pub use listing::Graph;
use listing::{Listing, Order, names_to_write};
use parts::Part;
pub use reverse_entries::{ReverseEntries, without_reverse_entries};
use text::{Text, shown};

use tulle_base::files::Replacement;
use tulle_fabric::{Error, Fabric};

/// A function that writes a fabric whose switches have the given names.
type Writer = fn(&Fabric, &[String], &mut dyn Write) -> io::Result<()>;

/// A format of graph files.
struct Format {
    /// The name of the format in specs and options.
    word: &'static str,
    /// The name of the format in error messages.
    name: &'static str,
    /// The extensions of the format's files, in lower case, without the dot. If several extensions match a file name, the longest one
    /// decides. If two formats have the same extension, the first one in [`FORMATS`] is used.
    extensions: &'static [&'static str],
    /// Whether endpoints are in a separate nodes file.
    nodes_beside: bool,
    /// Whether a file of this format may list a cable twice, once from each end, or contain a directed graph. Other programs write such
    /// files.
    either_order: bool,
    read: fn(&Text) -> Result<Listing, Error>,
    /// Returns the reason why this format cannot represent the fabric; `None` if it can.
    refuses: fn(&Fabric) -> Option<String>,
    /// The properties that the format can represent besides the graph.
    holds: &'static [&'static [Part]],
    /// Returns the properties that the format leaves out or changes because of their values, one line each.
    alters: fn(&Fabric) -> Vec<String>,
    /// Whether the format can store this name of a switch.
    can_name: fn(&str) -> bool,
    /// Whether a reader numbers switches by their names, instead of by their order in the file.
    sorts: bool,
    /// The function that writes a file; `None` for formats that are only read.
    write: Option<Writer>,
}

/// All formats; a new format is one line in this list and one file.
const FORMATS: &[Format] = &[
    csv::FORMAT,
    edge_list::FORMAT,
    graphml::FORMAT,
    hpcc::FORMAT,
    fabric_json::FORMAT,
    node_link::FORMAT,
    anynet::FORMAT,
    evalnet::FORMAT,
    ibnetdiscover::FORMAT,
    dot::FORMAT,
    adjacency::FORMAT,
    matrix::FORMAT,
    metis::FORMAT,
    matrix_market::FORMAT,
    netbench::FORMAT,
    htsim::FORMAT,
    foreign::GML,
    foreign::GEXF,
    foreign::PAJEK,
    foreign::GRAPH6,
    foreign::SPARSE6,
    foreign::MULTILINE,
];

/// The words of all formats.
pub const WORDS: &[&str] = &{
    let mut words = [""; FORMATS.len()];
    let mut at = 0;
    while at < words.len() {
        words[at] = FORMATS[at].word;
        at += 1;
    }
    words
};

/// Returns the format called `word`, or the format of the file name `path`.
fn format_of(path: &Path, word: Option<&str>) -> Result<&'static Format, Error> {
    format_among(path, word, |_| true)
}

/// As [`format_of`]; an error message about an unknown format lists only formats that are `legal`.
fn format_among(path: &Path, word: Option<&str>, legal: fn(&Format) -> bool) -> Result<&'static Format, Error> {
    let error = |problem| Error::Format { path: path.to_owned(), line: 1, column: 1, problem };
    if let Some(word) = word {
        return FORMATS.iter().find(|format| format.word == word).ok_or_else(|| {
            let words: Vec<&str> = FORMATS.iter().filter(|format| legal(format)).map(|format| format.word).collect();
            error(format!("format '{}' is not known; legal: {}", shown(word), words.join(", ")))
        });
    }
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let end = |format: &Format| {
        let fits =
            format.extensions.iter().filter(|end| name.strip_suffix(*end).is_some_and(|stem| stem.ends_with('.')));
        fits.map(|end| end.len()).max().unwrap_or(0)
    };
    let longest = FORMATS.iter().map(end).max().unwrap_or(0);
    FORMATS.iter().find(|format| longest > 0 && end(format) == longest).ok_or_else(|| {
        let known: Vec<String> = FORMATS
            .iter()
            .filter(|format| legal(format))
            .map(|format| {
                let extensions: Vec<String> =
                    format.extensions.iter().map(|extension| format!(".{extension}")).collect();
                format!("{} ({})", extensions.join(" or "), format.name)
            })
            .collect();
        let extension =
            path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
        error(format!(
            "'.{}' is not a known extension; legal: {}, or any extension if format= names the format",
            shown(&extension),
            known.join(", ")
        ))
    })
}

/// A description of a format for lists and documentation.
#[derive(Debug)]
pub struct Described {
    /// The name of the format in specs and options.
    pub word: &'static str,
    /// The name of the format in tables and messages.
    pub name: &'static str,
    /// The extensions of the format's files, without the dot.
    pub extensions: &'static [&'static str],
    /// Whether endpoints are in a separate nodes file.
    pub nodes_beside: bool,
    /// The kinds of data that the format cannot represent.
    pub lacks: Vec<&'static str>,
    /// Whether fabrics can be written in this format, not only read.
    pub is_written: bool,
}

/// Returns the descriptions of all formats.
pub fn described() -> Vec<Described> {
    let describe = |format: &Format| {
        let lacks = Part::ALL.iter().filter(|part| !format.holds(**part)).map(|part| part.words()).collect();
        let &Format { word, name, extensions, nodes_beside, .. } = format;
        Described { word, name, extensions, nodes_beside, lacks, is_written: format.write.is_some() }
    };
    FORMATS.iter().map(describe).collect()
}

impl Format {
    /// Returns a format of other programs that tulle only reads. Files of this format list cables between names, possibly from both ends;
    /// endpoints are in a separate nodes file.
    const fn read_only(
        word: &'static str,
        name: &'static str,
        extensions: &'static [&'static str],
        read: fn(&Text) -> Result<Listing, Error>,
    ) -> Self {
        Self {
            word,
            name,
            extensions,
            nodes_beside: true,
            either_order: true,
            read,
            refuses: |_| None,
            holds: &[],
            alters: |_| Vec::new(),
            can_name: |_| false,
            sorts: true,
            write: None,
        }
    }

    fn holds(&self, part: Part) -> bool {
        self.holds.iter().any(|parts| parts.contains(&part))
    }
}

/// Returns the path of the nodes file that belongs to a graph file.
fn beside(edges: &Path) -> PathBuf {
    edges.with_extension("nodes.csv")
}

/// Returns a note if the endpoints of a graph file are in a nodes file that the user did not name.
pub fn endpoints_beside(edges: &Path, word: Option<&str>) -> Option<String> {
    let nodes = beside(edges);
    let told = format_of(edges, word).is_ok_and(|format| format.nodes_beside) && nodes.is_file();
    told.then(|| format!("{}: the endpoints are in {}; nodes= reads them", edges.display(), nodes.display()))
}

/// Options for reading a graph file.
#[derive(Debug, Clone, Copy)]
pub struct Choices<'a> {
    /// The nodes file.
    pub nodes: Option<&'a Path>,
    /// The name of the format; it overrides the format of the file name.
    pub format: Option<&'static str>,
    /// How to read cables that are listed in both orders of their ends.
    pub both: Option<ReverseEntries>,
    /// Whether a directed graph is accepted; if so, every edge is read as a cable.
    pub undirected: bool,
    /// Whether to keep only the largest connected component.
    pub largest: bool,
    /// Endpoints per switch, if no file gives them.
    pub each: u32,
    /// Whether aggregation nodes of an InfiniBand subnet become endpoints.
    pub keep_aggregation: bool,
}

/// Reads the graph file `edges`.
///
/// # Errors
/// Returns [`Error::File`] if the file cannot be read. Returns [`Error::Format`], with the line and column, if its content is illegal.
pub fn read(edges: &Path, choices: Choices) -> Result<Graph, Error> {
    let text = Text { keep_aggregation: choices.keep_aggregation, ..Text::load(edges)? };
    let (format, recognised) = match format_of(edges, choices.format) {
        Ok(format) => recognised::format(&text, format, choices.format.is_some())?,
        Err(error) => recognised::unnamed(&text).map(|(format, what)| (format, Some(what))).ok_or(error)?,
    };
    let mut listing = (format.read)(&text)?;
    listing.warnings.extend(recognised.map(|what| text.warning(what)));
    if !format.either_order {
        listing.order = Order::Listed;
    }
    let said =
        listing.resolve_reverse_entries(choices.both, choices.undirected).map_err(|problem| text.error(problem))?;
    let is_list = ["csv", "edge-list"].contains(&format.word) && choices.both != Some(ReverseEntries::Parallel);
    let repeated = if is_list { listing.repeated() } else { None };
    listing.warnings.extend(said.into_iter().chain(listing.loops()).chain(repeated).map(|what| text.warning(what)));
    let nodes = choices.nodes;
    if let Some(path) = nodes {
        let nodes = Text::load(path)?;
        if listing.has_endpoints() {
            return Err(nodes.error("the graph file has its own endpoints; legal: no nodes= option"));
        }
        let before = listing.listed().0.len();
        nodes::read(&nodes, &mut listing)?;
        if !listing.properties.coordinates.names.is_empty() && listing.listed().0.len() > before {
            let new = shown(&listing.listed().0[before]);
            let problem = format!("switch '{new}' has no coordinates, because it is not in the graph file");
            return Err(nodes.error(format!("{problem}; legal: switches of the graph file")));
        }
    }
    let mut graph = listing.into_graph().map_err(|problem| text.error(problem))?;
    // A file of a format with endpoints may contain no endpoints.
    graph.endpoint_switch.take_if(|at| at.is_empty() && choices.each > 0);
    // A `fabric.json` is read completely, because other files refer to ids in it.
    let isolated = match graph.endpoint_switch.is_none() && choices.each > 0 || format.word == fabric_json::FORMAT.word
    {
        true => None,
        false => graph.drop_isolated().map_err(|problem| text.error(problem))?,
    };
    let outside = if choices.largest { graph.keep_largest(choices.each) } else { None };
    graph.warnings.extend(isolated.into_iter().chain(outside).map(|what| text.warning(what)));
    Ok(graph)
}

/// Writes the graph of `fabric` to `path` in the format called `word`, or in the format of the extension. Some formats also get a nodes
/// file: `x.csv` and `x.nodes.csv`. Each file is first written to a temporary file and then renamed. Returns the paths of the written
/// files.
///
/// # Errors
/// Returns [`Error::Format`] if the extension is unknown or the format cannot represent the fabric. Returns [`Error::File`] if the
/// operating system refuses to write the file.
pub fn write(fabric: &Fabric, path: &Path, word: Option<&str>) -> Result<Vec<PathBuf>, Error> {
    let format = format_among(path, word, |format| format.write.is_some())?;
    let refused = |problem| Error::Format { path: path.to_owned(), line: 1, column: 1, problem };
    let Some(write) = format.write else {
        let written = FORMATS.iter().filter(|format| format.write.is_some()).map(|format| format.word);
        let written: Vec<&str> = written.collect();
        let problem = format!("tulle reads but does not write this format ({})", format.name);
        return Err(refused(format!("{problem}; legal: {}", written.join(", "))));
    };
    if let Some(problem) = (format.refuses)(fabric).or_else(|| format.illegal_name(fabric)) {
        return Err(refused(problem));
    }
    let names = names_to_write(fabric, format.can_name, format.sorts);
    let error = |source| Error::File { path: path.to_owned(), source };
    let mut files = vec![Replacement::new(path, |out| write(fabric, &names, out)).map_err(error)?];
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

/// Lists the properties of `fabric` that [`write`] leaves out or changes, one line each.
///
/// # Errors
/// Returns [`Error::Format`] if the extension is unknown.
pub fn left_out(fabric: &Fabric, path: &Path, word: Option<&str>) -> Result<Vec<String>, Error> {
    let format = format_of(path, word)?;
    let mut lost: Vec<&str> = Vec::new();
    if fabric.has_switch_names() && names_to_write(fabric, format.can_name, format.sorts) != fabric.labels() {
        lost.push("names of switches");
    }
    let parts = Part::ALL.iter().filter(|part| !format.holds(**part) && part.is_in(fabric));
    lost.extend(parts.map(|part| part.words()));
    let mut lines = (format.alters)(fabric);
    if !lost.is_empty() {
        lines
            .insert(0, format!("left out, because this format ({}) cannot store it: {}", format.name, lost.join(", ")));
    }
    Ok(lines.into_iter().map(|line| format!("{}: {line}", path.display())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_recognised() {
        let different: std::collections::HashSet<&str> = WORDS.iter().copied().collect();
        assert_eq!(different.len(), FORMATS.len());
        let word = |name: &str| format_of(Path::new(name), None).map(|format| format.word).ok();
        assert_eq!(word("a.txt"), Some("edge-list"));
        assert_eq!(word("a.adj.txt"), Some("evalnet"));
        assert_eq!(word("A.JSON"), Some("fabric"));
        assert_eq!(word("a.node-link.json"), Some("node-link"));
        assert_eq!((word("json"), word("a"), word("atxt")), (None, None, None));
        assert_eq!(format_of(Path::new("a.txt"), Some("dot")).unwrap().word, "dot");
    }

    #[test]
    fn errors_of_writing_list_formats_that_are_written() {
        for (name, word) in [("a.abc", None), ("a.csv", Some("abc"))] {
            let listed = |legal: fn(&Format) -> bool| {
                format_among(Path::new(name), word, legal).err().map(|error| error.to_string()).unwrap_or_default()
            };
            assert!(listed(|_| true).contains("gml"));
            let written = listed(|format| format.write.is_some());
            assert!(written.contains("graphml") && !written.contains(".gml") && !written.contains(" gml"), "{written}");
        }
    }
}
