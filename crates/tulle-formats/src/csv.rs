//! Cables as CSV: a header row, then a row per cable. Values are separated by commas, or by semicolons or tabs if the header has no comma.

use std::borrow::Cow;
use std::io::{self, Write};

use super::Format;
use super::indexed_error::{AtIndex, IndexedError};
use super::listing::{Listing, check_name};
use super::neutral::{neutral, plain};
use super::parts::Part;
use super::properties::{self, Reader};
use super::servers::{Port, Servers};
use super::text::{Text, counted, shown};
use tulle_fabric::{Error, Fabric};

pub const FORMAT: Format = Format {
    word: "csv",
    name: "CSV of cables",
    extensions: &["csv", "tsv"],
    nodes_beside: true,
    either_order: true,
    read,
    refuses: |_| None,
    holds: &[Part::OF_SWITCHES, Part::OF_CABLES, Part::OF_ENDPOINTS],
    alters: |_| Vec::new(),
    can_name: |name| name.trim() == name && !name.starts_with('#'),
    sorts: true,
    write: Some(write),
};

/// Legal names of the two columns that hold the ends of a cable.
pub const ENDS: [&[&str]; 2] = [
    &["a", "router_a", "switch_a", "source", "src", "from", "u", "fromnodeid", "node1", "node_a"],
    &["b", "router_b", "switch_b", "target", "dst", "to", "v", "tonodeid", "node2", "node_b"],
];

/// The columns of a plan's `cables.csv` by which tulle recognises such a table.
const PLANNED: [&str; 5] = ["step", "from", "from_port", "to", "to_port"];
/// Further columns of a plan's `cables.csv` that are not properties of a fabric.
const OF_PLANS: [&str; 7] = ["cable", "colour", "from_rack", "from_unit", "to_rack", "to_unit", "item"];
/// The step of a plan in which endpoints are connected.
const ENDPOINTS: &str = "endpoints";

/// Stands for a missing column.
pub const NO_COLUMN: usize = usize::MAX;

/// A table whose first row is the header. Spaces around values are removed, and lines that start with `#` are comments.
pub struct Table<'a> {
    text: &'a Text,
    header: Vec<String>,
    separator: u8,
    reader: csv::Reader<&'a [u8]>,
}

impl<'a> Table<'a> {
    /// Reads the header row.
    ///
    /// # Errors
    /// Fails if the header row is not CSV.
    pub fn open(text: &'a Text) -> Result<Self, Error> {
        let is_head = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
        let head = text.content.lines().find(is_head).unwrap_or_default();
        let separator = [b',', b';', b'\t'].into_iter().find(|&separator| head.contains(char::from(separator)));
        let separator = separator.unwrap_or(b',');
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(separator)
            .trim(csv::Trim::All)
            .comment(Some(b'#'))
            .flexible(true)
            .from_reader(text.content.as_bytes());
        let header = reader
            .headers()
            .map_err(|error| text.error_at(start_of(text, error.position()), "the header row is not CSV"))?;
        let header = header.iter().map(str::to_lowercase).collect();
        Ok(Self { text, header, separator, reader })
    }

    /// Returns the column with one of these `names`.
    ///
    /// # Errors
    /// Fails if the table has no such column.
    pub fn column(&self, names: &[&str]) -> Result<usize, Error> {
        let found = self.header.iter().position(|column| names.contains(&column.as_str()));
        found.ok_or_else(|| {
            let problem =
                format!("no column '{}' in '{}'; legal: {}", names[0], shown(&self.header.join(",")), names.join(", "));
            self.text.error_at(start_of(self.text, Some(&csv::Position::new())), problem)
        })
    }

    /// Returns the column called `name`; [`NO_COLUMN`] if there is none.
    pub fn optional(&self, name: &str) -> usize {
        self.header.iter().position(|column| column == name).unwrap_or(NO_COLUMN)
    }

    /// Returns the first of the columns with these `names`; [`NO_COLUMN`] if there is none.
    fn first(&self, names: [&str; 2]) -> usize {
        names.map(|name| self.optional(name)).into_iter().min_by_key(|&column| column == NO_COLUMN).unwrap_or(NO_COLUMN)
    }

    /// Returns a note that names the columns which the reader ignores. It does not ignore columns whose numbers are in `read` or whose
    /// names are in `known`. Returns `None` if it ignores none.
    pub fn ignored(&self, read: &[usize], known: &[&str]) -> Option<String> {
        let others = self.header.iter().enumerate();
        let others = others.filter(|(column, name)| !read.contains(column) && !known.contains(&name.as_str()));
        self.text.ignored("column", others.map(|(_, name)| name.as_str()))
    }

    /// Calls `each` with every row's values of `columns`; the value of [`NO_COLUMN`] is empty.
    ///
    /// # Errors
    /// Fails if a row does not have as many values as the header, or if `each` fails. An error of `each` contains the index of the faulty
    /// value in `columns`.
    pub fn rows<const N: usize>(
        mut self,
        columns: [usize; N],
        mut each: impl FnMut([&str; N]) -> Result<(), IndexedError>,
    ) -> Result<(), Error> {
        let mut record = csv::StringRecord::new();
        while self
            .reader
            .read_record(&mut record)
            .map_err(|error| self.text.error_at(start_of(self.text, error.position()), "the row is not CSV"))?
        {
            let error = |column: usize, problem: String| {
                let start = start_of(self.text, record.position());
                self.text.error_at(field(&self.text.content, self.separator, start, column), problem)
            };
            let length = || format!("the row has {} values", record.len());
            let mut values: [Cow<str>; N] = [const { Cow::Borrowed("") }; N];
            for (value, &column) in values.iter_mut().zip(&columns).filter(|(_, column)| **column != NO_COLUMN) {
                *value = record.get(column).map(plain).ok_or_else(|| {
                    let name = shown(&self.header[column]);
                    let problem = format!(
                        "{}, without a value for column '{name}'; legal: {} values",
                        length(),
                        self.header.len()
                    );
                    error(record.len().saturating_sub(1), problem)
                })?;
            }
            if record.len() != self.header.len() {
                let further = self.header.len().min(record.len() - 1);
                return Err(error(further, format!("{}; legal: {}", length(), self.header.len())));
            }
            each(values.each_ref().map(|value| &**value))
                .map_err(|IndexedError { at, problem }| error(columns[at].min(record.len()), problem))?;
        }
        Ok(())
    }
}

/// Returns the byte offset at which the row at `position` starts, after any blank lines and comments.
fn start_of(text: &Text, position: Option<&csv::Position>) -> usize {
    let Some(position) = position else { return 0 };
    let from = (position.byte() as usize).min(text.content.len());
    let rest = text.content.get(from..).unwrap_or_default();
    let skipped = rest.split_inclusive('\n').take_while(|line| ["\n", "\r\n"].contains(line) || line.starts_with('#'));
    from + skipped.map(str::len).sum::<usize>()
}

/// Returns the byte offset of field number `column` of the row at `start`, without leading spaces.
fn field(content: &str, separator: u8, start: usize, column: usize) -> usize {
    let (mut at, mut quoted, mut left) = (start, false, column);
    for &byte in content.as_bytes().get(start..).unwrap_or_default() {
        match byte {
            _ if left == 0 => break,
            b'"' => quoted = !quoted,
            _ if byte == separator && !quoted => left -= 1,
            b'\n' if !quoted => break,
            _ => {}
        }
        at += 1;
    }
    let rest = content.get(at..).unwrap_or_default();
    let blank = |letter: char| letter == ' ' || (letter == '\t' && separator != b'\t');
    at + (rest.len() - rest.trim_start_matches(blank).len())
}

fn read(text: &Text) -> Result<Listing, Error> {
    let table = Table::open(text)?;
    let [a, b] = [table.column(ENDS[0])?, table.column(ENDS[1])?];
    let [medium, rate_back, latency_back, cost, cost_back] =
        ["medium", "rate_back", "latency_back", "cost", "cost_back"].map(|name| table.optional(name));
    // Tables that tulle writes, for example the cables of a plan, have the units in the names of columns.
    let [rate, latency, length] =
        [["rate", "rate_bps"], ["latency", "latency_ps"], ["length", "length_mm"]].map(|names| table.first(names));
    let units = [("rate", "bps"), ("latency", "ps"), ("length", "mm")]
        .map(|(name, unit)| if table.optional(name) == NO_COLUMN { unit } else { "" });
    let name = table.optional("name");
    let [from, to] = [["source_port", "from_port"], ["target_port", "to_port"]].map(|names| table.first(names));
    let is_plan = PLANNED.iter().all(|name| table.optional(name) != NO_COLUMN);
    let step = if is_plan { table.optional(PLANNED[0]) } else { NO_COLUMN };
    let columns = [a, b, rate, latency, length, medium, rate_back, latency_back, cost, cost_back, name, from, to, step];
    let mut listing = Listing::default();
    listing.warnings.extend(table.ignored(&columns, if is_plan { &OF_PLANS } else { &[] }));
    let (mut hosts, mut reader, mut planned) = (Servers::default(), Reader::default(), 0);
    table.rows(columns, |[a, b, rate, latency, length, link @ .., name, from, to, step]| {
        let texts = [rate, latency, length];
        let texts: [Cow<str>; 3] = std::array::from_fn(|at| match (texts[at], units[at]) {
            (text, "") | (text @ "", _) => Cow::Borrowed(text),
            (text, unit) => Cow::Owned(format!("{text}{unit}")),
        });
        let [rate, latency, length] = texts.each_ref().map(|text| &**text);
        let [medium, rate_back, latency_back, cost, cost_back] = link;
        let link = [rate, latency, length, medium, rate_back, latency_back, cost, cost_back];
        if step != ENDPOINTS {
            if step.starts_with("to ") {
                let problem = format!("step '{}' leads to a device between two switches", shown(step));
                return Err(format!("{problem}; legal: the fabric of this plan, or its exports")).at_index(13);
            }
            listing.cable(a, b)?;
            return listing.set_cable_properties(link, [name, from, to]).map_err(|fault| fault.after(2));
        }
        let switch = listing.switch(a).at_index(0)?;
        for (at, text, kind) in [(1, b, "node"), (11, from, "port"), (12, to, "port")] {
            check_name(text, kind).at_index(at)?;
        }
        let [link, _] = reader.links(link).map_err(|fault| fault.after(2))?;
        planned += 1;
        hosts.attach(b, Port { name: to.to_owned(), switch, switch_port: from.to_owned(), link });
        Ok(())
    })?;
    listing.warnings.extend(listing.reader.warning("column").map(|what| text.warning(what)));
    if planned > 0 {
        let lead = if planned == 1 { "leads to an endpoint" } else { "lead to endpoints" };
        let what = format!("a plan's table of cables: {} of the step '{ENDPOINTS}' {lead}", counted(planned, "cable"));
        listing.warnings.push(text.warning(what));
        hosts.into_endpoints(true, text, &mut listing)?;
    }
    Ok(listing)
}

fn write(fabric: &Fabric, names: &[String], out: &mut dyn Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let columns = properties::cable_columns(fabric);
    writer.write_record(["a", "b"].into_iter().chain(columns.iter().map(|(name, _)| *name)))?;
    for (row, cable) in fabric.cables().enumerate() {
        let ends = [fabric.sources(), fabric.targets()].map(|ends| &names[ends[cable as usize] as usize]);
        let cells = ends.into_iter().chain(columns.iter().map(|(_, values)| &values[row]));
        writer.write_record(cells.map(|cell| neutral(cell).into_owned()))?;
    }
    writer.flush()
}
