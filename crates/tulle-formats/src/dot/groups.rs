//! Parses the statements of DOT: nodes, edges, defaults, and groups of nodes in braces. A group may be an end of an edge: `a -- {b c}`.

use super::super::listing::MAX_SIZE;
// circle: `groups` and `read` import each other, because groups contain statements, and statements contain groups.
use super::read::{Attributes, End, Graph, attributes, end};
use super::tokens::{Token, Tokens};
use tulle_fabric::Error;

/// Maximum number of edges between groups. A limit is necessary, because `{…} -- {…}` creates many edges from a few bytes.
const MOST_BETWEEN_GROUPS: usize = 1 << 22;

/// A group of nodes whose closing brace has not been parsed yet.
#[derive(Default)]
struct Group {
    /// The nodes in the group; a node may occur several times.
    members: Vec<usize>,
    /// The edges that end at the group.
    chain: Chain,
}

/// An edge statement, for example `a -- b -- c`, of which some part has been parsed.
#[derive(Default)]
struct Chain {
    /// The nodes to the left of the last edge operator.
    left: Vec<End>,
    /// The index of the attributes of the statement's edges, if it has edges.
    edge_attributes: Option<usize>,
    /// Whether an end of one of the edges is a group.
    grouped: bool,
}

/// Parses statements up to the brace that ends the graph. Open groups are kept in a list, because recursion into deeply nested groups could
/// overflow the stack.
pub(super) fn statements(tokens: &mut Tokens, graph: &mut Graph) -> Result<(), Error> {
    let mut groups = vec![Group::default()];
    while let Some(group) = groups.last_mut() {
        if tokens.sign("}")? {
            let Group { members, chain } = std::mem::take(group);
            groups.pop();
            let Some(around) = groups.last_mut() else { return Ok(()) };
            let is_end = chain.edge_attributes.is_some() || is_edge(tokens);
            let mut ends = if is_end { members.clone() } else { Vec::new() };
            ends.sort_unstable();
            ends.dedup();
            let (mut most, mut least) = (members, std::mem::take(&mut around.members));
            if most.len() < least.len() {
                std::mem::swap(&mut most, &mut least);
            }
            most.append(&mut least);
            around.members = most;
            if is_end {
                let place = tokens.place();
                let ends = ends.into_iter().map(|node| End::of_group(node, place)).collect();
                go_on(tokens, graph, &mut groups, Chain { grouped: true, ..chain }, ends)?;
            }
        } else if opens(tokens)? {
            groups.push(Group::default());
        } else if !tokens.sign(";")? && !tokens.sign(",")? {
            statement(tokens, graph, &mut groups)?;
        }
    }
    Ok(())
}

/// Whether the next token is an edge operator: `--`, or `->` in directed graphs.
fn is_edge(tokens: &Tokens) -> bool {
    ["--", "->"].iter().any(|sign| tokens.peek() == Some(&Token::Sign(sign)))
}

/// Consumes the start of a group, `{` or `subgraph name {`, if the text continues with such a start. Returns whether a group starts here.
fn opens(tokens: &mut Tokens) -> Result<bool, Error> {
    if tokens.is_word("subgraph") {
        tokens.take()?;
        tokens.name()?;
        return if tokens.sign("{")? { Ok(true) } else { tokens.error("subgraph { … }") };
    }
    tokens.sign("{")
}

/// Parses one statement: attributes, edges or a node.
fn statement(tokens: &mut Tokens, graph: &mut Graph, groups: &mut Vec<Group>) -> Result<(), Error> {
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
    let first = member(tokens, graph, groups, name, place)?;
    go_on(tokens, graph, groups, Chain::default(), vec![first])
}

/// Parses the port after a node's name, and adds the node to the innermost open group.
fn member(
    tokens: &mut Tokens,
    graph: &mut Graph,
    groups: &mut [Group],
    name: String,
    place: usize,
) -> Result<End, Error> {
    let end = end(tokens, graph, name, place)?;
    // `groups[0]` is the graph itself. No edge can end at the graph, so its nodes are not collected.
    if let [_, .., inner] = groups {
        inner.members.push(end.node);
    }
    Ok(end)
}

/// Adds edges to `ends`, the nodes that were parsed last. Continues until the statement ends or a group begins.
fn go_on(
    tokens: &mut Tokens,
    graph: &mut Graph,
    groups: &mut Vec<Group>,
    mut chain: Chain,
    mut ends: Vec<End>,
) -> Result<(), Error> {
    loop {
        if let Some(edge_attributes) = chain.edge_attributes {
            join(tokens, graph, &chain, &ends, edge_attributes)?;
        }
        let [edge, other] = if graph.directed { ["->", "--"] } else { ["--", "->"] };
        if tokens.sign(other)? {
            return tokens.error(&format!("{edge} in this kind of graph"));
        }
        if !tokens.sign(edge)? {
            break;
        }
        chain.edge_attributes.get_or_insert_with(|| {
            graph.of_edges.push(Attributes::new());
            graph.of_edges.len() - 1
        });
        chain.left = std::mem::take(&mut ends);
        if opens(tokens)? {
            groups.push(Group { members: Vec::new(), chain });
            return Ok(());
        }
        let Some((name, place)) = tokens.name()? else { return tokens.error("a node or a group of nodes") };
        ends.push(member(tokens, graph, groups, name, place)?);
    }
    let given = attributes(tokens)?;
    match (chain.edge_attributes, ends.first()) {
        (Some(number), _) => graph.of_edges[number] = given,
        (None, Some(end)) if !chain.grouped => graph.attributes[end.node].extend(given),
        _ => {}
    }
    Ok(())
}

/// Adds an edge from each node to the left of the operator to each node in `ends`.
fn join(tokens: &Tokens, graph: &mut Graph, chain: &Chain, ends: &[End], edge_attributes: usize) -> Result<(), Error> {
    let most = if chain.grouped || chain.left.len() > 1 { MOST_BETWEEN_GROUPS } else { MAX_SIZE };
    let count = chain.left.len().saturating_mul(ends.len()).saturating_add(graph.edges.len());
    if count > most {
        let place = ends.first().map_or(0, |end| end.place);
        return Err(tokens.text.error_at(place, format!("too many edges; legal: at most {most}")));
    }
    for left in &chain.left {
        graph.edges.extend(ends.iter().map(|end| ([left.clone(), end.clone()], edge_attributes)));
    }
    Ok(())
}
