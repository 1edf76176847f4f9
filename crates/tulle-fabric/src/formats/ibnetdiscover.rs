//! What `ibnetdiscover` prints of an InfiniBand subnet, which is also what `ibsim` simulates: a record per node, a line per port.
//!
//! Switches are switches; a connected port of an adapter (`Ca`) or router (`Rt`) is an endpoint. They are called by their
//! descriptions and numbered by their GUIDs, as different runs list them in different orders. `4xFDR` is a rate as `ibstat`
//! gives it: 56 Gbit/s. Source: infiniband-diags, ibnetdiscover(8).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};

use super::Format;
use super::listing::{Listing, check_name, compare};
use super::parts::Part;
use super::text::{Text, shown};
use crate::{Address, Error, Fabric, Link};
use tulle_spec::units;

pub const FORMAT: Format = Format {
    word: "ibnetdiscover",
    name: "netlist of ibnetdiscover",
    extensions: &["ibnet", "netlist"],
    nodes_beside: false,
    read,
    refuses,
    holds: &[&[
        Part::SwitchPorts,
        Part::Ports,
        Part::Rates,
        Part::EndpointNames,
        Part::EndpointPorts,
        Part::EndpointRates,
        Part::Addresses,
    ]],
    alters,
    can_name,
    sorts: false,
    write,
};

/// The most ports of a switch, and the longest description, that InfiniBand has.
const MAX_PORTS: u32 = 254;
const LONGEST: usize = 64;

/// Megabits per second of a lane, as `ibstat` and Linux count.
const SPEEDS: [(&str, u64); 9] = [
    ("SDR", 2_500),
    ("DDR", 5_000),
    ("QDR", 10_000),
    ("FDR10", 10_000),
    ("FDR", 14_000),
    ("EDR", 25_000),
    ("HDR", 50_000),
    ("NDR", 100_000),
    ("XDR", 200_000),
];
/// Lanes, the usual number first.
const WIDTHS: [u64; 5] = [4, 1, 2, 8, 12];

/// Bits per second of `4xFDR`.
fn rate(word: &str) -> Option<u64> {
    let (width, speed) = word.split_once('x')?;
    let width = WIDTHS.into_iter().find(|lanes| width == lanes.to_string())?;
    let (_, lane) = SPEEDS.iter().find(|(name, _)| *name == speed)?;
    Some(width * lane * 1_000_000)
}

/// `4xFDR` of bits per second, where there is one.
fn speed(rate: u64) -> Option<String> {
    let lanes = |width: &u64| SPEEDS.iter().find(|(_, lane)| width * lane * 1_000_000 == rate);
    WIDTHS.iter().find_map(|width| lanes(width).map(|(name, _)| format!("{width}x{name}")))
}

/// A node of the subnet.
struct Node<'t> {
    switch: bool,
    id: &'t str,
    description: &'t str,
    ports: u32,
    address: Address,
    connected: Vec<Port<'t>>,
}

/// A port that leads somewhere.
struct Port<'t> {
    number: u32,
    line: &'t str,
    /// The other end: the id of a node, and its port.
    other: (&'t str, u32),
    rate: Option<u64>,
    address: Address,
}

fn read(text: &Text) -> Result<Listing, Error> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut guids = [0, 0];
    let mut open = false;
    for line in text.content.lines() {
        let line = line.trim();
        let mut cursor = Cursor { text, rest: line };
        if line.is_empty() {
            (open, guids) = (false, [0, 0]);
        } else if line.starts_with('#') || line == "Non-Chassis Nodes" || line.starts_with("Chassis ") {
            continue;
        } else if line.starts_with('[') {
            let node = nodes.last_mut().filter(|_| open);
            let node =
                node.ok_or_else(|| text.error_in(line, "a port of no node; legal: after the line of its node"))?;
            let port = port(&mut cursor, line, node)?;
            node.connected.push(port);
        } else if let Some((key, value)) = line.split_once('=').filter(|(key, _)| !key.contains('"')) {
            match key.trim() {
                "switchguid" | "caguid" | "rtguid" => {
                    let (node, port) = value.split_once('(').unwrap_or((value, ""));
                    guids =
                        [guid(text, node)?, if port.is_empty() { 0 } else { guid(text, port.trim_end_matches(')'))? }];
                }
                "vendid" | "devid" | "sysimgguid" => {}
                other => {
                    let problem = format!("'{}' is no property of a node; legal: switchguid, caguid", shown(other));
                    return Err(text.error_in(line, problem));
                }
            }
        } else {
            nodes.push(node(&mut cursor, line, guids)?);
            (open, guids) = (true, [0, 0]);
        }
    }
    into_listing(text, nodes)
}

/// A hexadecimal GUID, with `0x` or without.
fn guid(text: &Text, word: &str) -> Result<u64, Error> {
    let digits = word.trim().trim_start_matches("0x");
    let legal = (1..=16).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let guid = Some(digits).filter(|_| legal).and_then(|digits| u64::from_str_radix(digits, 16).ok());
    guid.ok_or_else(|| text.error_in(word, format!("'{}' is no GUID; legal: 1 to 16 hexadecimal digits", shown(word))))
}

/// What is left of a line.
struct Cursor<'t> {
    text: &'t Text,
    rest: &'t str,
}

impl<'t> Cursor<'t> {
    fn error<T>(&self, legal: &str) -> Result<T, Error> {
        let found =
            if self.rest.is_empty() { "the line ends here".to_owned() } else { format!("'{}'", shown(self.rest)) };
        Err(self.text.error_in(self.rest, format!("{found}; legal: {legal}")))
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// What is between `start` and `end`, if `start` is next.
    fn between(&mut self, start: char, end: char) -> Result<Option<&'t str>, Error> {
        let Some(inside) = self.rest.strip_prefix(start) else { return Ok(None) };
        let Some((inside, rest)) = inside.split_once(end) else {
            return self.error(&format!("{start}…{end}"));
        };
        self.rest = rest;
        Ok(Some(inside))
    }

    /// `[7]`, and what may be behind: `[ext 3]`, `(GUID)`.
    fn port(&mut self, most: u32) -> Result<(u32, u64), Error> {
        let Some(inside) = self.between('[', ']')? else { return self.error("[PORT]") };
        let number = inside.parse::<u32>().ok().filter(|number| (1..=most).contains(number));
        let number = number
            .ok_or_else(|| self.text.error_in(inside, format!("'{}' is no port; legal: 1 to {most}", shown(inside))))?;
        if self.rest.starts_with("[ext ") {
            self.between('[', ']')?;
        }
        let port_guid = self.between('(', ')')?.map_or(Ok(0), |inside| guid(self.text, inside))?;
        if self.rest.starts_with("[ext ") {
            self.between('[', ']')?;
        }
        Ok((number, port_guid))
    }

    /// The comment behind the rest of a line.
    fn comment(&mut self) -> Result<&'t str, Error> {
        self.blanks();
        match self.rest.strip_prefix('#') {
            Some(comment) => Ok(comment.trim()),
            None if self.rest.is_empty() => Ok(""),
            None => self.error("# and a comment, or the end of the line"),
        }
    }
}

/// What a comment has in quotes, which may hold quotes of its own, and the words before and behind it.
fn described(comment: &str) -> (Option<&str>, Vec<&str>, Vec<&str>) {
    let (Some(start), Some(end)) = (comment.find('"'), comment.rfind('"')) else {
        return (None, comment.split_whitespace().collect(), Vec::new());
    };
    let inside = comment.get(start + 1..end).unwrap_or_default();
    (Some(inside), comment[..start].split_whitespace().collect(), comment[end + 1..].split_whitespace().collect())
}

/// The number behind `word`; 0 where there is none, or one that is too large.
fn number(words: &[&str], word: &str) -> u16 {
    let at = words.iter().position(|other| *other == word);
    at.and_then(|at| words.get(at + 1)).and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// `Switch 36 "S-…"  # "description" base port 0 lid 0 lmc 0`.
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

/// `[1](GUID) "H-…"[1](GUID)  # lid 0 lmc 0 "description" lid 0 4xFDR`.
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
                return Err(text.error_in(other, format!("no record of node '{}'; legal: one per node", shown(other))));
            };
            if leads.insert((at, *number), (other_at, *other_port)).is_some() {
                return Err(text.error_in(line, format!("a second line of port {number}; legal: one")));
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
        listing.know_switch(switch, ["", "", &ports]).map_err(|fault| text.error_in(node.id, fault.problem))?;
        listing.known_mut().addresses[0].push(node.address);
    }
    // Endpoints by the GUIDs of their ports.
    let mut endpoints = Vec::new();
    let mut between_adapters = 0;
    for (at, node) in nodes.iter().enumerate() {
        for port in &node.connected {
            let other = leads[&(at, port.number)];
            if let Some(&back) = leads.get(&other)
                && back != (at, port.number)
            {
                let (name, number) = (nodes[other.0].id, other.1);
                let problem = format!("port {number} of '{}' leads elsewhere; legal: back here", shown(name));
                return Err(text.error_in(port.line, problem));
            }
            match [switch_of[at], switch_of[other.0]] {
                [Some(here), Some(there)] if here == there => {
                    return Err(text.error_in(port.line, "a cable from a switch to itself; legal: another node"));
                }
                // The lower switch tells of a cable, unless only the other does.
                [Some(here), Some(there)] if here < there || !leads.contains_key(&other) => {
                    listing.cable_between([here, there]).map_err(|problem| text.error_in(port.line, problem))?;
                    let rate = port.rate.map(units::write_rate).unwrap_or_default();
                    let ports = [port.number, other.1].map(|number| number.to_string());
                    let known = listing.know_cable([&rate, "", "", "", "", ""], ["", &ports[0], &ports[1]]);
                    known.map_err(|fault| text.error_in(port.line, fault.problem))?;
                }
                [None, Some(switch)] => endpoints.push((at, switch, other.1, port.address, port.rate)),
                // An adapter that has no line of its own for a cable, as in files made by hand.
                [Some(switch), None] if !leads.contains_key(&other) => {
                    let adapter = nodes[other.0].address;
                    let address = Address { port: other.1.min(254) as u8, lid: 0, lmc: 0, port_guid: 0, ..adapter };
                    endpoints.push((other.0, switch, port.number, address, port.rate));
                }
                [None, None] => between_adapters += 1,
                _ => {}
            }
        }
    }
    if between_adapters > 0 {
        listing.warnings.push(text.warning("cables between adapters are ignored: endpoints are at switches"));
    }
    endpoints.sort_by_key(|&(at, .., address, _)| (address.port_guid, at, address.port));
    let several: HashSet<usize> = endpoints
        .iter()
        .scan(HashSet::new(), |seen, &(at, ..)| Some((at, !seen.insert(at))))
        .filter(|(_, again)| *again)
        .map(|(at, _)| at)
        .collect();
    let mut known = Vec::with_capacity(endpoints.len());
    for &(at, _, port, address, rate) in &endpoints {
        let name = if several.contains(&at) { format!("{}/{}", names[at], address.port) } else { names[at].clone() };
        check_name(&name, "endpoint").map_err(|problem| text.error_in(nodes[at].id, problem))?;
        known.push((name, port.to_string(), Link { rate, ..Link::UNKNOWN }));
        listing.known_mut().addresses[1].push(address);
    }
    // Ids are no names.
    if known.iter().enumerate().all(|(id, (name, ..))| *name == id.to_string()) {
        known.iter_mut().for_each(|(name, ..)| name.clear());
    }
    listing.know_endpoints(known);
    let at = endpoints.iter().map(|&(_, switch, ..)| switch).collect();
    listing.endpoints(at).map_err(|problem| text.error(problem))?;
    Ok(listing)
}

/// What every node is called: its description where no other node of its kind has it, else with its id behind it.
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

/// Where the parts of a fabric are in a subnet.
struct Subnet {
    switches: Vec<Address>,
    endpoints: Vec<Address>,
    /// Per channel and per endpoint, the port of its switch.
    ports: Vec<u32>,
    endpoint_ports: Vec<u32>,
    /// Switches whose ports have other names than numbers.
    renumbered: usize,
}

impl Subnet {
    fn of(fabric: &Fabric) -> Self {
        let (switches, endpoints) = (fabric.num_switches() as u64, fabric.num_endpoints() as u64);
        // As many as InfiniBand can address are apart anyhow.
        let adapters = if switches < 0x7f00 { 0x5f00_0000_0080_0000 } else { 0x5f00_0100_0000_0000 };
        let made = |known: Option<Address>, node_guid: u64, port: u64| {
            let mut address = known.unwrap_or(Address::UNKNOWN);
            if address.node_guid == 0 {
                address.node_guid = node_guid;
            }
            if address.port_guid == 0 {
                address.port_guid = address.node_guid + port;
            }
            address
        };
        let switch = |at: u64| made(fabric.switch_address(at as u32), 0x5f00_0000_0001_0000 + (at << 8), 0);
        let endpoint = |at: u64| {
            let known = fabric.endpoint_address(at as u32);
            let port = known.map_or(0, |address| address.port).max(1);
            Address { port, ..made(known, adapters + (at << 8), port.into()) }
        };
        let (mut ports, mut endpoint_ports, mut renumbered) = (Vec::new(), vec![0; endpoints as usize], 0);
        for switch in 0..switches as u32 {
            let channels = fabric.channels_of(switch).map(|channel| channel as u32);
            let at = fabric.endpoints_of(switch);
            let given: Option<Vec<u32>> = channels
                .clone()
                .map(|channel| fabric.given_port_name(channel))
                .chain(at.iter().map(|&endpoint| fabric.given_endpoint_port(endpoint)))
                .map(|name| name?.parse::<u32>().ok().filter(|port| (1..=MAX_PORTS).contains(port)))
                .collect();
            let given = given.filter(|ports| ports.iter().collect::<HashSet<_>>().len() == ports.len());
            let has_names = channels.clone().any(|channel| fabric.given_port_name(channel).is_some())
                || at.iter().any(|&endpoint| fabric.given_endpoint_port(endpoint).is_some());
            renumbered += usize::from(given.is_none() && has_names);
            let numbers = given.unwrap_or_else(|| {
                let network = channels.clone().map(|channel| fabric.port_number(channel) + 1);
                network.chain(at.iter().map(|&endpoint| fabric.endpoint_number(endpoint) + 1)).collect()
            });
            ports.extend(&numbers[..channels.len()]);
            at.iter()
                .zip(&numbers[channels.len()..])
                .for_each(|(&endpoint, &port)| endpoint_ports[endpoint as usize] = port);
        }
        Self {
            switches: (0..switches).map(switch).collect(),
            endpoints: (0..endpoints).map(endpoint).collect(),
            ports,
            endpoint_ports,
            renumbered,
        }
    }
}

fn can_name(name: &str) -> bool {
    name.len() <= LONGEST && name.trim() == name && !name.contains('"')
}

fn refuses(fabric: &Fabric) -> Option<String> {
    let subnet = Subnet::of(fabric);
    let sources = fabric.sources().iter().zip(&subnet.ports);
    let attached = fabric.endpoint_switch().iter().zip(&subnet.endpoint_ports);
    if let Some((&switch, port)) = sources.chain(attached).find(|(_, port)| **port > MAX_PORTS) {
        let name = fabric.label(switch);
        return Some(format!("switch {name} has a port {port}; legal in InfiniBand: 1 to {MAX_PORTS}"));
    }
    let mut seen = HashSet::new();
    let nodes = subnet.switches.iter().map(|address| (address.node_guid, 0));
    let mut ports = nodes.chain(subnet.endpoints.iter().map(|address| (address.node_guid, address.port)));
    let (guid, _) = ports.find(|port| !seen.insert(*port))?;
    Some(format!("two nodes have the GUID 0x{guid:016x}; legal: GUIDs that differ"))
}

fn alters(fabric: &Fabric) -> Vec<String> {
    let subnet = Subnet::of(fabric);
    let mut lines = Vec::new();
    if subnet.renumbered > 0 {
        let count = subnet.renumbered;
        lines.push(format!(
            "ports of {count} switches are numbered anew: their names are no numbers from 1 to {MAX_PORTS}"
        ));
    }
    let links = fabric.cables().map(|cable| fabric.link(cable));
    let endpoints = (0..fabric.num_endpoints() as u32).map(|endpoint| fabric.endpoint_link(endpoint));
    if links.chain(endpoints).any(|link| link.rate.is_some_and(|rate| speed(rate).is_none())) {
        lines.push("rates that InfiniBand does not have are left out".to_owned());
    }
    let in_order = |addresses: &[Address]| addresses.is_sorted_by_key(|address| address.node_guid);
    if !in_order(&subnet.switches) || !subnet.endpoints.is_sorted_by_key(|address| address.port_guid) {
        lines.push("switches and endpoints are numbered by their GUIDs when it is read".to_owned());
    }
    let mut seen = HashSet::new();
    let again = (0..fabric.num_endpoints() as u32).any(|endpoint| !seen.insert(fabric.endpoint_name(endpoint)));
    let mut seen = HashSet::new();
    if again || (0..fabric.num_switches() as u32).any(|switch| !seen.insert(fabric.label(switch))) {
        lines.push("names that several nodes have get their GUIDs behind them when it is read".to_owned());
    }
    let illegal = |endpoint| fabric.given_endpoint_name(endpoint).is_some_and(|name| !can_name(name));
    if (0..fabric.num_endpoints() as u32).any(illegal) {
        lines.push(format!("names of endpoints with quotes or of more than {LONGEST} bytes are left out"));
    }
    lines
}

fn write(fabric: &Fabric, names: &[String], out: &mut dyn Write) -> io::Result<()> {
    let subnet = Subnet::of(fabric);
    let name = |switch: u32| match fabric.labels.is_empty() {
        true => fabric.label(switch),
        false => names[switch as usize].clone(),
    };
    let id = |address: &Address, kind: char| format!("{kind}-{:016x}", address.node_guid);
    let of_link = |link: &Link| link.rate.and_then(speed).map_or_else(String::new, |speed| format!(" {speed}"));
    // Adapters by their GUIDs, each with its endpoints.
    let mut adapters: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for (endpoint, address) in (0u32..).zip(&subnet.endpoints) {
        adapters.entry(address.node_guid).or_default().push(endpoint);
    }
    let described = |endpoint: u32| {
        let named = fabric.endpoint_name(endpoint);
        let name = if can_name(&named) { named } else { endpoint.to_string() };
        let Address { node_guid, port, .. } = subnet.endpoints[endpoint as usize];
        let several = adapters[&node_guid].len() > 1;
        if several { name.strip_suffix(&format!("/{port}")).unwrap_or(&name).to_owned() } else { name }
    };
    for switch in 0..fabric.num_switches() as u32 {
        let Address { node_guid, port_guid, lid, lmc, .. } = subnet.switches[switch as usize];
        let channels = fabric.channels_of(switch);
        let at = fabric.endpoints_of(switch);
        let used = subnet.ports[channels.clone()].iter().copied();
        let used = used.chain(at.iter().map(|&endpoint| subnet.endpoint_ports[endpoint as usize])).max().unwrap_or(1);
        let ports = fabric.switch_ports(switch).unwrap_or(0).clamp(used, MAX_PORTS);
        writeln!(out, "sysimgguid=0x{node_guid:x}\nswitchguid=0x{node_guid:x}({port_guid:x})")?;
        let node = id(&subnet.switches[switch as usize], 'S');
        writeln!(out, "Switch\t{ports} \"{node}\"\t\t# \"{}\" base port 0 lid {lid} lmc {lmc}", name(switch))?;
        for &endpoint in at {
            let address = &subnet.endpoints[endpoint as usize];
            let (port, lid, guid) = (address.port, address.lid, address.port_guid);
            let (here, speed) = (subnet.endpoint_ports[endpoint as usize], of_link(fabric.endpoint_link(endpoint)));
            let (node, name) = (id(address, 'H'), described(endpoint));
            writeln!(out, "[{here}]\t\"{node}\"[{port}]({guid:x}) \t\t# \"{name}\" lid {lid}{speed}")?;
        }
        for channel in channels {
            let other = fabric.targets()[channel];
            let address = &subnet.switches[other as usize];
            let (here, there) = (subnet.ports[channel], subnet.ports[fabric.reverse()[channel] as usize]);
            // Of a cable with two rates that from its lower switch.
            let cable = fabric.reverse()[channel].min(channel as u32);
            let (node, name, speed) = (id(address, 'S'), name(other), of_link(fabric.link(cable)));
            writeln!(out, "[{here}]\t\"{node}\"[{there}]\t\t# \"{name}\" lid {}{speed}", address.lid)?;
        }
        writeln!(out)?;
    }
    for (guid, endpoints) in &adapters {
        let most = endpoints.iter().map(|&endpoint| subnet.endpoints[endpoint as usize].port).max().unwrap_or(1);
        let (node, adapter) = (id(&subnet.endpoints[endpoints[0] as usize], 'H'), described(endpoints[0]));
        writeln!(out, "sysimgguid=0x{guid:x}\ncaguid=0x{guid:x}\nCa\t{most} \"{node}\"\t\t# \"{adapter}\"")?;
        for &endpoint in endpoints {
            let Address { port_guid, lid, lmc, port, .. } = subnet.endpoints[endpoint as usize];
            let switch = fabric.endpoint_switch()[endpoint as usize];
            let address = &subnet.switches[switch as usize];
            let (there, speed) = (subnet.endpoint_ports[endpoint as usize], of_link(fabric.endpoint_link(endpoint)));
            let (node, name) = (id(address, 'S'), name(switch));
            let there = format!("\"{node}\"[{there}]\t\t# lid {lid} lmc {lmc} \"{name}\" lid {}{speed}", address.lid);
            writeln!(out, "[{port}]({port_guid:x}) \t{there}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}
