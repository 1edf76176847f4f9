//! Topologies as the ns-3 simulator of HPCC reads them: a line with the numbers of nodes, switches and links, a line with the ids of
//! the switches, and a line per link, `source target rate delay loss`, as `0 320 100Gbps 1000ns 0`.
//!
//! Nodes that are no switches are endpoints, in the order of their ids. Switches are numbered by theirs.
//! Source: alibaba-edu/High-Precision-Congestion-Control, simulation/mix/README.md and scratch/third.cc.

use std::collections::HashMap;
use std::io::{self, Write};

use super::Format;
use super::fault::Fault;
use super::listing::Listing;
use super::parts::Part;
use super::text::{Text, shown};
use crate::{Error, Fabric, Link};
use tulle_spec::units;

pub const FORMAT: Format = Format {
    word: "hpcc",
    name: "topology of HPCC",
    extensions: &["hpcc"],
    nodes_beside: false,
    read,
    refuses,
    holds: &[&[Part::Rates, Part::Latencies, Part::EndpointRates, Part::EndpointLatencies]],
    alters: |_| Vec::new(),
    can_name: |_| false,
    sorts: true,
    write,
};

/// The number that a word is, below `most`.
fn number(text: &Text, word: &str, most: usize) -> Result<usize, Error> {
    let number = word.parse::<usize>().ok().filter(|&number| number < most);
    number.ok_or_else(|| {
        let problem = format!("'{}' is no number; legal: 0 to {}", shown(word), most.saturating_sub(1));
        text.error_in(word, problem)
    })
}

fn numbers(text: &Text, line: &str, most: usize) -> Result<Vec<usize>, Error> {
    line.split_whitespace().map(|word| number(text, word, most)).collect()
}

fn read(text: &Text) -> Result<Listing, Error> {
    let end = &text.content[text.content.trim_end().len()..];
    let mut lines = text.content.lines().map(str::trim).filter(|line| !line.is_empty());
    let head_line = lines.next().unwrap_or(end);
    let head = numbers(text, head_line, super::listing::MAX_SIZE + 1)?;
    let &[nodes, switches, links] = head.as_slice() else {
        let problem = format!("the line has {} numbers; legal: 3, of nodes, switches and links", head.len());
        return Err(text.error_in(head_line, problem));
    };
    // Every node is named by a line, so that a number alone takes no memory.
    if nodes > text.content.len() {
        return Err(
            text.error_in(head_line, format!("{nodes} nodes are more than the file can name; legal: a link each"))
        );
    }
    let line = lines.next().unwrap_or(end);
    let mut sorted = numbers(text, line, nodes.max(1))?;
    let count = sorted.len();
    sorted.sort_unstable();
    sorted.dedup();
    if count != switches || sorted.len() != switches {
        let problem = format!("{} different switches; legal: {switches}, as line 1 says", sorted.len());
        return Err(text.error_in(line, problem));
    }
    let (mut kind, mut listing) = (vec![None; nodes], Listing::default());
    for (switch, &id) in (0u32..).zip(&sorted) {
        listing.switch(&switch.to_string()).map_err(|problem| text.error_in(line, problem))?;
        kind[id] = Some(switch);
    }
    let mut attached = HashMap::new();
    for done in 0..links {
        let line = lines.next().ok_or_else(|| {
            let problem = format!("the file ends after {done} links; legal: {links}, as line 1 says");
            text.error_in(end, problem)
        })?;
        add(text, &mut listing, &kind, &mut attached, line)?;
    }
    if let Some(more) = lines.next() {
        return Err(text.error_in(more, format!("a line after {links} links; legal: as many as line 1 says")));
    }
    let mut hosts = Vec::with_capacity(attached.len());
    for id in (0..nodes).filter(|&id| kind[id].is_none()) {
        let at = attached.remove(&id);
        hosts.push(at.ok_or_else(|| text.error(format!("node {id} has no link; legal: one to a switch")))?);
    }
    listing.know_endpoints(hosts.iter().map(|(_, link)| (String::new(), String::new(), link.clone())).collect());
    listing.endpoints(hosts.iter().map(|&(switch, _)| switch).collect()).map_err(|problem| text.error(problem))?;
    Ok(listing)
}

/// Adds the link of a line.
fn add(
    text: &Text,
    listing: &mut Listing,
    kind: &[Option<u32>],
    attached: &mut HashMap<usize, (u32, Link)>,
    line: &str,
) -> Result<(), Error> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let &[source, target, rate, delay, loss] = words.as_slice() else {
        let problem = format!("'{}' has {} words; legal: source target rate delay loss", shown(line), words.len());
        return Err(text.error_in(line, problem));
    };
    if loss.parse::<f64>() != Ok(0.0) {
        let legal = "0, and --faults for links that lose packets";
        return Err(text.error_in(loss, format!("loss '{}' is not read; legal: {legal}", shown(loss))));
    }
    let ends = [number(text, source, kind.len())?, number(text, target, kind.len())?];
    let said = [rate, if delay == "0s" { "0" } else { delay }, "", "", "", ""];
    let in_words = |Fault { at, problem }| text.error_in(words[(2 + at).min(3)], problem);
    let [link, _] = listing.reader.links(said).map_err(in_words)?;
    if link.rate.is_none() || link.latency.is_none() {
        let problem = format!("'{} {}' lacks a unit; legal: as 100Gbps 1us", shown(rate), shown(delay));
        return Err(text.error_in(if link.rate.is_none() { rate } else { delay }, problem));
    }
    match [kind[ends[0]], kind[ends[1]]] {
        [Some(a), Some(b)] => {
            listing
                .cable(&a.to_string(), &b.to_string())
                .map_err(|fault| text.error_in(words[fault.at], fault.problem))?;
            listing.know_cable(said, [""; 3]).map_err(in_words)
        }
        [Some(switch), None] | [None, Some(switch)] => {
            let at = usize::from(kind[ends[0]].is_some());
            match attached.insert(ends[at], (switch, link)) {
                None => Ok(()),
                Some(_) => {
                    let problem = format!("node {} has a second link; legal: one, to a switch", ends[at]);
                    Err(text.error_in(words[at], problem))
                }
            }
        }
        [None, None] => {
            let problem = format!("nodes {} and {} are no switches; legal: a switch at one end", ends[0], ends[1]);
            Err(text.error_in(line, problem))
        }
    }
}

fn refuses(fabric: &Fabric) -> Option<String> {
    let unlike = |cable: &u32| fabric.link(*cable) != fabric.link(fabric.reverse()[*cable as usize]);
    let lacks = |link: &Link| link.rate.is_none() || link.latency.is_none();
    if let Some(cable) = fabric.cables().find(|&cable| lacks(fabric.link(cable))) {
        let name = fabric.cable_name(cable);
        return Some(format!(
            "cable {name} has no rate or no latency; legal: both, as --link all:rate=100Gbps,latency=1us says"
        ));
    }
    if let Some(cable) = fabric.cables().find(unlike) {
        return Some(format!(
            "cable {} differs by direction; legal: links that are alike both ways",
            fabric.cable_name(cable)
        ));
    }
    let endpoint = (0..fabric.num_endpoints() as u32).find(|&endpoint| lacks(fabric.endpoint_link(endpoint)))?;
    let name = fabric.endpoint_name(endpoint);
    Some(format!(
        "the link of endpoint {name} has no rate or no latency; legal: both, as --link endpoint:rate=100Gbps,latency=1us says"
    ))
}

fn write(fabric: &Fabric, _names: &[String], out: &mut dyn Write) -> io::Result<()> {
    let (switches, endpoints) = (fabric.num_switches(), fabric.num_endpoints());
    writeln!(out, "{} {switches} {}", switches + endpoints, fabric.num_cables() + endpoints)?;
    let ids: Vec<String> = (0..switches).map(|switch| (endpoints + switch).to_string()).collect();
    writeln!(out, "{}", ids.join(" "))?;
    let link = |link: &Link| {
        // Its reader wants a unit at 0, too.
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
