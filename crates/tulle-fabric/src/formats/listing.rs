//! What graph files list: switches by name, cables, endpoints; and the graph with ids that this makes.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::text::shown;
use crate::Fabric;

/// The most switches, cables and endpoints of a file.
pub const MAX_SIZE: usize = crate::families::MAX_SIZE as usize;

/// The longest name of a switch, in bytes.
const LONGEST_NAME: usize = 256;

/// A graph as a file lists it; switches go by the order in which their names appear.
#[derive(Debug, Default)]
pub struct Listing {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    cables: Vec<[u32; 2]>,
    endpoints: Endpoints,
    /// What the file holds that is not read, in lines.
    pub warnings: Vec<String>,
}

#[derive(Debug, Default)]
enum Endpoints {
    /// The file does not tell.
    #[default]
    Untold,
    /// Endpoints in order, by their switch.
    At(Vec<u32>),
}

/// A graph with ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Graph {
    /// The number of switches.
    pub switches: u32,
    /// Names by switch; empty where they are the ids.
    pub labels: Vec<String>,
    /// The two switches of every cable.
    pub cables: Vec<[u32; 2]>,
    /// Per endpoint its switch; `None` where no file tells.
    pub endpoint_switch: Option<Vec<u32>>,
    /// What the files hold that is not read, in lines.
    pub warnings: Vec<String>,
}

impl Listing {
    /// The number of the switch called `name`, which is new or known.
    ///
    /// # Errors
    /// A name that is empty, too long or holds control characters; too many switches.
    pub fn switch(&mut self, name: &str) -> Result<u32, String> {
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        check_name(name, "switch")?;
        if self.names.len() >= MAX_SIZE {
            return Err(format!("too many switches; legal: at most {MAX_SIZE}"));
        }
        let number = self.names.len() as u32;
        self.numbers.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        Ok(number)
    }

    /// The number of a switch that is known.
    pub fn known(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// Adds a cable.
    ///
    /// # Errors
    /// A cable from a switch to itself, a name that is not legal, too many cables.
    pub fn cable(&mut self, a: &str, b: &str) -> Result<(), String> {
        if a == b {
            return Err(format!("a cable from switch '{}' to itself; legal: two different switches", shown(a)));
        }
        if self.cables.len() >= MAX_SIZE {
            return Err(format!("too many cables; legal: at most {MAX_SIZE}"));
        }
        let ends = [self.switch(a)?, self.switch(b)?];
        self.cables.push(ends);
        Ok(())
    }

    /// The names of the switches, and the number of cables.
    pub fn listed(&self) -> (&[String], usize) {
        (&self.names, self.cables.len())
    }

    /// Sets the endpoints: per endpoint, in order, its switch.
    ///
    /// # Errors
    /// Too many of them.
    pub fn endpoints(&mut self, at: Vec<u32>) -> Result<(), String> {
        if at.len() > MAX_SIZE {
            return Err(format!("too many endpoints; legal: at most {MAX_SIZE}"));
        }
        self.endpoints = Endpoints::At(at);
        Ok(())
    }

    /// Whether the file tells endpoints.
    pub fn has_endpoints(&self) -> bool {
        matches!(self.endpoints, Endpoints::At(_))
    }

    /// The graph, with ids by names in order.
    ///
    /// # Errors
    /// Where there is no switch at all.
    pub fn into_graph(self) -> Result<Graph, String> {
        if self.names.is_empty() {
            return Err("the file holds no cable; legal: one or more".to_owned());
        }
        let mut order: Vec<u32> = (0..self.names.len() as u32).collect();
        order.sort_by(|&a, &b| compare(&self.names[a as usize], &self.names[b as usize]));
        let mut id = vec![0u32; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| id[old as usize] = new as u32);
        let labels: Vec<String> = order.iter().map(|&old| self.names[old as usize].clone()).collect();
        Ok(Graph {
            switches: order.len() as u32,
            labels: if labels.iter().enumerate().all(|(id, name)| number(name) == Some(id as u64)) {
                Vec::new()
            } else {
                labels
            },
            cables: self.cables.iter().map(|ends| ends.map(|end| id[end as usize])).collect(),
            endpoint_switch: match self.endpoints {
                Endpoints::Untold => None,
                Endpoints::At(switches) => Some(switches.iter().map(|&switch| id[switch as usize]).collect()),
            },
            warnings: self.warnings,
        })
    }
}

/// Checks the name of a `kind`.
///
/// # Errors
/// A name that is empty, too long or holds control characters.
pub fn check_name(name: &str, kind: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err(format!("a {kind} without a name; legal: 1 to {LONGEST_NAME} bytes"));
    }
    if name.len() > LONGEST_NAME {
        return Err(format!("the name '{}' of {} bytes; legal: 1 to {LONGEST_NAME} bytes", shown(name), name.len()));
    }
    if name.contains(char::is_control) {
        return Err(format!("the name '{}' holds a control character; legal: any other", shown(name)));
    }
    Ok(())
}

/// The value of a name that is a number as numbers are written: `7`, not `07` or `+7`.
fn number(name: &str) -> Option<u64> {
    let plain = name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    plain.then(|| name.parse().ok()).flatten()
}

/// The order of names: numbers by value, then other names by their bytes.
pub fn compare(a: &str, b: &str) -> Ordering {
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

/// The names under which the switches of `fabric` are written: its labels where all of them can be, and reading would
/// give every switch its id again; ids otherwise.
pub fn names_to_write(fabric: &Fabric, can_name: fn(&str) -> bool) -> Vec<String> {
    let labels = &fabric.labels;
    let legal = |label: &String| check_name(label, "switch").is_ok() && can_name(label);
    let ordered = labels.is_sorted_by(|a, b| compare(a, b) == Ordering::Less);
    if !labels.is_empty() && labels.iter().all(legal) && ordered {
        return labels.clone();
    }
    (0..fabric.num_switches()).map(|switch| switch.to_string()).collect()
}
