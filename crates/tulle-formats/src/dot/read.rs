//! Reads DOT: first parses nodes and edges with their attributes, then converts them to switches, cables and endpoints.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::super::indexed_error::IndexedError;
use super::super::listing::{Listing, MAX_SIZE, Order, check_name};
use super::super::properties::{self, Reader};
use super::super::text::{Text, counted, shown};
use super::tokens::Tokens;
use super::{ENDPOINT, groups, unnamed};
use tulle_fabric::{Error, Link};

/// The attributes of a node or an edge: the value and its position in the file, by name.
pub(super) type Attributes = HashMap<String, (String, usize)>;

/// An end of an edge.
#[derive(Clone)]
pub(super) struct End {
    pub node: usize,
    port: String,
    pub place: usize,
}

impl End {
    /// A node of a group.
    pub fn of_group(node: usize, place: usize) -> Self {
        Self { node, port: String::new(), place }
    }
}

#[derive(Default)]
pub(super) struct Graph {
    names: Vec<(String, usize)>,
    numbers: HashMap<String, usize>,
    pub attributes: Vec<Attributes>,
    /// Per edge, both ends and the index of the edge's attributes.
    pub edges: Vec<([End; 2], usize)>,
    pub of_edges: Vec<Attributes>,
    /// Attributes that are not read.
    pub unread: BTreeSet<String>,
    pub directed: bool,
}

impl Graph {
    fn node(&mut self, name: String, place: usize) -> usize {
        if let Some(&number) = self.numbers.get(&name) {
            return number;
        }
        let number = self.names.len();
        self.numbers.insert(name.clone(), number);
        self.names.push((name, place));
        self.attributes.push(Attributes::new());
        number
    }
}

pub(super) fn read(text: &Text) -> Result<Listing, Error> {
    let mut tokens = Tokens::new(text)?;
    let strict = tokens.is_word("strict");
    if strict {
        tokens.take()?;
    }
    let mut graph = Graph { directed: tokens.is_word("digraph"), ..Graph::default() };
    if !graph.directed && !tokens.is_word("graph") {
        return tokens.error("graph { … }");
    }
    tokens.take()?;
    tokens.name()?;
    if !tokens.sign("{")? {
        return tokens.error("graph { … }");
    }
    groups::statements(&mut tokens, &mut graph)?;
    if tokens.peek().is_some() {
        return tokens.error("one graph");
    }
    if strict {
        let mut seen = HashSet::new();
        let directed = graph.directed;
        graph.edges.retain(|([a, b], _)| {
            let sorted = [a.node.min(b.node), a.node.max(b.node)];
            seen.insert(if directed { [a.node, b.node] } else { sorted })
        });
    }
    into_listing(text, graph)
}

/// Parses the port after a node's name, and possibly a compass point. Returns the node with its port.
pub(super) fn end(tokens: &mut Tokens, graph: &mut Graph, name: String, place: usize) -> Result<End, Error> {
    let mut port = String::new();
    for first in [true, false] {
        if tokens.sign(":")? {
            let Some((text, place)) = tokens.name()? else { return tokens.error("a port") };
            if first && !text.is_empty() {
                check_name(&text, "port").map_err(|problem| tokens.text.error_at(place, problem))?;
                port = text;
            }
        }
    }
    Ok(End { node: graph.node(name, place), port, place })
}

/// Parses attribute lists such as `[name=value, …]`, of which several may follow each other.
pub(super) fn attributes(tokens: &mut Tokens) -> Result<Attributes, Error> {
    let mut attribute_values = Attributes::new();
    while tokens.sign("[")? {
        while !tokens.sign("]")? {
            let Some((name, _)) = tokens.name()? else { return tokens.error("an attribute or ]") };
            if !tokens.sign("=")? {
                return tokens.error(&format!("{}=…", shown(&name)));
            }
            let Some(value) = tokens.name()? else { return tokens.error("a value") };
            attribute_values.insert(name, value);
            if !tokens.sign(",")? {
                tokens.sign(";")?;
            }
        }
    }
    Ok(attribute_values)
}

/// Removes the attributes called `names`, and returns their values and positions. A missing attribute gives an empty text and the position
/// `place`.
fn taken<const N: usize>(attribute_values: &mut Attributes, names: [&str; N], place: usize) -> [(String, usize); N] {
    names.map(|name| attribute_values.remove(name).unwrap_or((String::new(), place)))
}

fn into_listing(text: &Text, graph: Graph) -> Result<Listing, Error> {
    let Graph { names, mut attributes, edges, of_edges, mut unread, directed, .. } = graph;
    let mut listing = Listing::default();
    if directed {
        listing.order = Order::Directed;
    }
    let mut endpoints: HashMap<usize, Endpoint> = HashMap::new();
    let mut hosts = 0;
    for (node, (name, place)) in names.iter().enumerate() {
        let attribute_values = &mut attributes[node];
        if let Some((number, at)) = attribute_values.remove(ENDPOINT) {
            let id = number.parse::<u32>().ok().filter(|&id| (id as usize) < MAX_SIZE);
            let id = id.ok_or_else(|| {
                let problem =
                    format!("endpoint '{}' is not a valid number; legal: 0 to {}", shown(&number), MAX_SIZE - 1);
                text.error_at(at, problem)
            })?;
            let [(given, at)] = taken(attribute_values, ["name"], *place);
            let called = match given.is_empty() {
                true if name.trim_start_matches('_') == unnamed(id) => String::new(),
                true => name.clone(),
                false => given,
            };
            if !called.is_empty() {
                check_name(&called, ENDPOINT).map_err(|problem| text.error_at(at, problem))?;
            }
            endpoints.insert(node, Endpoint { id, name: called, at: Vec::new() });
        } else {
            let switch = listing.switch(name).map_err(|problem| text.error_at(*place, problem))?;
            // PTM uses the attribute `function` for the role of a device.
            if let Some(function) = attribute_values.remove("function") {
                hosts += usize::from(is_host(&function.0));
                attribute_values.entry("role".to_owned()).or_insert(function);
            }
            let attribute_values = taken(attribute_values, properties::SWITCH, *place);
            let texts = attribute_values.each_ref().map(|(text, _)| text.as_str());
            listing
                .set_switch_properties(switch, texts)
                .map_err(|IndexedError { at, problem }| text.error_at(attribute_values[at].1, problem))?;
        }
        unread.extend(attributes[node].keys().cloned());
    }
    // `tulle import topo` decides by roles, names and options which nodes are hosts. This reader does not: a node without the attribute
    // `endpoint` is a switch.
    if hosts > 0 {
        let (nodes, are) =
            (counted(hosts, "node"), if hosts == 1 { "is read as a switch" } else { "are read as switches" });
        let endpoints = if hosts == 1 { "it as an endpoint" } else { "them as endpoints" };
        let what = format!("{nodes} with the function of a host {are}; 'tulle import topo' reads {endpoints}");
        listing.warnings.push(text.warning(what));
    }
    let mut reader = Reader::default();
    for ([a, b], attribute_values) in edges {
        let mut attribute_values = of_edges[attribute_values].clone();
        let link = taken(&mut attribute_values, properties::LINK, a.place);
        let [name] = taken(&mut attribute_values, [properties::CABLE[0]], a.place);
        unread.extend(attribute_values.into_keys());
        let texts = link.each_ref().map(|(text, _)| text.as_str());
        let in_link = |IndexedError { at, problem }: IndexedError| {
            text.error_at(link.get(at).map_or(name.1, |(_, place)| *place), problem)
        };
        let (end, switch) = match [endpoints.contains_key(&a.node), endpoints.contains_key(&b.node)] {
            [false, false] => {
                let ends = [&a, &b].map(|end| names[end.node].0.as_str());
                listing
                    .cable(ends[0], ends[1])
                    .map_err(|fault| text.error_at([a.place, b.place][fault.at], fault.problem))?;
                listing.set_cable_properties(texts, [&name.0, &a.port, &b.port]).map_err(in_link)?;
                continue;
            }
            [true, true] => return Err(text.error_at(b.place, "an edge between endpoints; legal: a switch at one end")),
            [true, false] => (a, b),
            [false, true] => (b, a),
        };
        let [rate, latency, length, medium, .., cost, cost_back] = texts;
        // A cost of a link to an endpoint is ignored, because routing between switches does not need it.
        let costs = [("cost", cost), ("cost_back", cost_back)].into_iter().filter(|(_, text)| !text.is_empty());
        unread.extend(costs.map(|(name, _)| name.to_owned()));
        let [there, _] = reader.endpoint_links([rate, latency, length, medium]).map_err(in_link)?;
        let number = listing.switch(&names[switch.node].0).map_err(|problem| text.error_at(switch.place, problem))?;
        let Some(endpoint) = endpoints.get_mut(&end.node) else { continue };
        endpoint.at.push((end.port, number, switch.port, there));
    }
    let mut endpoints: Vec<(usize, Endpoint)> = endpoints.into_iter().collect();
    endpoints.sort_by_key(|(node, endpoint)| (endpoint.id, *node));
    let several = endpoints.iter().filter(|(_, endpoint)| endpoint.at.len() > 1).count();
    let (mut at, mut known) = (Vec::with_capacity(endpoints.len()), Vec::with_capacity(endpoints.len()));
    for (count, (node, Endpoint { id, name, at: ports })) in (0u32..).zip(endpoints) {
        let (called, place) = &names[node];
        if id != count {
            let problem = match id < count {
                true => format!("endpoint {id} exists twice"),
                false => format!("endpoint {id} exists, but endpoint {count} is missing"),
            };
            let problem = format!("{problem}; legal: each number from 0 once");
            return Err(text.error_at(*place, problem));
        }
        if ports.is_empty() {
            return Err(
                text.error_at(*place, format!("endpoint {id} has no edge; legal: one or more edges to switches"))
            );
        }
        // If a host with several ports gets one endpoint per port, the numbers of later endpoints shift. So endpoints need names by which
        // users can tell them apart.
        let name = if several > 0 && name.is_empty() { called.clone() } else { name };
        let alone = ports.len() == 1;
        for (number, (port, switch, switch_port, link)) in ports.into_iter().enumerate() {
            let port = if port.is_empty() && !alone { number.to_string() } else { port };
            listing.properties_mut().host_ports.push(port.clone());
            let mut links = [link, Link::UNKNOWN];
            reader.without_bare(&mut links);
            let [link, _] = links;
            at.push(switch);
            known.push((if alone { name.clone() } else { format!("{name}:{port}") }, switch_port, link));
        }
    }
    if several > 0 {
        let endpoints = if several == 1 { "endpoint has" } else { "endpoints have" };
        let what = format!("{several} {endpoints} several ports: each port is an endpoint, called endpoint:port");
        listing.warnings.push(text.warning(what));
    }
    listing.set_endpoint_properties(known);
    if !at.is_empty() {
        listing.endpoints(at).map_err(|problem| text.error(problem))?;
    }
    listing.warnings.extend(text.ignored("attribute", unread.iter().map(String::as_str)));
    listing.warnings.extend(listing.reader.warning("attribute").map(|what| text.warning(what)));
    listing.warnings.extend(reader.warning("attribute of endpoints").map(|what| text.warning(what)));
    Ok(listing)
}

/// Whether PTM's `function` describes a host: it contains a word for hosts and no word for switches.
fn is_host(function: &str) -> bool {
    let lower = function.to_lowercase();
    let has = |names: &[&str]| lower.split(|letter: char| !letter.is_alphabetic()).any(|word| names.contains(&word));
    has(&["host", "hosts", "server", "servers", "compute", "storage", "gpu", "gpus", "client"])
        && !has(&["switch", "leaf", "spine", "superspine", "tor", "core", "router", "access", "border", "edge"])
}

/// An endpoint as declared in the file: its number, its name, and its attachments to switches.
struct Endpoint {
    id: u32,
    name: String,
    /// For every edge of the endpoint: the endpoint's port, the switch, the switch's port, and the link.
    at: Vec<(String, u32, String, Link)>,
}
