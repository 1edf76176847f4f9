//! GraphML: node ids name switches, edges are cables (parallel ones are kept), and where nodes have an attribute
//! `endpoints` it counts the endpoints of each.

use std::io::{self, Write};

use roxmltree::{Document, Node, ParsingOptions};

use super::Format;
use super::listing::{self, Listing};
use super::text::{Text, shown};
use crate::{Error, Fabric};

pub const FORMAT: Format = Format {
    name: "GraphML",
    extensions: &["graphml", "xml"],
    nodes_beside: false,
    read,
    refuses,
    can_name: |name| !name.contains(['\u{fffe}', '\u{ffff}']),
    write,
};

/// The most tags, and attributes, of a file: the tree of one takes about a hundred bytes.
const MAX_MARKUP: usize = 1 << 25;

/// The attribute of nodes that counts endpoints.
const ENDPOINTS: &str = "endpoints";

fn read(text: &Text) -> Result<Listing, Error> {
    for (character, what) in [(b'<', "tags"), (b'=', "attributes")] {
        if text.content.bytes().filter(|&byte| byte == character).count() > MAX_MARKUP {
            return Err(text.error(1, format!("the file has too many {what}; legal: at most {MAX_MARKUP}")));
        }
    }
    let options = ParsingOptions { nodes_limit: 4 * MAX_MARKUP as u32, ..ParsingOptions::default() };
    let document = Document::parse_with_options(&text.content, options)
        .map_err(|error| text.error(error.pos().row as usize, format!("not XML: {}", shown(&error.to_string()))))?;
    let problem =
        |node: Node, problem: String| text.error(document.text_pos_at(node.range().start).row as usize, problem);
    let root = document.root_element();
    if root.tag_name().name() != "graphml" {
        let name = shown(root.tag_name().name());
        return Err(problem(root, format!("the document is '{name}'; legal: graphml")));
    }
    let mut graphs = root.children().filter(|node| node.has_tag_name_of("graph"));
    let graph = graphs.next().ok_or_else(|| problem(root, "the document holds no graph; legal: one".to_owned()))?;
    if let Some(second) = graphs.next() {
        return Err(problem(second, "a second graph; legal: one".to_owned()));
    }
    let counted = Counted::find(root).map_err(|(node, text)| problem(node, text))?;
    let mut listing = Listing::default();
    let mut endpoints = Vec::new();
    for node in graph.children().filter(|node| node.has_tag_name_of("node")) {
        let added = add_node(&mut listing, node, counted.as_ref(), &mut endpoints);
        added.map_err(|text| problem(node, text))?;
    }
    let default = graph.attribute("edgedefault");
    for element in graph.children().filter(Node::is_element) {
        let added = match element.tag_name().name() {
            "edge" => add_edge(&mut listing, element, default),
            "hyperedge" => Err("a hyperedge; legal: edges between two nodes".to_owned()),
            _ => Ok(()),
        };
        added.map_err(|text| problem(element, text))?;
    }
    let keys = root.children().filter(|node| node.has_tag_name_of("key") && node.attribute("for") != Some("graph"));
    let names = keys.filter_map(|key| key.attribute("attr.name").or(key.attribute("id")));
    listing.warnings.extend(text.ignored("attribute", names.filter(|&name| name != ENDPOINTS)));
    if counted.is_some() {
        listing.endpoints(endpoints).map_err(|text| problem(graph, text))?;
    }
    Ok(listing)
}

/// Tag names without their namespace, which files give or not.
trait Tagged {
    fn has_tag_name_of(&self, name: &str) -> bool;
}

impl Tagged for Node<'_, '_> {
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

/// The key under which nodes carry their number of endpoints.
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
        let key = element.attribute("id").ok_or((element, "a key without an id; legal: one with".to_owned()))?;
        let default = element.children().find(|child| child.has_tag_name_of("default"));
        let default = default.map_or(Ok(0), |default| count(default).map_err(|problem| (default, problem)))?;
        Ok(Some(Self { key, default }))
    }
}

/// The number that an element holds.
fn count(element: Node) -> Result<u64, String> {
    let text = element.text().unwrap_or_default().trim();
    let count = text.parse::<u64>().ok().filter(|&count| count <= listing::MAX_SIZE as u64);
    count.ok_or_else(|| format!("{ENDPOINTS} '{}' is not a count; legal: 0 to {}", shown(text), listing::MAX_SIZE))
}

fn add_node(
    listing: &mut Listing,
    node: Node,
    counted: Option<&Counted>,
    endpoints: &mut Vec<u32>,
) -> Result<(), String> {
    let name = node.attribute("id").ok_or("a node without an id; legal: one with")?;
    if listing.known(name).is_some() {
        return Err(format!("a second node '{}'; legal: ids that differ", shown(name)));
    }
    if node.children().any(|child| child.has_tag_name_of("graph")) {
        return Err(format!("node '{}' holds a graph; legal: nodes without", shown(name)));
    }
    let switch = listing.switch(name)?;
    if let Some(Counted { key, default }) = counted {
        let data = node.children().find(|child| child.has_tag_name_of("data") && child.attribute("key") == Some(key));
        let count = data.map_or(Ok(*default), count)?;
        if endpoints.len() as u64 + count > listing::MAX_SIZE as u64 {
            return Err(format!("too many endpoints; legal: at most {}", listing::MAX_SIZE));
        }
        endpoints.extend(std::iter::repeat_n(switch, count as usize));
    }
    Ok(())
}

fn add_edge(listing: &mut Listing, edge: Node, default: Option<&str>) -> Result<(), String> {
    let directed = match edge.attribute("directed") {
        Some(directed) => directed != "false",
        None => default == Some("directed"),
    };
    if directed {
        return Err("a directed edge; legal: undirected ones, each a cable".to_owned());
    }
    let end =
        |attribute: &str| edge.attribute(attribute).ok_or(format!("an edge without {attribute}; legal: one with"));
    let [source, target] = [end("source")?, end("target")?];
    for name in [source, target] {
        if listing.known(name).is_none() {
            return Err(format!("an edge to unknown node '{}'; legal: the ids of nodes", shown(name)));
        }
    }
    listing.cable(source, target)
}

fn refuses(fabric: &Fabric) -> Option<String> {
    // The attribute counts endpoints; they are numbered switch by switch when it is read.
    let at = fabric.endpoint_switch().windows(2).position(|pair| pair[0] > pair[1])?;
    Some(format!(
        "GraphML cannot hold endpoints in the order of endpoint {}; legal: ascending by switch, or .csv",
        at + 1
    ))
}

fn write(fabric: &Fabric, names: &[String], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<graphml xmlns="http://graphml.graphdrawing.org/xmlns">"#)?;
    writeln!(out, r#"  <key id="{ENDPOINTS}" for="node" attr.name="{ENDPOINTS}" attr.type="int"/>"#)?;
    writeln!(out, r#"  <graph edgedefault="undirected">"#)?;
    let names: Vec<String> = names.iter().map(|name| escape(name)).collect();
    for (switch, name) in (0u32..).zip(&names) {
        let count = fabric.endpoints_of(switch).len();
        writeln!(out, r#"    <node id="{name}"><data key="{ENDPOINTS}">{count}</data></node>"#)?;
    }
    for cable in fabric.cables() {
        let [a, b] = [fabric.sources(), fabric.targets()].map(|ends| &names[ends[cable as usize] as usize]);
        writeln!(out, r#"    <edge source="{a}" target="{b}"/>"#)?;
    }
    writeln!(out, "  </graph>\n</graphml>")
}

fn escape(name: &str) -> String {
    name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
