//! Detects deadlocks of lossless networks: ports that wait for each other and never resume (Flattened Clos (NSDI23) §2.1.2, §6.2).
//!
//! Each port has several lanes, which are paused separately: the virtual lanes of a plan, or the classes of data. A paused lane resumes
//! when few enough of the bytes that it has sent still wait at the next switch. Until then, the bytes in its own queue cannot leave. The
//! search therefore starts with the set of all paused lanes. It repeatedly removes every lane that would resume even if the bytes that wait
//! on the lanes of the set never left. Lanes that remain in the set are in a deadlock. This method gives no false alarms. The check runs
//! only from time to time; the reported time of a deadlock is the time at which its last pause was requested.

use std::cmp::Reverse;

use super::Engine;
use crate::outcome::{Deadlock, HeldPort};
use crate::port::Class;
use crate::queue::pfc::Pfc;

/// A set of lanes of ports.
struct Set {
    /// The number of lanes per port.
    width: usize,
    /// For each port and lane, whether the set contains the lane. The index is port · `width` + lane.
    members: Vec<bool>,
}

impl Set {
    /// Returns the pairs of port and lane in the set.
    fn iter(&self) -> impl Iterator<Item = (u32, u8)> {
        let members = self.members.iter().enumerate().filter(|&(_, &is_member)| is_member);
        members.map(|(at, _)| ((at / self.width) as u32, (at % self.width) as u8))
    }

    fn at(&self, (port, lane): (u32, u8)) -> usize {
        port as usize * self.width + usize::from(lane)
    }
}

impl Engine<'_> {
    /// Searches for a deadlock and records it. Returns whether a deadlock exists.
    pub(super) fn is_deadlocked(&mut self) -> bool {
        let Some(pfc) = self.queues.first.pauses() else { return false };
        self.state.counters.pauses = pfc.pauses;
        let width = pfc.width();
        let mut set = Set { width, members: Vec::new() };
        for asking in pfc.asking().filter(|&(port, lane)| self.is_paused(port, lane)) {
            // Usually nothing is paused, so the memory of the set is allocated only for the first paused lane.
            set.members.resize(self.state.channel_targets.len() * width, false);
            let at = set.at(asking);
            set.members[at] = true;
        }
        while set.members.contains(&true) {
            if !self.shrink(pfc, &mut set) {
                let deadlock = self.cycle(pfc, &set);
                self.state.deadlock = Some(deadlock);
                return true;
            }
        }
        false
    }

    fn is_paused(&self, port: u32, lane: u8) -> bool {
        match &self.lanes {
            None => self.state.ports[port as usize].is_paused(Class::ALL[usize::from(lane)]),
            Some(lanes) => lanes.queues.is_paused(port, lane),
        }
    }

    /// Returns the packets that wait on `lane` of `port`.
    fn waiting_on(&self, port: u32, lane: u8) -> impl Iterator<Item = u32> {
        let packets = &self.state.packets;
        let class = self.lanes.is_none().then(|| Class::ALL[usize::from(lane)]);
        let of_class = class.map(|class| self.state.ports[port as usize].iter(packets, class));
        let of_lane = self.lanes.iter().flat_map(move |lanes| lanes.queues.iter(port, lane, packets));
        of_class.into_iter().flatten().chain(of_lane)
    }

    /// Removes from `set` the lanes that can resume although bytes on lanes of the set never leave. Returns false if there is no such lane.
    fn shrink(&self, pfc: &Pfc, set: &mut Set) -> bool {
        // Both arrays count the bytes that never leave: `stuck` by the link and the lane on which the bytes arrived, `used` by switch.
        let mut stuck = vec![0u64; set.members.len()];
        let mut used = vec![0u64; 1 + self.state.channel_targets.iter().max().map_or(0, |&most| most as usize)];
        for (port, lane) in set.iter().filter(|&(port, _)| self.is_switch_port(port)) {
            for id in self.waiting_on(port, lane) {
                stuck[set.at(pfc.came_over(id))] += u64::from(self.state.packets[id].size);
            }
        }
        for (at, &bytes) in stuck.iter().enumerate().filter(|&(_, &bytes)| bytes > 0) {
            let (port, lane) = ((at / set.width) as u32, (at % set.width) as u8);
            used[pfc.head(port) as usize] += bytes - pfc.headroom_kept(port, lane, bytes);
        }
        let resumes = |&(port, lane): &(u32, u8)| {
            !pfc.lasts_forever(port, lane, stuck[set.at((port, lane))], used[pfc.head(port) as usize])
        };
        let removed: Vec<usize> = set.iter().filter(resumes).map(|pair| set.at(pair)).collect();
        removed.iter().for_each(|&at| set.members[at] = false);
        !removed.is_empty()
    }

    /// Returns whether the sender at `port` is a switch, not an endpoint. `port` must lead to a switch.
    fn is_switch_port(&self, port: u32) -> bool {
        (port as usize) < self.state.channel_targets.len() - self.endpoint_switch.len()
    }

    /// Returns a cycle in `set`. Every lane of `set` waits for another lane of `set`.
    fn cycle(&self, pfc: &Pfc, set: &Set) -> Deadlock {
        let mut at = set.iter().next().expect("the set holds a port");
        let mut seen: Vec<(u32, u8)> = Vec::new();
        while !seen.contains(&at) {
            seen.push(at);
            at = self.waits_for(pfc, set, at);
        }
        let start = seen.iter().position(|&other| other == at).expect("it was seen");
        let ports: Vec<HeldPort> = seen[start..].iter().map(|&at| self.held(pfc, at)).collect();
        Deadlock { time: ports.iter().map(|port| port.since).max().unwrap_or(0), ports }
    }

    /// Returns the lane of `set` for which lane `at` waits: of all bytes that arrived on lane `at`, the most wait on the returned lane.
    fn waits_for(&self, pfc: &Pfc, set: &Set, at: (u32, u8)) -> (u32, u8) {
        let bytes = |(port, lane): (u32, u8)| -> u64 {
            let ids = self.waiting_on(port, lane).filter(|&id| pfc.came_over(id) == at);
            ids.map(|id| u64::from(self.state.packets[id].size)).sum()
        };
        let others = set.iter().filter(|&(other, _)| self.is_switch_port(other));
        let others = others.map(|other| (bytes(other), Reverse(other)));
        others.max().expect("it waits for a port of the set").1.0
    }

    fn held(&self, pfc: &Pfc, (port, lane): (u32, u8)) -> HeldPort {
        let packets = || self.waiting_on(port, lane).map(|id| &self.state.packets[id]);
        let mut flows: Vec<u32> = packets().map(|packet| packet.flow).collect();
        flows.sort_unstable();
        flows.dedup();
        HeldPort {
            channel: port,
            lane: self.lanes.as_ref().map(|_| lane),
            from: self.forwarding.source(port),
            to: pfc.head(port),
            since: pfc.asked(port, lane).unwrap_or_default(),
            bytes: packets().map(|packet| u64::from(packet.size)).sum(),
            flows,
        }
    }
}
