//! Networks as BookSim 2 reads them (`topology = anynet`): `router 0 node 0 node 1 router 1 4 router 4` a line, a router with
//! its endpoints and neighbours; a number behind one is the latency in cycles: of the channel from the first router to that
//! one alone, of a node's channel both ways. What has no number has a latency of one cycle. A cycle is read as a nanosecond
//! ([`CYCLE`]); a file without numbers says nothing of latencies.
//!
//! BookSim keeps one channel per pair of routers and direction, whichever of the two lines names it, so here, too, a pair is
//! one cable. Source: booksim/booksim2, src/networks/anynet.cpp.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};

use super::Format;
use super::listing::{Listing, MAX_SIZE};
use super::text::{Text, shown};
use crate::{Error, Fabric, Link};

pub const FORMAT: Format = Format {
    word: "anynet",
    name: "anynet of BookSim",
    extensions: &["anynet"],
    nodes_beside: false,
    either_order: false,
    read,
    refuses,
    holds: &[],
    alters: |_| Vec::new(),
    can_name: |_| false,
    sorts: true,
    write: Some(write),
};

/// A part of a line: whether it is a router, and which.
struct Named<'t> {
    router: bool,
    id: u32,
    word: &'t str,
}

fn read(text: &Text) -> Result<Listing, Error> {
    let mut routers = HashSet::new();
    let mut cables = Vec::new();
    let mut pairs = HashSet::new();
    let mut loops = 0;
    let mut endpoints: BTreeMap<u32, (u32, &str)> = BTreeMap::new();
    let mut latencies = Latencies::default();
    for line in text.content.lines() {
        let mut words = line.split_whitespace().peekable();
        let Some(head) = named(text, &mut words, line)? else { continue };
        // Of the router at the head nothing else need be said.
        routers.extend(head.router.then_some(head.id));
        while let Some(body) = named(text, &mut words, line)? {
            if let Some(word) = words.next_if(|word| word.bytes().all(|byte| byte.is_ascii_digit())) {
                let cycles = word.parse::<u64>().ok().filter(|cycles| (1..=MOST_CYCLES).contains(cycles));
                let cycles = cycles.ok_or_else(|| {
                    let problem = format!("'{}' is no latency in cycles; legal: 1 to {MOST_CYCLES}", shown(word));
                    text.error_in(word, problem)
                })?;
                latencies.tell(&head, &body, cycles);
            }
            let (router, node) = match (head.router, body.router) {
                (true, true) => {
                    routers.insert(body.id);
                    if head.id == body.id {
                        loops += 1;
                    } else if pairs.insert([head.id.min(body.id), head.id.max(body.id)]) {
                        cables.push([head.id, body.id]);
                    }
                    continue;
                }
                (true, false) => (head.id, &body),
                (false, true) => (body.id, &head),
                (false, false) => {
                    let problem = format!("nodes {} and {} side by side; legal: a router at one end", head.id, body.id);
                    return Err(text.error_in(body.word, problem));
                }
            };
            routers.insert(router);
            let (at, _) = *endpoints.entry(node.id).or_insert((router, node.word));
            if at != router {
                let problem = format!("node {} is at routers {at} and {router}; legal: at one", node.id);
                return Err(text.error_in(node.word, problem));
            }
        }
    }
    let mut listing = Listing::default();
    let mut sorted: Vec<u32> = routers.into_iter().collect();
    sorted.sort_unstable();
    for router in sorted {
        listing.switch(&router.to_string()).map_err(|problem| text.error(problem))?;
    }
    for [a, b] in cables {
        listing.cable(&a.to_string(), &b.to_string()).map_err(|fault| text.error(fault.problem))?;
        if latencies.any() {
            listing.know_links([latencies.of_channel(a, b), latencies.of_channel(b, a)]);
        }
    }
    if let Some(router) = listing.listed().0.first().cloned() {
        (0..loops).try_for_each(|_| listing.cable(&router, &router)).map_err(|fault| text.error(fault.problem))?;
    }
    let mut at = Vec::with_capacity(endpoints.len());
    for (count, (&node, (router, word))) in endpoints.iter().enumerate() {
        if node as usize != count {
            let problem = format!("node {node} without a node {count}; legal: numbers from 0 without a gap");
            return Err(text.error_in(word, problem));
        }
        at.extend(listing.known(&router.to_string()));
    }
    listing.endpoints(at).map_err(|problem| text.error(problem))?;
    if latencies.any() {
        let of_nodes = endpoints.keys().map(|node| (String::new(), String::new(), latencies.of_node(*node)));
        listing.know_endpoints(of_nodes.collect());
        listing
            .warnings
            .push(text.warning("latencies in cycles are read as nanoseconds: a cycle is 1ns (--cycle-ps 1000)"));
    }
    Ok(listing)
}

/// Picoseconds of a cycle.
const CYCLE: u64 = 1000;
/// The longest latency of a link, which is a second.
const MOST_CYCLES: u64 = 1_000_000_000;

/// Latencies in cycles, of channels by their two routers and of nodes.
#[derive(Default)]
struct Latencies {
    channels: HashMap<[u32; 2], u64>,
    nodes: HashMap<u32, u64>,
}

impl Latencies {
    /// Of several that are said of the same the last one counts, as in BookSim.
    fn tell(&mut self, head: &Named, body: &Named, cycles: u64) {
        match (head.router, body.router) {
            (true, true) => self.channels.insert([head.id, body.id], cycles),
            (true, false) => self.nodes.insert(body.id, cycles),
            (false, _) => self.nodes.insert(head.id, cycles),
        };
    }

    fn any(&self) -> bool {
        !self.channels.is_empty() || !self.nodes.is_empty()
    }

    fn of_channel(&self, source: u32, target: u32) -> Link {
        link(self.channels.get(&[source, target]))
    }

    fn of_node(&self, node: u32) -> Link {
        link(self.nodes.get(&node))
    }
}

/// A link of so many cycles; one where nobody says.
fn link(cycles: Option<&u64>) -> Link {
    Link { latency: Some(cycles.copied().unwrap_or(1) * CYCLE), ..Link::UNKNOWN }
}

/// The next `router N` or `node N`.
fn named<'t>(
    text: &Text,
    words: &mut impl Iterator<Item = &'t str>,
    line: &'t str,
) -> Result<Option<Named<'t>>, Error> {
    let Some(kind) = words.next() else { return Ok(None) };
    if !["router", "node"].contains(&kind) {
        return Err(text.error_in(kind, format!("'{}' is no part of a network; legal: router or node", shown(kind))));
    }
    let Some(word) = words.next() else {
        let end = &line[line.len()..];
        return Err(text.error_in(end, format!("a {kind} without a number; legal: {kind} N")));
    };
    let id = word.parse::<u32>().ok().filter(|&id| (id as usize) < MAX_SIZE);
    let id =
        id.ok_or_else(|| text.error_in(word, format!("'{}' is no number; legal: 0 to {}", shown(word), MAX_SIZE - 1)))?;
    Ok(Some(Named { router: kind == "router", id, word }))
}

fn refuses(fabric: &Fabric) -> Option<String> {
    let twice = |switch: &u32| fabric.neighbours(*switch).windows(2).any(|pair| pair[0] == pair[1]);
    let switch = (0..fabric.num_switches() as u32).find(twice)?;
    let name = fabric.label(switch);
    Some(format!("anynet holds one cable between two routers, and {name} has several to one; legal: another format"))
}

fn write(fabric: &Fabric, _names: &[String], out: &mut dyn Write) -> io::Result<()> {
    for switch in 0..fabric.num_switches() as u32 {
        write!(out, "router {switch}")?;
        for endpoint in fabric.endpoints_of(switch) {
            write!(out, " node {endpoint}")?;
        }
        for other in fabric.neighbours(switch) {
            write!(out, " router {other}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}
