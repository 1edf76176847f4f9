//! All routes that packets may take, channel by channel, with the request group of each: the dependencies that the test for
//! deadlock looks at, and how many groups there are.
//!
//! Nodes are `channel · MAX_GROUPS + group`. A packet has a *count*: how many cables that count it has crossed, or how many routes it
//! has strung together, as the policy has it.

use std::collections::BTreeSet;

use tulle_base::acyclic;
use tulle_fabric::Fabric;
use tulle_routing::{Routing, Table};

use crate::counted::Counted;

/// The most request groups.
pub(crate) const MAX_GROUPS: usize = 16;

/// All routes that packets may take, and the counts on them.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    pub fabric: &'a Fabric,
    pub routing: &'a Routing,
    /// Whether there are routes by an intermediate switch; and the groups, where any switch of its group will do.
    pub indirect: bool,
    pub groups: Option<&'a [u32]>,
    /// The groups within which a minimal route may be left after its first hop.
    pub diverts: Option<&'a [u32]>,
    /// The cables that count; and what passing an intermediate switch and being diverted add.
    pub counted: Option<&'a Counted>,
    pub per_route: u8,
    pub per_diversion: u8,
}

/// Routes that need more than [`MAX_GROUPS`] groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooMany;

/// The waits between nodes that were found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Per node those that it may wait for.
    onward: Vec<Vec<u32>>,
    /// How many request groups there are.
    pub groups: usize,
}

/// A packet that comes to a switch: the node it holds, the switch and its count.
type Arrival = (u32, u32, u8);

impl Found {
    /// A cycle of waits: channels and groups.
    pub fn cycle(&self) -> Option<Vec<(u32, u8)>> {
        let nodes = acyclic::cycle(&self.onward[..])?;
        Some(nodes.into_iter().map(|node| ((node / MAX_GROUPS) as u32, (node % MAX_GROUPS) as u8)).collect())
    }

    fn wait(&mut self, node: u32, next: u32) {
        let list = &mut self.onward[node as usize];
        // Many routes have the same waits: they are dropped before a list grows.
        if list.len() == list.capacity() {
            list.sort_unstable();
            list.dedup();
            list.reserve(list.len().max(4));
        }
        list.push(next);
    }
}

impl Walk<'_> {
    /// Walks all routes.
    ///
    /// # Errors
    /// More request groups than there can be.
    pub fn walk(&self) -> Result<Found, TooMany> {
        let nodes = self.fabric.num_channels() * MAX_GROUPS;
        let mut found = Found { onward: vec![Vec::new(); nodes], groups: 1 };
        let edge = self.fabric.endpoint_switches();
        if let Some(paths) = self.routing.path_set() {
            for (from, to) in edge.iter().flat_map(|&from| edge.iter().map(move |&to| (from, to))) {
                for path in paths.between(from, to) {
                    let (mut count, mut before) = (0, None);
                    for channel in paths.channels(self.fabric, from, path) {
                        let (node, after) = self.cross(channel, count, &mut found)?;
                        before.into_iter().for_each(|before| found.wait(before, node));
                        (count, before) = (after, Some(node));
                    }
                }
            }
            return Ok(found);
        }
        let mut sources = vec![0u32; self.fabric.num_switches()];
        edge.iter().for_each(|&switch| sources[switch as usize] = 1);
        for table in self.routing.layers() {
            for &to in &edge {
                self.toward(table, to, &sources, |switch| switch == to, &mut found, &mut BTreeSet::new())?;
            }
        }
        if self.indirect {
            self.by_way_of(&self.routing.layers()[0], &edge, sources, &mut found)?;
        }
        Ok(found)
    }

    /// Routes by an intermediate switch.
    fn by_way_of(&self, table: &Table, edge: &[u32], mut begin: Vec<u32>, found: &mut Found) -> Result<(), TooMany> {
        let diverted = self.diverted(table, edge, found)?;
        diverted.iter().for_each(|&(_, switch, count)| begin[switch as usize] |= 1 << count);
        let is_there = |switch: u32, via: u32| match self.groups {
            Some(groups) => groups[switch as usize] == groups[via as usize],
            None => switch == via,
        };
        let mut passed = BTreeSet::new();
        for &via in edge {
            self.toward(table, via, &begin, |switch| is_there(switch, via), found, &mut passed)?;
        }
        let passed: BTreeSet<Arrival> =
            passed.into_iter().map(|(node, switch, count)| (node, switch, count + self.per_route)).collect();
        let mut second = vec![0u32; begin.len()];
        for &(_, switch, count) in &passed {
            if usize::from(count) >= MAX_GROUPS {
                return Err(TooMany);
            }
            second[switch as usize] |= 1 << count;
        }
        for &to in edge {
            self.toward(table, to, &second, |switch| switch == to, found, &mut BTreeSet::new())?;
        }
        self.join(table, edge, &diverted, |switch, via| !is_there(switch, via), found)?;
        self.join(table, edge, &passed, |switch, to| switch != to, found)
    }

    /// Packets on minimal routes that may be diverted: after a first hop within their group, at a switch with endpoints.
    fn diverted(&self, table: &Table, edge: &[u32], found: &mut Found) -> Result<BTreeSet<Arrival>, TooMany> {
        let mut diverted = BTreeSet::new();
        let Some(groups) = self.diverts else { return Ok(diverted) };
        let group = |switch: u32| groups[switch as usize];
        for (from, to) in edge.iter().flat_map(|&from| edge.iter().map(move |&to| (from, to))) {
            if group(from) == group(to) {
                continue;
            }
            for channel in self.out(table, from, to) {
                let next = self.fabric.targets()[channel as usize];
                if group(next) == group(from) && !self.fabric.endpoints_of(next).is_empty() {
                    let (node, count) = self.cross(channel, 0, found)?;
                    if usize::from(count + self.per_diversion) >= MAX_GROUPS {
                        return Err(TooMany);
                    }
                    diverted.insert((node, next, count + self.per_diversion));
                }
            }
        }
        Ok(diverted)
    }

    /// Routes toward `target` by `table` from switches with packets of the counts in `begin`, a bit each, until one of `ends`
    /// is reached; what arrives there.
    fn toward(
        &self,
        table: &Table,
        target: u32,
        begin: &[u32],
        ends: impl Fn(u32) -> bool,
        found: &mut Found,
        arrivals: &mut BTreeSet<Arrival>,
    ) -> Result<(), TooMany> {
        let mut seen = begin.to_vec();
        let mut stack = Vec::new();
        for switch in (0..begin.len() as u32).filter(|&switch| !ends(switch)) {
            let counts = begin[switch as usize];
            stack.extend((0..MAX_GROUPS as u8).filter(|count| counts >> count & 1 == 1).map(|count| (switch, count)));
        }
        while let Some((switch, count)) = stack.pop() {
            for channel in self.out(table, switch, target) {
                let (node, after) = self.cross(channel, count, found)?;
                let next = self.fabric.targets()[channel as usize];
                if ends(next) {
                    arrivals.insert((node, next, after));
                    continue;
                }
                for onward in self.out(table, next, target) {
                    let (node_after, _) = self.cross(onward, after, found)?;
                    found.wait(node, node_after);
                }
                if seen[next as usize] >> after & 1 == 0 {
                    seen[next as usize] |= 1 << after;
                    stack.push((next, after));
                }
            }
        }
        Ok(())
    }

    /// Adds the waits of `arrivals` for the first channels of the routes on from there to the switches that `leads`
    /// allows.
    fn join(
        &self,
        table: &Table,
        edge: &[u32],
        arrivals: &BTreeSet<Arrival>,
        leads: impl Fn(u32, u32) -> bool,
        found: &mut Found,
    ) -> Result<(), TooMany> {
        let mut first: Vec<Option<Vec<u32>>> = vec![None; self.fabric.num_switches()];
        for &(node, switch, count) in arrivals {
            let channels = first[switch as usize].get_or_insert_with(|| {
                let targets = edge.iter().filter(|&&target| leads(switch, target));
                let mut channels: Vec<u32> = targets.flat_map(|&target| self.out(table, switch, target)).collect();
                channels.sort_unstable();
                channels.dedup();
                channels
            });
            for &channel in channels.iter() {
                let (onward, _) = self.cross(channel, count, found)?;
                found.wait(node, onward);
            }
        }
        Ok(())
    }

    /// The channels of `table` out of `switch` toward `target`.
    fn out<'t>(&self, table: &'t Table, switch: u32, target: u32) -> impl Iterator<Item = u32> + use<'t> {
        let first = self.fabric.offsets()[switch as usize];
        table.next(switch, target).iter().map(move |&port| first + u32::from(port))
    }

    /// The node of `channel` for a packet of this count, and its count after it.
    fn cross(&self, channel: u32, count: u8, found: &mut Found) -> Result<(u32, u8), TooMany> {
        let (group, after) = match self.counted {
            Some(counted) => (counted.on(count, channel), counted.after(count, channel)),
            None => (count, count),
        };
        if usize::from(after.max(group)) >= MAX_GROUPS {
            return Err(TooMany);
        }
        found.groups = found.groups.max(usize::from(after.max(group)) + 1);
        Ok((channel * MAX_GROUPS as u32 + u32::from(group), after))
    }
}
