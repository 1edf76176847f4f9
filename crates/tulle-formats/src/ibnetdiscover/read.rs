//! Reads netlists (records of nodes, connected by ports) and reports of ports (`ibnetdiscover -p`).

use std::collections::{HashMap, HashSet};

use super::super::listing::{Listing, check_name, compare};
use super::super::text::{Text, are, counted, shown};
use super::lines::{Cursor, Node, Port, guid};
use super::rate;
use super::report::Report;
use tulle_fabric::{Address, Error, Link};
use tulle_spec::units;

/// The last part of the description of a SHARP aggregation node. The name of the vendor precedes it.
const AGGREGATION: &str = "Aggregation Node";

pub(super) fn read(text: &Text) -> Result<Listing, Error> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut guids = [0, 0];
    let mut open = false;
    let mut complaints = 0;
    let mut report = Report::default();
    for line in text.content.lines() {
        let line = line.trim();
        let mut cursor = Cursor { text, rest: line };
        if line.is_empty() {
            (open, guids) = (false, [0, 0]);
        } else if is_complaint(line) {
            complaints += 1;
        } else if Report::has(line) {
            report.line(&mut cursor, line)?;
        } else if line.starts_with('#') || line == "Non-Chassis Nodes" || line.starts_with("Chassis ") {
            continue;
        } else if line.starts_with('[') {
            let node = nodes.last_mut().filter(|_| open);
            let node =
                node.ok_or_else(|| text.error_in(line, "a port without a node; legal: after the line of its node"))?;
            let port = port(&mut cursor, line, node)?;
            node.connected.push(port);
        } else if let Some((key, value)) = line.split_once('=').filter(|(key, _)| !key.contains('"')) {
            match key.trim() {
                "switchguid" | "caguid" | "rtguid" => {
                    // With the option -g, ibnetdiscover adds comments that give the position of a node in its chassis.
                    let value = value.split('#').next().unwrap_or_default().trim();
                    let (node, port) = value.split_once('(').unwrap_or((value, ""));
                    guids =
                        [guid(text, node)?, if port.is_empty() { 0 } else { guid(text, port.trim_end_matches(')'))? }];
                }
                "vendid" | "devid" | "sysimgguid" => {}
                other => {
                    let problem = format!(
                        "'{}' is not a property of a node; legal: switchguid, caguid, rtguid, sysimgguid, vendid, devid",
                        shown(other)
                    );
                    return Err(text.error_in(line, problem));
                }
            }
        } else {
            nodes.push(node(&mut cursor, line, guids)?);
            (open, guids) = (true, [0, 0]);
        }
    }
    nodes.append(&mut report.nodes);
    let mut listing = into_listing(text, nodes)?;
    if complaints > 0 {
        let lines = counted(complaints, "line");
        let what = format!(
            "ignored {lines} of warnings from ibnetdiscover; devices that ibnetdiscover could not reach are missing"
        );
        listing.warnings.push(text.warning(what));
    }
    Ok(listing)
}

/// Whether a line is a message that the libraries libibmad or libibumad print to standard error: `ibwarn: [31] …`, `src/query_smp.c:227;
/// …`.
fn is_complaint(line: &str) -> bool {
    ["ibwarn: ", "ibpanic: ", "ibdebug: "].iter().any(|start| line.starts_with(start))
        || line
            .strip_prefix("src/")
            .and_then(|rest| rest.split_once(".c:"))
            .is_some_and(|(file, _)| !file.contains(' '))
}

/// Returns the quoted text in a comment, and the words before and after it. The text may itself contain quotes.
fn described(comment: &str) -> (Option<&str>, Vec<&str>, Vec<&str>) {
    let (Some(start), Some(end)) = (comment.find('"'), comment.rfind('"')) else {
        return (None, comment.split_whitespace().collect(), Vec::new());
    };
    let inside = comment.get(start + 1..end).unwrap_or_default();
    (Some(inside), comment[..start].split_whitespace().collect(), comment[end + 1..].split_whitespace().collect())
}

/// Returns the number after `word`; 0 if the number is missing or too large.
fn number(words: &[&str], word: &str) -> u16 {
    let at = words.iter().position(|other| *other == word);
    at.and_then(|at| words.get(at + 1)).and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Parses the line of a node, for example `Switch 36 "S-…"  # "description" base port 0 lid 0 lmc 0`.
fn node<'t>(cursor: &mut Cursor<'t>, line: &'t str, [node_guid, port_guid]: [u64; 2]) -> Result<Node<'t>, Error> {
    let kinds = [("Switch", true), ("Ca", false), ("Hca", false), ("Rt", false)];
    let word = line.split_whitespace().next().unwrap_or_default();
    let Some(&(_, switch)) = kinds.iter().find(|(kind, _)| *kind == word) else {
        return cursor.error("Switch, Ca or Rt, [PORT], or a property of a node");
    };
    cursor.rest = cursor.rest[word.len()..].trim_start();
    let count = cursor.rest.split([' ', '\t', '"']).next().unwrap_or_default();
    let Some(ports) = count.parse::<u32>().ok().filter(|ports| (1..=255).contains(ports)) else {
        return cursor.error("the number of ports, 1 to 255");
    };
    cursor.rest = cursor.rest[count.len()..].trim_start();
    let Some(id) = cursor.between('"', '"')? else { return cursor.error("the id of the node in quotes") };
    check_name(id, "node").map_err(|problem| cursor.text.error_in(id, problem))?;
    let (description, _, words) = described(cursor.comment()?);
    let named = id.split_once('-').and_then(|(_, digits)| guid(cursor.text, digits).ok()).unwrap_or(0);
    let address = Address {
        node_guid: if node_guid == 0 { named } else { node_guid },
        port_guid,
        lid: number(&words, "lid"),
        lmc: number(&words, "lmc").min(7) as u8,
        port: 0,
    };
    let description = description.unwrap_or_default().trim();
    Ok(Node { switch, id, description, ports, address, connected: Vec::new() })
}

/// Parses the line of a port, for example `[1](GUID) "H-…"[1](GUID)  # lid 0 lmc 0 "description" lid 0 4xFDR`.
fn port<'t>(cursor: &mut Cursor<'t>, line: &'t str, node: &Node) -> Result<Port<'t>, Error> {
    let (number_here, port_guid) = cursor.port(node.ports)?;
    cursor.blanks();
    let Some(other) = cursor.between('"', '"')? else { return cursor.error("the id of another node in quotes") };
    let (port, _) = cursor.port(255)?;
    let (_, before, behind) = described(cursor.comment()?);
    let rate = behind.iter().chain(&before).rev().find_map(|word| rate(word));
    let address = Address {
        node_guid: node.address.node_guid,
        port_guid,
        lid: number(&before, "lid"),
        lmc: number(&before, "lmc").min(7) as u8,
        port: number_here.min(254) as u8,
    };
    Ok(Port { number: number_here, line, other: (other, port), rate, address })
}

fn into_listing(text: &Text, mut nodes: Vec<Node>) -> Result<Listing, Error> {
    let aggregation = if text.keep_aggregation { 0 } else { without_aggregation(&mut nodes) };
    nodes.sort_by(|a, b| a.address.node_guid.cmp(&b.address.node_guid).then_with(|| compare(a.id, b.id)));
    let mut by_id = HashMap::with_capacity(nodes.len());
    for (at, node) in nodes.iter().enumerate() {
        if by_id.insert(node.id, at).is_some() {
            return Err(text.error_in(node.id, format!("a second record of '{}'; legal: one", shown(node.id))));
        }
    }
    let mut leads: HashMap<(usize, u32), (usize, u32)> = HashMap::new();
    for (at, node) in nodes.iter().enumerate() {
        for Port { number, line, other: (other, other_port), .. } in &node.connected {
            let Some(&other_at) = by_id.get(other) else {
                return Err(
                    text.error_in(other, format!("no record of node '{}'; legal: one record per node", shown(other)))
                );
            };
            if leads.insert((at, *number), (other_at, *other_port)).is_some() {
                return Err(text.error_in(line, format!("a second line of port {number}; legal: one line per port")));
            }
        }
    }
    let mut listing = Listing::default();
    let names = names(&nodes);
    let mut switch_of = vec![None; nodes.len()];
    for (at, node) in nodes.iter().enumerate().filter(|(_, node)| node.switch) {
        let switch = listing.next_switch(&names[at]).map_err(|problem| text.error_in(node.id, problem))?;
        switch_of[at] = Some(switch);
        let ports = node.ports.to_string();
        listing
            .set_switch_properties(switch, ["", "", &ports])
            .map_err(|fault| text.error_in(node.id, fault.problem))?;
        listing.properties_mut().addresses[0].push(node.address);
    }
    // The endpoints in the order of their nodes; the code below sorts them by the GUIDs of their ports.
    let mut endpoints = Vec::new();
    let (mut between_adapters, mut loops) = (0, 0);
    for (at, node) in nodes.iter().enumerate() {
        for port in &node.connected {
            let other = leads[&(at, port.number)];
            if let Some(&back) = leads.get(&other)
                && back != (at, port.number)
            {
                let (name, number) = (nodes[other.0].id, other.1);
                let problem = format!(
                    "the cable of this line ends at port {number} of '{}', but that port's line names another port; legal: this port",
                    shown(name)
                );
                return Err(text.error_in(port.line, problem));
            }
            match [switch_of[at], switch_of[other.0]] {
                // A cable from a switch to itself has a line at each of its two ports. It is counted once: in the line of the lower port,
                // or in the line of the higher port if the other is missing.
                [Some(here), Some(there)] if here == there => {
                    loops += usize::from(port.number <= other.1 || !leads.contains_key(&other));
                }
                // A cable has a line at each end. The line of the lower switch defines the cable, or the line of the higher switch if it is
                // the only one.
                [Some(here), Some(there)] if here < there || !leads.contains_key(&other) => {
                    listing.cable_between([here, there]).map_err(|problem| text.error_in(port.line, problem))?;
                    let rate = port.rate.map(units::write_rate).unwrap_or_default();
                    let ports = [port.number, other.1].map(|number| number.to_string());
                    let known =
                        listing.set_cable_properties([&rate, "", "", "", "", "", "", ""], ["", &ports[0], &ports[1]]);
                    known.map_err(|fault| text.error_in(port.line, fault.problem))?;
                }
                [None, Some(switch)] => endpoints.push((at, switch, other.1, port.address, port.rate)),
                // This adapter has no line for its end of the cable, which happens in handwritten files.
                [Some(switch), None] if !leads.contains_key(&other) => {
                    let adapter = nodes[other.0].address;
                    let address = Address { port: other.1.min(254) as u8, lid: 0, lmc: 0, port_guid: 0, ..adapter };
                    endpoints.push((other.0, switch, port.number, address, port.rate));
                }
                [None, None] => {
                    between_adapters += usize::from((at, port.number) <= other || !leads.contains_key(&other));
                }
                _ => {}
            }
        }
    }
    for (count, one, which, more) in [
        (aggregation, "aggregation node", "(SHARP)", "; --keep-aggregation or aggregation=keep keeps these nodes"),
        (loops, "cable", "from a switch to itself", ""),
        (between_adapters, "cable", "between adapters", ": endpoints are at switches"),
    ] {
        if count > 0 {
            let (parts, are) = (counted(count, one), are(count));
            listing.warnings.push(text.warning(format!("{parts} {which} {are} left out{more}")));
        }
    }
    endpoints.sort_by_key(|&(at, .., address, _)| (address.port_guid, at, address.port));
    let several: HashSet<usize> = endpoints
        .iter()
        .scan(HashSet::new(), |seen, &(at, ..)| Some((at, !seen.insert(at))))
        .filter(|(_, again)| *again)
        .map(|(at, _)| at)
        .collect();
    if let Some(&(at, _, _, address, _)) = endpoints.iter().find(|(at, ..)| several.contains(at)) {
        let (hosts, are, name) = (counted(several.len(), "host"), are(several.len()), shown(&names[at]));
        let what = format!(
            "{hosts} with several ports {are} read as one endpoint per port, for example {name}:{}",
            address.port
        );
        listing.warnings.push(text.warning(what));
    }
    let mut known = Vec::with_capacity(endpoints.len());
    for &(at, _, port, address, rate) in &endpoints {
        let name = if several.contains(&at) { format!("{}:{}", names[at], address.port) } else { names[at].clone() };
        check_name(&name, "endpoint").map_err(|problem| text.error_in(nodes[at].id, problem))?;
        known.push((name, port.to_string(), Link { rate, ..Link::UNKNOWN }));
        listing.properties_mut().addresses[1].push(address);
        listing.properties_mut().host_ports.push(address.port.to_string());
    }
    // Names that equal the ids are not stored.
    if known.iter().enumerate().all(|(id, (name, ..))| *name == id.to_string()) {
        known.iter_mut().for_each(|(name, ..)| name.clear());
    }
    listing.set_endpoint_properties(known);
    let at = endpoints.iter().map(|&(_, switch, ..)| switch).collect();
    listing.endpoints(at).map_err(|problem| text.error(problem))?;
    Ok(listing)
}

/// Removes the adapters with which SHARP represents aggregation nodes inside switches, and the switch ports that lead to these adapters.
/// Returns the number of removed adapters.
fn without_aggregation(nodes: &mut Vec<Node>) -> usize {
    let is = |node: &Node| !node.switch && node.description.ends_with(AGGREGATION);
    let gone: HashSet<&str> = nodes.iter().filter(|node| is(node)).map(|node| node.id).collect();
    if !gone.is_empty() {
        nodes.retain(|node| !is(node));
        nodes.iter_mut().for_each(|node| node.connected.retain(|port| !gone.contains(port.other.0)));
    }
    gone.len()
}

/// Returns the name of every node: its description, or its id if the description is empty. If several switches, or several adapters, have
/// the same description, their names end with their ids.
fn names(nodes: &[Node]) -> Vec<String> {
    let mut count: HashMap<(bool, &str), usize> = HashMap::new();
    nodes.iter().for_each(|node| *count.entry((node.switch, node.description)).or_default() += 1);
    let name = |node: &Node| match (node.description, count[&(node.switch, node.description)]) {
        ("", _) => node.id.to_owned(),
        (description, 1) => description.to_owned(),
        (description, _) => format!("{description} {}", node.id),
    };
    nodes.iter().map(name).collect()
}
