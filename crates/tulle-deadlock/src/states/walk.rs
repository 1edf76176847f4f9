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

    /// Returns the dependencies in ascending order.
    pub fn into_dependencies(self, wires: &Wires) -> Dependencies {
        let ports = wires.ports;
        let used = |held: usize| -> Planes<'_> {
            let planes = self.planes[held * NUM_VCS..(held + 1) * NUM_VCS].iter().enumerate();
            planes.filter(|(_, plane)| !plane.is_empty()).map(|(wanted, plane)| (wanted, &plane[..])).collect()
        };
        let planes: Vec<(usize, Planes<'_>)> =
            (0..NUM_VCS).map(|held| (held, used(held))).filter(|(_, planes)| !planes.is_empty()).collect();
        let mut pairs = Vec::new();
        for link in 0..wires.to.len() {
            for (held, planes) in &planes {
                for first in (0..ports).step_by(64) {
                    let bits = |plane| bits(plane, link * ports + first, (ports - first).min(64));
                    let mut left = planes.iter().fold(0, |all, (_, plane)| all | bits(plane));
                    while left != 0 {
                        let out = left.trailing_zeros();
                        left &= left - 1;
                        let next = wires.to[link] as usize * ports + first + out as usize;
                        for (wanted, _) in planes.iter().filter(|(_, plane)| bits(plane) >> out & 1 == 1) {
                            pairs.push([(link * NUM_VCS + held) as u32, (next * NUM_VCS + wanted) as u32]);
                        }
                    }
                }
            }
        }
        Dependencies { pairs, unknown: self.unknown, foreign: self.foreign.into_iter().collect() }
    }
}

/// The sets of turns of packets that hold the same VC, each with the VC for which they wait.
type Planes<'a> = Vec<(usize, &'a [u64])>;

/// Returns `count` bits of a plane, at most 64.
fn bits(plane: &[u64], first: usize, count: usize) -> u64 {
    let (word, shift) = (first / 64, first % 64);
    let high = if shift == 0 { 0 } else { plane.get(word + 1).map_or(0, |next| next << (64 - shift)) };
    (plane[word] >> shift | high) & (u64::MAX >> (64 - count))
}

/// A set of service levels, with one bit per level.
type Levels = u16;

/// A link of [`Wires`]. A walk needs all its values at once, so they are next to each other in memory.
#[derive(Debug, Clone, Copy)]
struct Link {
    to: i32,
    down: i32,
    port: u16,
    down_port: u16,
    is_foreign: bool,
}

/// Where packets are.
#[derive(Debug, Clone, Copy)]
struct Packets {
    switch: usize,
    /// The input port.
    came: usize,
    /// The link and the VC that the packets occupy, as `link * NUM_VCS + vc`. `None` if no other packet can wait for them, because the
    /// packets come from their source, or over a link that has failed since.
    held: Option<usize>,
    /// Whether a switch has forwarded the packets by a new table.
    is_late: bool,
}

/// Follows all packets to one address after another.
///
/// Packets of several service levels that are at the same place are forwarded together.
pub(super) struct Walk<'a> {
    ports: usize,
    links: Vec<Link>,
    choices: &'a Choices,
    maps: &'a Maps,
    switches: usize,
    pub found: Found,
    /// The service levels of the packets that have reached a VC of a link. A switch has at most one link per table toward an address. So the
    /// index is `((late * switches + switch) * tables + table) * (NUM_VCS + 1) + vc`, with the first table that uses the link. `late` is 1
    /// for packets that a new table has forwarded. Links that are down have the VC `NUM_VCS`.
    reached: Vec<Levels>,
    /// The service levels in `reached` whose packets must still be forwarded.
    waiting: Vec<Levels>,
    /// The packets that must still be forwarded, each with its index in `waiting`. The queue is first in, first out, so many packets of
    /// different sources and service levels join before they are forwarded.
    queue: Vec<(usize, Packets)>,
}

impl<'a> Walk<'a> {
    pub fn new(wires: &'a Wires, choices: &'a Choices, maps: &'a Maps) -> Self {
        let ports = wires.ports;
        let link = |at: usize| Link {
            to: wires.to[at],
            down: wires.down[at],
            port: wires.port[at],
            down_port: wires.down_port[at],
            is_foreign: wires.foreign[at],
        };
        let links: Vec<Link> = (0..wires.to.len()).map(link).collect();
        let switches = links.len() / ports;
        let stages = if choices.old_tables == 0 { 1 } else { 2 };
        let places = stages * switches * choices.tables.len() * (NUM_VCS + 1);
        let found = Found::new(links.len() * ports);
        let (reached, waiting) = (vec![0; places], vec![0; places]);
        Self { ports, links, choices, maps, switches, found, reached, waiting, queue: Vec::new() }
    }

    /// Follows all packets to one address. `column` has the table entries and the service levels of this address (see [`super::Column`]).
    pub fn follow(&mut self, column: &[u16]) {
        let choices = self.choices;
        let (entries, levels) = column.split_at(choices.tables.len() * self.switches);
        self.reached.fill(0);
        for &(switch, port) in choices.entry.iter().filter(|&&(switch, _)| levels[switch as usize] != 0) {
            let packets = Packets { switch: switch as usize, came: port.into(), held: None, is_late: false };
            self.forward(packets, entries, levels[switch as usize]);
        }
        let mut next = 0;
        while let Some(&(place, packets)) = self.queue.get(next) {
            let levels = std::mem::take(&mut self.waiting[place]);
            self.forward(packets, entries, levels);
            next += 1;
        }
        self.queue.clear();
    }

    /// Forwards packets in every way that the tables and maps of their switch allow. `entries` are the entries of all tables for the
    /// packets' address.
    fn forward(&mut self, packets: Packets, entries: &[u16], levels: Levels) {
        let old_tables = self.choices.old_tables;
        let switches = self.switches;
        let entry = |table: usize| entries[table * switches + packets.switch];
        for number in 0..self.choices.tables.len() {
            if number < old_tables && packets.is_late {
                continue;
            }
            let out = entry(number);
            if usize::from(out) >= self.ports {
                continue;
            }
            // Most entries are equal in all tables. If switches load tables in any order (`old_tables` is 0), then an earlier table with an
            // equal entry has already forwarded the packets.
            let first = (0..number).find(|&other| entry(other) == out).unwrap_or(number);
            if old_tables == 0 && first < number {
                continue;
            }
            let is_late = packets.is_late || (0 < old_tables && old_tables <= number);
            self.leave(packets, out.into(), first, is_late, levels);
        }
    }

    /// Forwards packets through the port `out` of their switch. Table number `table` has this port as its entry.
    fn leave(&mut self, packets: Packets, out: usize, table: usize, is_late: bool, levels: Levels) {
        let (ports, maps) = (self.ports, self.maps);
        let Packets { switch, came, held, .. } = packets;
        let number = switch * ports + out;
        let link = self.links[number];
        let place =
            ((usize::from(is_late) * self.switches + switch) * self.choices.tables.len() + table) * (NUM_VCS + 1);
        if link.is_foreign {
            self.found.foreign.insert(number as u32);
        }
        if link.down >= 0 {
            self.arrive(place + NUM_VCS, (link.down as usize, link.down_port.into()), None, is_late, levels);
        }
        if link.to < 0 {
            return;
        }
        let end = (link.to as usize, link.port.into());
        for row in maps.rows(switch * ports + came, out) {
            let mut left = levels;
            while left != 0 {
                let vc = row[left.trailing_zeros() as usize];
                let same = same_vc(row, left, vc);
                left &= !same;
                if vc == DISCARD {
                    continue;
                }
                let vc = usize::from(vc);
                if vc >= NUM_VCS {
                    self.found.unknown += u64::from(same.count_ones());
                    continue;
                }
                if let Some(held) = held {
                    self.found.insert(held / NUM_VCS * ports + out, held % NUM_VCS, vc);
                }
                self.arrive(place + vc, end, Some(number * NUM_VCS + vc), is_late, same);
            }
        }
    }

    /// Continues with packets that have crossed a link, unless equal packets have already arrived.
    fn arrive(
        &mut self,
        place: usize,
        (switch, came): (usize, usize),
        held: Option<usize>,
        is_late: bool,
        levels: Levels,
    ) {
        let new = levels & !self.reached[place];
        if new != 0 {
            self.reached[place] |= new;
            if self.waiting[place] == 0 {
                self.queue.push((place, Packets { switch, came, held, is_late }));
            }
            self.waiting[place] |= new;
        }
    }
}

/// Returns the service levels among `levels` that `row` maps to `vc`.
fn same_vc(row: &[u8; NUM_VCS], levels: Levels, vc: u8) -> Levels {
    let (mut same, mut left) = (0, levels);
    while left != 0 {
        let level = left.trailing_zeros();
        left &= left - 1;
        same |= Levels::from(row[level as usize] == vc) << level;
    }
    same
}
