//! Networks in the format of BookSim 2 (`topology = anynet`): lines such as `router 0 node 0 node 1 router 1 4 router 4`, each with a
//! router, its endpoints and its neighbours. A number after a neighbour is the latency of the channel to it, in cycles; the default is 1.
//!
//! BookSim keeps one channel per direction between a pair of routers, even if the lines of both routers list the connection. So tulle reads
//! a pair of routers as one cable. A channel that no line names gets the latency of its reverse direction, with a warning, because BookSim
//! gives such a channel a latency of 1 cycle. A cycle is read as a nanosecond. If the file gives no latencies, they are unknown. Source:
//! booksim/booksim2, src/networks/anynet.cpp.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};

use super::Format;
use super::listing::{Listing, MAX_SIZE};
use super::parts::Part;
use super::text::{Text, shown};
use tulle_fabric::{Error, Fabric};

/// Maximum latency of a channel in cycles, which is a limit of the flit simulator.
const MOST_CYCLES: u64 = 10_000;

pub const FORMAT: Format = Format {
    word: "anynet",
    name: "anynet of BookSim",
    extensions: &["anynet"],
    nodes_beside: false,
    either_order: false,
    read,
    refuses,
    holds: &[&[Part::Latencies, Part::OneWay]],
    alters,
    can_name: |_| false,
    sorts: true,
    write: Some(write),
};

/// A router or a node that a line names, with its number.
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
    // `cycles` contains the latency of each channel that a line names. `timed` tells whether any line gives a latency. `at_nodes` contains
    // the latencies of links between nodes and routers.
    let mut cycles: HashMap<[u32; 2], u64> = HashMap::new();
    let mut timed = false;
    let mut at_nodes: HashMap<u32, u64> = HashMap::new();
    for line in text.content.lines() {
        let mut words = line.split_whitespace().peekable();
        let Some(head) = named(text, &mut words, line)? else { continue };
        // The router at the start of a line exists even if no other line names it.
        routers.extend(head.router.then_some(head.id));
        while let Some(body) = named(text, &mut words, line)? {
            let latency = match words.next_if(|word| word.bytes().all(|byte| byte.is_ascii_digit())) {
                None => None,
                Some(word) => match word.parse::<u64>() {
                    Ok(latency) if latency <= MOST_CYCLES => Some(latency),
                    _ => {
                        let problem = format!("a latency of '{}' cycles; legal: 0 to {MOST_CYCLES}", shown(word));
                        return Err(text.error_in(word, problem));
                    }
                },
            };
            let (router, node) = match (head.router, body.router) {
                (true, true) => {
                    routers.insert(body.id);
                    if head.id == body.id {
                        loops += 1;
                        continue;
                    }
                    timed |= latency.is_some();
                    cycles.insert([head.id, body.id], latency.unwrap_or(1));
                    if pairs.insert([head.id.min(body.id), head.id.max(body.id)]) {
                        cables.push([head.id, body.id]);
                    }
                    continue;
                }
                (true, false) => (head.id, &body),
                (false, true) => (body.id, &head),
                (false, false) => {
                    let problem = format!(
                        "nodes {} and {} are connected to each other; legal: a router at one end",
                        head.id, body.id
                    );
                    return Err(text.error_in(body.word, problem));
                }
            };
            if let Some(latency) = latency {
                at_nodes.insert(node.id, latency);
            }
            routers.insert(router);
            let (at, _) = *endpoints.entry(node.id).or_insert((router, node.word));
            if at != router {
                let problem = format!("node {} is attached to routers {at} and {router}; legal: one router", node.id);
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
    let mut unnamed = 0;
    for [a, b] in cables {
        listing.cable(&a.to_string(), &b.to_string()).map_err(|fault| text.error(fault.problem))?;
        if timed {
            unnamed += [[a, b], [b, a]].iter().filter(|ends| !cycles.contains_key(*ends)).count();
            let cycles = |ends, back| cycles.get(&ends).or(cycles.get(&back)).copied().unwrap_or(1);
            let [there, back] = [cycles([a, b], [b, a]), cycles([b, a], [a, b])].map(|cycles| format!("{cycles}ns"));
            listing
                .set_cable_properties(["", &there, "", "", "", &back, "", ""], [""; 3])
                .map_err(|fault| text.error(fault.problem))?;
        }
    }
    if let Some(router) = listing.listed().0.first().cloned() {
        (0..loops).try_for_each(|_| listing.cable(&router, &router)).map_err(|fault| text.error(fault.problem))?;
    }
    let mut at = Vec::with_capacity(endpoints.len());
    for (count, (&node, (router, word))) in endpoints.iter().enumerate() {
        if node as usize != count {
            let problem =
                format!("node {node} exists, but node {count} is missing; legal: numbers from 0 without gaps");
            return Err(text.error_in(word, problem));
        }
        at.extend(listing.switch_number(&router.to_string()));
    }
    listing.endpoints(at).map_err(|problem| text.error(problem))?;
    if timed {
        listing.warnings.push(text.warning("latencies are read as nanoseconds, one per cycle"));
    }
    if unnamed > 0 {
        let channels = if unnamed == 1 { "channel that no line names gets" } else { "channels that no line names get" };
        let what = format!("{unnamed} {channels} the latency of the reverse direction (BookSim assumes 1 cycle)");
        listing.warnings.push(text.warning(what));
    }
    if !at_nodes.is_empty() {
        let what = match at_nodes.len() {
            1 => "the latency of 1 link to a node is ignored".to_owned(),
            count => format!("latencies of {count} links to nodes are ignored"),
        };
        listing.warnings.push(text.warning(what));
    }
    Ok(listing)
}

/// The next `router N` or `node N`.
fn named<'t>(
    text: &Text,
    words: &mut impl Iterator<Item = &'t str>,
    line: &'t str,
) -> Result<Option<Named<'t>>, Error> {
    let Some(kind) = words.next() else { return Ok(None) };
    if !["router", "node"].contains(&kind) {
        return Err(
            text.error_in(kind, format!("'{}' is not a kind of network part; legal: router or node", shown(kind)))
        );
    }
    let Some(word) = words.next() else {
        let end = &line[line.len()..];
        return Err(text.error_in(end, format!("a {kind} without a number; legal: {kind} N")));
    };
    let id = word.parse::<u32>().ok().filter(|&id| (id as usize) < MAX_SIZE);
    let id = id.ok_or_else(|| {
        text.error_in(word, format!("'{}' is not a valid number; legal: 0 to {}", shown(word), MAX_SIZE - 1))
    })?;
    Ok(Some(Named { router: kind == "router", id, word }))
}

fn refuses(fabric: &Fabric) -> Option<String> {
    let twice = |switch: &u32| fabric.neighbours(*switch).windows(2).any(|pair| pair[0] == pair[1]);
    let switch = (0..fabric.num_switches() as u32).find(twice)?;
    let name = fabric.label(switch);
    Some(format!(
        "anynet allows only one cable between two routers, but {name} has several cables to a neighbour; legal: another format"
    ))
}

/// The picoseconds of a cycle.
const CYCLE: u64 = 1000;

/// Returns the latency of every channel in cycles. Returns `None` if a latency is unknown, too large or not a whole number of cycles. The
/// file is then written without any latency. If only some were missing, BookSim 2 would mix the others with its default of one cycle.
fn cycles_of(fabric: &Fabric) -> Option<Vec<u64>> {
    fabric.links()?;
    let cycles = |channel: u32| {
        let latency = fabric.link(channel).latency?;
        (latency.is_multiple_of(CYCLE) && latency / CYCLE <= MOST_CYCLES).then_some(latency / CYCLE)
    };
    (0..fabric.num_channels() as u32).map(cycles).collect()
}

fn alters(fabric: &Fabric) -> Vec<String> {
    let lost = Part::Latencies.is_in(fabric) && cycles_of(fabric).is_none();
    let what = format!("latencies are left out: they are not whole cycles of 1 ns, 0 to {MOST_CYCLES}, on every cable");
    lost.then_some(what).into_iter().collect()
}

fn write(fabric: &Fabric, _names: &[String], out: &mut dyn Write) -> io::Result<()> {
    let cycles = cycles_of(fabric);
    for switch in 0..fabric.num_switches() as u32 {
        write!(out, "router {switch}")?;
        for endpoint in fabric.endpoints_of(switch) {
            write!(out, " node {endpoint}")?;
        }
        for (channel, other) in fabric.channels_of(switch).zip(fabric.neighbours(switch)) {
            write!(out, " router {other}")?;
            if let Some(cycles) = &cycles {
                write!(out, " {}", cycles[channel])?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}
