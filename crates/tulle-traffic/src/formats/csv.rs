//! Reader of messages as CSV. The file has a header row with the names of the columns, then one message per row.
//!
//! `source` and `destination` (or `src` and `dst`) are node numbers. `bytes` is a size: a whole number, or a number with a unit as in
//! specs. `start_ps` (or `start`) is a time in picoseconds or with a unit; without this column, all messages start at time 0.
//!
//! Columns may be in any order. If the header has a comma, commas separate the values; otherwise semicolons or tabs do. Whole numbers may
//! be written as floats (`1e6`, `65536.0`), as pandas does. Blank lines and lines that start with `#` are ignored.
//!
//! The files of `tulle simulate -o` and `tulle exchange -o` have a row per message, with its results. The reader ignores the columns of
//! results with a warning, so these files can be used as traffic again. All other unknown columns are errors.

use std::path::Path;

use tulle_spec::units;

use super::file::{File, excerpt};
use crate::{Error, Workload};

/// The latest legal start in picoseconds, about 13 days. The limit keeps sums of times far below 2⁶⁴.
const LATEST: u64 = 1 << 60;

/// The known columns; the first two are mandatory.
const COLUMNS: [&str; 4] = ["source", "destination", "bytes", "start"];

/// The known columns in error messages.
const LEGAL: &str = "source (or src), destination (or dst), bytes, start (or start_ps)";

/// Further columns in the files of `tulle simulate -o` and `tulle exchange -o`: names of endpoints, and results.
const RESULTS: [&str; 13] = [
    "source_name",
    "destination_name",
    "delivered_ps",
    "finish_ps",
    "hops",
    "retransmits",
    "trimmed",
    "timeouts",
    "layer_changes",
    "bytes_delivered",
    "slowdown",
    "first_cycle",
    "arrival_cycle",
];

/// Returns the alternative name of a column. Permutation files of other programs use `src` and `dst`; the name `start_ps` includes the
/// unit.
fn other(column: &str) -> &str {
    match column {
        "source" => "src",
        "destination" => "dst",
        "start" => "start_ps",
        other => other,
    }
}

/// The options of reading rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Size of all messages in bytes, for a file without the column `bytes`.
    pub bytes: Option<u64>,
    /// Whether a node may send messages to itself.
    pub to_oneself: bool,
}

/// Reads the messages in the file at `path`; node n is endpoint `places[n]`.
///
/// # Errors
/// Fails if the file is not a legal list of messages, or if `places` has no endpoint for a node. The error states the line.
pub fn load(path: &Path, places: &[u32], options: Options) -> Result<Workload, Error> {
    read(&File::load(path)?, places, options)
}

fn read(file: &File, places: &[u32], options: Options) -> Result<Workload, Error> {
    let text = file.text()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let (first, header) =
        lines.next().ok_or_else(|| file.at_line(1, format!("the file is empty; legal: columns {LEGAL}")))?;
    let header = Header::read(file, first, header, options.bytes.is_some())?;
    let mut workload = Workload { warnings: header.warnings(file), ..Workload::default() };
    for (line, text) in lines {
        let values: Vec<&str> = text.split(header.separator).map(str::trim).collect();
        if values.len() != header.width {
            let problem = format!("{} values; legal: {}, one per column", values.len(), header.width);
            return Err(file.at_line(line, problem));
        }
        let value = |column: usize| header.places[column].map(|place| values[place]);
        let [source, destination] =
            [0, 1].map(|column| node(file, line, COLUMNS[column], value(column).unwrap_or_default(), places));
        let (source, destination) = (source?, destination?);
        if source == destination && !options.to_oneself {
            return Err(file.at_line(line, "a node sends to itself; legal: two nodes, or self=yes to allow it"));
        }
        let bytes = match (value(2), options.bytes) {
            (Some(text), _) => size(file, line, text)?,
            (None, Some(bytes)) => bytes,
            (None, None) => unreachable!("`Header::read` requires the size in a column or in the spec"),
        };
        let start = value(3).map_or(Ok(0), |text| time(file, line, text))?;
        workload.push(source, destination, bytes, start);
    }
    if workload.is_empty() {
        return Err(file.at_line(first, "no message follows the header; legal: one or more"));
    }
    Ok(workload)
}

/// The positions of the columns.
struct Header<'a> {
    separator: char,
    width: usize,
    /// The position of each known column in a row, in the order of [`COLUMNS`].
    places: [Option<usize>; 4],
    /// The columns that are ignored, because they are names or results of a simulation.
    results: Vec<&'a str>,
}

impl<'a> Header<'a> {
    /// Reads the header row. `sized` means that the message size is given outside the file.
    fn read(file: &File, line: usize, text: &'a str, sized: bool) -> Result<Self, Error> {
        let separator = [',', ';', '\t'].into_iter().find(|&separator| text.contains(separator)).unwrap_or(',');
        let names: Vec<&str> = text.split(separator).map(str::trim).collect();
        let mut places = [None; 4];
        let mut results = Vec::new();
        for (place, &name) in names.iter().enumerate() {
            let Some(column) = COLUMNS.iter().position(|known| *known == name || other(known) == name) else {
                if RESULTS.contains(&name) {
                    results.push(name);
                    continue;
                }
                let problem = format!("column '{}' is not known; legal: {LEGAL}", excerpt(name));
                return Err(file.at_line(line, problem));
            };
            if places[column].replace(place).is_some() {
                return Err(file.at_line(line, format!("column '{name}' occurs twice; legal: every column once")));
            }
        }
        for column in [0, 1, 2] {
            let is_needed = column < 2 || !sized;
            if is_needed && places[column].is_none() {
                let hint = if column == 2 { ", or bytes= in the spec" } else { "" };
                let problem = format!("no column '{0}'; legal: a column {0}{hint}", COLUMNS[column]);
                return Err(file.at_line(line, problem));
            }
        }
        if sized && places[2].is_some() {
            return Err(file.at_line(line, "column 'bytes' and bytes= in the spec; legal: one of them"));
        }
        Ok(Self { separator, width: names.len(), places, results })
    }

    /// Returns a warning that names the ignored columns, if there are any.
    fn warnings(&self, file: &File) -> Vec<String> {
        let names = self.results.join(", ");
        match self.results.len() {
            0 => Vec::new(),
            1 => vec![file.warning(format!("column {names} is ignored"))],
            _ => vec![file.warning(format!("columns {names} are ignored"))],
        }
    }
}

fn node(file: &File, line: usize, what: &str, text: &str, places: &[u32]) -> Result<u32, Error> {
    let most = places.len().saturating_sub(1);
    let node = match whole(text).and_then(|node| usize::try_from(node).ok()) {
        Some(node) => node,
        None => file.number(line, what, text, most)?,
    };
    let place = places.get(node).copied();
    place.ok_or_else(|| file.at_line(line, format!("{what} {node} is out of range; legal: 0 to {most}")))
}

/// Parses a whole number, also if it is written as a float: `1e6`, `65536.0`. Floats above 2⁵³ are not exact, and are refused.
fn whole(text: &str) -> Option<u64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok();
    }
    let is_float = text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || b".eE+".contains(&byte));
    let value: f64 = text.parse().ok().filter(|_| is_float)?;
    (value.fract() == 0.0 && value <= (1u64 << 53) as f64).then_some(value as u64)
}

fn size(file: &File, line: usize, text: &str) -> Result<u64, Error> {
    let bytes = whole(text).or_else(|| units::bytes(text).ok()).filter(|&bytes| bytes > 0);
    bytes.ok_or_else(|| {
        let problem = format!("bytes '{}' is not a size; legal: 1 or more, for example 1500, 9KB, 1MiB", excerpt(text));
        file.at_line(line, problem)
    })
}

fn time(file: &File, line: usize, text: &str) -> Result<u64, Error> {
    let start = whole(text).or_else(|| units::duration(text).ok()).filter(|&start| start <= LATEST);
    start.ok_or_else(|| {
        let legal = format!("legal: picoseconds, 0 to {LATEST}, or with a unit, for example 500ns or 1us");
        file.at_line(line, format!("start '{}' is not a time; {legal}", excerpt(text)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: [u32; 3] = [7, 8, 9];
    const PLAIN: Options = Options { bytes: None, to_oneself: false };

    fn of(text: &str, options: Options) -> Result<Workload, String> {
        read(&File::of(text), &PLACES, options).map_err(|error| error.to_string())
    }

    #[test]
    fn messages_are_read_by_the_names_of_columns() {
        let short = of("src,dst\n0,1\n2,2\n", Options { bytes: Some(1), to_oneself: true }).unwrap();
        assert_eq!((&short.source[..], &short.destination[..]), (&[7, 9][..], &[8, 9][..]));
        let load = of("source,destination,bytes,start\n0,1,5000,2000000\n2,0,1,0\n", PLAIN).unwrap();
        assert_eq!((load.source, load.destination), (vec![7, 9], vec![8, 7]));
        assert_eq!((load.bytes, load.start), (vec![5000, 1], vec![2_000_000, 0]));
        let text = "\u{feff}# messages\r\nstart, bytes ,destination,source\r\n1us,4KiB,1,0\r\n\r\n# none\r\n0,18014398509481985,0,2";
        let load = of(text, PLAIN).unwrap();
        assert_eq!((load.source, load.destination), (vec![7, 9], vec![8, 7]));
        // A whole number above 2⁵³ is exact.
        assert_eq!((load.bytes, load.start), (vec![4096, 18_014_398_509_481_985], vec![1_000_000, 0]));
        let permutation =
            of("destination,source\n1,0\n0,1\n2,2", Options { bytes: Some(64), to_oneself: true }).unwrap();
        assert_eq!((permutation.destination, permutation.bytes), (vec![8, 7, 9], vec![64; 3]));
        assert_eq!(permutation.start, [0; 3]);
        assert_eq!(of("source,destination,bytes,start_ps\n0,1,5,7\n", PLAIN).unwrap().start, [7]);
    }

    #[test]
    fn separators_and_floats_are_read() {
        let expected = of("source,destination,bytes,start\n0,1,1000000,2000000000\n2,0,65536,0\n", PLAIN).unwrap();
        for text in [
            "source;destination;bytes;start\n0;1;1e6;2ms\n2;0;64KiB;0us\n",
            "src\tdst\tbytes\tstart_ps\n0\t1\t1MB\t2e+09\n2\t0\t65536.0\t0.0\n",
            "source,destination,bytes,start\n0.0,1.0,1000000.0,2E9\n2.0,0.0,65536.0,0.0\n",
        ] {
            assert_eq!(of(text, PLAIN).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn result_columns_are_ignored_with_a_warning() {
        let head = format!("source,destination,bytes,start_ps,{}", RESULTS.join(","));
        let load = of(&format!("{head}\n0,1,5,7,a,b,9,9,2.5,0,0,0,0,5,1.25,1,2\n"), PLAIN).unwrap();
        assert_eq!((&load.bytes[..], &load.start[..]), (&[5][..], &[7][..]));
        let expected = "test: columns source_name, destination_name, delivered_ps, finish_ps, hops, retransmits, trimmed, \
                        timeouts, layer_changes, bytes_delivered, slowdown, first_cycle, arrival_cycle are ignored";
        assert_eq!(load.warnings, [expected]);
        let one = of("source,destination,bytes,hops\n0,1,5,2\n", PLAIN).unwrap();
        assert_eq!(one.warnings, ["test: column hops is ignored"]);
    }

    #[test]
    fn errors_have_their_line() {
        const HEAD: &str = "source,destination,bytes,start";
        for (text, error) in [
            ("".to_owned(), "test:1: the file is empty; legal: columns source"),
            (HEAD.to_owned(), "test:1: no message follows the header"),
            (
                "0,1,5,0".to_owned(),
                "test:1: column '0' is not known; legal: source (or src), destination (or dst), bytes",
            ),
            ("source,destination,bytes,weight\n".to_owned(), "test:1: column 'weight' is not known"),
            ("source,destination,bytes,start,start_ps\n".to_owned(), "test:1: column 'start_ps' occurs twice"),
            ("# x\nsource,source\n".to_owned(), "test:2: column 'source' occurs twice"),
            ("source,bytes\n0,1".to_owned(), "test:1: no column 'destination'; legal: a column destination"),
            ("source,destination\n0,1".to_owned(), "test:1: no column 'bytes'; legal: a column bytes, or bytes= in"),
            (format!("{HEAD}\n0,1,5"), "test:2: 3 values; legal: 4, one per column"),
            (format!("{HEAD}\n0,1,5,0\n\n0,3,5,0"), "test:4: destination 3 is out of range; legal: 0 to 2"),
            (format!("{HEAD}\n-1,1,5,0"), "test:2: source '-1' is out of range; legal: 0 to 2"),
            (format!("{HEAD}\n1,1,5,0"), "test:2: a node sends to itself; legal: two nodes, or self=yes"),
            (format!("{HEAD}\n0,1,0,0"), "test:2: bytes '0' is not a size; legal: 1 or more"),
            (format!("{HEAD}\n0,1,5 apples,0"), "test:2: bytes '5 apples' is not a size"),
            (format!("{HEAD}\n0,1,5,-1"), "test:2: start '-1' is not a time; legal: picoseconds"),
            (format!("{HEAD}\n0,1,5,0.5"), "test:2: start '0.5' is not a time"),
            (format!("{HEAD}\n0,1,1e99,0"), "test:2: bytes '1e99' is not a size"),
            (format!("{HEAD}\n0,1,inf,0"), "test:2: bytes 'inf' is not a size"),
            (format!("{HEAD}\n0,1,-0.0,0"), "test:2: bytes '-0.0' is not a size"),
            (format!("{HEAD}\n0.5,1,5,0"), "test:2: source '0.5' is not a whole number; legal: 0 to 2"),
            (format!("{HEAD}\n0;1;5;0"), "test:2: 1 values; legal: 4"),
            (format!("{HEAD}\n0,1,5,1152921504606846977"), "test:2: start '1152921504606846977' is not a time"),
        ] {
            let found = of(&text, PLAIN).unwrap_err();
            assert!(found.starts_with(error) && !found.contains('\n'), "{text:?}: {found}");
        }
        let twice = of(&format!("{HEAD}\n0,1,5,0"), Options { bytes: Some(5), ..PLAIN }).unwrap_err();
        assert_eq!(twice, "test:1: column 'bytes' and bytes= in the spec; legal: one of them");
    }
}
