//! Edge lists: `u v` a line, `#` comments. All lines of cables have the same number of columns; further ones are numbers, or
//! attributes in braces as networkx writes them, or anything where a header (`source target length`, as a line or a
//! comment) names them; they are not read. A line of one name is a switch without cables. A first line of the numbers of
//! switches and cables is recognised by what follows it.

use std::io::{self, Write};

use super::Format;
use super::csv::ENDS;
use super::fault::{Fault, InPart};
use super::listing::Listing;
use super::parts::Part;
use super::text::{Text, shown};
use crate::{Error, Fabric};

pub const FORMAT: Format = Format {
    word: "edge-list",
    name: "edge list",
    extensions: &["edges", "edgelist", "txt"],
    nodes_beside: true,
    either_order: true,
    read,
    refuses: |_| None,
    holds: &[Part::OF_SWITCHES, Part::OF_ENDPOINTS],
    alters: |_| Vec::new(),
    can_name: |name| !name.contains(|c: char| c.is_whitespace() || "#=%{[<".contains(c)) && !name.ends_with(':'),
    sorts: true,
    write: Some(write),
};

/// A line that says something: its number, its words, the names of its attributes.
struct Line<'a> {
    number: usize,
    words: Vec<&'a str>,
    attributes: Vec<&'a str>,
}

impl<'a> Line<'a> {
    fn new(number: usize, said: &'a str) -> Self {
        let braces =
            said.trim_end().strip_suffix('}').and_then(|said| said.split_once(" {").or(said.split_once("\t{")));
        if let Some((before, inside)) = braces {
            let words: Vec<&str> = before.split_whitespace().collect();
            // Fewer are names, of which the second has braces.
            if words.len() >= 2 {
                return Self { number, words, attributes: inside.split(',').filter_map(name).collect() };
            }
        }
        Self { number, words: said.split_whitespace().collect(), attributes: Vec::new() }
    }

    /// The error at the word that has a fault.
    fn error(&self, text: &Text, Fault { at, problem }: Fault) -> Error {
        text.error_in(self.words[at.min(self.words.len() - 1)], problem)
    }

    /// Whether the words are what columns are called, of which the first two are the ends of a cable.
    fn is_header(&self) -> bool {
        let is = |at: usize| self.words.get(at).is_some_and(|word| ENDS[at].contains(&word.to_lowercase().as_str()));
        is(0) && is(1)
    }
}

/// The name of `'name': value`, as networkx writes attributes.
fn name(pair: &str) -> Option<&str> {
    pair.split_once(':').map(|(name, _)| name.trim().trim_matches(['\'', '"']))
}

/// What a line says, and its comment. `%` begins one, too, as in files of KONECT, but only at the start of a line.
fn parts(line: &str) -> (&str, &str) {
    match line.trim_start().strip_prefix('%') {
        Some(comment) => ("", comment),
        None => line.split_once('#').unwrap_or((line, "")),
    }
}

fn read(text: &Text) -> Result<Listing, Error> {
    let mut listing = Listing::default();
    let mut columns: Option<Columns> = None;
    let mut header = None;
    let mut first = true;
    let counts = Counts::find(text)?;
    if let Some(counts) = &counts {
        counts.apply(text, &mut listing)?;
    }
    let counted = counts.map(|counts| counts.line);
    for (line, content) in text.content.lines().enumerate().filter(|(line, _)| Some(*line) != counted) {
        let (said, comment) = parts(content);
        let (line, comment) = (Line::new(line + 1, said), Line::new(line + 1, comment));
        if line.words.is_empty() {
            // Until the first cable a comment may say what the columns are.
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

/// A first line that counts switches and cables.
struct Counts<'a> {
    /// The number of the line, from 0.
    line: usize,
    content: &'a str,
    switches: u64,
    cables: u64,
    /// Whether switches are numbered from 1.
    from_one: bool,
}

impl<'a> Counts<'a> {
    /// The counts at the head of the list, if it has some. As a cable that line would join two switches of which no other
    /// line knows, with numbers beyond all others; it counts where as many cables follow (or twice as many, one from either
    /// end).
    ///
    /// # Errors
    /// A line that can be nothing else, but another number of cables follows.
    fn find(text: &'a Text) -> Result<Option<Self>, Error> {
        let said = |(line, content): (usize, &'a str)| {
            let words: Vec<&str> = parts(content).0.split_whitespace().collect();
            (!words.is_empty()).then_some((line, content, words))
        };
        let mut lines = text.content.lines().enumerate().filter_map(said);
        let Some((line, content, head)) = lines.next() else { return Ok(None) };
        let number = |word: &str| word.parse::<u64>().ok();
        let &[switches, cables] = head.as_slice() else { return Ok(None) };
        let [Some(switches), Some(cables)] = [switches, cables].map(number) else { return Ok(None) };
        let (mut least, mut most, mut count, mut known) = (u64::MAX, 0, 0, false);
        for (.., words) in lines {
            for word in words.iter().take(2) {
                let Some(id) = number(word) else { return Ok(None) };
                (least, most, known) = (least.min(id), most.max(id), known || id == cables);
            }
            count += u64::from(words.len() > 1);
        }
        let from_one = most == switches && least >= 1;
        if count == 0 || (most >= switches && !from_one) {
            return Ok(None);
        }
        let counts = Self { line, content, switches, cables, from_one };
        if cables == count || cables.checked_mul(2) == Some(count) {
            return Ok(Some(counts));
        }
        let next = if from_one { switches } else { switches - 1 };
        if !known && most == next && cables > most {
            let problem = format!(
                "'{}' looks like {switches} switches and {cables} cables, but {count} cables follow",
                shown(content.trim())
            );
            return Err(
                text.error_in(content, format!("{problem}; legal: as many, or a header before it, as source target"))
            );
        }
        Ok(None)
    }

    /// Adds the switches, of which some may have no cable, and says what the line was read as.
    fn apply(&self, text: &Text, listing: &mut Listing) -> Result<(), Error> {
        let Self { content, switches, cables, from_one, .. } = *self;
        if switches > text.content.len() as u64 {
            let problem = format!("{switches} switches are more than the file can name; legal: a cable each");
            return Err(text.error_in(content, problem));
        }
        let first = u64::from(from_one);
        for switch in first..switches + first {
            listing.switch(&switch.to_string()).map_err(|problem| text.error_in(content, problem))?;
        }
        let what = format!("the first line, '{}', counts switches and cables", shown(content.trim()));
        let hint = "a header before it (source target) makes it a cable";
        listing.warnings.push(text.warning(format!("{what}: {switches} and {cables}; {hint}")));
        Ok(())
    }
}

/// Adds the cable or the switch of a line.
fn add<'a>(listing: &mut Listing, columns: &mut Option<Columns<'a>>, line: &Line<'a>) -> Result<(), Fault> {
    let &[a, b, ref others @ ..] = line.words.as_slice() else {
        return listing.switch(line.words[0]).map(drop).in_part(0);
    };
    let known = columns.get_or_insert_with(|| Columns {
        width: line.words.len(),
        line: line.number,
        unnumbered: None,
        attributes: Vec::new(),
    });
    if line.words.len() != known.width {
        let (count, Columns { width, line: first, .. }) = (line.words.len(), known);
        let problem = format!("the line has {count} columns; legal: {width}, as line {first} has, or 1");
        return Err(Fault { at: count.min(*width), problem });
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

/// The columns of the lines of cables, and those after the two names.
struct Columns<'a> {
    /// Columns of every line.
    width: usize,
    /// The line that was the first.
    line: usize,
    /// The first value that is no number, and the number of its column from 1.
    unnumbered: Option<(usize, &'a str)>,
    /// The names of attributes, as networkx writes them.
    attributes: Vec<&'a str>,
}

/// The names of the columns, on a line of their own or in a comment.
struct Header<'a> {
    line: Line<'a>,
    comment: bool,
}

/// Takes the header for what it is, and says what was not read.
fn finish<'a>(
    text: &Text,
    mut listing: Listing,
    mut columns: Option<Columns<'a>>,
    mut header: Option<Header<'a>>,
) -> Result<Listing, Error> {
    // `a b` may be a cable: it is where there is nothing else, or where one of the two is a switch of another line.
    // Neither a header nor a cable has another number of columns than the cables.
    let other = |header: &mut Header| columns.as_ref().is_none_or(|known| known.width != header.line.words.len());
    let known = |header: &Header| header.line.words[..2].iter().any(|name| listing.known(name).is_some());
    let cable = header.take_if(|header| other(header) || (!header.comment && known(header)));
    if let Some(Header { line, comment: false }) = cable {
        add(&mut listing, &mut columns, &line).map_err(|fault| line.error(text, fault))?;
    }
    let Some(columns) = columns else {
        return unlisted(text, listing);
    };
    match (header, columns.unnumbered) {
        (Some(Header { line, .. }), _) => {
            listing.warnings.extend(text.ignored("column", line.words[2..].iter().copied()))
        }
        (None, Some((column, value))) => {
            let problem = format!("column {column} holds '{}', which is no number", shown(value));
            let legal = "two names a line, or a header that names the others";
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

/// A list without cables; that of a table whose values commas keep apart is none.
fn unlisted(text: &Text, listing: Listing) -> Result<Listing, Error> {
    let (names, _) = listing.listed();
    let apart = |name: &String| name.contains([',', ';']) && !name.starts_with('(');
    if names.len() > 1 && names.iter().all(apart) {
        let problem = format!("'{}' is one name; legal: names apart by spaces, or a .csv file", shown(&names[0]));
        return Err(text.error(problem));
    }
    Ok(listing)
}

fn write(fabric: &Fabric, names: &[String], out: &mut dyn Write) -> io::Result<()> {
    for switch in (0..fabric.num_switches() as u32).filter(|&switch| fabric.degree(switch) == 0) {
        writeln!(out, "{}", names[switch as usize])?;
    }
    for cable in fabric.cables() {
        let [a, b] = [fabric.sources(), fabric.targets()].map(|ends| &names[ends[cable as usize] as usize]);
        writeln!(out, "{a} {b}")?;
    }
    Ok(())
}
