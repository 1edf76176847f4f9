//! Reader of flow files of HPCC's ns-3 simulator. A file has the number of flows, then the flows as `source destination
//! priority port bytes start`. Starts are in seconds, ascending.
//!
//! ns-3 reads such a file word by word, and stops after the number of flows that the file announces at its start. Therefore lines may be
//! broken anywhere, and HPCC's own files end with an explanation. This reader ignores the explanation too. But it refuses a file with more
//! flows than announced, because the announced number is then probably wrong and flows would be lost. Flow files of the ConWeave simulator
//! have no port.

mod nodes;

use std::path::Path;

pub use nodes::Nodes;

use super::file::{File, excerpt};
use crate::{Error, Workload};

/// The latest legal start in picoseconds, about 13 days. The limit keeps sums of times far below 2⁶⁴.
const LATEST: f64 = (1u64 << 60) as f64;

/// Number of words per flow.
const WORDS: usize = 6;

/// Reads the flows in the file at `path`; `nodes` maps nodes to endpoints.
///
/// # Errors
/// Fails if the file is not a legal list of flows, or if a node is unknown. The error states the line.
pub fn load(path: &Path, nodes: Nodes) -> Result<Workload, Error> {
    read(&File::load(path)?, nodes)
}

fn read(file: &File, mut nodes: Nodes) -> Result<Workload, Error> {
    let lines = (1..).zip(file.text()?.lines());
    let words: Vec<(usize, &str)> =
        lines.flat_map(|(line, text)| text.split_whitespace().map(move |word| (line, word))).collect();
    let Some((&(first, count), words)) = words.split_first() else {
        return Err(file.at_line(1, "the file is empty; legal: the number of flows first"));
    };
    let count: usize = file.number(first, "the number of flows", count, 1 << 29)?;
    let width = width(words);
    let mut workload = Workload::default();
    let mut last = 0;
    for at in 0..count {
        let flow = words.get(at * width..).unwrap_or_default();
        let Some((&(line, source), rest)) = flow.split_first() else {
            return Err(file.at_line(
                first,
                format!("the file announces {count} flows; legal: {at}, the number found in the file"),
            ));
        };
        if flow.len() < width {
            let problem = format!(
                "the file ends after {} of a flow's {width} words; legal: source destination priority port bytes start",
                flow.len()
            );
            return Err(file.at_line(line, problem));
        }
        let destination = rest[0].1;
        for (what, (line, value)) in ["priority", "port"].into_iter().zip(&rest[1..width - 3]) {
            file.number::<u32>(*line, what, value, u32::MAX)?;
        }
        let [source, destination] = [source, destination].map(|text| node(file, line, text, &nodes));
        let (source, destination) = (source?, destination?);
        if source == destination {
            return Err(file.at_line(line, "a node sends to itself; legal: two nodes"));
        }
        let (line, bytes) = rest[width - 3];
        let bytes: u64 = file.number(line, "bytes", bytes, u64::MAX)?;
        if bytes == 0 {
            return Err(file.at_line(line, "bytes 0; legal: 1 or more"));
        }
        let (line, start) = rest[width - 2];
        let start = picoseconds(file, line, start)?;
        if start < last {
            return Err(file.at_line(line, "a flow starts before the one above it; legal: ascending starts"));
        }
        last = start;
        if let Some((source, destination)) = nodes.ends(source, destination) {
            workload.push(source, destination, bytes, start);
        }
    }
    let more = words[count * width..].chunks_exact(width).take_while(|flow| is_flow(flow)).count();
    if more > 0 {
        return Err(file.at_line(
            first,
            format!("the file announces {count} flows; legal: {}, the number found in the file", count + more),
        ));
    }
    Ok(workload)
}

/// Returns the number of words per flow. It is one less than usual if the first flow is on one line and has no port, as in files of
/// ConWeave's ns-3.
fn width(words: &[(usize, &str)]) -> usize {
    let first = words.first().map(|&(line, _)| line);
    let on_the_first_line = words.iter().take_while(|&&(line, _)| Some(line) == first).count();
    let follows_a_line = words.get(on_the_first_line).is_none_or(|_| {
        // If the next line has only one word, the first flow continues there: the word is the flow's start.
        let next = words[on_the_first_line].0;
        words[on_the_first_line..].iter().take_while(|&&(line, _)| line == next).count() != 1
    });
    if on_the_first_line == WORDS - 1 && follows_a_line && words[WORDS - 2].1.contains('.') { WORDS - 1 } else { WORDS }
}

/// Returns whether the words can be a flow, that is whether all are numbers.
fn is_flow(words: &[(usize, &str)]) -> bool {
    words.iter().all(|(_, word)| word.parse::<f64>().is_ok())
}

fn node(file: &File, line: usize, text: &str, nodes: &Nodes) -> Result<usize, Error> {
    let most = nodes.last();
    let node: usize = file.number(line, "node", text, most)?;
    if nodes.has(node) {
        return Ok(node);
    }
    let problem = match nodes.are_all() {
        true => format!("node {node} is out of range; legal: 0 to {most}"),
        false => format!("node {node} is not an endpoint; legal: the number in the name of an endpoint, up to {most}"),
    };
    Err(file.at_line(line, problem))
}

fn picoseconds(file: &File, line: usize, text: &str) -> Result<u64, Error> {
    let time = text.parse::<f64>().ok().map(|seconds| (seconds * 1e12).round());
    let legal = time.filter(|time| (0.0..=LATEST).contains(time));
    legal.map(|time| time as u64).ok_or_else(|| {
        file.at_line(line, format!("start '{}' is not a time in seconds; legal: 0 to {}", excerpt(text), LATEST / 1e12))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &File) -> Result<Workload, Error> {
        super::read(file, Nodes::in_order(&[7, 8, 9]))
    }

    #[test]
    fn flows_are_read() {
        let load = read(&File::of("2\n0 1 3 100 5000 2.0\n\n2 0 3 100 1 2.000001\n")).unwrap();
        assert_eq!((load.source, load.destination, load.bytes), (vec![7, 9], vec![8, 7], vec![5000, 1]));
        assert_eq!(load.start, [2_000_000_000_000, 2_000_001_000_000]);
    }

    #[test]
    fn words_are_read_up_to_the_count() {
        let whole = read(&File::of("2\n0 1 3 100 5000 2.0\n2 0 3 100 1 2.5\n")).unwrap();
        for text in [
            "2 0 1 3 100 5000 2.0 2 0 3 100 1 2.5",
            "2\n0 1 3 100\n5000 2.0 2 0\n3 100 1 2.5\n\nFirst line: number of flows\nsrc dst pg port bytes start",
            "2\n0 1 3 5000 2.0\n2 0 3 1 2.5\n",
            "2\r\n0 1 3 100 5000 2.0\r\n2 0 3 100 1 2.5\r\n# 1 2",
        ] {
            assert_eq!(read(&File::of(text)).unwrap(), whole, "{text:?}");
        }
    }

    #[test]
    fn errors_have_their_line() {
        for (text, error) in [
            ("", "test:1: the file is empty"),
            ("x", "test:1: the number of flows 'x' is not a whole number"),
            ("1\n0 1 3 100 5000", "test:2: the file ends after 5 of a flow's 6 words; legal: source destination"),
            (
                "1\n0 1 3 100 5000 2\n0 1 3 100 5000 2\n",
                "test:1: the file announces 1 flows; legal: 2, the number found in the file",
            ),
            ("2\n0 1 3 100 5000 2\nfirst: count", "test:3: the file ends after 2 of a flow's 6 words"),
            ("1 0 1\n3 100\n0 2", "test:3: bytes 0; legal: 1 or more"),
            ("1\n0 3 3 100 5000 2", "test:2: node 3 is out of range; legal: 0 to 2"),
            ("1\n1 1 3 100 5000 2", "test:2: a node sends to itself"),
            ("1\n0 1 3 100 0 2", "test:2: bytes 0"),
            ("1\n0 1 3 100 1 -2", "test:2: start '-2' is not a time"),
            ("1\n0 1 3 100 1 nan", "test:2: start 'nan' is not a time"),
            ("2\n0 1 3 100 1 2\n0 1 3 100 1 1", "test:3: a flow starts before"),
            ("2\n0 1 3 100 1 2", "test:1: the file announces 2 flows; legal: 1"),
        ] {
            let found = read(&File::of(text)).unwrap_err().to_string();
            assert!(found.starts_with(error) && !found.contains('\n'), "{text:?}: {found}");
        }
    }
}
