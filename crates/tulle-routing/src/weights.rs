//! Computes shares of layers and ports that spread the traffic of every pair of switches over many channels.
//!
//! The traffic of a pair is split over several layers, and in each layer over several ports. So each channel carries a fraction of the
//! pair's traffic. The shares minimise the sum of the squares of these fractions, as currents do in a network of equal resistors. The
//! traffic of different pairs then overlaps little. No traffic matrix is needed.
//!
//! For each layer and destination, a switch has one set of shares for all traffic that it forwards. So the shares of all switches depend on
//! each other, and an iteration computes them. In each step, every switch computes its best shares, assuming that the other switches keep
//! their shares of the previous step. The result is the best of all steps.

mod column;
mod least_squares;
mod whole;

use rayon::prelude::*;
use tulle_base::task;
use tulle_fabric::Fabric;

use self::column::{Column, Split};
use self::whole::whole;
use crate::Table;

/// Returns `tables` with shares of ports and layers. The layer shares of a pair sum to `shares`. The port shares of a group also sum to
/// `shares`, before they are divided by their greatest common divisor. `shares` must be at least the number of layers.
///
/// If the share of a port is rounded to 0, the port leaves its group. If the share of a layer is rounded to 0, the pair does not use the
/// layer. The source's ports in this layer still get shares, which are best for the layer alone, because packets of other pairs use them.
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

/// The whole-number shares of a layer and of its ports.
struct Whole {
    layer: u8,
    ports: Vec<u8>,
}

/// Returns the whole-number shares of a switch in all `layers`. At the destination, there are no ports.
fn rounded(splits: &[Split], layers: usize, shares: u8) -> Vec<Whole> {
    if splits.is_empty() {
        return (0..layers).map(|_| Whole { layer: 0, ports: Vec::new() }).collect();
    }
    let of_layers = whole(splits.iter().map(|split| split.layer), shares);
    let of_ports = splits.iter().map(|split| whole(split.ports.iter().copied(), shares));
    of_layers.into_iter().zip(of_ports).map(|(layer, ports)| Whole { layer, ports }).collect()
}
