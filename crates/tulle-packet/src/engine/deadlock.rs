//! Detects deadlocks of lossless networks: ports that wait for each other and never resume (Flattened Clos (NSDI23) §2.1.2, §6.2).
//!
//! A paused port resumes when few enough of its bytes still wait at the far switch. If a port never resumes, the bytes that wait at it
//! never leave. The search therefore starts with the set of all paused ports. It repeatedly removes every port that can resume, even if the
//! bytes at the ports in the set never leave. Ports that remain in the set are in a deadlock. This method gives no false alarms. The check
//! runs only from time to time; the reported time of a deadlock is the time of its last pause.

use super::Engine;
use crate::outcome::{Deadlock, HeldPort};
use crate::port::{Class, Port};
use crate::queue::pfc::Pfc;

/// A set of pairs of port and class: for each port, one flag per class.
type Set = Vec<[bool; 2]>;

impl Engine<'_> {
    /// Searches for a deadlock and records it. Returns whether a deadlock exists.
    pub(super) fn is_deadlocked(&mut self) -> bool {
        let Some(pfc) = self.queues.first.pauses() else { return false };
        self.state.counters.pauses = pfc.pauses;
        let mut set: Set = Vec::with_capacity(self.state.channel_targets.len());
        let is_paused =
            |port: u32, class| self.state.ports[port as usize].is_paused(class) && pfc.asked(port, class).is_some();
        set.extend(
            (0..self.state.channel_targets.len() as u32).map(|port| Class::ALL.map(|class| is_paused(port, class))),
        );
        while set.iter().any(|&classes| classes != [false; 2]) {
            if !self.shrink(pfc, &mut set) {
                let deadlock = self.cycle(pfc, &set);
                self.state.deadlock = Some(deadlock);
                return true;
            }
        }
        false
    }

    /// Removes from `set` the ports that can resume. Returns false if there is no such port.
    fn shrink(&self, pfc: &Pfc, set: &mut Set) -> bool {
        // Both arrays count the bytes that never leave: `stuck` by the link over which the bytes arrived, `used` by switch.
        let mut stuck = vec![[0u64; 2]; set.len()];
        let mut used = vec![0u64; 1 + self.state.channel_targets.iter().max().map_or(0, |&most| most as usize)];
        for (port, class) in members(set) {
            if self.is_switch_port(port) {
                for id in self.state.ports[port as usize].iter(&self.state.packets, class) {
                    stuck[pfc.came_over(id) as usize][class as usize] += u64::from(self.state.packets[id].size);
                }
            }
        }
        for (port, stuck) in (0u32..).zip(&stuck) {
            for class in Class::ALL {
                let bytes = stuck[class as usize];
                used[pfc.head(port) as usize] += bytes - pfc.headroom_kept(port, class, bytes);
            }
        }
        let mut changed = false;
        for (classes, (port, stuck)) in set.iter_mut().zip((0u32..).zip(&stuck)) {
            for class in Class::ALL {
                let (stuck, member) = (stuck[class as usize], &mut classes[class as usize]);
                if *member && !pfc.lasts_forever(port, class, stuck, used[pfc.head(port) as usize]) {
                    *member = false;
                    changed = true;
                }
            }
        }
        changed
    }

    /// Returns whether the sender at `port` is a switch, not an endpoint. `port` must lead to a switch.
    fn is_switch_port(&self, port: u32) -> bool {
        (port as usize) < self.state.channel_targets.len() - self.endpoint_switch.len()
    }

    /// Returns a cycle in `set`. Every port of `set` waits for another port of `set`.
    fn cycle(&self, pfc: &Pfc, set: &Set) -> Deadlock {
        let (mut port, class) = members(set).next().expect("the set holds a port");
        let mut seen: Vec<u32> = Vec::new();
        while !seen.contains(&port) {
            seen.push(port);
            port = self.waits_for(pfc, set, port, class);
        }
        let start = seen.iter().position(|&other| other == port).expect("it was seen");
        let ports: Vec<HeldPort> = seen[start..].iter().map(|&port| self.held(pfc, port, class)).collect();
        Deadlock { time: ports.iter().map(|port| port.since).max().unwrap_or(0), ports }
    }

    /// Returns the port of `set` for which `port` waits: most waiting bytes there came over the link of `port`.
    fn waits_for(&self, pfc: &Pfc, set: &Set, port: u32, class: Class) -> u32 {
        let bytes = |at: &Port| -> u64 {
            let ids = at.iter(&self.state.packets, class).filter(|&id| pfc.came_over(id) == port);
            ids.map(|id| u64::from(self.state.packets[id].size)).sum()
        };
        let others = members(set).filter(|&(other, of)| of == class && self.is_switch_port(other));
        let others = others.map(|(other, _)| (bytes(&self.state.ports[other as usize]), std::cmp::Reverse(other)));
        others.max().expect("it waits for a port of the set").1.0
    }

    fn held(&self, pfc: &Pfc, port: u32, class: Class) -> HeldPort {
        let packets =
            || self.state.ports[port as usize].iter(&self.state.packets, class).map(|id| &self.state.packets[id]);
        let mut flows: Vec<u32> = packets().map(|packet| packet.flow).collect();
        flows.sort_unstable();
        flows.dedup();
        HeldPort {
            channel: port,
            from: self.forwarding.source(port),
            to: pfc.head(port),
            since: pfc.asked(port, class).unwrap_or_default(),
            bytes: packets().map(|packet| u64::from(packet.size)).sum(),
            flows,
        }
    }
}

fn members(set: &Set) -> impl Iterator<Item = (u32, Class)> {
    let both = |(port, classes): (u32, &[bool; 2])| {
        let classes = *classes;
        Class::ALL.into_iter().filter(move |&class| classes[class as usize]).map(move |class| (port, class))
    };
    (0u32..).zip(set).flat_map(both)
}
