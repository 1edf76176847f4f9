//! The scheme `spain`: paths toward each destination form trees, which are merged into layers.

mod merge;
mod subgraphs;

use rayon::prelude::*;
use tulle_base::random::stream;
use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;
use tulle_spec::{Plugin, plugin};

use crate::columns::{Columns, NO_PORT};
use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::loads::Loads;
use crate::scheme::Scheme;
use crate::shortest::random_next_hops;
use crate::tree::tree_column;
use crate::{Error, Routes, Table, TableBuilder};

/// Maximum number of layers. A VLAN number has 12 bits, and two of the 4096 numbers are reserved (IEEE 802.1Q). Layer 0 needs no VLAN.
const MAX_LAYERS: usize = 4095;

/// Maximum number of table entries. This many entries take 4 GiB of memory.
const MAX_ENTRIES: usize = 1 << 31;

plugin! {
    pub struct Spain {
        /// maximum number k of paths per pair of switches; they share as few cables as possible, and among equally disjoint paths, the
        /// shortest are used
        paths: usize = integer(1, 16), default "3";
        /// maximum number of layers n, including layer 0 with all links; the other layers are the VLANs that connect the most pairs
        layers: Option<usize> = or("all", &integer(1, MAX_LAYERS as u64)), default "all";
    }
    name: "spain",
    summary: "one layer with all links and one layer per VLAN: disjoint paths per destination, grouped into trees and \
        merged into forests",
    paper: "FatPaths appendix C-B, Listing 4; Mudigonda et al.: SPAIN, NSDI 2010",
    limitations: "In low-diameter fabrics, the scheme needs about as many VLANs as the fabric has switches, and a \
        table for each VLAN; with fewer layers, some of the k paths of a pair are missing. Merging is greedy in random \
        order. If a VLAN does not connect a pair, the packets of this pair follow layer 0 until they reach the \
        destination's tree in the VLAN. Ties between paths are broken in the same way for all sources of a destination, \
        so that fewer trees are needed.",
    examples: ["spain", "spain:paths=2,layers=4", "spain:paths=1"],
    rejects: [
        ("spain:paths=0", "paths=0 is out of range; legal: 1 to 16"),
        ("spain:layers=0", "layers=0 is out of range; legal: 1 to 4095"),
        ("spain:layers=some", "layers=some is not a whole number"),
    ],
}

impl Scheme for Spain {
    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error> {
        let all = LayerLinks::all(fabric);
        let distances = connected_distances(&Spain::INFO, fabric, &all)?;
        let mut builder = TableBuilder::new(fabric);
        random_next_hops(&mut builder, &all, &distances, seed, 0);
        let base = builder.finish();
        let vlans = self.vlans(fabric, &distances, seed);
        let entries = fabric.num_switches().pow(2).max(1);
        let legal = MAX_LAYERS.min(MAX_ENTRIES / entries);
        if vlans.len() >= legal {
            return Err(Error::Fabric {
                scheme: Spain::INFO.name.to_owned(),
                problem: format!("{} needs {} layers", fabric.spec(), vlans.len() + 1),
                legal: format!(
                    "legal: layers=1 to {legal}, which keeps the layers that connect the most pairs; or a smaller value of paths="
                ),
            });
        }
        let further = vlans.iter().map(|cables| layer(fabric, cables, &base));
        let mut tables = vec![base.clone()];
        tables.extend(further);
        Ok(Routes::Layers(tables))
    }
}

impl Spain {
    /// Returns the cables of each VLAN that becomes a layer. VLANs that connect the most pairs of switches come first.
    fn vlans(&self, fabric: &Fabric, distances: &Distances, seed: u64) -> Vec<Vec<u32>> {
        let most = self.layers.unwrap_or(usize::MAX) - 1;
        if most == 0 {
            return Vec::new();
        }
        let edge = Loads::new(fabric).edge();
        let subgraphs: Vec<Vec<Vec<u32>>> = edge
            .par_iter()
            .map(|&destination| subgraphs::of(fabric, distances, &edge, destination, self.paths, seed))
            .collect();
        let subgraphs = subgraphs.into_iter().flatten().collect();
        merge::forests(fabric, subgraphs, most, &mut stream(seed, "routing/spain/merge", 0))
    }
}

/// Returns the layer of a VLAN, whose `cables` form a forest. A switch in the same tree as the destination forwards within the tree. Any
/// other switch uses the next hop of `base`. A packet that reaches the destination's tree stays in it.
fn layer(fabric: &Fabric, cables: &[u32], base: &Table) -> Table {
    let links = LayerLinks::of_cables(fabric, cables);
    let mut columns = Columns::new(fabric.num_switches());
    columns.par_columns().for_each_init(Vec::new, |order, (destination, column)| {
        tree_column(fabric, &links, destination, column, order);
        for (switch, port) in (0..).zip(column.iter_mut()) {
            if *port == NO_PORT && switch != destination {
                *port = base.group(switch, destination);
            }
        }
    });
    columns.table(fabric)
}
