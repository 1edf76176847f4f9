//! Topologies in the format of the ns-3 simulators of HPCC and SimAI. The file gives the numbers of nodes, switches and links, then the ids
//! of the switches, then per link `source target rate delay loss`, for example `0 320 100Gbps 1000ns 0`. Line ends are ignored, and so is
//! any text after the last link.
//!
//! Nodes that are not switches are servers. Each port of a server is an endpoint; endpoints are ordered by server id. Switches are numbered
//! in the order of their ids. Sources: alibaba-edu/High-Precision-Congestion-Control, simulation/mix/README.md and scratch/third.cc;
//! aliyun/ns-3-alibabacloud, simulation/scratch/common.h.

use std::io::{self, Write};

use super::Format;
use super::indexed_error::IndexedError;
use super::listing::Listing;
use super::parts::Part;
use super::servers::{Port, Servers};
use super::text::{Text, shown};
use tulle_fabric::{Error, Fabric, Link};
use tulle_spec::units;

pub const FORMAT: Format = Format {
    word: "hpcc",
    name: "topology of HPCC",
    extensions: &["hpcc"],
    nodes_beside: false,
    either_order: false,
    read,
    refuses,
    holds: &[&[Part::Rates, Part::Latencies, Part::EndpointRates, Part::EndpointLatencies]],
    alters: |_| Vec::new(),
    can_name: |_| false,
    sorts: true,
    write: Some(write),
};

/// The words of a file in order. Line breaks have no meaning, because ns-3 reads a file word by word.
struct Words<'t> {
    text: &'t Text,
    words: std::str::SplitWhitespace<'t>,
}

impl<'t> Words<'t> {
    fn next(&mut self, what: &str) -> Result<&'t str, Error> {
        self.words.next().ok_or_else(|| {
            let end = &self.text.content[self.text.content.trim_end().len()..];
            self.text.error_in(
                end,
                format!("the file ends before the {what}; legal: as many words as the counts in the file require"),
            )
        })
    }

    /// Returns the next word as a number from 0 to `most`.
    fn number(&mut self, what: &str, most: usize) -> Result<usize, Error> {
        let word = self.next(what)?;
        let number = word.parse::<usize>().ok().filter(|&number| number <= most);
        number.ok_or_else(|| {
            self.text
                .error_in(word, format!("'{}' is not a valid {what}; legal: a number from 0 to {most}", shown(word)))
        })
    }
}

/// The numbers at the start of the file: counts of nodes, switches and links.
struct Header {
    nodes: usize,
    switches: usize,
    links: usize,
    /// Whether the file is in SimAI's format, with fields for GPUs.
    simai: bool,
}

impl Header {
    /// Reads the header. HPCC's header has three counts. SimAI's header is `nodes gpus_per_server nv_switches switches links gpu_type`;
    /// SimAI lists NVSwitches before all other switches.
    fn read(words: &mut Words) -> Result<Self, Error> {
        let most = super::listing::MAX_SIZE;
        let is_name = |word: &str| word.starts_with(char::is_alphabetic);
        let simai = words.words.clone().nth(5).is_some_and(is_name);
        // Every node and every link takes at least one word of the file. So counts above 65,536 that exceed the size of the file are
        // refused before memory is allocated.
        let within = words.text.content.len().max(1 << 16);
        let count = |words: &mut Words, what: &str| {
            let word = words.words.clone().next().unwrap_or_default();
            let count = words.number(what, most)?;
            match count <= within {
                true => Ok(count),
                false => {
                    let problem =
                        format!("the {what} is {count}, too large for a file of this size; legal: at most {within}");
                    Err(words.text.error_in(word, problem))
                }
            }
        };
        let nodes = count(words, "number of nodes")?;
        if !simai {
            let switches = count(words, "number of switches")?;
            return Ok(Self { nodes, switches, links: count(words, "number of links")?, simai });
        }
        words.number("number of GPUs per server", most)?;
        let nvswitches = count(words, "number of NVSwitches")?;
        let switches = nvswitches + count(words, "number of switches")?;
        let links = count(words, "number of links")?;
        words.next("type of GPU")?;
        Ok(Self { nodes, switches, links, simai })
    }
}

fn read(text: &Text) -> Result<Listing, Error> {
    let mut words = Words { text, words: text.content.split_whitespace() };
    let Header { nodes, switches, links, simai } = Header::read(&mut words)?;
    if nodes == 0 {
        return Err(text.error("the network has no nodes; legal: one or more"));
    }
    let (mut kind, mut listing) = (vec![None; nodes], Listing::default());
    let mut ids = Vec::new();
    for _ in 0..switches {
        let place = words.words.clone().next().unwrap_or_default();
        let id = words.number("id of a switch", nodes.saturating_sub(1))?;
        if kind[id].replace(0).is_some() {
            return Err(text.error_in(place, format!("switch {id} is listed twice; legal: {switches} different ids")));
        }
        ids.push(id);
    }
    if switches == 0 {
        // In ns-3 every node forwards packets. If the file lists no switches, all nodes are switches.
        ids = (0..nodes).collect();
        let what = format!(
            "no node is a switch: each of the {nodes} servers forwards packets and is read as a switch with an endpoint"
        );
        listing.warnings.push(text.warning(what));
    }
    ids.sort_unstable();
    for (switch, &id) in (0u32..).zip(&ids) {
        listing.switch(&switch.to_string()).map_err(|problem| text.error(problem))?;
        kind[id] = Some(switch);
    }
    let mut servers = Servers::default();
    for _ in 0..links {
        add(&mut words, &mut listing, &kind, &mut servers)?;
    }
    if let Some(more) = words.words.next() {
        let place = if simai { " of SimAI" } else { "" };
        let what = format!("the text after the {links} links{place}, which starts with '{}', is ignored", shown(more));
        listing.warnings.push(text.warning(what));
    }
    if switches == 0 {
        listing.endpoints((0..nodes as u32).collect()).map_err(|problem| text.error(problem))?;
        return Ok(listing);
    }
    if let Some(id) = (0..nodes).find(|&id| kind[id].is_none() && !servers.has(&id.to_string())) {
        return Err(text.error(format!("node {id} has no link; legal: one or more links to switches")));
    }
    // Flow files refer to nodes by id. So if endpoint numbers differ from node ids, the ids become names of endpoints.
    let (first, last) = kind.split_at(nodes - ids.len());
    let are_first = first.iter().all(Option::is_none) && last.iter().all(Option::is_some);
    servers.into_endpoints(!are_first, text, &mut listing)?;
    Ok(listing)
}

/// Adds the next link.
fn add(words: &mut Words, listing: &mut Listing, kind: &[Option<u32>], servers: &mut Servers) -> Result<(), Error> {
    let text = words.text;
    let most = kind.len().saturating_sub(1);
    let place = words.words.clone().next().unwrap_or_default();
    let ends = [words.number("source of a link", most)?, words.number("target of a link", most)?];
    let (rate, delay) = (words.next("rate of a link")?, words.next("delay of a link")?);
    let loss = words.next("loss of a link")?;
    if loss.parse::<f64>() != Ok(0.0) {
        let legal = "0";
        return Err(text.error_in(loss, format!("loss '{}' is not read; legal: {legal}", shown(loss))));
    }
    let cells = [rate, if delay == "0s" { "0" } else { delay }, "", "", "", "", "", ""];
    let in_words = |IndexedError { at, problem }| text.error_in(if at == 0 { rate } else { delay }, problem);
    let [link, _] = listing.reader.links(cells).map_err(in_words)?;
    if link.rate.is_none() || link.latency.is_none() {
        let problem = format!(
            "'{} {}' lacks a unit; legal: a rate and a delay, for example 100Gbps 1us",
            shown(rate),
            shown(delay)
        );
        return Err(text.error_in(if link.rate.is_none() { rate } else { delay }, problem));
    }
    match [kind[ends[0]], kind[ends[1]]] {
        [Some(a), Some(b)] => {
            listing.cable_between([a, b]).map_err(|problem| text.error_in(place, problem))?;
            listing.set_cable_properties(cells, [""; 3]).map_err(in_words)
        }
        [Some(switch), None] | [None, Some(switch)] => {
            let server = ends[usize::from(kind[ends[0]].is_some())];
            let port = Port { name: String::new(), switch, switch_port: String::new(), link };
            servers.attach(&server.to_string(), port);
            Ok(())
        }
        [None, None] => {
            let problem = format!(
                "a link joins nodes {} and {}, which are not switches; legal: a switch at one end",
                ends[0], ends[1]
            );
            Err(text.error_in(place, problem))
        }
    }
}

fn refuses(fabric: &Fabric) -> Option<String> {
    let unlike = |cable: &u32| fabric.link(*cable) != fabric.link(fabric.reverse()[*cable as usize]);
    let lacks = |link: &Link| link.rate.is_none() || link.latency.is_none();
    if let Some(cable) = fabric.cables().find(|&cable| lacks(fabric.link(cable))) {
        let name = fabric.cable_name(cable);
        return Some(format!(
            "cable {name} has no rate or no latency; legal: both set, for example with --link all:rate=100Gbps,latency=1us"
        ));
    }
    if let Some(cable) = fabric.cables().find(unlike) {
        return Some(format!(
            "cable {} has different properties in its two directions; legal: the same properties in both directions",
            fabric.cable_name(cable)
        ));
    }
    let endpoint = (0..fabric.num_endpoints() as u32).find(|&endpoint| lacks(fabric.endpoint_link(endpoint)))?;
    let name = fabric.endpoint_name(endpoint);
    Some(format!(
        "the link of endpoint {name} has no rate or no latency; legal: both set, for example with --link endpoint:rate=100Gbps,latency=1us"
    ))
}

fn write(fabric: &Fabric, _names: &[String], out: &mut dyn Write) -> io::Result<()> {
    let (switches, endpoints) = (fabric.num_switches(), fabric.num_endpoints());
    writeln!(out, "{} {switches} {}", switches + endpoints, fabric.num_cables() + endpoints)?;
    let ids: Vec<String> = (0..switches).map(|switch| (endpoints + switch).to_string()).collect();
    writeln!(out, "{}", ids.join(" "))?;
    let link = |link: &Link| {
        // HPCC's reader requires a unit even for 0.
        let latency = link.latency.map_or("0ns".to_owned(), |latency| match latency {
            0 => "0ns".to_owned(),
            _ => units::write_duration(latency),
        });
        format!("{} {latency} 0", link.rate.map(units::write_rate).unwrap_or_default())
    };
    for (endpoint, &switch) in (0u32..).zip(fabric.endpoint_switch()) {
        writeln!(out, "{endpoint} {} {}", endpoints + switch as usize, link(fabric.endpoint_link(endpoint)))?;
    }
    for cable in fabric.cables() {
        let [a, b] = [fabric.sources(), fabric.targets()].map(|ends| endpoints + ends[cable as usize] as usize);
        writeln!(out, "{a} {b} {}", link(fabric.link(cable)))?;
    }
    Ok(())
}
