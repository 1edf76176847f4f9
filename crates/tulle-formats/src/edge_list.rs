//! Edge lists: `u v` on each line, and comments after `#`. All lines with cables have the same number of columns. Columns after the second
//! are ignored. These further columns must hold numbers, or attributes in braces, as networkx writes them. If a header names the columns
//! (`source target length`, as a line or a comment), further columns may hold anything. A line with one name is a switch without cables.
//! Commas or semicolons may separate the columns if they do so in every line. The first line may give the numbers of switches and cables
//! (see `counts`).

use std::io::{self, Write};

use super::Format;
use super::counts::Counts;
use super::csv::ENDS;
use super::indexed_error::{AtIndex, IndexedError};
use super::listing::Listing;
use super::parts::Part;
use super::text::{Text, parts, shown};
use tulle_fabric::{Error, Fabric};

pub const FORMAT: Format = Format {
    word: "edge-list",
    name: "edge list",
    extensions: &["edges", "edgelist", "txt"],
    nodes_beside: true,
    either_order: true,
    read,
    refuses,
    holds: &[Part::OF_SWITCHES, Part::OF_ENDPOINTS],
    alters: |_| Vec::new(),
    can_name: |name| {
        let breaks = |c: char| c.is_whitespace() || "#=%{[<".contains(c);
        !name.contains(breaks) && !name.starts_with("//") && check_end(name).is_ok()
    },
    sorts: true,
    write: Some(write),
};

/// A non-empty line: its number, its words, and the names of its attributes.
struct Line<'a> {
    number: usize,
    words: Vec<&'a str>,
    attributes: Vec<&'a str>,
}

impl<'a> Line<'a> {
    fn new(number: usize, said: &'a str, separator: Option<char>) -> Self {
        let split = |said: &'a str| -> Vec<&'a str> {
            let parts = said.split(|letter: char| letter.is_whitespace() || Some(letter) == separator);
            parts.filter(|part| !part.is_empty()).collect()
        };
        let braces = said
            .trim_end()
            .strip_suffix('}')
            .and_then(|said| [" {", "\t{", ",{", ";{"].into_iter().find_map(|start| said.split_once(start)));
        if let Some((before, inside)) = braces {
            let words = split(before.trim_end().trim_end_matches([',', ';']));
            // A line with fewer than three columns has only names, so braces in this line are part of the second name. With more columns,
            // braces enclose attributes.
            if words.len() >= 2 {
                return Self { number, words, attributes: inside.split(',').filter_map(name).collect() };
            }
        }
        Self { number, words: split(said), attributes: Vec::new() }
    }

    /// Returns an error whose position is that of the word that causes it.
    fn error(&self, text: &Text, IndexedError { at, problem }: IndexedError) -> Error {
        text.error_in(self.words[at.min(self.words.len() - 1)], problem)
    }

    /// Whether the words are column names, of which the first two are names for the ends of a cable.
    fn is_header(&self) -> bool {
        let is = |at: usize| self.words.get(at).is_some_and(|word| ENDS[at].contains(&word.to_lowercase().as_str()));
        is(0) && is(1)
    }
}

/// Returns the name of an attribute from `'name': value`, the form in which networkx writes attributes.
fn name(pair: &str) -> Option<&str> {
    pair.split_once(':').map(|(name, _)| name.trim().trim_matches(['\'', '"']))
}

/// Returns the comma or semicolon that separates the values of every line (`0,1` or `0, 1`); `None` if neither separates them in all lines.
fn separator(text: &Text) -> Option<char> {
    let separates = |separator: char| {
        let mut lines =
            text.content.lines().map(|line| parts(line).0).filter(|said| !said.trim().is_empty()).peekable();
        lines.peek().is_some()
            && lines.all(|said| {
                let said = said.split_once('{').map_or(said, |(before, _)| before);
                let mut values = said.trim().trim_end_matches(separator).split(separator).map(str::trim).peekable();
                said.contains(separator)
                    && values.all(|value| {
                        !value.is_empty() && !value.contains(|c: char| c.is_whitespace() || "()".contains(c))
                    })
            })
    };
    [',', ';'].into_iter().find(|&separator| separates(separator))
}

/// Refuses words that cannot be switch names: signs between two names (`->`), or pieces of `(0, 1)`.
fn check_end(word: &str) -> Result<(), String> {
    let problem = if !word.contains(char::is_alphanumeric) {
        "is not a switch name"
    } else if word.ends_with([',', ';', ':']) || word.starts_with([',', ';']) {
        "begins or ends with a separator"
    } else if word.starts_with('(') && !word.ends_with(')') || word.ends_with(')') && !word.contains('(') {
        "has one parenthesis"
    } else {
        return Ok(());
    };
    Err(format!("'{}' {problem}; legal: two names per line, separated by spaces", shown(word)))
}

fn read(text: &Text) -> Result<Listing, Error> {
    let mut listing = Listing::default();
    let mut columns: Option<Columns> = None;
    let mut header = None;
    let mut first = true;
    let separator = separator(text);
    let counts = Counts::find(text, separator)?;
    if let Some(counts) = &counts {
        counts.apply(text, &mut listing)?;
    }
    let after = counts.map_or(0, |counts| counts.after);
    for (line, content) in text.content.lines().enumerate().skip(after) {
        let (said, comment) = parts(content);
        let (line, comment) = (Line::new(line + 1, said, separator), Line::new(line + 1, comment, separator));
        if line.words.is_empty() {
            // A comment before the first cable may name the columns.
            if header.is_none() && columns.is_none() && comment.is_header() {
                header = Some(Header { line: comment, comment: true });
            }
        } else if std::mem::take(&mut first) && line.is_header() {
            header = Some(Header { line, comment: false });
        } else {
            add(&mut listing, &mut columns, &line).map_err(|fault| line.error(text, fault))?;
        }
    }
    finish(text, listing, columns, header)
}

/// Adds the cable or the switch that a line lists.
fn add<'a>(listing: &mut Listing, columns: &mut Option<Columns<'a>>, line: &Line<'a>) -> Result<(), IndexedError> {
    for (at, word) in line.words.iter().take(2).enumerate() {
        check_end(word).at_index(at)?;
    }
    let &[a, b, ref others @ ..] = line.words.as_slice() else {
        return listing.switch(line.words[0]).map(drop).at_index(0);
    };
    let known = columns.get_or_insert_with(|| Columns {
        width: line.words.len(),
        line: line.number,
        unnumbered: None,
        attributes: Vec::new(),
    });
    if line.words.len() != known.width {
        let (count, Columns { width, line: first, .. }) = (line.words.len(), known);
        let legal = "or 1; format=adjacency-list reads any number of neighbours per line";
        let problem = format!("the line has {count} columns; legal: {width} as in line {first}, {legal}");
        return Err(IndexedError { at: count.min(*width), problem });
    }
    let unnumbered = others.iter().position(|value| value.parse::<f64>().is_err());
    known.unnumbered = known.unnumbered.or(unnumbered.map(|at| (at + 3, others[at])));
    for attribute in &line.attributes {
        if !known.attributes.contains(attribute) {
            known.attributes.push(attribute);
        }
    }
    listing.cable(a, b)
}

/// The columns of lines with cables.
struct Columns<'a> {
    /// Number of columns of every line, including the two names of switches.
    width: usize,
    /// Number of the first line with a cable.
    line: usize,
    /// The first value that is not a number, and its column number, counted from 1.
    unnumbered: Option<(usize, &'a str)>,
    /// Names of attributes that lines give in networkx's form.
    attributes: Vec<&'a str>,
}

/// Names of columns, from a separate line or a comment.
struct Header<'a> {
    line: Line<'a>,
    comment: bool,
}

/// Decides whether the first line is a header or a cable, and warns about columns that are not read.
fn finish<'a>(
    text: &Text,
    mut listing: Listing,
    mut columns: Option<Columns<'a>>,
    mut header: Option<Header<'a>>,
) -> Result<Listing, Error> {
    // `a b` may be a header or a cable. The line is a cable if the file has no other lines, or if another line names `a` or `b` as a
    // switch. A line with a different number of columns than the cables is not a header; reading it as a cable then gives the error.
    let other = |header: &mut Header| columns.as_ref().is_none_or(|known| known.width != header.line.words.len());
    let known = |header: &Header| header.line.words[..2].iter().any(|name| listing.switch_number(name).is_some());
    let cable = header.take_if(|header| other(header) || (!header.comment && known(header)));
    if let Some(Header { line, comment: false }) = cable {
        add(&mut listing, &mut columns, &line).map_err(|fault| line.error(text, fault))?;
    }
    let Some(columns) = columns else { return Ok(listing) };
    match (header, columns.unnumbered) {
        (Some(Header { line, .. }), _) => {
            listing.warnings.extend(text.ignored("column", line.words[2..].iter().copied()))
        }
        (None, Some((column, value))) => {
            let problem = format!("column {column} holds '{}', which is not a number", shown(value));
            let legal = "two names per line, a header with a name per column, or format=adjacency-list";
            return Err(text.error_in(value, format!("{problem}; legal: {legal}")));
        }
        (None, None) if columns.width > 2 && columns.attributes.is_empty() => {
            let numbers: Vec<String> = (3..=columns.width).map(|column| column.to_string()).collect();
            listing.warnings.extend(text.ignored("column", numbers.iter().map(String::as_str)));
        }
        (None, None) => {}
    }
    listing.warnings.extend(text.ignored("attribute", columns.attributes));
    Ok(listing)
}

/// Refuses a list of single names that contain commas or semicolons. A reader would take this list for a list of cables.
fn refuses(fabric: &Fabric) -> Option<String> {
    let name = fabric.labels().iter().find(|name| name.contains([',', ';'])).filter(|_| fabric.num_cables() == 0)?;
    Some(format!(
        "an edge list without cables cannot hold the name '{}'; legal: names without commas and semicolons, or .csv",
        shown(name)
    ))
}

fn write(fabric: &Fabric, names: &[String], out: &mut dyn Write) -> io::Result<()> {
    for cable in fabric.cables() {
        let [a, b] = [fabric.sources(), fabric.targets()].map(|ends| &names[ends[cable as usize] as usize]);
        writeln!(out, "{a} {b}")?;
    }
    // The lines of switches without cables come last. On the first line, a single number would be read as the number of switches.
    for switch in (0..fabric.num_switches() as u32).filter(|&switch| fabric.degree(switch) == 0) {
        writeln!(out, "{}", names[switch as usize])?;
    }
    Ok(())
}
