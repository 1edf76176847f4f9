//! GraphML: node ids name switches, and edges are cables (parallel edges are kept). A node that contains a graph, as in files of yEd, is
//! not a switch but a group of the nodes in this graph, unless an edge ends at it. The node attribute `endpoints` gives the number of a
//! switch's endpoints. Properties of links, names, levels and roles are attributes named like the CSV columns. `endpoint_rate` and similar
//! attributes belong to the links of a switch's endpoints, which must all be equal.

use std::collections::HashSet;
use std::io::{self, Write};

use roxmltree::{Document, Node, ParsingOptions};

use super::Format;
use super::listing::{self, Listing, Order};
use super::parts::Part;
use super::properties::{self, Reader};
use super::text::{Text, shown};
use tulle_base::memory;
use tulle_fabric::{Error, Fabric, Link};
use tulle_spec::units;

pub const FORMAT: Format = Format {
    word: "graphml",
    name: "GraphML",
    extensions: &["graphml", "xml"],
    nodes_beside: false,
    either_order: true,
    read,
    refuses,
    holds: &[Part::OF_SWITCHES, Part::OF_CABLES, Part::OF_ENDPOINTS],
    alters: |_| Vec::new(),
    can_name: |name| !name.contains(['\u{fffe}', '\u{ffff}']),
    sorts: true,
    write: Some(write),
};

/// Maximum number of tags of a file, and of attributes. The parsed tree needs about a hundred bytes for each of them.
const MAX_MARKUP: usize = 1 << 25;

/// Name of the node attribute that gives the number of endpoints.
const ENDPOINTS: &str = "endpoints";

fn read(text: &Text) -> Result<Listing, Error> {
    for (character, what) in [(b'<', "tags"), (b'=', "attributes")] {
        if text.content.bytes().filter(|&byte| byte == character).count() > MAX_MARKUP {
            return Err(text.error(format!("the file has too many {what}; legal: at most {MAX_MARKUP}")));
        }
    }
    let options = ParsingOptions { nodes_limit: 4 * MAX_MARKUP as u32, ..ParsingOptions::default() };
    let document = Document::parse_with_options(&text.content, options).map_err(|error| {
        let place = error.pos();
        text.error_on(place.row as usize, place.col as usize, format!("not XML: {}", shown(&error.to_string())))
    })?;
    let problem = |node: Node, problem: String| text.error_at(node.range().start, problem);
    let root = document.root_element();
    if root.tag_name().name() != "graphml" {
        let name = shown(root.tag_name().name());
        return Err(problem(root, format!("the document is '{name}'; legal: graphml")));
    }
    let mut graphs = root.children().filter(|node| node.has_tag_name_of("graph"));
    let graph =
        graphs.next().ok_or_else(|| problem(root, "the document contains no graph; legal: one graph".to_owned()))?;
    if let Some(second) = graphs.next() {
        return Err(problem(second, "a second graph; legal: one".to_owned()));
    }
    let counted = Counted::find(root).map_err(|(node, text)| problem(node, text))?;
    let [of_edges, of_nodes] = [Keys::find(root, "edge", &EDGE), Keys::find(root, "node", &NODE)];
    let of_zoo = Keys::find(root, "edge", &ZOO);
    let mut listing = Listing::default();
    if let Some(counted) = &counted {
        counted.require(graph).map_err(|(node, text)| problem(node, text))?;
    }
    let mut endpoints = Vec::new();
    let (mut reader, mut known) = (Reader::default(), Vec::new());
    let ends: HashSet<&str> = elements(graph, "edge")
        .flat_map(|edge| [edge.attribute("source"), edge.attribute("target")])
        .flatten()
        .collect();
    let mut groups = 0;
    for node in elements(graph, "node") {
        if is_group(node) && node.attribute("id").is_some_and(|id| !ends.contains(id)) {
            groups += 1;
            continue;
        }
        let before = endpoints.len();
        let added = add_node(&mut listing, node, counted.as_ref(), &mut endpoints);
        let told = added.and_then(|switch| {
            let cells = of_nodes.texts::<9>(node);
            listing.set_switch_properties(switch, [cells[0], cells[1], cells[2]]).map_err(|fault| fault.problem)?;
            let [link, _] =
                reader.endpoint_links([cells[3], cells[4], cells[5], cells[6]]).map_err(|fault| fault.problem)?;
            let count = endpoints.len() - before;
            let [names, ports] = [cells[7], cells[8]].map(|text| text.split_whitespace().collect::<Vec<_>>());
            if let Some(texts) = [&names, &ports].into_iter().find(|texts| !texts.is_empty() && texts.len() != count) {
                return Err(format!(
                    "{} names for {count} endpoints or their ports; legal: one name each",
                    texts.len()
                ));
            }
            let text = |texts: &[&str], at: usize| texts.get(at).copied().unwrap_or_default().to_owned();
            // Names, ports and links are stored only if the file gives any, so that endpoints without these properties take no memory for
            // them.
            if !names.is_empty() || !ports.is_empty() || link != Link::UNKNOWN {
                known.resize(before, (String::new(), String::new(), Link::UNKNOWN));
                (0..count).for_each(|at| {
                    memory::push("endpoints", &mut known, (text(&names, at), text(&ports, at), link.clone()));
                });
            }
            Ok(())
        });
        told.map_err(|text| problem(node, text))?;
    }
    if groups > 0 {
        let what = match groups {
            1 => "1 group of nodes is not read as a switch".to_owned(),
            _ => format!("{groups} groups of nodes are not read as switches"),
        };
        listing.warnings.push(text.warning(what));
    }
    for element in graph.descendants().filter(|node| node.is_element() && in_graph(*node)) {
        let default = element.parent().and_then(|graph| graph.attribute("edgedefault"));
        let added = match element.tag_name().name() {
            "edge" => add_edge(&mut listing, element, default).and_then(|()| {
                let [rate, link @ .., name, from, to] = of_edges.texts::<11>(element);
                let speed = if rate.is_empty() { zoo_rate(of_zoo.texts(element)) } else { None };
                let rate = speed.as_deref().unwrap_or(rate);
                let [latency, length, medium, rate_back, latency_back, cost, cost_back] = link;
                let link = [rate, latency, length, medium, rate_back, latency_back, cost, cost_back];
                listing.set_cable_properties(link, [name, from, to]).map_err(|fault| fault.problem)
            }),
            "hyperedge" => Err("a hyperedge is not supported; legal: edges between two nodes".to_owned()),
            _ => Ok(()),
        };
        added.map_err(|text| problem(element, text))?;
    }
    let keys = root.children().filter(|node| node.has_tag_name_of("key") && node.attribute("for") != Some("graph"));
    let names = keys.filter_map(|key| key.attribute("attr.name").or(key.attribute("id")));
    let is_read = |name: &str| name == ENDPOINTS || of_edges.has(name) || of_nodes.has(name) || of_zoo.has(name);
    listing.warnings.extend(text.ignored("attribute", names.filter(|&name| !is_read(name))));
    listing.warnings.extend(listing.reader.warning("attribute").map(|what| text.warning(what)));
    listing.warnings.extend(reader.warning("attribute of endpoints").map(|what| text.warning(what)));
    for (.., link) in &mut known {
        let mut links = [std::mem::take(link), Link::UNKNOWN];
        reader.without_bare(&mut links);
        [*link, _] = links;
    }
    listing.set_endpoint_properties(known);
    if counted.is_some() {
        listing.endpoints(endpoints).map_err(|text| problem(graph, text))?;
    }
    Ok(listing)
}

/// Whether an element belongs to the graph itself, and not to the drawing data of a node or an edge.
fn in_graph(node: Node) -> bool {
    node.parent().is_some_and(|parent| parent.has_tag_name_of("graph"))
}

/// Returns the elements called `name` in `graph` and in the nested graphs of its groups.
fn elements<'a, 'input>(graph: Node<'a, 'input>, name: &str) -> impl Iterator<Item = Node<'a, 'input>> {
    graph.descendants().filter(move |node| node.has_tag_name_of(name) && in_graph(*node))
}

/// Whether a node holds a graph.
fn is_group(node: Node) -> bool {
    node.children().any(|child| child.has_tag_name_of("graph"))
}

/// Whether the tag name is `name`. The tag may have a namespace, which some files omit.
trait Tagged {
    fn has_tag_name_of(&self, name: &str) -> bool;
}

impl Tagged for Node<'_, '_> {
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

/// The attributes of edges and nodes that are read. Attributes of edges, and the first three of nodes, have the names of the CSV columns.
const EDGE: [&str; 11] = [
    properties::LINK[0],
    properties::LINK[1],
    properties::LINK[2],
    properties::LINK[3],
    properties::LINK[4],
    properties::LINK[5],
    properties::LINK[6],
    properties::LINK[7],
    properties::CABLE[0],
    properties::CABLE[1],
    properties::CABLE[2],
];
const NODE: [&str; 9] = [
    properties::SWITCH[0],
    properties::SWITCH[1],
    properties::SWITCH[2],
    "endpoint_rate",
    "endpoint_latency",
    "endpoint_length",
    "endpoint_medium",
    "endpoint_names",
    "endpoint_ports",
];

/// The edge attributes that hold rates in files of the Internet Topology Zoo: bits per second, or a number and its unit.
const ZOO: [&str; 3] = ["LinkSpeedRaw", "LinkSpeed", "LinkSpeedUnits"];

/// Returns the rate that the Topology Zoo's attributes give; `None` if they give no exact rate, for example `10 <100`.
fn zoo_rate([raw, speed, unit]: [&str; 3]) -> Option<String> {
    let unit = match unit.to_lowercase().as_str() {
        "k" => 1e3,
        "m" => 1e6,
        "g" => 1e9,
        "t" => 1e12,
        _ => 0.0,
    };
    let rate = raw.parse::<f64>().ok().or_else(|| speed.parse::<f64>().ok().map(|speed| (speed * unit).round()))?;
    let whole = rate.fract() == 0.0 && (1.0..=tulle_spec::MAX_QUANTITY as f64).contains(&rate);
    whole.then(|| units::write_rate(rate as u64))
}

/// The keys under which GraphML stores the attributes called `names`.
struct Keys<'a> {
    names: &'static [&'static str],
    /// Per name: the id of its key and the default text of elements without this attribute; `None` if the file has no such key.
    keys: Vec<Option<(&'a str, &'a str)>>,
}

impl<'a> Keys<'a> {
    /// Finds the keys for elements of `kind` (`node` or `edge`).
    fn find(root: Node<'a, '_>, kind: &str, names: &'static [&'static str]) -> Self {
        let keys = names.iter().map(|name| {
            let is_it = |node: &Node| {
                node.has_tag_name_of("key")
                    && node.attribute("attr.name") == Some(name)
                    && node.attribute("for").is_none_or(|of| of == kind || of == "all")
            };
            let element = root.children().find(is_it)?;
            let default = element.children().find(|child| child.has_tag_name_of("default"));
            Some((element.attribute("id")?, default.and_then(|default| default.text()).unwrap_or_default().trim()))
        });
        Self { names, keys: keys.collect() }
    }

    /// Whether the attribute exists.
    fn has(&self, name: &str) -> bool {
        self.names.iter().zip(&self.keys).any(|(known, key)| *known == name && key.is_some())
    }

    /// Returns the attributes of `element`: one text per name.
    fn texts<'e, const N: usize>(&self, element: Node<'e, '_>) -> [&'e str; N]
    where
        'a: 'e,
    {
        std::array::from_fn(|at| {
            let Some((key, default)) = self.keys[at] else { return "" };
            let data = element.children().find(|child| child.attribute("key") == Some(key));
            data.map_or(default, |data| data.text().unwrap_or_default().trim())
        })
    }
}

/// The key of the attribute that gives a node's number of endpoints, and the default number.
struct Counted<'a> {
    key: &'a str,
    default: u64,
}

impl<'a> Counted<'a> {
    fn find<'input>(root: Node<'a, 'input>) -> Result<Option<Self>, (Node<'a, 'input>, String)> {
        let counts = |node: &Node| {
            node.has_tag_name_of("key")
                && node.attribute("attr.name") == Some(ENDPOINTS)
                && matches!(node.attribute("for"), Some("node" | "all") | None)
        };
        let Some(element) = root.children().find(counts) else { return Ok(None) };
        let key =
            element.attribute("id").ok_or((element, "a key without an id; legal: every key has an id".to_owned()))?;
        let default = element.children().find(|child| child.has_tag_name_of("default"));
        let default = default.map_or(Ok(0), |default| count(default).map_err(|problem| (default, problem)))?;
        Ok(Some(Self { key, default }))
    }

    /// Returns the number of endpoints of `node`.
    fn of(&self, node: Node) -> Result<u64, String> {
        let is_it = |child: &Node| child.has_tag_name_of("data") && child.attribute("key") == Some(self.key);
        node.children().find(is_it).map_or(Ok(self.default), count)
    }

    /// Refuses more endpoints than fit into memory, because a few bytes in a file can ask for millions. The check comes before any
    /// allocation.
    fn require<'n, 'input>(&self, graph: Node<'n, 'input>) -> Result<(), (Node<'n, 'input>, String)> {
        let mut sum = 0;
        for node in elements(graph, "node") {
            sum += self.of(node).map_err(|problem| (node, problem))?;
            if sum > listing::MAX_SIZE as u64 {
                return Err((node, format!("too many endpoints; legal: at most {}", listing::MAX_SIZE)));
            }
        }
        // Memory per endpoint: an entry in this reader's list, and an entry in each of the fabric's two lists.
        let need = memory::Need::default().of::<[u32; 3]>(sum);
        need.require(|| format!("a graph of {sum} endpoints")).map_err(|error| (graph, error.to_string()))
    }
}

/// Returns the number of endpoints that an element gives; this number is at most the maximum number of ports of a switch.
fn count(element: Node) -> Result<u64, String> {
    let text = element.text().unwrap_or_default().trim();
    let count = text.parse::<u64>().ok().filter(|&count| count <= listing::MAX_PORTS.into());
    count.ok_or_else(|| {
        format!(
            "{ENDPOINTS} '{}' is not a valid count of a switch's endpoints; legal: 0 to {}",
            shown(text),
            listing::MAX_PORTS
        )
    })
}

fn add_node(
    listing: &mut Listing,
    node: Node,
    counted: Option<&Counted>,
    endpoints: &mut Vec<u32>,
) -> Result<u32, String> {
    let name = node.attribute("id").ok_or("a node without an id; legal: every node has an id")?;
    if listing.switch_number(name).is_some() {
        return Err(format!("two nodes have the id '{}'; legal: ids that differ", shown(name)));
    }
    let switch = listing.switch(name)?;
    if let Some(counted) = counted {
        (0..counted.of(node)?).for_each(|_| memory::push("endpoints", endpoints, switch));
    }
    Ok(switch)
}

fn add_edge(listing: &mut Listing, edge: Node, default: Option<&str>) -> Result<(), String> {
    let directed = match edge.attribute("directed") {
        Some(directed) => directed != "false",
        None => default == Some("directed"),
    };
    if directed {
        listing.order = Order::Directed;
    }
    let end = |attribute: &str| {
        edge.attribute(attribute).ok_or(format!("an edge without {attribute}; legal: a source and a target"))
    };
    let [source, target] = [end("source")?, end("target")?];
    for name in [source, target] {
        if listing.switch_number(name).is_none() {
            return Err(format!("an edge to unknown node '{}'; legal: ids of nodes in the graph", shown(name)));
        }
    }
    listing.cable(source, target).map_err(|fault| fault.problem)
}

/// Returns the names of the endpoints of `switch`; an empty text stands for a missing name.
fn given_names(fabric: &Fabric, switch: u32) -> Vec<String> {
    let name = |&at: &u32| fabric.given_endpoint_name(at).unwrap_or_default().to_owned();
    fabric.endpoints_of(switch).iter().map(name).collect()
}

fn given_ports(fabric: &Fabric, ports: properties::Ports, switch: u32) -> Vec<String> {
    fabric.endpoints_of(switch).iter().map(|&at| ports.of_endpoint(at)).collect()
}

fn refuses(fabric: &Fabric) -> Option<String> {
    let ports = properties::Ports::new(fabric);
    for switch in 0..fabric.num_switches() as u32 {
        let endpoints = fabric.endpoints_of(switch);
        for texts in [given_names(fabric, switch), given_ports(fabric, ports, switch)] {
            // Blanks separate the texts in the file.
            let is_blank = |text: &String| text.contains(char::is_whitespace) || text.is_empty();
            if texts.iter().any(|text| !text.is_empty()) && texts.iter().any(is_blank) {
                let name = fabric.label(switch);
                return Some(format!(
                    "GraphML cannot hold the names of endpoints or of their ports at switch {name}; legal: none, or for \
                     each endpoint one without blanks; or .csv"
                ));
            }
        }
        if endpoints.windows(2).any(|pair| fabric.endpoint_link(pair[0]) != fabric.endpoint_link(pair[1])) {
            let name = fabric.label(switch);
            return Some(format!(
                "GraphML cannot hold different links of endpoints at one switch, for example {name}; legal: .csv"
            ));
        }
    }
    // The attribute `endpoints` gives only a number. So when the file is read, endpoints are numbered switch by switch.
    let at = fabric.endpoint_switch().windows(2).position(|pair| pair[0] > pair[1])?;
    Some(format!(
        "GraphML cannot hold the number of endpoint {}; legal: endpoints numbered switch by switch, or .csv",
        at + 1
    ))
}

fn write(fabric: &Fabric, names: &[String], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<graphml xmlns="http://graphml.graphdrawing.org/xmlns">"#)?;
    writeln!(out, r#"  <key id="{ENDPOINTS}" for="node" attr.name="{ENDPOINTS}" attr.type="int"/>"#)?;
    let of_edges = properties::cable_columns(fabric);
    let mut of_nodes = properties::switch_columns(fabric);
    let link = |switch: u32| fabric.endpoints_of(switch).first().map_or(&Link::UNKNOWN, |&at| fabric.endpoint_link(at));
    for at in 0..4 {
        let texts = (0..fabric.num_switches() as u32).map(|switch| properties::texts([link(switch); 2])[at].clone());
        of_nodes.push((NODE[3 + at], texts.collect()));
    }
    let switches = 0..fabric.num_switches() as u32;
    let joined = |texts: Vec<String>| texts.join(" ").trim().to_owned();
    of_nodes.push((NODE[7], switches.clone().map(|switch| joined(given_names(fabric, switch))).collect()));
    let ports = properties::Ports::new(fabric);
    of_nodes.push((NODE[8], switches.map(|switch| joined(given_ports(fabric, ports, switch))).collect()));
    of_nodes.retain(|(_, values)| values.iter().any(|value| !value.is_empty()));
    for (kind, columns) in [("node", &of_nodes), ("edge", &of_edges)] {
        for (name, _) in columns {
            let number = match *name {
                "level" | "ports" => "int",
                "cost" => "long",
                _ => "string",
            };
            writeln!(out, r#"  <key id="{kind}-{name}" for="{kind}" attr.name="{name}" attr.type="{number}"/>"#)?;
        }
    }
    let data = |kind: &str, columns: &[(&str, Vec<String>)], row: usize| -> String {
        let cells = columns.iter().filter(|(_, values)| !values[row].is_empty());
        cells.map(|(name, values)| format!(r#"<data key="{kind}-{name}">{}</data>"#, escape(&values[row]))).collect()
    };
    writeln!(out, r#"  <graph edgedefault="undirected">"#)?;
    let names: Vec<String> = names.iter().map(|name| escape(name)).collect();
    for (switch, name) in (0u32..).zip(&names) {
        let count = fabric.endpoints_of(switch).len();
        let more = data("node", &of_nodes, switch as usize);
        writeln!(out, r#"    <node id="{name}"><data key="{ENDPOINTS}">{count}</data>{more}</node>"#)?;
    }
    for (row, cable) in fabric.cables().enumerate() {
        let [a, b] = [fabric.sources(), fabric.targets()].map(|ends| &names[ends[cable as usize] as usize]);
        match data("edge", &of_edges, row) {
            more if more.is_empty() => writeln!(out, r#"    <edge source="{a}" target="{b}"/>"#)?,
            more => writeln!(out, r#"    <edge source="{a}" target="{b}">{more}</edge>"#)?,
        }
    }
    writeln!(out, "  </graph>\n</graphml>")
}

fn escape(name: &str) -> String {
    name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
