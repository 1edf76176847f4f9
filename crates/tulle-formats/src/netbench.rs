//! Topologies of the simulator netbench. First come properties such as `|V|=5`, `Servers=set(3,4)`, `Switches=incl_range(0,2)`, then one
//! line per link and direction.
//!
//! A server that is also a ToR or a switch becomes a switch with an endpoint; any other server becomes an endpoint. Source:
//! ndal-eth/netbench, ch.ethz.systems.netbench.core.run.infrastructure, and basic-sim's topologies.

use std::collections::{BTreeMap, BTreeSet};

use super::Format;
use super::listing::{Listing, MAX_SIZE, Order};
use super::servers::{Port, Servers};
use super::text::{Text, shown};
use tulle_fabric::{Error, Link};

pub const FORMAT: Format =
    Format { nodes_beside: false, ..Format::read_only("netbench", "topology of netbench", &["topology"], read) };

fn read(text: &Text) -> Result<Listing, Error> {
    let mut properties: BTreeMap<String, &str> = BTreeMap::new();
    let mut links: Vec<([u32; 2], &str)> = Vec::new();
    for line in text.content.lines() {
        let said = line.split('#').next().unwrap_or_default().trim();
        if let Some((name, value)) = said.split_once('=') {
            if properties.insert(name.trim().to_lowercase(), value.trim()).is_some() {
                return Err(text.error_in(said, format!("'{}' is given twice; legal: once", shown(name.trim()))));
            }
            continue;
        }
        match said.split_whitespace().collect::<Vec<_>>().as_slice() {
            [] => {}
            &[a, b] => links.push(([node(text, a)?, node(text, b)?], said)),
            _ => {
                let legal = "a property, for example Servers=set(0,1), or a link, for example 0 1";
                return Err(text.error_in(said, format!("'{}'; legal: {legal}", shown(said))));
            }
        }
    }
    let counts = [("|v|", "nodes"), ("|e|", "links")].map(|(name, what)| {
        let value = properties
            .remove(name)
            .ok_or_else(|| text.error(format!("the file has no {name}=; legal: the number of {what}")))?;
        let count = value.parse::<usize>().ok().filter(|&count| count <= MAX_SIZE);
        count.map(|count| (count, value)).ok_or_else(|| {
            text.error_in(value, format!("'{}' is not a valid number of {what}; legal: 0 to {MAX_SIZE}", shown(value)))
        })
    });
    let [nodes, edges] = counts;
    let ((nodes, nodes_place), (edges, edges_place)) = (nodes?, edges?);
    if edges != links.len() {
        let count = links.len();
        return Err(text.error_in(edges_place, format!("|E|={edges}, but {count} links follow; legal: |E|={count}")));
    }
    let sets = ["tors", "servers", "switches"].map(|name| match properties.remove(name) {
        Some(value) => set(text, value, nodes),
        None => Ok(BTreeSet::new()),
    });
    let [tors, servers, switches] = sets;
    let (tors, servers, switches) = (tors?, servers?, switches?);
    let named = links.iter().flat_map(|(ends, _)| ends).chain(&tors).chain(&servers).chain(&switches);
    let all: BTreeSet<u32> = named.copied().collect();
    if let Some(&last) = all.last().filter(|&&last| last as usize >= nodes) {
        let problem = format!("node {last} in a network of {nodes} nodes; legal: 0 to {}", nodes.saturating_sub(1));
        return Err(text.error_in(nodes_place, problem));
    }
    // All ids are below `nodes`. So a node is missing if the file names fewer than `nodes` nodes.
    if all.len() < nodes {
        let missing = (0..).find(|node| !all.contains(node)).unwrap_or_default();
        let problem =
            format!("node {missing} is missing; legal: all {nodes} nodes in links or in sets such as Switches");
        return Err(text.error_in(nodes_place, problem));
    }
    let forwards = |node: &u32| tors.contains(node) || switches.contains(node) || !servers.contains(node);
    let mut listing = Listing::of(Order::Ends);
    // If no node is a switch, the servers forward packets, so they are read as switches.
    let bare = !all.iter().any(forwards);
    let mut number = BTreeMap::new();
    for &switch in all.iter().filter(|node| bare || forwards(node)) {
        number.insert(switch, listing.switch(&switch.to_string()).map_err(|problem| text.error(problem))?);
    }
    let mut attached = Servers::default();
    let unknown = |switch| Port { name: String::new(), switch, switch_port: String::new(), link: Link::UNKNOWN };
    for &server in servers.iter().filter(|server| bare || forwards(server)) {
        attached.attach(&server.to_string(), unknown(number[&server]));
    }
    for &([a, b], line) in &links {
        match [number.get(&a), number.get(&b)] {
            [Some(&a), Some(&b)] => listing.cable_between([a, b]).map_err(|problem| text.error_in(line, problem))?,
            // The file lists each direction as a separate link. Only the direction from the server to the switch attaches the server.
            [None, Some(&switch)] => attached.attach(&a.to_string(), unknown(switch)),
            [Some(_), None] => {}
            [None, None] => {
                let problem =
                    format!("servers {a} and {b} are linked, but are not switches; legal: a switch at one end");
                return Err(text.error_in(line, problem));
            }
        }
    }
    if bare {
        let what = format!(
            "no node is a switch: each of the {} servers forwards packets and is read as a switch with an endpoint",
            all.len()
        );
        listing.warnings.push(text.warning(what));
    }
    let lone = all.iter().find(|node| !number.contains_key(node) && !attached.has(&node.to_string()));
    if let Some(server) = lone {
        return Err(text.error(format!("server {server} has no link to a switch; legal: a link in both directions")));
    }
    listing.warnings.extend(text.ignored("property", properties.keys().map(String::as_str)));
    attached.into_endpoints(false, text, &mut listing)?;
    Ok(listing)
}

fn node(text: &Text, word: &str) -> Result<u32, Error> {
    let node = word.parse::<u32>().ok().filter(|&node| (node as usize) < MAX_SIZE);
    node.ok_or_else(|| {
        text.error_in(word, format!("'{}' is not a valid node; legal: 0 to {}", shown(word), MAX_SIZE - 1))
    })
}

/// `set(0,1,2)`, or `incl_range(0,2)` for the same.
fn set(text: &Text, value: &str, nodes: usize) -> Result<BTreeSet<u32>, Error> {
    let legal = format!("set(0,1,2), or incl_range(0,2) in ascending order with nodes below |V|={nodes}");
    let error = || text.error_in(value, format!("'{}'; legal: {legal}", shown(value)));
    let (kind, inside) = value.strip_suffix(')').and_then(|value| value.split_once('(')).ok_or_else(error)?;
    let members: Vec<&str> = inside.split(',').map(str::trim).filter(|member| !member.is_empty()).collect();
    match (kind.trim(), members.as_slice()) {
        ("set", members) => members.iter().map(|member| node(text, member)).collect(),
        ("incl_range" | "incl-range", &[first, last]) => {
            let (first, last) = (node(text, first)?, node(text, last)?);
            if first > last || last as usize >= nodes || nodes > text.content.len().max(1 << 20) {
                return Err(error());
            }
            Ok((first..=last).collect())
        }
        _ => Err(error()),
    }
}
