//! Walks all routes that packets may take, channel by channel, and computes the request group on each channel (the set of VCs from which a
//! packet gets one). The result is the dependency graph for the deadlock test, and the number of request groups.
//!
//! The nodes of the graph are pairs of channel and request group, numbered `channel · MAX_GROUPS + group`. A packet has a *class*, also
//! called its level. Depending on the VC policy, the class is the number of VC-increment channels that the packet has crossed, the
//! dimension whose dateline it has crossed, or the number of routes that it has finished.

use std::collections::BTreeSet;

use tulle_base::acyclic;
use tulle_fabric::Fabric;
use tulle_routing::{Routing, Table};

use crate::vc_levels::VcLevels;

/// The maximum number of request groups.
pub(crate) const MAX_GROUPS: usize = 16;

/// A walk over all routes that packets may take, with their classes.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    pub fabric: &'a Fabric,
    pub routing: &'a Routing,
    /// Whether packets may pass an intermediate switch.
    pub indirect: bool,
    /// The group of every switch, if packets pass an intermediate group instead of an intermediate switch.
    pub groups: Option<&'a [u32]>,
    /// The group of every switch, if a packet may leave its minimal route after a first hop within the source's group.
    pub diverts: Option<&'a [u32]>,
    /// Whether a packet of layer 0 may change to another layer at its second switch, if that switch has endpoints.
    pub changes_layer: bool,
    /// How channels change the level of a packet, and by how much the level rises at an intermediate switch (`per_route`) and at a
    /// diversion (`per_diversion`).
    pub levels: &'a VcLevels,
    pub per_route: u8,
    pub per_diversion: u8,
}

/// The error that the routes need more than [`MAX_GROUPS`] request groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooManyGroups;

/// The channel dependencies found by a walk.
#[derive(Debug, Default)]
pub(crate) struct ChannelDependencies {
    /// Per node (channel and request group): the nodes for which a packet may wait while it holds a VC of this node.
    onward: Vec<Vec<u32>>,
    /// Number of request groups.
    pub groups: usize,
}

/// A packet that arrives at a switch: the node (channel and request group) whose VC it holds, the switch, and the packet's class.
type Arrival = (u32, u32, u8);

impl ChannelDependencies {
    /// Returns a cycle of dependencies, if any, as pairs of channel and request group.
    pub fn cycle(&self) -> Option<Vec<(u32, u8)>> {
        let nodes = acyclic::cycle(&self.onward[..])?;
        Some(nodes.into_iter().map(|node| ((node / MAX_GROUPS) as u32, (node % MAX_GROUPS) as u8)).collect())
    }

    fn wait(&mut self, node: u32, next: u32) {
        let list = &mut self.onward[node as usize];
        // Many routes have the same dependencies, so remove duplicates before the list grows.
        if list.len() == list.capacity() {
            list.sort_unstable();
            list.dedup();
            list.reserve(list.len().max(4));
        }
        list.push(next);
    }
}

impl Walk<'_> {
    /// Walks all routes and returns the channel dependencies.
    ///
    /// # Errors
    /// Fails if the routes need more than [`MAX_GROUPS`] request groups.
    pub fn walk(&self) -> Result<ChannelDependencies, TooManyGroups> {
        let nodes = self.fabric.num_channels() * MAX_GROUPS;
        let mut found = ChannelDependencies { onward: vec![Vec::new(); nodes], groups: 1 };
        let edge = self.fabric.endpoint_switches();
        if let Some(paths) = self.routing.path_set() {
            for (from, to) in edge.iter().flat_map(|&from| edge.iter().map(move |&to| (from, to))) {
                for path in paths.between(from, to) {
                    let (mut count, mut before) = (0, None);
                    for channel in paths.channels(self.fabric, from, path) {
                        let (node, after) = self.cross((channel, to), count, &mut found)?;
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
        if self.changes_layer {
            self.changed(&edge, &mut found)?;
        }
        if self.indirect {
            self.via_intermediate(&self.routing.layers()[0], &edge, sources, &mut found)?;
        }
        Ok(found)
    }

    /// Adds the dependencies of packets that change from layer 0 to another layer at their second switch.
    fn changed(&self, edge: &[u32], found: &mut ChannelDependencies) -> Result<(), TooManyGroups> {
        let Some((first, others)) = self.routing.layers().split_first() else { return Ok(()) };
        for &to in edge {
            let mut begin = vec![0u32; self.fabric.num_switches()];
            let mut arrivals: BTreeSet<Arrival> = BTreeSet::new();
            for channel in edge.iter().filter(|&&from| from != to).flat_map(|&from| self.out(first, from, to)) {
                let next = self.fabric.targets()[channel as usize];
                if next == to || self.fabric.endpoints_of(next).is_empty() {
                    continue;
                }
                let (node, count) = self.cross((channel, to), 0, found)?;
                let count = count + self.per_diversion;
                if usize::from(count) >= MAX_GROUPS {
                    return Err(TooManyGroups);
                }
                begin[next as usize] |= 1 << count;
                arrivals.insert((node, next, count));
            }
            for table in others {
                self.toward(table, to, &begin, |switch| switch == to, found, &mut BTreeSet::new())?;
                for &(node, switch, count) in &arrivals {
                    for channel in self.out(table, switch, to) {
                        let (onward, _) = self.cross((channel, to), count, found)?;
                        found.wait(node, onward);
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds the dependencies on the routes through an intermediate switch.
    fn via_intermediate(
        &self,
        table: &Table,
        edge: &[u32],
        mut begin: Vec<u32>,
        found: &mut ChannelDependencies,
    ) -> Result<(), TooManyGroups> {
        let diverted = self.diverted(table, edge, found)?;
        diverted.iter().for_each(|&(_, switch, count)| begin[switch as usize] |= 1 << count);
        let has_reached = |switch: u32, via: u32| match self.groups {
            Some(groups) => groups[switch as usize] == groups[via as usize],
            None => switch == via,
        };
        let mut passed = BTreeSet::new();
        for &via in edge {
            self.toward(table, via, &begin, |switch| has_reached(switch, via), found, &mut passed)?;
        }
        let passed: BTreeSet<Arrival> =
            passed.into_iter().map(|(node, switch, count)| (node, switch, count + self.per_route)).collect();
        let mut second = vec![0u32; begin.len()];
        for &(_, switch, count) in &passed {
            if usize::from(count) >= MAX_GROUPS {
                return Err(TooManyGroups);
            }
            second[switch as usize] |= 1 << count;
        }
        for &to in edge {
            self.toward(table, to, &second, |switch| switch == to, found, &mut BTreeSet::new())?;
        }
        self.join(table, edge, &diverted, |switch, via| !has_reached(switch, via), found)?;
        self.join(table, edge, &passed, |switch, to| switch != to, found)
    }

    /// Returns the packets that may be diverted: packets on minimal routes after a first hop within their source's
    /// group, at a switch with endpoints.
    fn diverted(
        &self,
        table: &Table,
        edge: &[u32],
        found: &mut ChannelDependencies,
    ) -> Result<BTreeSet<Arrival>, TooManyGroups> {
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
                    let (node, count) = self.cross((channel, to), 0, found)?;
                    if usize::from(count + self.per_diversion) >= MAX_GROUPS {
                        return Err(TooManyGroups);
                    }
                    diverted.insert((node, next, count + self.per_diversion));
                }
            }
        }
        Ok(diverted)
    }

    /// Walks the routes of `table` toward `target` until they reach a switch for which `ends` returns true. `begin`
    /// has, per switch, a bit for every class of packets that start at this switch. Adds the packets that arrive to
    /// `arrivals`.
    fn toward(
        &self,
        table: &Table,
        target: u32,
        begin: &[u32],
        ends: impl Fn(u32) -> bool,
        found: &mut ChannelDependencies,
        arrivals: &mut BTreeSet<Arrival>,
    ) -> Result<(), TooManyGroups> {
        let mut seen = begin.to_vec();
        let mut stack = Vec::new();
        for switch in (0..begin.len() as u32).filter(|&switch| !ends(switch)) {
            let counts = begin[switch as usize];
            stack.extend((0..MAX_GROUPS as u8).filter(|count| counts >> count & 1 == 1).map(|count| (switch, count)));
        }
        while let Some((switch, count)) = stack.pop() {
            for channel in self.out(table, switch, target) {
                let (node, after) = self.cross((channel, target), count, found)?;
                let next = self.fabric.targets()[channel as usize];
                if ends(next) {
                    arrivals.insert((node, next, after));
                    continue;
                }
                for onward in self.out(table, next, target) {
                    let (node_after, _) = self.cross((onward, target), after, found)?;
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

    /// Adds the dependencies of `arrivals` on the first channels of their next routes. The next route of a packet leads to any switch for
    /// which `leads` returns true.
    fn join(
        &self,
        table: &Table,
        edge: &[u32],
        arrivals: &BTreeSet<Arrival>,
        leads: impl Fn(u32, u32) -> bool,
        found: &mut ChannelDependencies,
    ) -> Result<(), TooManyGroups> {
        // If the request group does not depend on the target, one entry per channel suffices.
        let same = |target| if self.levels.depends_on_target() { target } else { 0 };
        let mut first: Vec<Option<Vec<(u32, u32)>>> = vec![None; self.fabric.num_switches()];
        for &(node, switch, count) in arrivals {
            let channels = first[switch as usize].get_or_insert_with(|| {
                let targets = edge.iter().filter(|&&target| leads(switch, target));
                let mut channels: Vec<(u32, u32)> = targets
                    .flat_map(|&target| self.out(table, switch, target).map(move |channel| (channel, same(target))))
                    .collect();
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

    /// Returns the channels from `switch` toward `target`, according to `table`.
    fn out<'t>(&self, table: &'t Table, switch: u32, target: u32) -> impl Iterator<Item = u32> + use<'t> {
        let first = self.fabric.offsets()[switch as usize];
        table.next(switch, target).iter().map(move |&port| first + u32::from(port))
    }

    /// Returns the node (channel and request group) of `channel` for a packet of class `count` to `target`, and the packet's class after
    /// the channel.
    fn cross(
        &self,
        (channel, target): (u32, u32),
        count: u8,
        found: &mut ChannelDependencies,
    ) -> Result<(u32, u8), TooManyGroups> {
        let (group, after) = (self.levels.group(count, channel, || target), self.levels.after(count, channel));
        if usize::from(after.max(group)) >= MAX_GROUPS {
            return Err(TooManyGroups);
        }
        found.groups = found.groups.max(usize::from(self.levels.exit(after).max(group)) + 1);
        Ok((channel * MAX_GROUPS as u32 + u32::from(group), after))
    }
}
