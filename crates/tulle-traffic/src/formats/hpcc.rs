//! Flow files of HPCC's ns-3: the number of flows, then `source destination priority port bytes start` a line, start in
//! seconds, ascending.

use std::path::Path;

use super::file::{File, shown};
use crate::{Error, Workload};

/// The latest start: some 13 days, so that sums of times stay far below the end of 64 bits.
const LATEST: f64 = (1u64 << 60) as f64;

/// Reads the flows at `path`; node n is `places[n]`.
///
/// # Errors
/// A file that cannot be read as flows, with its line, or a node that has no place.
pub fn load(path: &Path, places: &[u32]) -> Result<Workload, Error> {
    read(&File::load(path)?, places)
}

fn read(file: &File, places: &[u32]) -> Result<Workload, Error> {
    let mut lines = (1..).zip(file.text()?.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (first, head) =
        lines.next().ok_or_else(|| file.at_line(1, "the file is empty; legal: the number of flows first"))?;
    let count: usize = file.number(first, "the number of flows", head.trim(), 1 << 29)?;
    let mut workload = Workload::default();
    let mut last = 0;
    for (line, text) in lines {
        let words: Vec<&str> = text.split_whitespace().collect();
        let &[source, destination, priority, port, bytes, start] = words.as_slice() else {
            let problem = format!("{} words; legal: source destination priority port bytes start", words.len());
            return Err(file.at_line(line, problem));
        };
        for (what, value) in [("priority", priority), ("port", port)] {
            file.number::<u32>(line, what, value, u32::MAX)?;
        }
        let [source, destination] = [source, destination].map(|text| node(file, line, text, places));
        let (source, destination) = (source?, destination?);
        if source == destination {
            return Err(file.at_line(line, "a node sends to itself; legal: two nodes"));
        }
        let bytes: u64 = file.number(line, "bytes", bytes, u64::MAX)?;
        if bytes == 0 {
            return Err(file.at_line(line, "bytes 0; legal: 1 or more"));
        }
        let start = picoseconds(file, line, start)?;
        if start < last {
            return Err(file.at_line(line, "a flow starts before the one above it; legal: ascending starts"));
        }
        last = start;
        workload.push(source, destination, bytes, start);
    }
    if workload.len() != count {
        return Err(file.at_line(first, format!("{count} flows; legal: {}, as there are", workload.len())));
    }
    Ok(workload)
}

fn node(file: &File, line: usize, text: &str, places: &[u32]) -> Result<u32, Error> {
    let most = places.len().saturating_sub(1);
    let node: usize = file.number(line, "node", text, most)?;
    places
        .get(node)
        .copied()
        .ok_or_else(|| file.at_line(line, format!("node {node} is out of range; legal: 0 to {most}")))
}

fn picoseconds(file: &File, line: usize, text: &str) -> Result<u64, Error> {
    let time = text.parse::<f64>().ok().map(|seconds| (seconds * 1e12).round());
    let legal = time.filter(|time| (0.0..=LATEST).contains(time));
    legal.map(|time| time as u64).ok_or_else(|| {
        file.at_line(line, format!("start '{}' is not a time in seconds; legal: 0 to {}", shown(text), LATEST / 1e12))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: [u32; 3] = [7, 8, 9];

    #[test]
    fn flows_are_read() {
        let load = read(&File::of("2\n0 1 3 100 5000 2.0\n\n2 0 3 100 1 2.000001\n"), &PLACES).unwrap();
        assert_eq!((load.source, load.destination, load.bytes), (vec![7, 9], vec![8, 7], vec![5000, 1]));
        assert_eq!(load.start, [2_000_000_000_000, 2_000_001_000_000]);
    }

    #[test]
    fn errors_have_their_line() {
        for (text, error) in [
            ("", "test:1: the file is empty"),
            ("x", "test:1: the number of flows 'x' is not a whole number"),
            ("1\n0 1 3 100 5000", "test:2: 5 words; legal: source destination"),
            ("1\n0 3 3 100 5000 2", "test:2: node 3 is out of range; legal: 0 to 2"),
            ("1\n1 1 3 100 5000 2", "test:2: a node sends to itself"),
            ("1\n0 1 3 100 0 2", "test:2: bytes 0"),
            ("1\n0 1 3 100 1 -2", "test:2: start '-2' is not a time"),
            ("1\n0 1 3 100 1 nan", "test:2: start 'nan' is not a time"),
            ("2\n0 1 3 100 1 2\n0 1 3 100 1 1", "test:3: a flow starts before"),
            ("2\n0 1 3 100 1 2", "test:1: 2 flows; legal: 1"),
        ] {
            let found = read(&File::of(text), &PLACES).unwrap_err().to_string();
            assert!(found.starts_with(error) && !found.contains('\n'), "{text:?}: {found}");
        }
    }
}
