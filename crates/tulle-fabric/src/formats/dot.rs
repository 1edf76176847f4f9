//! Undirected graphs in DOT, the language of Graphviz, and of cabling plans for PTM: `"leaf01":"swp1" -- "spine01":"swp3"`.
//!
//! Nodes are switches and edges cables, with ports behind their nodes, and attributes as the columns of CSV. A node with the
//! attribute `endpoint` is the endpoint of that number, called by its attribute `name` or its own.
//! Source: graphviz.org/doc/info/lang.html.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{self, Write};

use super::Format;
use super::fault::Fault;
use super::known::{self, Reader};
use super::listing::{Listing, MAX_SIZE, check_name};
use super::parts::Part;
use super::text::{Text, shown};
use crate::{Error, Fabric, Link};

pub const FORMAT: Format = Format {
    word: "dot",
    name: "DOT",
    extensions: &["dot", "gv"],
    nodes_beside: false,
    read,
    refuses: |_| None,
    holds: &[Part::OF_SWITCHES, Part::OF_CABLES, Part::OF_ENDPOINTS],
    alters: |_| Vec::new(),
    can_name: |_| true,
    sorts: true,
    write,
};

/// A word or sign, with its place.
#[derive(Debug, Clone, PartialEq)]
enum Token {
    Name { text: String, quoted: bool },
    Sign(&'static str),
}

/// The words and signs of a file.
struct Tokens<'t> {
    text: &'t Text,
    at: usize,
    /// The token that is next, its place, and where it ends.
    next: Option<(Token, usize, usize)>,
}

impl<'t> Tokens<'t> {
    fn new(text: &'t Text) -> Result<Self, Error> {
        let mut tokens = Self { text, at: 0, next: None };
        tokens.advance()?;
        Ok(tokens)
    }

    fn place(&self) -> usize {
        self.next.as_ref().map_or(self.text.content.trim_end().len(), |(_, place, _)| *place)
    }

    fn error<T>(&self, legal: &str) -> Result<T, Error> {
        let found = match &self.next {
            None => "the file ends here".to_owned(),
            Some((Token::Sign(sign), ..)) => format!("'{sign}'"),
            Some((Token::Name { text, .. }, ..)) => format!("'{}'", shown(text)),
        };
        Err(self.text.error_at(self.place(), format!("{found}; legal: {legal}")))
    }

    /// Takes the next token out.
    fn take(&mut self) -> Result<Option<(Token, usize)>, Error> {
        let taken = self.next.take().map(|(token, place, _)| (token, place));
        self.advance()?;
        Ok(taken)
    }

    /// Takes `sign` out if it is next.
    fn sign(&mut self, sign: &str) -> Result<bool, Error> {
        let is_next = matches!(&self.next, Some((Token::Sign(next), ..)) if *next == sign);
        if is_next {
            self.take()?;
        }
        Ok(is_next)
    }

    /// Takes a name out, if one is next.
    fn name(&mut self) -> Result<Option<(String, usize)>, Error> {
        match &self.next {
            Some((Token::Name { .. }, ..)) => {
                let Some((Token::Name { text, .. }, place)) = self.take()? else { return Ok(None) };
                Ok(Some((text, place)))
            }
            _ => Ok(None),
        }
    }

    /// Whether a word of the language is next, in letters of any size.
    fn is_word(&self, word: &str) -> bool {
        matches!(&self.next, Some((Token::Name { text, quoted: false }, ..)) if text.eq_ignore_ascii_case(word))
    }

    fn advance(&mut self) -> Result<(), Error> {
        let content = &self.text.content;
        loop {
            let rest = &content[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            let comment = if trimmed.starts_with("//") || (trimmed.starts_with('#') && self.at_line()) {
                trimmed.find('\n').unwrap_or(trimmed.len())
            } else if trimmed.starts_with("/*") {
                let end = trimmed.find("*/");
                end.ok_or_else(|| self.text.error_at(self.at, "a comment without its end; legal: /* … */"))? + 2
            } else {
                break;
            };
            self.at += comment;
        }
        let (place, rest) = (self.at, &content[self.at..]);
        let Some(first) = rest.chars().next() else {
            self.next = None;
            return Ok(());
        };
        let signs = ["--", "->", "{", "}", "[", "]", ";", ",", "=", ":"];
        let (token, length) = if let Some(sign) = signs.into_iter().find(|sign| rest.starts_with(sign)) {
            (Token::Sign(sign), sign.len())
        } else if first == '"' {
            quoted(self.text, place, rest)?
        } else {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.' || !c.is_ascii();
            let sign = usize::from(first == '-');
            let length = sign + rest[sign..].find(|c: char| !is_part(c) || c.is_control()).unwrap_or(rest.len() - sign);
            if length == sign {
                let found = shown(&first.to_string());
                return Err(self
                    .text
                    .error_at(place, format!("'{found}' in a graph; legal: names, in quotes if need be")));
            }
            (Token::Name { text: rest[..length].to_owned(), quoted: false }, length)
        };
        self.at += length;
        self.next = Some((token, place, self.at));
        Ok(())
    }

    /// Whether only blanks are before this place on its line.
    fn at_line(&self) -> bool {
        let before = &self.text.content[..self.at];
        before[before.rfind('\n').map_or(0, |end| end + 1)..].trim().is_empty()
    }
}

/// The text in quotes that `rest` begins with, and its length.
fn quoted(text: &Text, place: usize, rest: &str) -> Result<(Token, usize), Error> {
    let mut inside = String::new();
    let mut letters = rest.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Ok((Token::Name { text: inside, quoted: true }, at + 1)),
            '\\' => match letters.next() {
                Some((_, escaped @ ('"' | '\\'))) => inside.push(escaped),
                Some((_, other)) => inside.extend(['\\', other]),
                None => break,
            },
            letter => inside.push(letter),
        }
    }
    Err(text.error_at(place, "a text without its end; legal: \"…\""))
}

/// The attributes of a node or an edge: text and place by name.
type Attributes = HashMap<String, (String, usize)>;

/// An end of an edge.
struct End {
    node: usize,
    port: String,
    place: usize,
}

#[derive(Default)]
struct Graph {
    names: Vec<(String, usize)>,
    numbers: HashMap<String, usize>,
    attributes: Vec<Attributes>,
    /// Ends and the number of their attributes.
    edges: Vec<([End; 2], usize)>,
    of_edges: Vec<Attributes>,
    unread: BTreeSet<String>,
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

fn read(text: &Text) -> Result<Listing, Error> {
    let mut tokens = Tokens::new(text)?;
    let strict = tokens.is_word("strict");
    if strict {
        tokens.take()?;
    }
    if tokens.is_word("digraph") {
        return tokens.error("graph, whose edges have no direction, each a cable");
    }
    if !tokens.is_word("graph") {
        return tokens.error("graph { … }");
    }
    tokens.take()?;
    tokens.name()?;
    if !tokens.sign("{")? {
        return tokens.error("graph { … }");
    }
    let mut graph = Graph::default();
    let mut depth = 1;
    while depth > 0 {
        if tokens.sign("}")? {
            depth -= 1;
            if tokens.next.as_ref().is_some_and(|(token, ..)| *token == Token::Sign("--")) {
                return tokens.error("edges between nodes");
            }
        } else if tokens.sign("{")? {
            depth += 1;
        } else if tokens.is_word("subgraph") {
            tokens.take()?;
            tokens.name()?;
            if !tokens.sign("{")? {
                return tokens.error("subgraph { … }");
            }
            depth += 1;
        } else if !tokens.sign(";")? {
            statement(&mut tokens, &mut graph)?;
        }
    }
    if tokens.next.is_some() {
        return tokens.error("one graph");
    }
    if strict {
        let mut seen = HashSet::new();
        graph.edges.retain(|([a, b], _)| seen.insert([a.node.min(b.node), a.node.max(b.node)]));
    }
    into_listing(text, graph)
}

/// Reads attributes, edges or a node.
fn statement(tokens: &mut Tokens, graph: &mut Graph) -> Result<(), Error> {
    for defaults in ["graph", "node", "edge"] {
        if tokens.is_word(defaults) {
            tokens.take()?;
            let names = attributes(tokens)?.into_keys();
            graph.unread.extend(names.map(|name| format!("{defaults} {name}")));
            return Ok(());
        }
    }
    let Some((name, place)) = tokens.name()? else { return tokens.error("a node, an edge or }") };
    if tokens.sign("=")? {
        return match tokens.name()? {
            Some(_) => {
                graph.unread.insert(name);
                Ok(())
            }
            None => tokens.error("a value"),
        };
    }
    let mut ends = vec![end(tokens, graph, name, place)?];
    loop {
        if matches!(&tokens.next, Some((Token::Sign("->"), ..))) {
            return tokens.error("--, as cables have no direction");
        }
        if !tokens.sign("--")? {
            break;
        }
        let Some((name, place)) = tokens.name()? else { return tokens.error("a node") };
        ends.push(end(tokens, graph, name, place)?);
    }
    let said = attributes(tokens)?;
    if ends.len() == 1 {
        graph.attributes[ends[0].node].extend(said);
        return Ok(());
    }
    if graph.edges.len() + ends.len() > MAX_SIZE {
        return Err(tokens.text.error_at(place, format!("too many edges; legal: at most {MAX_SIZE}")));
    }
    graph.of_edges.push(said);
    let mut ends = ends.into_iter();
    let mut before = ends.next();
    for end in ends {
        let here = End { port: end.port.clone(), ..end };
        if let Some(before) = before.replace(end) {
            graph.edges.push(([before, here], graph.of_edges.len() - 1));
        }
    }
    Ok(())
}

/// A node with its port, and maybe a side of it.
fn end(tokens: &mut Tokens, graph: &mut Graph, name: String, place: usize) -> Result<End, Error> {
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

/// `[name=value, …]`, as often as there is one.
fn attributes(tokens: &mut Tokens) -> Result<Attributes, Error> {
    let mut said = Attributes::new();
    while tokens.sign("[")? {
        while !tokens.sign("]")? {
            let Some((name, _)) = tokens.name()? else { return tokens.error("an attribute or ]") };
            if !tokens.sign("=")? {
                return tokens.error(&format!("{}=…", shown(&name)));
            }
            let Some(value) = tokens.name()? else { return tokens.error("a value") };
            said.insert(name, value);
            if !tokens.sign(",")? {
                tokens.sign(";")?;
            }
        }
    }
    Ok(said)
}

/// The attribute that numbers endpoints.
const ENDPOINT: &str = "endpoint";

/// The attributes called `names`, taken out: texts, and their places, or `place` where there is none.
fn taken<const N: usize>(said: &mut Attributes, names: [&str; N], place: usize) -> [(String, usize); N] {
    names.map(|name| said.remove(name).unwrap_or((String::new(), place)))
}

fn into_listing(text: &Text, graph: Graph) -> Result<Listing, Error> {
    let Graph { names, mut attributes, edges, of_edges, mut unread, .. } = graph;
    let mut listing = Listing::default();
    let mut endpoints: HashMap<usize, Endpoint> = HashMap::new();
    for (node, (name, place)) in names.iter().enumerate() {
        let said = &mut attributes[node];
        if let Some((number, at)) = said.remove(ENDPOINT) {
            let id = number.parse::<u32>().ok().filter(|&id| (id as usize) < MAX_SIZE);
            let id = id.ok_or_else(|| {
                let problem = format!("endpoint '{}' is no number; legal: 0 to {}", shown(&number), MAX_SIZE - 1);
                text.error_at(at, problem)
            })?;
            let [(given, at)] = taken(said, ["name"], *place);
            let called = match given.is_empty() {
                true if name.trim_start_matches('_') == unnamed(id) => String::new(),
                true => name.clone(),
                false => given,
            };
            if !called.is_empty() {
                check_name(&called, ENDPOINT).map_err(|problem| text.error_at(at, problem))?;
            }
            endpoints.insert(node, Endpoint { id, name: called, at: None });
        } else {
            let switch = listing.switch(name).map_err(|problem| text.error_at(*place, problem))?;
            let said = taken(said, known::SWITCH, *place);
            let texts = said.each_ref().map(|(text, _)| text.as_str());
            listing.know_switch(switch, texts).map_err(|Fault { at, problem }| text.error_at(said[at].1, problem))?;
        }
        unread.extend(attributes[node].keys().cloned());
    }
    let mut reader = Reader::default();
    for ([a, b], said) in edges {
        let mut said = of_edges[said].clone();
        let link = taken(&mut said, known::LINK, a.place);
        let [name] = taken(&mut said, [known::CABLE[0]], a.place);
        unread.extend(said.into_keys());
        let texts = link.each_ref().map(|(text, _)| text.as_str());
        let in_link =
            |Fault { at, problem }: Fault| text.error_at(link.get(at).map_or(name.1, |(_, place)| *place), problem);
        let (end, switch) = match [endpoints.contains_key(&a.node), endpoints.contains_key(&b.node)] {
            [false, false] => {
                let ends = [&a, &b].map(|end| names[end.node].0.as_str());
                listing
                    .cable(ends[0], ends[1])
                    .map_err(|fault| text.error_at([a.place, b.place][fault.at], fault.problem))?;
                listing.know_cable(texts, [&name.0, &a.port, &b.port]).map_err(in_link)?;
                continue;
            }
            [true, true] => return Err(text.error_at(b.place, "an edge between endpoints; legal: a switch at one end")),
            [true, false] => (a, b),
            [false, true] => (b, a),
        };
        let [there, _] = reader.links(texts).map_err(in_link)?;
        let number = listing.switch(&names[switch.node].0).map_err(|problem| text.error_at(switch.place, problem))?;
        let Some(endpoint) = endpoints.get_mut(&end.node) else { continue };
        if endpoint.at.replace((number, switch.port, there)).is_some() {
            return Err(text.error_at(end.place, "a second edge of an endpoint; legal: one, to a switch"));
        }
    }
    let mut endpoints: Vec<(usize, Endpoint)> = endpoints.into_iter().collect();
    endpoints.sort_by_key(|(node, endpoint)| (endpoint.id, *node));
    let (mut at, mut known) = (Vec::with_capacity(endpoints.len()), Vec::with_capacity(endpoints.len()));
    for (count, (node, Endpoint { id, name, at: attached })) in (0u32..).zip(endpoints) {
        let place = names[node].1;
        if id != count {
            let problem = format!("endpoint {id} without an endpoint {count}; legal: each number from 0 once");
            return Err(text.error_at(place, problem));
        }
        let Some((switch, port, link)) = attached else {
            return Err(text.error_at(place, format!("endpoint {id} has no edge; legal: one, to a switch")));
        };
        at.push(switch);
        let mut links = [link, Link::UNKNOWN];
        reader.without_bare(&mut links);
        let [link, _] = links;
        known.push((name, port, link));
    }
    listing.know_endpoints(known);
    if !at.is_empty() {
        listing.endpoints(at).map_err(|problem| text.error(problem))?;
    }
    listing.warnings.extend(text.ignored("attribute", unread.iter().map(String::as_str)));
    listing.warnings.extend(listing.reader.warning("attribute").map(|what| text.warning(what)));
    listing.warnings.extend(reader.warning("attribute of endpoints").map(|what| text.warning(what)));
    Ok(listing)
}

/// An endpoint: its number, its name, and its switch, port and link.
struct Endpoint {
    id: u32,
    name: String,
    at: Option<(u32, String, Link)>,
}

/// The node of an endpoint without a name.
fn unnamed(endpoint: u32) -> String {
    format!("endpoint {endpoint}")
}

fn write(fabric: &Fabric, names: &[String], out: &mut dyn Write) -> io::Result<()> {
    let endpoints = 0..fabric.num_endpoints() as u32;
    // By their names where these differ from all others, and from what those without are called.
    let switches: HashSet<&str> = names.iter().map(String::as_str).collect();
    let mut taken = HashSet::new();
    let as_nodes = endpoints.clone().all(|endpoint| match fabric.given_endpoint_name(endpoint) {
        Some(name) => {
            !switches.contains(name)
                && name.trim_start_matches('_') != unnamed(endpoint)
                && taken.insert(name.to_owned())
        }
        None => !switches.contains(&*unnamed(endpoint)) && taken.insert(unnamed(endpoint)),
    });
    let mut prefix = String::new();
    while !as_nodes && endpoints.clone().any(|endpoint| switches.contains(&*format!("{prefix}{}", unnamed(endpoint)))) {
        prefix.push('_');
    }
    let node = |endpoint: u32| match fabric.given_endpoint_name(endpoint).filter(|_| as_nodes) {
        Some(name) => name.to_owned(),
        None => format!("{prefix}{}", unnamed(endpoint)),
    };
    writeln!(out, "graph {{")?;
    let of_switches = known::switch_columns(fabric);
    for (row, name) in names.iter().enumerate() {
        writeln!(
            out,
            "  {}{};",
            quote(name),
            attributes_of(of_switches.iter().map(|(name, values)| (*name, &*values[row])))
        )?;
    }
    for endpoint in endpoints.clone() {
        let id = endpoint.to_string();
        let given = fabric.given_endpoint_name(endpoint).unwrap_or_default();
        let name = if as_nodes { "" } else { given };
        let said = attributes_of([(ENDPOINT, &*id), ("name", name)].into_iter());
        writeln!(out, "  {}{said};", quote(&node(endpoint)))?;
    }
    let port = |name: &str| if name.is_empty() { String::new() } else { format!(":{}", quote(name)) };
    for endpoint in endpoints {
        let switch = quote(&names[fabric.endpoint_switch()[endpoint as usize] as usize]);
        let at = port(fabric.given_endpoint_port(endpoint).unwrap_or_default());
        let texts = known::texts([fabric.endpoint_link(endpoint); 2]);
        let said = attributes_of(known::LINK.into_iter().zip(texts.iter().map(String::as_str)));
        writeln!(out, "  {switch}{at} -- {}{said};", quote(&node(endpoint)))?;
    }
    for cable in fabric.cables() {
        let [a, b] = [fabric.sources(), fabric.targets()].map(|ends| quote(&names[ends[cable as usize] as usize]));
        let [name, from, to] = known::of_cable(fabric, cable);
        let texts = known::texts([fabric.link(cable), fabric.link(fabric.reverse()[cable as usize])]);
        let said = [(known::CABLE[0], &*name)]
            .into_iter()
            .chain(known::LINK.into_iter().zip(texts.iter().map(String::as_str)));
        writeln!(out, "  {a}{} -- {b}{}{};", port(&from), port(&to), attributes_of(said))?;
    }
    writeln!(out, "}}")
}

fn attributes_of<'a>(said: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let said: Vec<String> =
        said.filter(|(_, text)| !text.is_empty()).map(|(name, text)| format!("{name}={}", quote(text))).collect();
    if said.is_empty() { String::new() } else { format!(" [{}]", said.join(", ")) }
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
