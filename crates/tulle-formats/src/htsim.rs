//! Fat trees in htsim's format (`.topo`). The file gives the number of nodes, the number of tiers, and the number of nodes per pod. Per
//! tier, it gives the ports downward and upward, the number of parallel cables (`Bundle`), the rate and latency of downward links, and the
//! latency of the switches.
//!
//! Switches are numbered tier by tier, as in htsim: first ToRs, then aggregation switches, then cores. tulle adds half the latency of a
//! switch to each link of the switch. So every path has the same total latency as in htsim. Source: Broadcom/csg-htsim,
//! sim/datacenter/fat_tree_topology.cpp.

use std::collections::BTreeSet;

use super::Format;
use super::listing::{Listing, MAX_PORTS, MAX_SIZE};
use super::parts::Part;
use super::text::{Text, shown};
use tulle_base::memory;
use tulle_fabric::{Error, Link};

pub const FORMAT: Format = Format {
    nodes_beside: false,
    either_order: false,
    holds: &[&[Part::Levels]],
    ..Format::read_only("htsim", "topology of htsim", &["topo"], read)
};

/// The fields of a tier in the file; 0 if a field is missing.
#[derive(Debug, Default, Clone, Copy)]
struct Tier {
    down: u64,
    up: u64,
    bundle: u64,
    oversubscription: u64,
    gbps: u64,
    link_ns: u64,
    switch_ns: u64,
}

#[derive(Debug, Default)]
struct Tree {
    nodes: u64,
    pod: u64,
    tiers: Vec<Tier>,
}

fn read(text: &Text) -> Result<Listing, Error> {
    let (tree, ignored) = parse(text)?;
    let shape = Shape::of(&tree).map_err(|problem| text.error(problem))?;
    let mut listing = shape.build(&tree, text)?;
    listing.warnings.extend(text.ignored("setting", ignored.iter().map(String::as_str)));
    Ok(listing)
}

fn parse(text: &Text) -> Result<(Tree, BTreeSet<String>), Error> {
    let (mut tree, mut tiers, mut ignored) = (Tree::default(), None, BTreeSet::new());
    let mut given: [Option<Tier>; 3] = [None; 3];
    let mut at = None;
    for line in text.content.lines() {
        let words: Vec<&str> = line.split('#').next().unwrap_or_default().split_whitespace().collect();
        let &[key, ref values @ ..] = words.as_slice() else { continue };
        let lower = key.to_lowercase();
        let &[value] = values else {
            return Err(text.error_in(
                key,
                format!("'{}' is not a setting; legal: a name and a number, for example Tiers 3", shown(line.trim())),
            ));
        };
        let number = |least: u64, most: u64| {
            let number = value.parse::<u64>().ok().filter(|number| (least..=most).contains(number));
            number.ok_or_else(|| {
                text.error_in(value, format!("{} '{}'; legal: {least} to {most}", shown(key), shown(value)))
            })
        };
        let ports = || number(1, MAX_PORTS.into());
        match (lower.as_str(), at) {
            ("nodes", None) => tree.nodes = number(1, MAX_SIZE as u64)?,
            ("tiers", None) => tiers = Some(number(2, 3)? as usize),
            ("podsize", None) => tree.pod = number(1, MAX_SIZE as u64)?,
            ("tier", _) => {
                let tier = number(0, tiers.unwrap_or(3) as u64 - 1)? as usize;
                if given[tier].replace(Tier::default()).is_some() {
                    return Err(text.error_in(value, format!("tier {tier} is given twice; legal: once")));
                }
                at = Some(tier);
            }
            (_, None) => {
                let legal = "Nodes, Tiers or Podsize before the first Tier";
                return Err(text.error_in(key, format!("'{}'; legal: {legal}", shown(key))));
            }
            (setting, Some(tier)) => {
                let Some(tier) = &mut given[tier] else { continue };
                match setting {
                    "radix_down" => tier.down = ports()?,
                    "radix_up" => tier.up = ports()?,
                    "bundle" => tier.bundle = ports()?,
                    "oversubscribed" => tier.oversubscription = ports()?,
                    "downlink_speed_gbps" => tier.gbps = number(1, 100_000)?,
                    "downlink_latency_ns" => tier.link_ns = number(0, 1_000_000_000)?,
                    "switch_latency_ns" => tier.switch_ns = number(0, 1_000_000_000)?,
                    // In htsim, all other settings of a tier are queue sizes, which are not part of a network in tulle.
                    _ => drop(ignored.insert(key.to_owned())),
                }
            }
        }
    }
    let lacks = |what: &str| {
        text.error(format!("no {what} in the file; legal: a topology of htsim, with Nodes, Tiers, Podsize, Tier 0, …"))
    };
    let tiers = tiers.ok_or_else(|| lacks("Tiers"))?;
    if tree.nodes == 0 {
        return Err(lacks("Nodes"));
    }
    if tree.pod == 0 && tiers == 3 {
        return Err(lacks("Podsize"));
    }
    // Two tiers are one pod.
    tree.pod = if tree.pod == 0 { tree.nodes } else { tree.pod };
    for (number, tier) in given.iter().enumerate().take(tiers) {
        let tier = tier.ok_or_else(|| lacks(&format!("Tier {number}")))?;
        if tier.down == 0 {
            return Err(lacks(&format!("Radix_Down of tier {number}")));
        }
        if tier.up == 0 && number + 1 < tiers {
            return Err(lacks(&format!("Radix_Up of tier {number}")));
        }
        tree.tiers.push(Tier { bundle: tier.bundle.max(1), ..tier });
    }
    Ok((tree, ignored))
}

/// Numbers of switches.
#[derive(Debug, PartialEq, Eq)]
struct Shape {
    pods: u64,
    /// ToR switches per pod.
    tors: u64,
    /// Aggregation switches per pod.
    aggregation: u64,
    cores: u64,
}

/// Returns `value` divided by `by`. Fails if there is a remainder; the error message calls the value `what` and the divisor `parts`.
fn divide(value: u64, by: u64, what: &str, parts: &str) -> Result<u64, String> {
    match value % by {
        0 => Ok(value / by),
        _ => Err(format!("{what} {value} is not a multiple of {by}, the {parts}; legal: a multiple of {by}")),
    }
}

impl Shape {
    fn of(tree: &Tree) -> Result<Self, String> {
        let [tor, middle] = [tree.tiers[0], tree.tiers[1]];
        let core = tree.tiers.get(2);
        let pods = divide(tree.nodes, tree.pod, "Nodes", "Podsize")?;
        if core.is_none() && pods != 1 {
            return Err(format!("Podsize {} with two tiers; legal: {}, the number of all nodes", tree.pod, tree.nodes));
        }
        if tor.bundle != 1 {
            return Err(format!("Bundle {} of tier 0; legal: 1, because a node has one port", tor.bundle));
        }
        let tors = divide(tree.pod, tor.down, "Podsize", "Radix_Down of tier 0")?;
        let aggregation = divide(tor.up, middle.bundle, "Radix_Up of tier 0", "Bundle of tier 1")?;
        if tors * middle.bundle != middle.down {
            return Err(format!(
                "Radix_Down {} of tier 1; legal: {}, the number of cables to the {tors} ToRs of a pod",
                middle.down,
                tors * middle.bundle
            ));
        }
        let mut cores = 0;
        if let Some(core) = core {
            cores = aggregation * divide(middle.up, core.bundle, "Radix_Up of tier 1", "Bundle of tier 2")?;
            if pods * core.bundle != core.down {
                return Err(format!(
                    "Radix_Down {} of tier 2; legal: {}, the number of cables to the {pods} pods",
                    core.down,
                    pods * core.bundle
                ));
            }
        }
        // If the file states the oversubscription of a tier, the stated value must agree with the ports of the tier.
        for (number, pair) in tree.tiers.windows(2).enumerate() {
            let [tier, above] = [pair[0], pair[1]];
            let (down, up) = (tier.down * tier.gbps.max(1), tier.up * above.gbps.max(1));
            if tier.oversubscription > 0 && down != up * tier.oversubscription {
                return Err(format!(
                    "Oversubscribed {} of tier {number} contradicts its ports, whose rates down and up have the ratio \
                     {down}:{up}; legal: this ratio",
                    tier.oversubscription
                ));
            }
        }
        Ok(Self { pods, tors, aggregation, cores })
    }

    fn build(&self, tree: &Tree, text: &Text) -> Result<Listing, Error> {
        let (tors, aggregation) = (self.pods * self.tors, self.pods * self.aggregation);
        let (tor, middle) = (tree.tiers[0], tree.tiers[1]);
        let (switches, low) = (tors + aggregation + self.cores, tors * tor.up);
        let above = if tree.tiers.len() > 2 { aggregation.saturating_mul(middle.up) } else { 0 };
        let cables = above.saturating_add(low);
        if switches.max(cables) > MAX_SIZE as u64 {
            return Err(
                text.error(format!("{switches} switches and {cables} cables; legal: at most {MAX_SIZE} of each"))
            );
        }
        // A few numbers in a file can describe a large network, so the required memory is checked first.
        let need = memory::Need::default().bytes((switches + cables + tree.nodes).saturating_mul(64));
        need.require(|| format!("a fat tree of {switches} switches, {cables} cables and {} endpoints", tree.nodes))?;
        for tier in 0..tree.tiers.len() {
            link(tree, tier).check().map_err(|error| text.error(format!("tier {tier}: {error}")))?;
        }
        let mut listing = Listing::default();
        for switch in 0..switches {
            let level = u64::from(switch >= tors) + u64::from(switch >= tors + aggregation);
            let number = listing.switch(&switch.to_string()).map_err(|problem| text.error(problem))?;
            let level = level.to_string();
            listing.set_switch_properties(number, [&level, "", ""]).map_err(|fault| text.error(fault.problem))?;
        }
        let mut add = |low: u64, high: u64, tier: usize| {
            let link = link(tree, tier);
            for _ in 0..tree.tiers[tier].bundle {
                listing.cable_between([low as u32, high as u32])?;
                if link != Link::UNKNOWN {
                    listing.set_link_properties([link.clone(), link.clone()]);
                }
            }
            Ok(())
        };
        let error = |problem: String| text.error(problem);
        for low in 0..tors {
            let pod = low / self.tors;
            for high in pod * self.aggregation..(pod + 1) * self.aggregation {
                add(low, tors + high, 1).map_err(error)?;
            }
        }
        for low in (0..aggregation).filter(|_| self.cores > 0) {
            for core in (low % self.aggregation..self.cores).step_by(self.aggregation as usize) {
                add(tors + low, tors + aggregation + core, 2).map_err(error)?;
            }
        }
        let of_endpoint = link(tree, 0);
        let nodes = tree.nodes as usize;
        if of_endpoint != Link::UNKNOWN {
            listing.set_endpoint_properties(vec![(String::new(), String::new(), of_endpoint); nodes]);
        }
        listing.endpoints((0..tree.nodes).map(|node| (node / tor.down) as u32).collect()).map_err(error)?;
        Ok(listing)
    }
}

/// Returns the downward link of a tier. Its latency includes half the latency of the switch at each end.
fn link(tree: &Tree, tier: usize) -> Link {
    let above = tree.tiers[tier];
    let below = tier.checked_sub(1).map_or(0, |below| tree.tiers[below].switch_ns);
    let latency = above.link_ns * 1000 + (above.switch_ns + below) * 500;
    Link {
        rate: Some(above.gbps * 1_000_000_000).filter(|&rate| rate > 0),
        latency: Some(latency).filter(|&latency| latency > 0),
        ..Link::UNKNOWN
    }
}
