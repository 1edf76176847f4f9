//! Reader of connection matrices of htsim (`.cm`): connections with sizes and start times, and triggers that start
//! connections.
//!
//! Triggers become dependencies. A `oneshot` or `multishot` trigger fires when the one connection that sets it is done.
//! A `barrier` trigger with `count N` fires when its N connections are done. Then the connections that wait for the
//! trigger start. A connection sets a trigger when its sender (`send_done_trigger`) or its receiver
//! (`recv_done_trigger`) is done. For this reader, sender and receiver are done when the connection's last byte has
//! arrived. A bare `msg` marks a message of a connection; every such message becomes a message of the workload. A size
//! of 0 (htsim's endless flow) and `failure` lines are errors.
//!
//! Starts are in picoseconds. In files whose connections have no ids, starts are in microseconds. This is the older
//! format, which htsim still writes.

use std::collections::HashMap;
use std::path::Path;

use super::file::{File, excerpt};
use crate::{Dependencies, Error, Workload};

/// Names of the units of starts in specs.
pub const UNITS: [&str; 2] = ["ps", "us"];

/// The latest legal start in picoseconds, about 13 days. The limit keeps sums of times far below 2⁶⁴.
const LATEST: u64 = 1 << 60;

/// Reads the matrix in the file at `path`; node n is endpoint `places[n]`. `unit` is the unit of starts, one of
/// [`UNITS`]. If it is `None`, starts are in microseconds if no connection has an id, otherwise in picoseconds.
///
/// # Errors
/// Fails if the file is not a legal matrix, if it has more nodes than `places` has endpoints, or if triggers wait for each other. The error
/// states the line.
pub fn load(path: &Path, places: &[u32], unit: Option<&str>) -> Result<Workload, Error> {
    read(&File::load(path)?, places, unit)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Single,
    Barrier(u32),
}

/// The triggers of a connection: the trigger that starts it (`waits`), and the triggers that it sets (`sets`).
#[derive(Debug, Default)]
struct Links {
    line: usize,
    /// The start as written in the file, without a unit.
    start: Option<f64>,
    waits: Option<u32>,
    sets: Vec<u32>,
}

/// The counts at the start of the file, each with its line and value.
#[derive(Debug, Default)]
struct Head {
    nodes: Option<(usize, usize)>,
    connections: Option<(usize, usize)>,
    triggers: Option<(usize, usize)>,
}

struct Reader<'a> {
    file: &'a File,
    places: &'a [u32],
    head: Head,
    workload: Workload,
    links: Vec<Links>,
    triggers: HashMap<u32, (usize, Kind)>,
    has_ids: bool,
}

fn read(file: &File, places: &[u32], unit: Option<&str>) -> Result<Workload, Error> {
    let mut reader = Reader {
        file,
        places,
        head: Head::default(),
        workload: Workload::default(),
        links: Vec::new(),
        triggers: HashMap::new(),
        has_ids: false,
    };
    for (line, text) in (1..).zip(file.text()?.lines()) {
        let words: Vec<&str> = text.split('#').next().unwrap_or_default().split_whitespace().collect();
        if !words.is_empty() {
            reader.line(line, &words)?;
        }
    }
    reader.starts(unit)?;
    reader.finish()
}

impl Reader<'_> {
    fn line(&mut self, line: usize, words: &[&str]) -> Result<(), Error> {
        let earlier = match words {
            ["Nodes", _] => self.head.nodes,
            ["Connections", _] => self.head.connections,
            ["Triggers", _] => self.head.triggers,
            _ => None,
        };
        if let Some((other, _)) = earlier {
            let problem = format!("{} was already on line {other}; legal: once", words[0]);
            return Err(self.file.at_line(line, problem));
        }
        match words {
            ["Nodes", number] => {
                let nodes: usize = self.file.number(line, "Nodes", number, self.places.len())?;
                if nodes > self.places.len() {
                    let problem = format!("Nodes {nodes} is out of range; legal: 0 to {}", self.places.len());
                    return Err(self.file.at_line(line, problem));
                }
                self.head.nodes = Some((line, nodes));
            }
            ["Connections", number] => {
                self.head.connections = Some((line, self.file.number(line, "Connections", number, 1 << 29)?));
            }
            ["Triggers", number] => {
                self.head.triggers = Some((line, self.file.number(line, "Triggers", number, 1 << 29)?))
            }
            ["Failures", "0"] => {}
            ["Failures", _] | ["failure", ..] => {
                return Err(self.file.at_line(line, "failures are not part of a workload; legal: Failures 0"));
            }
            ["trigger", rest @ ..] => self.trigger(line, rest)?,
            [first, rest @ ..] if first.contains("->") => self.connection(line, first, rest)?,
            other => {
                let first = other.first().copied().unwrap_or_default();
                let problem = format!(
                    "'{}' is not expected here; legal: Nodes, Connections, Triggers, trigger, A->B",
                    excerpt(first)
                );
                return Err(self.file.at_line(line, problem));
            }
        }
        Ok(())
    }

    /// Adds a key to `seen`. A repeated key is an error, because one of its values would be lost.
    fn note_key<'w>(&self, line: usize, key: &'w str, seen: &mut Vec<&'w str>) -> Result<(), Error> {
        if seen.contains(&key) {
            return Err(self.file.at_line(line, format!("'{}' is given twice; legal: every key once", excerpt(key))));
        }
        seen.push(key);
        Ok(())
    }

    fn trigger(&mut self, line: usize, mut rest: &[&str]) -> Result<(), Error> {
        let (mut id, mut kind, mut count) = (None, None, None);
        let mut seen = Vec::new();
        while let [word, more @ ..] = rest {
            self.note_key(line, word, &mut seen)?;
            rest = match (*word, more) {
                ("oneshot" | "multishot" | "barrier", _) if kind.is_some() => {
                    let problem = "a trigger of two kinds; legal: one of oneshot, multishot, barrier";
                    return Err(self.file.at_line(line, problem));
                }
                ("oneshot" | "multishot", _) => {
                    kind = Some(Kind::Single);
                    more
                }
                ("barrier", _) => {
                    kind = Some(Kind::Barrier(0));
                    more
                }
                ("id", [value, more @ ..]) => {
                    id = Some(self.file.number(line, "id", value, u32::MAX)?);
                    more
                }
                ("count", [value, more @ ..]) => {
                    count = Some(self.file.number(line, "count", value, u32::MAX)?);
                    more
                }
                _ => {
                    let problem = format!(
                        "'{}' is not expected here; legal: id N, oneshot, multishot, barrier, count N",
                        excerpt(word)
                    );
                    return Err(self.file.at_line(line, problem));
                }
            };
        }
        let kind = match (kind, count) {
            (Some(Kind::Barrier(_)), Some(count)) => Kind::Barrier(count),
            (Some(Kind::Single), _) => Kind::Single,
            _ => {
                return Err(self
                    .file
                    .at_line(line, "a trigger without a kind; legal: oneshot, multishot, or barrier with count N"));
            }
        };
        let Some(id) = id else { return Err(self.file.at_line(line, "a trigger without id; legal: id N")) };
        match self.triggers.insert(id, (line, kind)) {
            None => Ok(()),
            Some((other, _)) => Err(self
                .file
                .at_line(line, format!("trigger {id} was already on line {other}; legal: every trigger once"))),
        }
    }

    fn node(&self, line: usize, text: &str) -> Result<usize, Error> {
        let nodes = self.head.nodes.map_or(0, |(_, nodes)| nodes);
        let most = nodes.saturating_sub(1);
        let node: usize = self.file.number(line, "node", text, most)?;
        if node >= nodes {
            let problem = format!("node {node} is out of range; legal: 0 to {most}, after Nodes N");
            return Err(self.file.at_line(line, problem));
        }
        Ok(node)
    }

    fn connection(&mut self, line: usize, pair: &str, mut rest: &[&str]) -> Result<(), Error> {
        let (from, to) = pair.split_once("->").unwrap_or_default();
        let (from, to) = (self.node(line, from)?, self.node(line, to)?);
        if from == to {
            return Err(self.file.at_line(line, format!("node {from} sends to itself; legal: two nodes")));
        }
        let mut bytes = 0;
        let mut links = Links { line, ..Links::default() };
        let mut seen = Vec::new();
        while let [key, more @ ..] = rest {
            self.note_key(line, key, &mut seen)?;
            rest = more;
            if *key == "msg" {
                continue;
            }
            let [value, more @ ..] = rest else {
                return Err(self.file.at_line(line, format!("'{}' has no value; legal: key value", excerpt(key))));
            };
            rest = more;
            let number = || self.file.number::<u64>(line, key, value, u64::MAX);
            let id = || self.file.number::<u32>(line, key, value, u32::MAX);
            match *key {
                "id" => {
                    number()?;
                    self.has_ids = true;
                }
                "prio" => drop(number()?),
                "start" => links.start = Some(self.time(line, value)?),
                "trigger" => links.waits = Some(id()?),
                "size" => bytes = number()?,
                "send_done_trigger" | "recv_done_trigger" => links.sets.push(id()?),
                _ => {
                    let legal = "id, start, trigger, size, send_done_trigger, recv_done_trigger, prio, msg";
                    return Err(self.file.at_line(line, format!("'{}' is not a key; legal: {legal}", excerpt(key))));
                }
            }
        }
        if bytes == 0 {
            return Err(self.file.at_line(line, "size 0 or none, which means an endless flow; legal: size 1 or more"));
        }
        if links.start.is_some() == links.waits.is_some() {
            return Err(self
                .file
                .at_line(line, "a connection needs either a start or a trigger; legal: start T or trigger N"));
        }
        self.workload.push(self.places[from], self.places[to], bytes, 0);
        self.links.push(links);
        Ok(())
    }

    fn time(&self, line: usize, text: &str) -> Result<f64, Error> {
        // The parser of `f64` accepts "inf" and "nan", so check the first character.
        let is_number = text.starts_with(|first: char| first.is_ascii_digit() || first == '.');
        let time = text.parse().ok().filter(|time: &f64| is_number && time.is_finite());
        time.ok_or_else(|| {
            let problem =
                format!("start '{}' is not a time; legal: 0 or more, for example 5000 or 1.5e6", excerpt(text));
            self.file.at_line(line, problem)
        })
    }

    /// Sets the starts of all connections. This happens at the end of the file, because the default unit depends on
    /// whether any connection has an id.
    fn starts(&mut self, unit: Option<&str>) -> Result<(), Error> {
        let unit = unit.unwrap_or(if self.has_ids || self.links.is_empty() { "ps" } else { "us" });
        let scale = if unit == "us" { 1e6 } else { 1.0 };
        for (row, links) in self.links.iter().enumerate() {
            let start = (links.start.unwrap_or(0.0) * scale).round();
            if start > LATEST as f64 {
                let problem = format!("start {} {unit} is out of range; legal: 0 to 2^60 ps", start / scale);
                return Err(self.file.at_line(links.line, problem));
            }
            self.workload.start[row] = start as u64;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Workload, Error> {
        if self.head.nodes.is_none() {
            return Err(self.file.at_line(1, "the number of nodes is missing; legal: Nodes N first"));
        }
        let found = [
            ("Connections", self.head.connections, self.links.len()),
            ("Triggers", self.head.triggers, self.triggers.len()),
        ];
        for (name, declared, found) in found {
            if let Some((line, _)) = declared.filter(|&(_, count)| count != found) {
                return Err(self.file.at_line(
                    line,
                    format!(
                        "{name} {}; legal: {found}, the number found in the file",
                        declared.map_or(0, |(_, count)| count)
                    ),
                ));
            }
        }
        let mut setters: HashMap<u32, Vec<u32>> = HashMap::new();
        for (row, links) in (0..).zip(&self.links) {
            for id in links.sets.iter().chain(&links.waits) {
                if !self.triggers.contains_key(id) {
                    return Err(self
                        .file
                        .at_line(links.line, format!("trigger {id} is not defined; legal: ids of trigger lines")));
                }
            }
            links.sets.iter().for_each(|&id| setters.entry(id).or_default().push(row));
        }
        // Each trigger for which a connection waits becomes one step; the steps are ordered by trigger id.
        let messages = self.links.len() as u32;
        let mut used: Vec<u32> = self.links.iter().filter_map(|links| links.waits).collect();
        used.sort_unstable();
        used.dedup();
        let mut pairs = Vec::new();
        for (place, id) in (0..).zip(&used) {
            let (line, kind) = self.triggers[id];
            let set_by = setters.get(id).map_or(&[][..], Vec::as_slice);
            let needed = match kind {
                Kind::Single => 1,
                Kind::Barrier(count) => count as usize,
            };
            if set_by.len() != needed {
                let problem = format!(
                    "trigger {id} needs {needed} connections, but {} set it; legal: equal numbers",
                    set_by.len()
                );
                return Err(self.file.at_line(line, problem));
            }
            pairs.extend(set_by.iter().map(|&row| (messages + place, row)));
        }
        for (row, links) in (0..).zip(&self.links) {
            if let Some(id) = links.waits {
                let place = used.binary_search(&id).expect("it was collected above") as u32;
                pairs.push((row, messages + place));
            }
        }
        self.workload.compute = vec![0; used.len()];
        let dependencies = Dependencies::from_pairs(self.workload.num_steps(), &pairs).expect("all steps exist");
        if let Some(step) = dependencies.in_a_cycle() {
            let line = self.links.get(step as usize).map(|links| links.line);
            let line = line.unwrap_or_else(|| self.triggers[&used[(step - messages) as usize]].0);
            return Err(self
                .file
                .at_line(line, "this line waits for itself through triggers; legal: triggers without a cycle"));
        }
        self.workload.dependencies = dependencies;
        Ok(self.workload)
    }
}

#[cfg(test)]
mod tests;
