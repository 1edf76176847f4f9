//! The scheme `spread` (designed for tulle): layers that spread the traffic of every pair over disjoint paths.
//!
//! Two paths toward one destination can be disjoint only if they enter it over different cables. So the scheme divides the cables that lead
//! to a destination among all layers except layer 0. In each of these layers, all paths to the destination form a tree. The tree has the
//! shortest paths that enter the destination over the cables of the layer, if the hop limit allows these paths. Layer 0 has minimal paths.
//!
//! A local search then changes single next hops. With the aim `throughput`, it minimises a cost with three parts: cables that paths of one
//! pair share, hops, and unbalanced loads. The first part is convex, so that pairs whose paths share the most cables count most. With the
//! aim `disjoint`, the search maximises a concave score of the number of disjoint paths. `docs/explanation/spread.md` explains the method,
//! its results and its running time.

mod aim;
mod changes;
mod classes;
mod context;
mod disjoint;
mod forest;
mod limit;
mod marks;
mod rounds;
mod throughput;
mod trees;

use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use self::aim::Aim;
use self::context::Context;
use self::limit::HopLimit;
use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::scheme::Scheme;
use crate::{Error, Routes};

/// Maximum number of layers. Sets of layers are stored as bits of a 64-bit word.
const MAX_LAYERS: u64 = 64;

/// Maximum number of paths, summed over all pairs and layers.
const MAX_PATHS: u64 = i32::MAX as u64;

plugin! {
    pub struct Spread(arguments) {
        /// number of layers n, including the layer of minimal paths
        layers: u8 = integer(1, MAX_LAYERS), default "4";
        /// maximum hops of a path: a number (pairs farther apart use minimal paths), or minimal plus a number; auto: the smallest limit
        /// that leaves enough disjoint paths; with aim=throughput, there is one such limit for each distance between two switches
        limit: Option<HopLimit> = or("auto", &text("1 to 254, minimal+1 to minimal+9")), default "auto";
        /// goal for each pair; throughput: few of its paths share a cable; disjoint: three disjoint paths if possible; further ones count
        /// less
        aim: Aim = word(Aim::WORDS), default "throughput";
        /// maximum number of rounds of local search; each round visits all destinations
        effort: u16 = integer(0, 1000), default "8";
    }
    check {
        if aim == Aim::Disjoint && layers > disjoint::MAX_LAYERS {
            let values = format!("layers={layers}, aim=disjoint");
            return Err(arguments.clash(values, "are too many", format!("legal: layers={} or less", disjoint::MAX_LAYERS)));
        }
    }
    name: "spread",
    summary: "layers from a local search: paths enter every destination over different cables, and the paths of a pair share few cables; \
        layer 0 has minimal paths",
    paper: "designed for tulle; its aims are disjoint almost-minimal paths per pair: about k' paths, where k' is the network radix \
        (FatPaths §IV, Fig. 11), and at least three (Slim Fly deployment (NSDI24) §4.2)",
    limitations: "The scheme is a heuristic without a bound on its distance from the optimum. It balances the paths \
        between switches over the links, whatever number of endpoints the switches have. Without virtual channels, its \
        layers can deadlock. In fabrics of more than 800 switches, the search is shorter: it examines only twelve \
        ports of a switch (or as many as there are layers, if that is more), and makes fewer rounds. With the \
        default effort and 1,400 switches or more, it makes one round.",
    examples: [
        "spread", "spread:layers=1", "spread:layers=3,limit=minimal+1,effort=1", "spread:limit=4,effort=0",
        "spread:layers=9,limit=3,aim=disjoint",
    ],
    rejects: [
        ("spread:layers=0", "layers=0 is out of range; legal: 1 to 64"),
        ("spread:layers=65", "layers=65 is out of range; legal: 1 to 64"),
        ("spread:limit=0", "limit=0 is not a hop limit; legal: 1 to 254, minimal+1 to minimal+9, or auto"),
        ("spread:limit=minimal+10", "limit=minimal+10 is not a hop limit"),
        ("spread:limit=+1", "limit=+1 is not a hop limit"),
        ("spread:layers=17,aim=disjoint", "layers=17, aim=disjoint are too many; legal: layers=16 or less"),
        ("spread:aim=speed", "aim=speed is not a choice; legal: throughput, disjoint"),
        ("spread:effort=-1", "effort=-1 is out of range"),
    ],
}

impl Scheme for Spread {
    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error> {
        // Loads are 32-bit numbers. In the worst case, one channel carries the paths of all pairs in all layers, so this number must fit in
        // 32 bits.
        let (switches, layers) = (fabric.num_switches() as u64, u64::from(self.layers));
        if switches * switches * layers > MAX_PATHS {
            return Err(Error::Fabric {
                scheme: Spread::INFO.name.to_owned(),
                problem: format!("{switches} switches in {layers} layers are too many"),
                legal: format!("legal: at most {} switches with this number of layers", (MAX_PATHS / layers).isqrt()),
            });
        }
        let distances = connected_distances(&Spread::INFO, fabric, &LayerLinks::all(fabric))?;
        let context = Context::new(fabric, distances, self.limit, usize::from(self.layers), self.aim);
        let layers = match self.aim {
            Aim::Throughput => throughput::layers(&context, seed, self.effort),
            Aim::Disjoint => disjoint::layers(&context, seed, self.effort),
        };
        Ok(Routes::Layers(layers))
    }
}
