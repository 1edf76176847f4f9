//! Recognises the format of a file by its content if the extension does not determine it. Many formats look like a list of two words per
//! line. So this module checks files whose extension stands for edge lists, tables, XML or JSON, and files without a known extension.

use super::csv::ENDS;
use super::text::Text;
use super::{FORMATS, Format, adjacency, matrix, metis};
use tulle_fabric::Error;

/// What a file contains.
enum Found {
    /// The format of this word.
    Format(&'static str),
    /// A description of content that is not a network, or whose format is not supported.
    Other(&'static str),
}

/// Returns the format of a file, and a warning if the file's content differs from `format`, which the user or the extension gives.
/// `is_named` tells whether the user gave `format`.
///
/// # Errors
/// Fails if the content has another format than the user named, or a format that tulle cannot read.
pub(super) fn format(
    text: &Text,
    format: &'static Format,
    is_named: bool,
) -> Result<(&'static Format, Option<String>), Error> {
    let content = &text.content;
    let found = match format.word {
        "edge-list" => list(text),
        "csv" => {
            let bare = || !has_ends(text) && (matrix::is_one(text) || matrix::is_weighted(text));
            (matrix::is_labelled(text) || bare()).then_some(Found::Format("matrix"))
        }
        "fabric" if !is_named && !content.contains("\"switches\"") && content.contains("\"nodes\"") => {
            Some(Found::Format("node-link"))
        }
        "graphml" if !is_named && !content.contains("graphml") && content.contains("<gexf") => {
            Some(Found::Format("gexf"))
        }
        _ => None,
    };
    match found {
        None => Ok((format, None)),
        Some(Found::Other(name)) => {
            Err(text.error(format!("the file is {name}, not a list of cables; legal: {}", format.name)))
        }
        Some(Found::Format(word)) => match format_called(word) {
            Some(other) if is_named => {
                Err(text.error(format!("the file has the format {}; legal: format={word}", other.name)))
            }
            Some(other) => Ok((other, Some(what(other)))),
            None => Ok((format, None)),
        },
    }
}

/// Returns the format of a file without a known extension, and a warning that names the format. Returns `None` if the content does not
/// identify a format.
pub(super) fn unnamed(text: &Text) -> Option<(&'static Format, String)> {
    let format = match list(text)? {
        Found::Format(word) => format_called(word)?,
        Found::Other(_) => return None,
    };
    Some((format, what(format)))
}

fn format_called(word: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.word == word)
}

fn what(format: &Format) -> String {
    format!("read as {}, because of its content; format= selects another format", format.name)
}

/// Returns the format or content of a file that looks like a list of cables but is something else.
fn list(text: &Text) -> Option<Found> {
    let is = |is_one: fn(&Text) -> bool, word| is_one(text).then_some(Found::Format(word));
    words(text)
        .or_else(|| is(matrix::is_one, "matrix"))
        .or_else(|| is(matrix::is_labelled, "matrix"))
        .or_else(|| is(adjacency::is_one, "adjacency-list"))
        .or_else(|| is(matrix::is_weighted, "matrix"))
        .or_else(|| is(metis::is_one, "metis"))
        .or_else(|| settings(lines(text)))
}

/// Returns the lines that are not blank, without comments.
fn lines(text: &Text) -> impl Iterator<Item = &str> + Clone {
    text.content.lines().map(|line| line.split('#').next().unwrap_or_default().trim()).filter(|line| !line.is_empty())
}

/// Whether the first line of a table names the two ends of cables.
fn has_ends(text: &Text) -> bool {
    let header = text.content.trim_start().lines().next().unwrap_or_default().to_lowercase();
    let names: Vec<&str> = header.split(',').map(|name| name.trim().trim_matches('"')).collect();
    !names[0].is_empty() && ENDS.iter().all(|end| end.iter().any(|name| names.contains(name)))
}

/// Names of settings at the beginning of simulators' files.
const SETTINGS: [&str; 22] = [
    "n",
    "m",
    "num_nodes",
    "num_edges",
    "num_switches",
    "num_links",
    "degree",
    "radix",
    "nodes",
    "node",
    "edges",
    "links",
    "vertices",
    "switches",
    "servers",
    "hosts",
    "tiers",
    "tier",
    "podsize",
    "connections",
    "radix_up",
    "radix_down",
];

/// Returns the format or content of a file that its first words identify; `None` if they identify none.
fn words(text: &Text) -> Option<Found> {
    let content = text.content.trim_start();
    let first = content.lines().next().unwrap_or_default();
    let lower = first.to_lowercase();
    let starts = |start: &str| lower.starts_with(start);
    for (start, word) in [
        (">>graph6<<", "graph6"),
        (">>sparse6<<", "sparse6"),
        ("%%matrixmarket", "matrix-market"),
        ("*vertices", "pajek"),
        ("*network", "pajek"),
    ] {
        if starts(start) {
            return Some(Found::Format(word));
        }
    }
    for (start, name) in [("topology: (", "a topology of BRITE"), ("?sndlib", "a network of SNDlib")] {
        if starts(start) {
            return Some(Found::Other(name));
        }
    }
    if content.starts_with('<') {
        return Some(match (content.contains("<graphml"), content.contains("<gexf")) {
            (true, _) => Found::Format("graphml"),
            (_, true) => Found::Format("gexf"),
            _ => Found::Other("XML"),
        });
    }
    if content.starts_with(['{', '[']) && content.contains('"') {
        return Some(match (content.contains("\"switches\""), content.contains("\"nodes\"")) {
            (true, _) => Found::Format("fabric"),
            (_, true) => Found::Format("node-link"),
            _ => Found::Other("JSON"),
        });
    }
    let graph = ["graph", "strict graph", "digraph", "strict digraph"].iter().any(|word| starts(word));
    if graph && content.contains('{') && (content.contains("--") || content.contains("->")) {
        return Some(Found::Format("dot"));
    }
    let is_gml =
        |line: &str| line.trim_start().strip_prefix("graph").is_some_and(|rest| rest.trim_start().starts_with('['));
    let lines = || lines(text);
    if content.lines().take(50).any(|line| is_gml(line) || line.trim() == "graph") && content.contains("source") {
        return Some(Found::Format("gml"));
    }
    if lines().any(|line| line.starts_with("|V|=") || line.contains("=set(")) {
        return Some(Found::Format("netbench"));
    }
    let line = lines().next()?;
    let head: Vec<&str> = line.split_whitespace().collect();
    let number = |word: &str| word.parse::<f64>().is_ok();
    if ["router", "node"].contains(&head[0]) && head.len() > 3 && number(head[1]) {
        return Some(Found::Format("anynet"));
    }
    if lines().take(50).any(|line| line.starts_with("p ") || line.starts_with("p\t"))
        && lines().any(|line| line.starts_with("e ") || line.starts_with("a "))
    {
        return Some(Found::Other("a graph of DIMACS"));
    }
    if lines().take(200).any(|line| line.contains("->") && (line.contains(" size ") || line.contains(" msg "))) {
        return Some(Found::Other("a connection matrix of htsim, which is traffic"));
    }
    let is_link = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.len() == 5 && words[..2].iter().all(|word| number(word)) && words[2].to_lowercase().ends_with("bps")
    };
    if head.len() >= 3 && head.iter().take(3).all(|word| number(word)) && lines().skip(1).any(is_link) {
        return Some(Found::Format("hpcc"));
    }
    None
}

/// Whether a word is a setting with a number, for example `n=5`.
fn is_count(word: &str) -> bool {
    word.trim_end_matches([',', ';'])
        .split_once('=')
        .is_some_and(|(name, value)| SETTINGS.contains(&name.to_lowercase().as_str()) && value.parse::<f64>().is_ok())
}

/// Returns the content of a file with lines of settings, such as a name and a number; `None` if no line is a setting.
fn settings<'a>(lines: impl Iterator<Item = &'a str> + Clone) -> Option<Found> {
    let is_setting = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            &[name] => name.split_once('=').is_some_and(|(name, value)| !name.is_empty() && !value.is_empty()),
            &[name, value] => {
                let bare = name.trim_end_matches([':', '=']);
                value.parse::<f64>().is_ok() && (bare != name || SETTINGS.contains(&bare.to_lowercase().as_str()))
                    || words.iter().all(|word| is_count(word))
            }
            words if words.iter().all(|word| is_count(word)) && !words.is_empty() => true,
            &[_, equals, ..] => equals == "=",
            [] => false,
        }
    };
    if !lines.clone().any(is_setting) {
        return None;
    }
    let has = |word: &str| lines.clone().any(|line| line.to_lowercase().starts_with(word));
    // `Podsize` is htsim's own word.
    match has("tiers ") && has("podsize ") {
        true => Some(Found::Format("htsim")),
        false => Some(Found::Other("a list of settings")),
    }
}
