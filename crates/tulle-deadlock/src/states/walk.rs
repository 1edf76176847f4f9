//! Follows packets through all mixtures of tables and maps.

use std::collections::BTreeSet;

use super::maps::Maps;
use super::{Choices, DISCARD, Dependencies, NUM_VCS, Wires};

/// What a walk has found.
#[derive(Debug)]
pub(super) struct Found {
    /// A set of turns for each pair of VCs: the VC that a packet holds, and the VC for which it waits. The index of a set is `held *
    /// NUM_VCS + wanted`. A turn is a link and an output port of the switch at its end; a set has one bit per turn. Sets without turns are
    /// empty vectors.
    planes: Vec<Vec<u64>>,
    unknown: u64,
    foreign: BTreeSet<u32>,
    /// The number of bits of a plane.
    turns: usize,
}

impl Found {
    pub fn new(turns: usize) -> Self {
        Self { planes: vec![Vec::new(); NUM_VCS * NUM_VCS], unknown: 0, foreign: BTreeSet::new(), turns }
    }

    #[inline]
    fn insert(&mut self, turn: usize, held: usize, wanted: usize) {
        let plane = &mut self.planes[held * NUM_VCS + wanted];
        if plane.is_empty() {
            plane.resize(self.turns.div_ceil(64), 0);
        }
        plane[turn / 64] |= 1 << (turn % 64);
    }

    pub fn joined(mut self, other: Self) -> Self {
        for (plane, more) in self.planes.iter_mut().zip(other.planes) {
            if plane.is_empty() {
                *plane = more;
            } else {
                plane.iter_mut().zip(more).for_each(|(word, more)| *word |= more);
            }
        }
        self.unknown += other.unknown;
        self.foreign.extend(other.foreign);
        self
    }

    pub fn into_dependencies(self, wires: &Wires) -> Dependencies {
        let mut pairs = Vec::new();
        for (at, plane) in self.planes.iter().enumerate() {
            let (held, wanted) = (at / NUM_VCS, at % NUM_VCS);
            for (place, &word) in plane.iter().enumerate() {
                let mut left = word;
                while left != 0 {
                    let turn = place * 64 + left.trailing_zeros() as usize;
                    left &= left - 1;
                    let (link, out) = (turn / wires.ports, turn % wires.ports);
                    let next = wires.to[link] as usize * wires.ports + out;
                    pairs.push([(link * NUM_VCS + held) as u32, (next * NUM_VCS + wanted) as u32]);
                }
            }
        }
        pairs.sort_unstable();
        Dependencies { pairs, unknown: self.unknown, foreign: self.foreign.into_iter().collect() }
    }
}

/// Where a packet is.
#[derive(Debug, Clone, Copy)]
struct Packet {
    switch: usize,
    /// The input port.
    came: usize,
    /// The link and the VC that the packet occupies, as `link * NUM_VCS + vc`. `None` if no other packet can wait for them, because the
    /// packet comes from its source, or over a link that has failed since.
    held: Option<usize>,
    /// Whether a switch has forwarded the packet by a new table.
    is_late: bool,
}

/// Follows all packets to one address after another.
pub(super) struct Walk<'a> {
    wires: &'a Wires,
    choices: &'a Choices,
    maps: &'a Maps,
    switches: usize,
    pub found: Found,
    /// For each VC of a link, the number of the last search that reached it. The first list is for packets that no new table has forwarded
    /// yet, the second list for all other packets. Links that are down come after all other links.
    reached: [Vec<u32>; 2],
    search: u32,
    stack: Vec<Packet>,
}

impl<'a> Walk<'a> {
    pub fn new(wires: &'a Wires, choices: &'a Choices, maps: &'a Maps) -> Self {
        let links = wires.to.len();
        let reached = [(); 2].map(|()| vec![0; links * (NUM_VCS + 1)]);
        let switches = links / wires.ports;
        let found = Found::new(links * wires.ports);
        Self { wires, choices, maps, switches, found, reached, search: 0, stack: Vec::new() }
    }

    /// Follows all packets to one address. `column` has the table entries and the service levels of this address (see [`super::Column`]).
    /// Packets keep their service level, so each level is a separate search.
    pub fn follow(&mut self, column: &[u16]) {
        let choices = self.choices;
        let (entries, levels) = column.split_at(choices.tables.len() * self.switches);
        let used = choices.entry.iter().fold(0, |used, &(switch, _)| used | levels[switch as usize]);
        for level in (0..NUM_VCS).filter(|level| used >> level & 1 == 1) {
            self.search += 1;
            for &(switch, port) in &choices.entry {
                if levels[switch as usize] >> level & 1 == 1 {
                    let packet = Packet { switch: switch as usize, came: port.into(), held: None, is_late: false };
                    self.forward(packet, entries, level);
                }
            }
            while let Some(packet) = self.stack.pop() {
                self.forward(packet, entries, level);
            }
        }
    }

    /// Forwards a packet in every way that the tables and maps of its switch allow. `entries` are the entries of all tables for the packet's
    /// address.
    fn forward(&mut self, packet: Packet, entries: &[u16], level: usize) {
        let old_tables = self.choices.old_tables;
        let switches = self.switches;
        let entry = |table: usize| entries[table * switches + packet.switch];
        for number in 0..self.choices.tables.len() {
            if number < old_tables && packet.is_late {
                continue;
            }
            // Most entries are equal in all tables. Without rounds, the port of an equal entry was already examined.
            let out = entry(number);
            if old_tables == 0 && (0..number).any(|other| entry(other) == out) {
                continue;
            }
            let is_late = packet.is_late || (0 < old_tables && old_tables <= number);
            if usize::from(out) < self.wires.ports {
                self.leave(packet, out.into(), is_late, level);
            }
        }
    }

    /// Forwards a packet through the port `out` of its switch.
    fn leave(&mut self, packet: Packet, out: usize, is_late: bool, level: usize) {
        let wires = self.wires;
        let Packet { switch, came, held, .. } = packet;
        let link = switch * wires.ports + out;
        if wires.foreign[link] {
            self.found.foreign.insert(link as u32);
        }
        if wires.down[link] >= 0 {
            let end = [wires.down[link] as usize, wires.down_port[link].into()];
            self.arrive(wires.to.len() * NUM_VCS + link, end, None, is_late);
        }
        if wires.to[link] < 0 {
            return;
        }
        let end = [wires.to[link] as usize, wires.port[link].into()];
        for vc in self.maps.vcs((switch * wires.ports + came) * wires.ports + out, level) {
            if vc == DISCARD {
                continue;
            }
            let vc = usize::from(vc);
            if vc >= NUM_VCS {
                self.found.unknown += 1;
                continue;
            }
            if let Some(held) = held {
                self.found.insert(held / NUM_VCS * wires.ports + out, held % NUM_VCS, vc);
            }
            let node = link * NUM_VCS + vc;
            self.arrive(node, end, Some(node), is_late);
        }
    }

    /// Continues with a packet that has crossed a link, unless an equal packet has already arrived.
    fn arrive(&mut self, node: usize, [switch, came]: [usize; 2], held: Option<usize>, is_late: bool) {
        let last = &mut self.reached[usize::from(is_late)][node];
        if *last != self.search {
            *last = self.search;
            self.stack.push(Packet { switch, came, held, is_late });
        }
    }
}
