//! A layout: racks and their places, the position of every switch and endpoint, the length and medium of every cable.

use std::collections::HashMap;
use std::sync::Arc;

use tulle_base::{memory, task};
use tulle_fabric::{Fabric, Link};

use crate::arrange::{Plan, best_rows, side};
use crate::fill::Filling;
use crate::position::Position;
use crate::structures;
use crate::{Copper, Error, Floor, Place};

/// A rack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rack {
    /// The name of the rack, which is unique.
    pub name: String,
    /// Column and row of the rack, each from 0; every rack has its own place.
    pub place: Place,
    /// The number of the group whose switches and endpoints the rack holds. Racks of a group are near each other. Each rack of devices is a
    /// group by itself.
    pub group: u32,
}

/// The material of a cable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Medium {
    /// Copper.
    Copper,
    /// Fibre.
    Fibre,
}

impl Medium {
    /// Returns the name that link properties use for this medium.
    pub fn name(self) -> &'static str {
        match self {
            Self::Copper => "copper",
            Self::Fibre => "fibre",
        }
    }

    /// Returns the medium (copper or fibre) of a cable type, for example `dac-passive` or `mmf-om4`; `None` for unknown types.
    pub fn of_word(word: &str) -> Option<Self> {
        let word = word.to_lowercase();
        let begins = |starts: &[&str]| starts.iter().any(|start| word.starts_with(start));
        match () {
            () if begins(&["copper", "dac", "aec", "acc", "cat", "twinax", "mrj21", "usb"]) => Some(Self::Copper),
            () if begins(&["fibre", "fiber", "aoc", "smf", "mmf", "om", "os1", "os2", "optic"]) => Some(Self::Fibre),
            () => None,
        }
    }
}

/// The positions of a fabric's switches and endpoints, and of optical switches or patch panels, in racks on a floor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The floor.
    pub floor: Floor,
    /// The name of the rack structure.
    pub structure: &'static str,
    /// The racks, group by group; racks of devices come last.
    pub racks: Vec<Rack>,
    /// The position of every switch.
    pub switches: Vec<Position>,
    /// The position of every endpoint.
    pub endpoints: Vec<Position>,
    /// The position of every optical switch or patch panel.
    pub devices: Vec<Position>,
}

impl Layout {
    /// Returns the layout of `fabric`, with room in the middle for `devices` optical switches or patch panels. `parts` gives, for every
    /// switch, the number of its part. The switches of a part get racks near each other. Without `parts`, the structure of the fabric's
    /// family determines the groups.
    ///
    /// # Errors
    /// Fails if `parts` does not have one entry per switch, or if there is too little memory.
    pub fn of(fabric: &Fabric, floor: Floor, parts: Option<&[u32]>, devices: u32) -> Result<Self, Error> {
        let (structure, plan) = match parts {
            Some(parts) => ("parts", structures::parts(fabric, parts)?),
            None => {
                let structure = structures::of(fabric.shape().racks);
                (structure.name, (structure.plan)(fabric, &floor, devices))
            }
        };
        let mut filling = Filling::new(fabric, &floor)?;
        let mut racks: Vec<Rack> = Vec::new();
        let mut counts = Vec::with_capacity(plan.cells.len());
        for (group, cell) in plan.cells.iter().enumerate() {
            task::check();
            let count = filling.fill(cell, racks.len() as u32);
            for rack in 0..count {
                let name = if rack == 0 { cell.name.clone() } else { format!("{}.{rack}", cell.name) };
                memory::push("racks", &mut racks, Rack { name, place: [0, 0], group: group as u32 });
            }
            counts.push(count);
        }
        let Filling { switches, mut endpoints, .. } = filling;
        join_hosts(fabric, &mut endpoints);
        place(&mut racks, &plan, &counts, &floor, devices);
        let first = racks.len() as u32;
        let devices: Vec<Position> = (0..devices)
            .map(|device| {
                let rack = first + device / floor.devices;
                Position { rack, unit: (floor.units - device % floor.devices) as u16, slot: 0 }
            })
            .collect();
        let groups = plan.cells.len() as u32;
        for rack in 0..(devices.len() as u32).div_ceil(floor.devices) {
            racks.push(Rack { name: format!("devices{rack}"), place: [0, rack as i32], group: groups + rack });
        }
        shift(&mut racks);
        Ok(Self { floor, structure, racks, switches, endpoints, devices })
    }

    /// Returns the length of a cable between two positions, in millimetres.
    pub fn length(&self, a: Position, b: Position) -> u64 {
        if a.rack == b.rack {
            self.floor.within(a.unit, b.unit)
        } else {
            self.floor.between(self.racks[a.rack as usize].place, self.racks[b.rack as usize].place)
        }
    }

    /// Returns the medium of a cable of `length` between two positions.
    pub fn medium(&self, a: Position, b: Position, length: u64) -> Medium {
        let group = |position: Position| self.racks[position.rack as usize].group;
        let near = match self.floor.copper {
            Copper::Rack => a.rack == b.rack,
            Copper::Group => group(a) == group(b),
            Copper::All => true,
        };
        if near && length <= self.floor.reach { Medium::Copper } else { Medium::Fibre }
    }

    /// Returns the length in millimetres and the medium of a cable between two positions.
    pub fn cable(&self, a: Position, b: Position) -> (u64, Medium) {
        let length = self.length(a, b);
        (length, self.medium(a, b, length))
    }

    /// Returns the length and medium of the cable of `channel`. Unknown values are estimated from the positions of its ends.
    pub fn cable_of(&self, fabric: &Fabric, channel: u32) -> (u64, Medium) {
        let [a, b] = [fabric.sources(), fabric.targets()].map(|ends| self.switches[ends[channel as usize] as usize]);
        let [there, back] = [channel, fabric.reverse()[channel as usize]].map(|way| fabric.link(way));
        self.known(there.length.or(back.length), there.medium.as_deref().or(back.medium.as_deref()), a, b)
    }

    /// Returns the length and medium of the cable of `endpoint`. Unknown values are estimated from the positions of its ends.
    pub fn endpoint_cable(&self, fabric: &Fabric, endpoint: u32) -> (u64, Medium) {
        let switch = fabric.endpoint_switch()[endpoint as usize];
        let link = fabric.endpoint_link(endpoint);
        let (a, b) = (self.switches[switch as usize], self.endpoints[endpoint as usize]);
        self.known(link.length, link.medium.as_deref(), a, b)
    }

    /// Returns the length and medium of a cable between two positions. A `length` or `medium` that is known replaces the estimate.
    fn known(&self, length: Option<u64>, medium: Option<&str>, a: Position, b: Position) -> (u64, Medium) {
        let length = length.unwrap_or_else(|| self.length(a, b));
        (length, medium.and_then(Medium::of_word).unwrap_or_else(|| self.medium(a, b, length)))
    }

    /// Returns the total length and the medium of two fibres: from the source switch of `channel` to `device`, and from `device` to the
    /// target switch of `channel`.
    pub fn by_device(&self, fabric: &Fabric, channel: u32, device: u32) -> (u64, Medium) {
        let ends = [fabric.sources(), fabric.targets()].map(|ends| self.switches[ends[channel as usize] as usize]);
        (ends.map(|end| self.length(end, self.devices[device as usize])).iter().sum(), Medium::Fibre)
    }

    /// Returns `fabric` with the lengths and media of its links. If `latency` is given, links also get latencies: the known latency (or
    /// `latency` picoseconds if it is unknown), plus 5 ns per metre of cable. `through` is the optical switch or patch panel of every
    /// channel; None if cables lead from switch to switch.
    pub fn linked(&self, fabric: &Fabric, latency: Option<u64>, through: Option<&[u32]>) -> Fabric {
        // All links share these two texts, because a clone of an `Arc` does not copy the text.
        let media = [Medium::Copper, Medium::Fibre].map(|medium| Arc::<str>::from(medium.name()));
        let link = |known: &Link, (length, medium): (u64, Medium)| Link {
            rate: known.rate,
            latency: match latency {
                Some(latency) => Some(known.latency.unwrap_or(latency) + length * PICOSECONDS_PER_MILLIMETRE),
                None => known.latency,
            },
            length: Some(length),
            // A known medium of the fabric, for example `mmf-om4`, is kept, because it is more precise than "fibre". This does not apply
            // with devices, because the physical cables then differ from the links of the fabric.
            medium: match &known.medium {
                Some(word) if through.is_none() => Some(Arc::clone(word)),
                _ => Some(Arc::clone(&media[medium as usize])),
            },
            cost: known.cost,
        };
        let channels = (0..fabric.num_channels() as u32)
            .map(|channel| {
                let cable = match through {
                    Some(devices) => self.by_device(fabric, channel, devices[channel as usize]),
                    None => self.cable_of(fabric, channel),
                };
                link(fabric.link(channel), cable)
            })
            .collect::<Vec<_>>();
        let endpoints = (0..fabric.num_endpoints() as u32)
            .map(|endpoint| link(fabric.endpoint_link(endpoint), self.endpoint_cable(fabric, endpoint)))
            .collect::<Vec<_>>();
        fabric.relinked(&channels, &endpoints)
    }
}

/// Places all endpoints of a host where its first endpoint is. A host has only one place, even if it is connected to several switches.
fn join_hosts(fabric: &Fabric, endpoints: &mut [Position]) {
    let mut first = HashMap::new();
    for (endpoint, position) in (0..).zip(endpoints) {
        if let Some(host) = fabric.host(endpoint) {
            *position = *first.entry(host).or_insert(*position);
        }
    }
}

/// Propagation in copper and fibre, about 2/3 of the speed of light: 5 ns per metre.
const PICOSECONDS_PER_MILLIMETRE: u64 = 5;

/// Sets the places of racks. The racks of a cell follow each other along a column. If the column ends, they continue in the next column.
fn place(racks: &mut [Rack], plan: &Plan, counts: &[u32], floor: &Floor, devices: u32) {
    let total = racks.len() as u64;
    if plan.places.is_empty() {
        let middle = vec![u64::from(floor.devices); devices.div_ceil(floor.devices) as usize];
        let rows = if devices == 0 { floor.rows_for(total) } else { best_rows(total, &middle, floor) };
        for (at, rack) in (0u64..).zip(racks.iter_mut()) {
            let (column, row) = (at / rows, at % rows);
            rack.place = if devices > 0 {
                [right_of_middle(side(column)), row as i32]
            } else {
                // Racks are numbered up one column and down the next. So the racks of a group are near each other even if a column ends
                // within the group.
                [column as i32, if column.is_multiple_of(2) { row } else { rows - 1 - row } as i32]
            };
        }
        return;
    }
    // Each row of cells gets as many rows of racks as the largest cell of the plan has racks.
    let widest = counts.iter().copied().max().unwrap_or(1) as i32;
    let mut at = 0;
    for (&[column, row], &count) in plan.places.iter().zip(counts) {
        let column = if devices == 0 { column } else { right_of_middle(column) };
        for rack in 0..count as i32 {
            racks[at].place = [column, row * widest + rack];
            at += 1;
        }
    }
}

/// Returns the final column for a column of the plan. Columns on the right side move by one, because column 0 belongs to the devices.
fn right_of_middle(column: i32) -> i32 {
    if column < 0 { column } else { column + 1 }
}

/// Moves all racks so that the lowest column and the lowest row are 0.
fn shift(racks: &mut [Rack]) {
    let least = [0, 1].map(|at| racks.iter().map(|rack| rack.place[at]).min().unwrap_or(0));
    for rack in racks {
        rack.place = [0, 1].map(|at| rack.place[at] - least[at]);
    }
}

#[cfg(test)]
mod tests;
