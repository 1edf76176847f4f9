//! The scheme `spread` (designed for tulle): layers that spread the traffic of every pair over disjoint paths.
//!
//! Two paths toward one destination can be disjoint only if they enter it over different cables. So the cables into each destination are
//! divided among all layers except layer 0. In each layer, the tree toward the destination has the shortest paths that enter over the
//! layer's own cables, if the hop limit allows. Layer 0 has minimal paths.
//!
//! A local search then changes single next hops. With the aim `throughput`, it minimises a cost with three parts: cables that paths of one
//! pair share (convex, so that the weakest pairs count most), hops, and unbalanced loads. With the aim `disjoint`, it maximises a concave
//! score of the number of disjoint paths. `docs/explanation/spread.md` explains the method, its results and its running time.

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
        /// number of layers n, including the minimal one
        layers: u8 = integer(1, MAX_LAYERS), default "4";
        /// maximum hops of a path, as a number (pairs farther apart take minimal paths) or as minimal plus a number; auto: per distance of
        /// a pair, the smallest limit that leaves enough disjoint paths for the layers
        limit: Option<HopLimit> = or("auto", &text("1 to 254, minimal+1 to minimal+9")), default "auto";
        /// goal for each pair: few paths on each cable (throughput), or disjoint paths, at least three if possible (disjoint)
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
    summary: "layers that enter every destination over different cables and share few cables per pair, by local \
        search; layer 0 is minimal",
    paper: "designed for tulle; its aims are about k' disjoint almost-minimal paths per pair (FatPaths §IV, Fig. 11), \
        and at least three of them (Slim Fly deployment (NSDI24) §4.2)",
    limitations: "The scheme is a heuristic without a bound on its distance from the optimum. It balances links over \
        pairs of switches, not over endpoints. Its layers need virtual channels to be free of deadlock. With more than \
        800 switches the search examines less: twelve ports of a switch at a time, or as many as layers, and fewer \
        rounds; with 1,458 switches or more, one round.",
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
        // Loads are counted in 32 bits, and a channel can carry all paths of all pairs and layers.
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
