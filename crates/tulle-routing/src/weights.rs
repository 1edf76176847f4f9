//! Shares of layers and ports that spread every pair of switches, whatever the traffic.
//!
//! What a switch sends to a destination goes over some layers, and in each over some ports: fractions of it pass over channels
//! on the way. Here those fractions are made as small as they can be together: the sum of their squares is least, as currents
//! through a network of equal resistors have it. Traffic between few pairs then meets itself as little as the tables allow,
//! and no traffic need be known.
//!
//! A switch has one set of shares per layer and destination for all that passes through it, so the least sum is looked for
//! switch by switch, with what lies behind as it was in the sweep before; of all sweeps the best one counts.

mod column;
mod least_squares;
mod whole;

use rayon::prelude::*;
use tulle_base::task;
use tulle_fabric::Fabric;

use self::column::{Column, Split};
use self::whole::whole;
use crate::Table;

/// `tables` with shares of ports and layers, those of a pair's layers in sum `shares`, at least the number of layers.
///
/// Ports and layers that would get less than half a share get none: groups lose such ports, pairs such layers. Where a pair
/// leaves a layer out, the layer's ports stay as they are best for that layer alone, since others' packets pass there.
pub fn weighted(fabric: &Fabric, tables: &[Table], shares: u8) -> Vec<Table> {
    let switches = fabric.num_switches() as u32;
    let columns: Vec<Vec<Whole>> = (0..switches)
        .into_par_iter()
        .map(|destination| {
            task::check();
            let splits = Column::new(fabric, tables, destination).split();
            splits.iter().flat_map(|of_layers| rounded(of_layers, tables.len(), shares)).collect()
        })
        .collect();
    let weigh = |(layer, table): (usize, &Table)| {
        table.weighted(|row| {
            let switch = row.switch;
            for destination in row.destinations() {
                let at = switch as usize * tables.len() + layer;
                let Whole { layer: share, ports: port_shares } = &columns[destination as usize][at];
                let ports = table.next(switch, destination).iter().zip(port_shares);
                let (ports, port_shares): (Vec<u16>, Vec<u8>) = ports.filter(|&(_, &share)| share > 0).unzip();
                row.set(destination, ports, port_shares);
                row.set_layer_share(destination, *share);
            }
        })
    };
    tables.iter().enumerate().map(weigh).collect()
}

/// Whole shares of a layer, and of its ports.
struct Whole {
    layer: u8,
    ports: Vec<u8>,
}

/// The whole shares of a switch in all `layers`; nothing toward itself, where `splits` has none.
fn rounded(splits: &[Split], layers: usize, shares: u8) -> Vec<Whole> {
    if splits.is_empty() {
        return (0..layers).map(|_| Whole { layer: 0, ports: Vec::new() }).collect();
    }
    let of_layers = whole(splits.iter().map(|split| split.layer), shares);
    let of_ports = splits.iter().map(|split| whole(split.ports.iter().copied(), shares));
    of_layers.into_iter().zip(of_ports).map(|(layer, ports)| Whole { layer, ports }).collect()
}
