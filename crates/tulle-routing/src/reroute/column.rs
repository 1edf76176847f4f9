//! The next hops toward one destination after failures.

use std::collections::VecDeque;

use super::Places;
use crate::Table;
use crate::columns::{beyond, channel};

/// The ports of every switch toward one destination.
pub(super) struct Column {
    destination: u32,
    /// Per switch its first entry in `ports`; one entry more than switches.
    first: Vec<u32>,
    ports: Vec<u16>,
    /// Per switch the one port that takes the place of its entries; [`AS_LEFT`] where they stay.
    turned: Vec<u16>,
}

const AS_LEFT: u16 = u16::MAX;

impl Column {
    /// The entries of `table` toward `destination` that failures left.
    pub fn left(places: &Places<'_>, table: &Table, destination: u32) -> Self {
        let switches = places.new.num_switches();
        let mut column = Self {
            destination,
            first: Vec::with_capacity(switches + 1),
            ports: Vec::with_capacity(switches),
            turned: vec![AS_LEFT; switches],
        };
        for switch in 0..switches as u32 {
            column.first.push(column.ports.len() as u32);
            let old = table.next(places.lineage.old_switch(switch), places.lineage.old_switch(destination));
            column.ports.extend(places.ports(switch, old));
        }
        column.first.push(column.ports.len() as u32);
        column
    }

    /// The destination.
    pub fn destination(&self) -> u32 {
        self.destination
    }

    /// The ports of `switch`; none where failures left none.
    pub fn ports(&self, switch: u32) -> &[u16] {
        let at = switch as usize;
        match self.turned[at] {
            AS_LEFT => &self.ports[self.first[at] as usize..self.first[at + 1] as usize],
            _ => std::slice::from_ref(&self.turned[at]),
        }
    }

    /// Leads every switch to the destination again.
    ///
    /// # Errors
    /// A switch that the destination cannot be reached from.
    pub fn mend(&mut self, places: &Places<'_>) -> Result<(), u32> {
        let switches = 0..places.new.num_switches() as u32;
        let mut dead: Vec<u32> =
            switches.filter(|&switch| switch != self.destination && self.ports(switch).is_empty()).collect();
        if dead.is_empty() {
            return Ok(());
        }
        let mut reached = Reached::of(places, self);
        while !dead.is_empty() {
            // Of all that can be attached, the nearest first, so that others can come after it.
            let nearest = dead.iter().filter_map(|&switch| reached.best(places, self, switch)).min();
            match nearest {
                Some((_, switch, port)) => reached.turn(places, self, switch, port),
                None => {
                    for (switch, port) in reached.way_out(places, self).ok_or(dead[0])? {
                        if !reached.is_in(switch) {
                            reached.turn(places, self, switch, port);
                        }
                    }
                }
            }
            dead.retain(|&switch| !reached.is_in(switch));
        }
        Ok(())
    }
}

/// The switches all of whose packets get to the destination.
struct Reached {
    /// Per switch the most hops its packets take; [`OUT`] where some do not arrive.
    hops: Vec<u32>,
    /// Per switch how many of its ports lead to switches that are out.
    out: Vec<u32>,
}

const OUT: u32 = u32::MAX;

/// The rank of a next hop, the least being best: one that keeps the order of channels, then one with fewer hops.
type Rank = (bool, u32);

impl Reached {
    fn of(places: &Places<'_>, column: &Column) -> Self {
        let switches = places.new.num_switches();
        let out = (0..switches as u32).map(|switch| column.ports(switch).len() as u32).collect();
        let mut reached = Self { hops: vec![OUT; switches], out };
        reached.add(places, column, column.destination, 0);
        reached
    }

    fn is_in(&self, switch: u32) -> bool {
        self.hops[switch as usize] != OUT
    }

    /// Takes in `switch`, and with it every switch whose last port that was out leads to one now in.
    fn add(&mut self, places: &Places<'_>, column: &Column, switch: u32, hops: u32) {
        let mut stack = vec![(switch, hops)];
        while let Some((switch, hops)) = stack.pop() {
            self.hops[switch as usize] = hops;
            for out in places.new.channels_of(switch) {
                let (before, back) = (places.new.targets()[out], places.new.reverse()[out]);
                let port = (back - places.new.offsets()[before as usize]) as u16;
                if self.is_in(before) || !column.ports(before).contains(&port) {
                    continue;
                }
                self.out[before as usize] -= 1;
                if self.out[before as usize] == 0 {
                    let next =
                        column.ports(before).iter().map(|&port| self.hops[beyond(places.new, before, port) as usize]);
                    stack.push((before, 1 + next.max().expect("it has ports")));
                }
            }
        }
    }

    /// The best next hop of `switch` among switches that are in.
    fn best(&self, places: &Places<'_>, column: &Column, switch: u32) -> Option<(Rank, u32, u16)> {
        let ports = 0..places.new.degree(switch) as u16;
        let open = ports.filter(|&port| self.is_in(beyond(places.new, switch, port)));
        open.map(|port| (self.rank(places, column, switch, port), switch, port)).min()
    }

    fn rank(&self, places: &Places<'_>, column: &Column, switch: u32, port: u16) -> Rank {
        let (taken, next) = (channel(places.new, switch, port), beyond(places.new, switch, port));
        let onward = column.ports(next).iter().all(|&port| places.rises(taken, channel(places.new, next, port)));
        // Packets come from wherever an entry leads here.
        let inward = || {
            places.new.channels_of(switch).all(|out| {
                let (before, back) = (places.new.targets()[out], places.new.reverse()[out]);
                let port = (back - places.new.offsets()[before as usize]) as u16;
                !column.ports(before).contains(&port) || places.rises(back, taken)
            })
        };
        (!(onward && inward()), self.hops[next as usize])
    }

    /// Turns `switch`, which is out, to `port`, which leads to a switch that is in.
    fn turn(&mut self, places: &Places<'_>, column: &mut Column, switch: u32, port: u16) {
        column.turned[switch as usize] = port;
        self.out[switch as usize] = 0;
        let hops = 1 + self.hops[beyond(places.new, switch, port) as usize];
        self.add(places, column, switch, hops);
    }

    /// The fewest switches to turn, one after another, that let a switch without ports out; `None` where it is cut off.
    fn way_out(&self, places: &Places<'_>, column: &Column) -> Option<Vec<(u32, u16)>> {
        let new = places.new;
        // From all switches that are in, by how many switches turn; per switch found, its port toward them.
        let mut turns = vec![OUT; new.num_switches()];
        let mut toward = vec![AS_LEFT; new.num_switches()];
        let inside = (0..new.num_switches() as u32).filter(|&switch| self.is_in(switch));
        let mut queue: VecDeque<(u32, u32)> = inside.map(|switch| (0, switch)).collect();
        queue.iter().for_each(|&(_, switch)| turns[switch as usize] = 0);
        while let Some((count, switch)) = queue.pop_front() {
            if count > turns[switch as usize] {
                continue;
            }
            if column.ports(switch).is_empty() && switch != column.destination {
                let mut way = Vec::new();
                let mut at = switch;
                while !self.is_in(at) {
                    way.push((at, toward[at as usize]));
                    at = beyond(new, at, toward[at as usize]);
                }
                way.reverse();
                return Some(way);
            }
            for out in new.channels_of(switch) {
                let (before, back) = (new.targets()[out], new.reverse()[out]);
                let port = (back - new.offsets()[before as usize]) as u16;
                // A switch that leads here, and only here, need not turn.
                let count = count + u32::from(column.ports(before) != [port]);
                if count < turns[before as usize] {
                    turns[before as usize] = count;
                    toward[before as usize] = port;
                    match count == turns[switch as usize] {
                        true => queue.push_front((count, before)),
                        false => queue.push_back((count, before)),
                    }
                }
            }
        }
        None
    }
}
