//! The node-link JSON of networkx, as `json.dump(networkx.node_link_data(fabric.to_networkx()))` writes it. It has nodes and edges with the
//! attributes that `Fabric.to_networkx` sets and `Fabric.from_networkx` reads.
//!
//! Nodes become switches in the order of the file. The list of edges is called `edges` or `links`, because versions of networkx differ.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};
use std::sync::Arc;

use super::Format;
use super::json::{Json, Object, quoted};
use super::listing::{Listing, MAX_PORTS, MAX_SIZE, Order, check_name};
use super::parts::Part;
use super::properties;
use super::text::{Text, shown};
use tulle_base::memory;
use tulle_fabric::{Error, Fabric, Link};
use tulle_spec::MAX_QUANTITY;
use tulle_spec::units::{self, Unreadable};

pub const FORMAT: Format = Format {
    word: "node-link",
    name: "JSON of networkx",
    extensions: &["node-link.json", "nodelink.json"],
    nodes_beside: false,
    either_order: true,
    read,
    refuses: |_| None,
    holds: &[Part::OF_SWITCHES, Part::OF_CABLES, Part::OF_ENDPOINTS],
    alters: |_| Vec::new(),
    can_name: |_| true,
    sorts: false,
    write: Some(write),
};

/// The attributes of a link that are quantities with units, in the order of [`Link`].
const QUANTITIES: [&str; 3] = ["rate", "latency", "length"];

pub(super) fn read(text: &Text) -> Result<Listing, Error> {
    let mut file = Json::new(text)?.object("the file")?;
    for (member, function) in [("adjacency", "adjacency_data"), ("elements", "cytoscape_data")] {
        if file.has(member) && !(file.has("edges") || file.has("links")) {
            let problem = format!("the file is JSON of networkx.{function}, which tulle does not read");
            return Err(file.error(format!("{problem}; legal: JSON of networkx.node_link_data")));
        }
    }
    let directed = file.take("directed").map_or(Ok(false), |directed| directed.truth("directed"))?;
    file.take("multigraph").map_or(Ok(false), |multigraph| multigraph.truth("multigraph"))?;
    let nodes = file.need("nodes")?.list("nodes")?;
    let edges = match (file.take("edges"), file.take("links")) {
        (Some(edges), None) | (None, Some(edges)) => edges.list("edges")?,
        (None, None) => return Err(file.error("no 'edges' in the file; legal: edges, or links")),
        (Some(_), Some(links)) => {
            return Err(links.error("the file has edges and links; legal: only edges, or only links"));
        }
    };
    let mut graph = file.take("graph").map(|graph| graph.object("graph")).transpose()?;
    let mut listing = Listing::default();
    if directed {
        listing.order = Order::Directed;
    }
    let mut unread: BTreeSet<String> = file.unread().map(str::to_owned).collect();
    let mut attached = Attached::default();
    let numbers = add_nodes(&mut listing, &nodes, &mut attached, &mut unread)?;
    // Files written by tulle contain plain numbers, in tulle's own units.
    let is_ours = graph.as_ref().is_some_and(|graph| graph.has("fabric"));
    for edge in edges {
        add_edge(&mut listing, &numbers, edge, is_ours, &mut unread)?;
    }
    let is_attached = attached.is_given;
    let at = attached.into_switches()?;
    if let Some(graph) = &mut graph {
        add_endpoints(&mut listing, graph, at.len())?;
        graph.take("fabric");
        unread.extend(graph.unread().map(|name| format!("graph.{name}")));
    }
    if is_attached {
        listing.endpoints(at).map_err(|problem| text.error(problem))?;
    }
    listing.warnings.extend(text.ignored("attribute", unread.iter().map(String::as_str)));
    listing.warnings.extend(listing.reader.warning("attribute").map(|what| text.warning(what)));
    Ok(listing)
}

/// Endpoint attributes of nodes.
#[derive(Default)]
struct Attached<'t> {
    /// The switch of each endpoint, if nodes give only numbers of endpoints.
    counted: Vec<u32>,
    /// The switch of each endpoint id, if nodes list the ids of their endpoints.
    numbered: HashMap<u64, (u32, Json<'t>)>,
    first_count: Option<Json<'t>>,
    /// Whether any node has the attribute `endpoints`, even if it is empty.
    is_given: bool,
}

impl<'t> Attached<'t> {
    fn add(&mut self, switch: u32, value: Json<'t>) -> Result<(), Error> {
        self.is_given = true;
        if !value.is_list() {
            let count = value.number("endpoints", MAX_PORTS.into())?;
            if self.counted.len() as u64 + count > MAX_SIZE as u64 {
                return Err(value.error(format!("too many endpoints; legal: at most {MAX_SIZE}")));
            }
            if count > 0 {
                self.first_count.get_or_insert(value);
            }
            (0..count).for_each(|_| memory::push("endpoints", &mut self.counted, switch));
            return Ok(());
        }
        for id in value.list("endpoints")? {
            let number = id.number("an endpoint", MAX_SIZE as u64 - 1)?;
            if self.numbered.insert(number, (switch, id)).is_some() {
                return Err(id.error(format!("endpoint {number} is attached to two switches; legal: one switch")));
            }
        }
        Ok(())
    }

    /// Returns the switch of each endpoint.
    fn into_switches(self) -> Result<Vec<u32>, Error> {
        if let Some(count) = self.first_count.filter(|_| !self.numbered.is_empty()) {
            return Err(count.error(
                "endpoints are a number on this node and ids on other nodes; legal: only numbers, or only ids",
            ));
        }
        if self.numbered.is_empty() {
            return Ok(self.counted);
        }
        let mut ids: Vec<(u64, (u32, Json))> = self.numbered.into_iter().collect();
        ids.sort_by_key(|&(id, _)| id);
        for (count, (id, (_, place))) in (0u64..).zip(&ids) {
            if *id != count {
                return Err(place.error(format!(
                    "endpoint {id} exists, but endpoint {count} is missing; legal: 0 to {}",
                    ids.len() - 1
                )));
            }
        }
        Ok(ids.into_iter().map(|(_, (switch, _))| switch).collect())
    }
}

/// Adds the nodes. Returns a map from the nodes' ids, as written in the file, to switch numbers.
fn add_nodes<'t>(
    listing: &mut Listing,
    nodes: &[Json<'t>],
    attached: &mut Attached<'t>,
    unread: &mut BTreeSet<String>,
) -> Result<HashMap<String, u32>, Error> {
    let mut numbers = HashMap::with_capacity(nodes.len());
    let mut members: Vec<(Object, String)> = Vec::with_capacity(nodes.len());
    for (number, node) in (0u32..).zip(nodes) {
        let mut node_members = node.object("a node")?;
        let id = node_members.need("id")?;
        let key = name_of(id)?;
        if numbers.insert(key.clone(), number).is_some() {
            return Err(id.error(format!("two nodes have the id {}; legal: ids that differ", id.shown())));
        }
        members.push((node_members, key));
    }
    // Ids are used as names, unless all nodes have labels.
    let mut labels = Vec::with_capacity(members.len());
    for (node, _) in &mut members {
        labels.push(node.take("label"));
    }
    let labelled = labels.iter().all(Option::is_some);
    for ((mut node, key), label) in members.into_iter().zip(labels) {
        let name = match label.filter(|_| labelled) {
            Some(label) => label.word("label")?,
            None => key,
        };
        let switch = listing
            .next_switch(&name)
            .map_err(|problem| label.map_or_else(|| node.error(&*problem), |label| label.error(&*problem)))?;
        let number = |node: &mut Object, name: &str, most: u64| {
            node.take(name).map_or(Ok(String::new()), |value| value.number(name, most).map(|number| number.to_string()))
        };
        let level = number(&mut node, "level", 255)?;
        let ports = number(&mut node, "ports", MAX_PORTS.into())?;
        let (role, place) = node.take_word("role")?;
        let ports = if ports == "0" { "" } else { &ports };
        listing.set_switch_properties(switch, [&level, &role, ports]).map_err(|fault| place.error(fault.problem))?;
        if let Some(endpoints) = node.take("endpoints") {
            attached.add(switch, endpoints)?;
        }
        unread.extend(node.unread().map(str::to_owned));
    }
    Ok(numbers)
}

/// Returns the id of a node as a name. An id may be a list, because networkx writes tuples as lists.
fn name_of(id: Json) -> Result<String, Error> {
    if !id.is_list() {
        return id.word("id");
    }
    let parts: Result<Vec<String>, Error> = id.list("id")?.into_iter().map(|part| part.word("id")).collect();
    Ok(format!("({})", parts?.join(", ")))
}

fn add_edge(
    listing: &mut Listing,
    numbers: &HashMap<String, u32>,
    value: Json,
    is_ours: bool,
    unread: &mut BTreeSet<String>,
) -> Result<(), Error> {
    let mut edge = value.object("an edge")?;
    let [a, b] = [edge.need("source")?, edge.need("target")?];
    let end = |place: Json| {
        let known = numbers.get(&name_of(place)?).copied();
        known.ok_or_else(|| place.error(format!("no node {}; legal: ids of nodes in the file", place.shown())))
    };
    let mut ends = [end(a)?, end(b)?];
    // The properties of a cable are those of the direction that starts at its lower switch.
    if listing.order != Order::Directed {
        ends.sort_unstable();
    }
    listing.cable_between(ends).map_err(|problem| value.error(problem))?;
    let mut texts = [const { String::new() }; properties::LINK.len()];
    if is_ours {
        set_link_properties(listing, &mut edge, value)?;
    } else {
        for (name, text) in properties::LINK.into_iter().zip(&mut texts) {
            *text = edge.take_word(name)?.0;
        }
    }
    let mut names = Vec::with_capacity(properties::CABLE.len());
    for name in properties::CABLE {
        names.push(edge.take_word(name)?.0);
    }
    let [name, from, to] = [0, 1, 2].map(|at| names[at].as_str());
    let texts = texts.each_ref().map(String::as_str);
    listing.set_cable_properties(texts, [name, from, to]).map_err(|fault| value.error(fault.problem))?;
    for name in ["cable", "key"] {
        edge.take(name);
    }
    unread.extend(edge.unread().map(str::to_owned));
    Ok(())
}

/// Applies the attributes of a cable, which have tulle's units, to the cable that was added last.
fn set_link_properties(listing: &mut Listing, edge: &mut Object, value: Json) -> Result<(), Error> {
    let there = link(edge)?;
    let mut back = there.clone();
    for (name, quantity) in [("rate_back", &mut back.rate), ("latency_back", &mut back.latency)] {
        if edge.has(name) {
            *quantity = quantity_of(edge, name)?;
        }
    }
    if edge.has("cost_back") {
        back.cost = cost(edge, "cost_back")?;
    }
    for link in [&there, &back] {
        link.check().map_err(|error| value.error(error.to_string()))?;
    }
    if [&there, &back].into_iter().any(|link| *link != Link::UNKNOWN) {
        listing.set_link_properties([there, back]);
    }
    Ok(())
}

/// Returns the quantity called `name`, given as a number in tulle's units or as a text with its unit.
fn quantity_of(edge: &mut Object, name: &str) -> Result<Option<u64>, Error> {
    let Some(value) = edge.take(name) else { return Ok(None) };
    if !value.is_string() {
        return value.number(name, MAX_QUANTITY).map(Some);
    }
    let text = value.string(name)?;
    let read = match name {
        "rate" | "rate_back" => units::rate,
        "length" => units::length,
        _ => units::duration,
    };
    let problem = |why: Unreadable| format!("{name} '{}' {}; {}", shown(&text), why.problem, why.legal);
    read(&text).map(Some).map_err(|why| value.error(problem(why)))
}

/// Returns the link that the attributes of an edge describe.
fn link(edge: &mut Object) -> Result<Link, Error> {
    let [rate, latency, length] =
        [quantity_of(edge, QUANTITIES[0])?, quantity_of(edge, QUANTITIES[1])?, quantity_of(edge, QUANTITIES[2])?];
    let medium = edge.take("medium").map(|medium| medium.word("medium")).transpose()?.map(Arc::from);
    Ok(Link { rate, latency, length, medium, cost: cost(edge, "cost")? })
}

/// Returns the cost that attribute `name` gives.
fn cost(edge: &mut Object, name: &str) -> Result<Option<u32>, Error> {
    edge.take(name).map(|value| value.number(name, u32::MAX.into()).map(|cost| cost as u32)).transpose()
}

/// Reads the graph's lists of endpoint properties. Each list has one value per endpoint.
fn add_endpoints(listing: &mut Listing, graph: &mut Object, count: usize) -> Result<(), Error> {
    let mut known = Vec::new();
    for (name, at) in [("endpoint_names", 0), ("endpoint_ports", 1), ("endpoint_links", 2)] {
        let Some(value) = graph.take(name) else { continue };
        let values = value.list(name)?;
        if values.len() != count {
            return Err(value.error(format!("{} values in {name}; legal: {count}, one per endpoint", values.len())));
        }
        // The length of the list is checked before memory is allocated. So a file that only states a large number of endpoints takes no
        // memory for properties.
        known.resize(count, (String::new(), String::new(), Link::UNKNOWN));
        for (value, known) in values.into_iter().zip(&mut known) {
            if at == 2 {
                known.2 = link_of_list(value)?;
                continue;
            }
            let word = value.word(name)?;
            if !word.is_empty() {
                check_name(&word, "endpoint").map_err(|problem| value.error(problem))?;
            }
            *if at == 0 { &mut known.0 } else { &mut known.1 } = word;
        }
    }
    listing.set_endpoint_properties(known);
    Ok(())
}

/// Returns a link that is given as a list of rate, latency, length and medium.
fn link_of_list(value: Json) -> Result<Link, Error> {
    let parts = value.list("a link")?;
    let &[rate, latency, length, medium] = parts.as_slice() else {
        return Err(value.error(format!("a link has {} values; legal: rate, latency, length, medium", parts.len())));
    };
    let quantity = |value: Json, name: &str| match value.is_null() {
        true => Ok(None),
        false => value.number(name, MAX_QUANTITY).map(Some),
    };
    let link = Link {
        rate: quantity(rate, QUANTITIES[0])?,
        latency: quantity(latency, QUANTITIES[1])?,
        length: quantity(length, QUANTITIES[2])?,
        medium: if medium.is_null() { None } else { Some(medium.word("medium")?.into()) },
        cost: None,
    };
    link.check().map_err(|error| value.error(error.to_string()))?;
    Ok(link)
}

/// Formats a number for a list entry or an attribute; `null` if it is unknown.
fn number(value: Option<u64>) -> String {
    value.map_or("null".to_owned(), |value| value.to_string())
}

fn write(fabric: &Fabric, names: &[String], out: &mut dyn Write) -> io::Result<()> {
    let parallel = (0..fabric.num_switches() as u32)
        .any(|switch| fabric.neighbours(switch).windows(2).any(|pair| pair[0] == pair[1]));
    let endpoints = 0..fabric.num_endpoints() as u32;
    let ports = properties::Ports::new(fabric);
    let list = |values: Vec<String>| format!("[{}]", values.join(", "));
    let mut graph = vec![("fabric", quoted(fabric.spec()))];
    if Part::EndpointNames.is_in(fabric) {
        let names = endpoints.clone().map(|at| quoted(fabric.given_endpoint_name(at).unwrap_or_default()));
        graph.push(("endpoint_names", list(names.collect())));
    }
    if Part::EndpointPorts.is_in(fabric) {
        let all = endpoints.clone().map(|at| quoted(&ports.of_endpoint(at)));
        graph.push(("endpoint_ports", list(all.collect())));
    }
    if fabric.links().is_some() {
        let links = endpoints.map(|at| {
            let Link { rate, latency, length, medium, .. } = fabric.endpoint_link(at);
            let medium = medium.as_deref().map_or("null".to_owned(), quoted);
            list(vec![number(*rate), number(*latency), number(*length), medium])
        });
        graph.push(("endpoint_links", list(links.collect())));
    }
    writeln!(out, "{{\"directed\": false, \"multigraph\": {parallel}, \"graph\": {},", object(&graph))?;
    writeln!(out, "\"nodes\": [")?;
    for (switch, name) in (0u32..).zip(names) {
        let at = fabric.endpoints_of(switch).iter().map(u32::to_string).collect();
        let label = if fabric.labels().is_empty() { fabric.label(switch) } else { name.clone() };
        let level = fabric.levels()[switch as usize].to_string();
        let mut node = vec![("label", quoted(&label)), ("level", level), ("endpoints", list(at))];
        node.extend(fabric.switch_role(switch).map(|role| ("role", quoted(role))));
        node.extend(fabric.switch_ports(switch).map(|ports| ("ports", ports.to_string())));
        node.push(("id", switch.to_string()));
        writeln!(out, "{}{}", object(&node), comma(switch as usize, fabric.num_switches()))?;
    }
    writeln!(out, "], \"edges\": [")?;
    let mut before = (u32::MAX, u32::MAX, 0);
    for (row, cable) in fabric.cables().enumerate() {
        let ends = [fabric.sources(), fabric.targets()].map(|ends| ends[cable as usize]);
        let mut edge = vec![("cable", cable.to_string())];
        if fabric.links().is_some() {
            edge.extend(attributes([fabric.link(cable), fabric.link(fabric.reverse()[cable as usize])]));
        }
        let attribute_values =
            properties::CABLE.into_iter().zip(ports.of_cable(cable)).filter(|(_, text)| !text.is_empty());
        edge.extend(attribute_values.map(|(name, text)| (name, quoted(&text))));
        edge.extend([("source", ends[0].to_string()), ("target", ends[1].to_string())]);
        if parallel {
            before = (ends[0], ends[1], if (before.0, before.1) == (ends[0], ends[1]) { before.2 + 1 } else { 0 });
            edge.push(("key", before.2.to_string()));
        }
        writeln!(out, "{}{}", object(&edge), comma(row, fabric.num_cables()))?;
    }
    writeln!(out, "]}}")
}

/// Returns the attributes of an edge that contain its link properties.
fn attributes([there, back]: [&Link; 2]) -> Vec<(&'static str, String)> {
    let values = [there.rate, there.latency, there.length];
    let mut attribute_values: Vec<(&str, String)> = QUANTITIES.into_iter().zip(values.map(number)).collect();
    attribute_values.push(("medium", there.medium.as_deref().map_or("null".to_owned(), quoted)));
    let unlike = [("rate_back", there.rate, back.rate), ("latency_back", there.latency, back.latency)];
    attribute_values.extend(
        unlike.into_iter().filter(|(_, there, back)| there != back).map(|(name, _, back)| (name, number(back))),
    );
    attribute_values.extend(there.cost.map(|cost| ("cost", cost.to_string())));
    attribute_values.extend((there.cost != back.cost).then(|| ("cost_back", number(back.cost.map(u64::from)))));
    attribute_values
}

fn object(members: &[(&str, String)]) -> String {
    let members: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
    format!("{{{}}}", members.join(", "))
}

fn comma(at: usize, count: usize) -> &'static str {
    if at + 1 == count { "" } else { "," }
}
