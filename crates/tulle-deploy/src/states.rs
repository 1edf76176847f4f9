//! The channel dependencies of all states that can exist while switches load new tables.
//!
//! In a *state*, every switch uses one of several tables to forward packets, and one of several maps from service levels to virtual
//! channels (VCs). The table and the map may differ between switches. If the dependencies of all states together have no cycle, no state
//! and no mixture of states can deadlock.

use std::collections::BTreeSet;

use rayon::prelude::*;
use tulle_base::task;

/// The number of VCs, and of service levels.
pub const NUM_VCS: usize = 16;

/// The VC in a map that makes a switch discard the packet, as VL 15 in an SL-to-VL table does.
pub const DISCARD: u8 = 15;

/// The switches and ports at the other ends of all links. All arrays are indexed by `switch * ports + port`.
#[derive(Debug, Clone)]
pub struct Wires {
    /// The number of ports of every switch.
    pub ports: usize,
    /// The switch at the other end; −1 if the port leads to no switch.
    pub to: Vec<i32>,
    /// The port of that switch.
    pub port: Vec<u16>,
    /// Whether the other end is a switch whose tables are unknown.
    pub foreign: Vec<bool>,
    /// The switch at the other end of a link that is now down; −1 if this port has no such link. Packets that crossed the link before its
    /// failure are still in the network.
    pub down: Vec<i32>,
    /// The port of that switch.
    pub down_port: Vec<u16>,
}

/// The tables and maps among which switches choose, and the service levels among which sources choose.
#[derive(Debug, Clone)]
pub struct Choices {
    /// The number of addresses in every table.
    pub addresses: usize,
    /// The tables. Each one gives the output port, indexed by `switch * addresses + address`. A number that is not below `ports` means that
    /// the switch does not forward the address.
    pub tables: Vec<Vec<u16>>,
    /// The service levels that sources at a switch use toward an address, as one bit per level. The index is `switch * addresses +
    /// address`.
    pub levels: Vec<u16>,
    /// The maps. Each one gives the VC for every switch, input port, output port and service level, or [`DISCARD`]. A value of [`NUM_VCS`]
    /// or more means that the VC is unknown.
    pub maps: Vec<Vec<u8>>,
    /// Each switch with sources, and one of the ports through which packets of these sources enter the switch.
    pub entry: Vec<(u32, u16)>,
    /// The number of old tables, which come first in `tables`, if switches load new tables in rounds. Then a packet that has met a new
    /// table meets only new tables afterwards. The value is 0 if switches load tables in any order.
    pub old_tables: usize,
}

/// The channel dependencies of all states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependencies {
    /// The dependencies, in ascending order. Each one is the VC that a packet holds and the VC for which it waits. A VC of a link has the
    /// number `(switch * ports + port) * NUM_VCS + vc`.
    pub pairs: Vec<[u32; 2]>,
    /// The number of hops whose VC is unknown.
    pub unknown: u64,
    /// The ports through which packets reach switches whose tables are unknown, in ascending order. A port has the number `switch * ports +
    /// port`.
    pub foreign: Vec<u32>,
}

/// Follows the packets to the addresses in `columns` in all states, and collects their channel dependencies.
///
/// Addresses with equal table entries and service levels at all switches have equal dependencies. So the caller may list only one of them
/// in `columns`.
pub fn dependencies(wires: &Wires, choices: &Choices, columns: &[usize]) -> Dependencies {
    let found = columns
        .par_chunks(columns.len().div_ceil(8 * rayon::current_num_threads()).max(1))
        .map(|some| {
            let mut walk = Walk::new(wires, choices);
            for &address in some {
                task::check();
                walk.follow(address);
            }
            walk.found
        })
        .reduce(|| Found::new(0), Found::joined);
    found.into_dependencies(wires)
}

/// What a walk has found.
#[derive(Debug)]
struct Found {
    /// For each pair of a held and a wanted VC, at index `held * NUM_VCS + wanted`: one bit per pair of a link and an output port of the
    /// switch at its end. The entry is empty if no packet holds and wants these VCs.
    planes: Vec<Vec<u64>>,
    unknown: u64,
    foreign: BTreeSet<u32>,
    /// The number of bits of a plane.
    turns: usize,
}

impl Found {
    fn new(turns: usize) -> Self {
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

    fn joined(mut self, other: Self) -> Self {
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

    fn into_dependencies(self, wires: &Wires) -> Dependencies {
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
    /// Whether it has met a new table.
    is_late: bool,
}

/// Follows all packets to one address after another.
struct Walk<'a> {
    wires: &'a Wires,
    choices: &'a Choices,
    found: Found,
    /// For each VC of a link, the number of the last search that reached it. The first list is for packets that have not met a new table
    /// yet, the second list for all other packets. Links that are down come after all other links.
    reached: [Vec<u32>; 2],
    search: u32,
    stack: Vec<Packet>,
}

impl<'a> Walk<'a> {
    fn new(wires: &'a Wires, choices: &'a Choices) -> Self {
        let links = wires.to.len();
        let reached = [(); 2].map(|()| vec![0; links * (NUM_VCS + 1)]);
        Self { wires, choices, found: Found::new(links * wires.ports), reached, search: 0, stack: Vec::new() }
    }

    /// Follows all packets to an address. Packets keep their service level, so each level is a separate search.
    fn follow(&mut self, address: usize) {
        let choices = self.choices;
        let sent = |switch: u32| choices.levels[switch as usize * choices.addresses + address];
        let used = choices.entry.iter().fold(0, |used, &(switch, _)| used | sent(switch));
        for level in (0..NUM_VCS).filter(|level| used >> level & 1 == 1) {
            self.search += 1;
            for &(switch, port) in &choices.entry {
                if sent(switch) >> level & 1 == 1 {
                    let packet = Packet { switch: switch as usize, came: port.into(), held: None, is_late: false };
                    self.forward(packet, address, level);
                }
            }
            while let Some(packet) = self.stack.pop() {
                self.forward(packet, address, level);
            }
        }
    }

    /// Forwards a packet in every way that the tables and maps of its switch allow.
    fn forward(&mut self, packet: Packet, address: usize, level: usize) {
        let (wires, choices) = (self.wires, self.choices);
        let Packet { switch, came, held, .. } = packet;
        for (number, table) in choices.tables.iter().enumerate() {
            if number < choices.old_tables && packet.is_late {
                continue;
            }
            let is_late = packet.is_late || (0 < choices.old_tables && choices.old_tables <= number);
            let out = usize::from(table[switch * choices.addresses + address]);
            if out >= wires.ports {
                continue;
            }
            let link = switch * wires.ports + out;
            if wires.foreign[link] {
                self.found.foreign.insert(link as u32);
            }
            if wires.down[link] >= 0 {
                let end = [wires.down[link] as usize, wires.down_port[link].into()];
                self.arrive(wires.to.len() * NUM_VCS + link, end, None, is_late);
            }
            if wires.to[link] < 0 {
                continue;
            }
            let end = [wires.to[link] as usize, wires.port[link].into()];
            for map in &choices.maps {
                let vc = map[((switch * wires.ports + came) * wires.ports + out) * NUM_VCS + level];
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
