//! The channel dependencies of all states that can exist while switches load new tables.
//!
//! In a *state*, every switch uses one of several tables to forward packets, and one of several maps from service levels to virtual
//! channels (VCs). The table and the map may differ between switches. If the dependencies of all states together have no cycle, no state
//! and no mixture of states can deadlock.

mod maps;
mod walk;

use std::collections::HashSet;

use maps::Maps;
use rayon::prelude::*;
use tulle_base::task;
use walk::{Found, Walk};

use crate::neighbours::Neighbours;

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

/// The forwarding tables and VC maps that switches may use in some state, and the service levels that sources may use.
#[derive(Debug, Clone)]
pub struct Choices {
    /// The number of addresses in every table.
    pub addresses: usize,
    /// Forwarding tables: the output port of a switch for an address, at index `switch * addresses + address`. A port number of
    /// [`Wires::ports`] or more means that the switch does not forward the address.
    pub tables: Vec<Vec<u16>>,
    /// The service levels that sources at a switch use toward an address, as one bit per level. The index is `switch * addresses +
    /// address`.
    pub levels: Vec<u16>,
    /// Maps from switch, input port, output port and service level to a VC, or to [`DISCARD`]. A value of [`NUM_VCS`] or more means that
    /// the VC is unknown.
    pub maps: Vec<Vec<u8>>,
    /// Each switch with sources, and one of the ports through which packets of these sources enter the switch.
    pub entry: Vec<(u32, u16)>,
    /// The number of old tables, which come first in `tables`, if switches load new tables in rounds. Then a packet that a switch has
    /// forwarded by a new table is forwarded only by new tables afterwards. The value is 0 if switches load tables in any order.
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

/// Follows the packets to all addresses in all states, and collects their channel dependencies.
pub fn dependencies(wires: &Wires, choices: &Choices) -> Dependencies {
    let columns = columns(wires, choices);
    let maps = Maps::of(&choices.maps, wires.ports);
    let found = columns
        .par_chunks(columns.len().div_ceil(8 * rayon::current_num_threads()).max(1))
        .map(|some| {
            let mut walk = Walk::new(wires, choices, &maps);
            for column in some {
                task::check();
                walk.follow(column);
            }
            walk.found
        })
        .reduce(|| Found::new(0), Found::joined);
    found.into_dependencies(wires)
}

/// The table entries of all switches for an address, table by table, and then the service levels that sources at each switch use. An entry
/// that leads to no switch is `u16::MAX`, because packets wait for no link between switches there.
type Column = Vec<u16>;

/// The number of addresses whose columns are copied together. The arrays of [`Choices`] are stored by switch, so copying a single address
/// would load a whole cache line per switch.
const BLOCK: usize = 64;

/// Returns the columns of all addresses to which packets are sent. Addresses with equal columns have equal dependencies, so each column is
/// returned only once.
fn columns(wires: &Wires, choices: &Choices) -> Vec<Column> {
    let switches = wires.to.len() / wires.ports;
    let leads: Vec<bool> =
        (0..wires.to.len()).map(|link| wires.to[link] >= 0 || wires.down[link] >= 0 || wires.foreign[link]).collect();
    let of_block = |block: usize| -> Vec<Column> {
        let addresses = block * BLOCK..choices.addresses.min((block + 1) * BLOCK);
        let mut columns = vec![Vec::with_capacity((choices.tables.len() + 1) * switches); addresses.len()];
        for table in &choices.tables {
            for switch in 0..switches {
                let row = &table[switch * choices.addresses..][addresses.clone()];
                for (column, &out) in columns.iter_mut().zip(row) {
                    let known = usize::from(out) < wires.ports && leads[switch * wires.ports + usize::from(out)];
                    column.push(if known { out } else { u16::MAX });
                }
            }
        }
        for row in choices.levels.chunks_exact(choices.addresses) {
            columns.iter_mut().zip(&row[addresses.clone()]).for_each(|(column, &levels)| column.push(levels));
        }
        columns.retain(|column| column[choices.tables.len() * switches..].iter().any(|&levels| levels != 0));
        columns
    };
    let blocks: Vec<Vec<Column>> = (0..choices.addresses.div_ceil(BLOCK)).into_par_iter().map(of_block).collect();
    let mut seen = HashSet::new();
    let is_new: Vec<bool> = blocks.iter().flatten().map(|column| seen.insert(column)).collect();
    blocks.into_iter().flatten().zip(is_new).filter_map(|(column, is_new)| is_new.then_some(column)).collect()
}

/// Returns the VCs that are on a cycle of the dependencies `pairs`, and those that such a cycle leads to, in ascending order. Kahn's
/// algorithm removes all others.
pub fn in_cycles(pairs: &[[u32; 2]]) -> Vec<u32> {
    let nodes = pairs.iter().flatten().max().map_or(0, |&node| node as usize + 1);
    let successors = Neighbours::of(nodes, pairs.iter().copied());
    let mut before = vec![0u32; nodes];
    pairs.iter().for_each(|&[_, wanted]| before[wanted as usize] += 1);
    let mut ready: Vec<u32> = (0..nodes as u32).filter(|&node| before[node as usize] == 0).collect();
    while let Some(node) = ready.pop() {
        for &next in successors.of_node(node) {
            before[next as usize] -= 1;
            if before[next as usize] == 0 {
                ready.push(next);
            }
        }
    }
    (0..nodes as u32).filter(|&node| before[node as usize] > 0).collect()
}
