//! The scheme `spread-groups` (designed for tulle): layers with several next hops per destination. Switches store the next hops as
//! equal-cost groups.
//!
//! For each destination and layer, every switch has a number, its *potential*. A switch forwards to all neighbours of lower potential, so
//! no packet can loop. The potential is twice the distance to the destination, plus 1 at some switches. These switches also forward
//! sideways: to neighbours at the same distance.
//!
//! The *code* of a switch is the set of layers in which the switch adds 1 to its potential. No code contains another code. So if two
//! neighbours at the same distance have different codes, each forwards to the other in some layer.
//!
//! Some switches still have few disjoint paths, mainly the neighbours of the destination. For such a switch, the search raises the
//! potential above the potentials of its neighbours in some layers. In these layers, the switch also forwards away from the destination.
//! `docs/explanation/spread.md` describes the results and the running time.

mod codes;
mod disjoint;
mod groups;
mod potentials;
mod raise;
mod search;
mod ways;

use rayon::prelude::*;
use tulle_base::random::stream;
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use self::codes::codes;
use self::groups::table;
use self::potentials::Potentials;
use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::scheme::Scheme;
use crate::weights::weighted;
use crate::{Error, Routes, Table};

plugin! {
    pub struct SpreadGroups {
        /// number of layers n; every layer can have non-minimal paths
        layers: u8 = integer(1, 16), default "4";
        /// maximum hops of a path; auto: twice the diameter plus one
        limit: Option<u8> = or("auto", &integer(1, 254)), default "auto";
        /// target number of disjoint paths between two switches, as a fraction of the ports of the switch with fewer ports
        share: f64 = fraction(), default "0.65";
        /// maximum number of rounds of the search that gives switches more disjoint paths
        effort: u16 = integer(0, 1000), default "2";
        /// sum of the shares (weights) of a pair's layers, and of a group's ports; the shares spread the traffic of each pair over many
        /// links; none: all shares are equal
        shares: Option<u8> = or("none", &integer(16, 255)), implied "none";
    }
    name: "spread-groups",
    summary: "layers with several next hops per destination; a next hop may be nearer to the destination, equally near or (at some \
        switches) farther away",
    paper: "designed for tulle; its aim is about k' disjoint almost-minimal paths per pair, where k' is the network radix (FatPaths §IV, \
        Fig. 11), in few tables",
    limitations: "The switches must support equal-cost groups; InfiniBand's tables hold one port per destination. Of the deadlock schemes, \
        dfsssp usually needs more virtual channels than hardware has, and hops needs one virtual channel per hop. The routing is a \
        heuristic without a bound on its distance from the optimum. Shares do not depend on the traffic. In fabrics of more than 800 \
        switches, the search makes one round. It then considers only switches with too few ports toward the destination, and only if they \
        lack more than an eighth of the target number of paths.",
    examples: ["spread-groups", "spread-groups:layers=1", "spread-groups:layers=8,effort=0", "spread-groups:limit=9,share=0.5", "spread-groups:layers=2,shares=64"],
    rejects: [
        ("spread-groups:layers=0", "layers=0 is out of range; legal: 1 to 16"),
        ("spread-groups:layers=17", "layers=17 is out of range; legal: 1 to 16"),
        ("spread-groups:limit=0", "limit=0 is out of range; legal: 1 to 254"),
        ("spread-groups:share=2", "share=2 is out of range; legal: above 0 and at most 1"),
        ("spread-groups:shares=15", "shares=15 is out of range; legal: 16 to 255"),
        ("spread-groups:effort=-1", "effort=-1 is out of range"),
    ],
}

impl Scheme for SpreadGroups {
    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error> {
        let distances = connected_distances(&SpreadGroups::INFO, fabric, &LayerLinks::all(fabric))?;
        let switches = 0..fabric.num_switches() as u32;
        let diameter = switches.clone().flat_map(|switch| distances.row(switch)).copied().max().unwrap_or(0);
        let limit = self.limit.map_or(2 * u32::from(diameter) + 1, u32::from);
        // A path may alternate between hops toward the destination and sideways hops. It then has two hops for each hop of distance.
        let is_short = limit < 2 * u32::from(diameter);
        if limit < u32::from(diameter) {
            return Err(Error::Fabric {
                scheme: SpreadGroups::INFO.name.to_owned(),
                problem: format!("limit={limit} is less than the diameter of {}", fabric.spec()),
                legal: format!("legal: limit={diameter} or more"),
            });
        }
        let codes = match is_short {
            true => vec![0],
            false => codes(self.layers, &mut stream(seed, "routing/spread-groups/codes", 0)),
        };
        let bare = fabric.num_endpoints() == 0;
        let potentials = Potentials {
            fabric,
            distances: &distances,
            codes: &codes,
            layers: self.layers.into(),
            counted: switches.clone().map(|switch| bare || !fabric.endpoints_of(switch).is_empty()).collect(),
            limit,
            share: self.share,
            effort: self.effort,
        };
        let columns: Vec<Vec<u16>> = switches
            .into_par_iter()
            .map(|destination| {
                task::check();
                potentials.toward(destination, &mut stream(seed, "routing/spread-groups", destination.into()))
            })
            .collect();
        let tables: Vec<Table> = (0..usize::from(self.layers)).map(|layer| table(fabric, &columns, layer)).collect();
        Ok(Routes::Layers(match self.shares {
            None => tables,
            Some(shares) => weighted(fabric, &tables, shares),
        }))
    }
}
