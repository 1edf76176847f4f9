//! Topologies as the ns-3 simulator of HPCC reads them: a line with the numbers of nodes, switches and links, a line with the ids of
//! the switches, and a line per link, `source target rate delay loss`, as `0 320 100Gbps 1000ns 0`.
//!
//! Nodes that are no switches are endpoints, in the order of their ids. Switches are numbered by theirs.
//! Source: alibaba-edu/High-Precision-Congestion-Control, simulation/mix/README.md and scratch/third.cc.

use std::collections::HashMap;
use std::io::{self, Write};

use super::Format;
use super::listing::Listing;
use super::text::{Text, shown};
use crate::{Error, Fabric, Link};
use tulle_spec::units;

pub const FORMAT: Format = Format {
    name: "topology of HPCC",
    extensions: &["hpcc"],
    nodes_beside: false,
    read,
    refuses,
    can_name: |_| false,
    write,
};

/// The numbers of a line, each below `most`.
fn numbers(line: &str, most: usize) -> Result<Vec<usize>, String> {
    let number = |word: &str| word.parse::<usize>().ok().filter(|&number| number < most);
    let read =
        |word: &str| number(word).ok_or_else(|| format!("'{}' is no number; legal: 0 to {}", shown(word), most - 1));
    line.split_whitespace().map(read).collect()
}

fn read(text: &Text) -> Result<Listing, Error> {
    let mut lines = text.content.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    let mut said = || lines.by_ref().find(|(_, line)| !line.is_empty()).unwrap_or((1, ""));
    let (at, head) = said();
    let head = numbers(head, super::listing::MAX_SIZE + 1).map_err(|problem| text.error(at, problem))?;
    let &[nodes, switches, links] = head.as_slice() else {
        let problem = format!("the line has {} numbers; legal: 3, of nodes, switches and links", head.len());
        return Err(text.error(at, problem));
    };
    let (at, ids) = said();
    let ids = numbers(ids, nodes.max(1)).map_err(|problem| text.error(at, problem))?;
    let (mut kind, mut listing) = (vec![None; nodes], Listing::default());
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if ids.len() != switches || sorted.len() != switches {
        return Err(text.error(at, format!("{} different switches; legal: {switches}, as line 1 says", sorted.len())));
    }
    for (switch, &id) in sorted.iter().enumerate() {
        listing.switch(&switch.to_string()).map_err(|problem| text.error(at, problem))?;
        kind[id] = Some(switch);
    }
    let mut attached: HashMap<usize, (u32, Link)> = HashMap::new();
    for _ in 0..links {
        let (at, line) = said();
        add(&mut listing, &kind, &mut attached, line).map_err(|problem| text.error(at, problem))?;
    }
    let (at, more) = said();
    if !more.is_empty() {
        return Err(text.error(at, format!("a line after {links} links; legal: as many as line 1 says")));
    }
    let mut hosts = Vec::with_capacity(attached.len());
    for id in (0..nodes).filter(|&id| kind[id].is_none()) {
        let at = attached.remove(&id);
        hosts.push(at.ok_or_else(|| text.error(1, format!("node {id} has no link; legal: one to a switch")))?);
    }
    listing.know_endpoints(hosts.iter().map(|(_, link)| (String::new(), String::new(), link.clone())).collect());
    listing.endpoints(hosts.iter().map(|&(switch, _)| switch).collect()).map_err(|problem| text.error(1, problem))?;
    Ok(listing)
}

/// Adds the link of a line.
fn add(
    listing: &mut Listing,
    kind: &[Option<usize>],
    attached: &mut HashMap<usize, (u32, Link)>,
    line: &str,
) -> Result<(), String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let &[source, target, rate, delay, loss] = words.as_slice() else {
        return Err(format!("'{}' has {} words; legal: source target rate delay loss", shown(line), words.len()));
    };
    if loss.parse::<f64>() != Ok(0.0) {
        return Err(format!("loss '{}' is not read; legal: 0, and --faults for links that lose packets", shown(loss)));
    }
    let ends = numbers(&format!("{source} {target}"), kind.len().max(1))?;
    let delay = if delay == "0s" { "0" } else { delay };
    let [link, _] = listing.reader.links([rate, delay, "", "", "", ""])?;
    if link.rate.is_none() || link.latency.is_none() {
        return Err(format!("'{} {}' lacks a unit; legal: as 100Gbps 1us", shown(rate), shown(delay)));
    }
    match [kind[ends[0]], kind[ends[1]]] {
        [Some(a), Some(b)] => {
            listing.cable(&a.to_string(), &b.to_string())?;
            listing.know_cable([rate, delay, "", "", "", ""], [""; 3])
        }
        [Some(switch), None] | [None, Some(switch)] => {
            let host = if kind[ends[0]].is_none() { ends[0] } else { ends[1] };
            match attached.insert(host, (switch as u32, link)) {
                None => Ok(()),
                Some(_) => Err(format!("node {host} has a second link; legal: one, to a switch")),
            }
        }
        [None, None] => Err(format!("nodes {} and {} are no switches; legal: a switch at one end", ends[0], ends[1])),
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
