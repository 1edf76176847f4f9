//! Layers that enter every destination through cables of their own (ours).
//!
//! Two paths toward one destination can be disjoint only where they enter it over different cables. So for every destination
//! the cables into it are split into n − 1 classes, and layer l's tree is a shortest-path tree that enters through class l
//! alone, wherever the hop limit allows; layer 0 stays minimal. A local search over single next hops then looks for more
//! disjoint paths per pair, and at last evens out the loads of the links. `docs/gateway.md` has the idea at length, what it
//! reaches and what it needs.

mod classes;
mod context;
mod forest;
mod limit;
mod marks;
mod rounds;
mod score;
mod search;
mod trees;

use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use self::context::Context;
use self::limit::HopLimit;
use self::rounds::Rounds;
use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::scheme::Scheme;
use crate::{Error, Routes};

/// The most layers: sets of layers are 16-bit words, and a pair rarely has more disjoint paths than that to gain.
const MAX_LAYERS: u64 = 16;

/// The most paths over all pairs and layers.
const MAX_PATHS: u64 = i32::MAX as u64;

plugin! {
    pub struct Gateway {
        /// layers n, the minimal one included
        layers: u8 = integer(1, MAX_LAYERS), default "4";
        /// most hops of a path, or how many more than minimal; pairs farther apart than a limit in hops take minimal
        /// paths; auto: 3, minimal+1 or minimal+2, whichever first lets most pairs have three paths
        limit: Option<HopLimit> = or("auto", &text("1 to 254, minimal+1 to minimal+9")), default "auto";
        /// rounds of local search, as many for disjoint paths as for balanced links
        effort: u16 = integer(0, 1000), default "8";
    }
    name: "gateway",
    summary: "layers that enter every destination over different cables, improved by local search; the first is \
        minimal",
    paper: "ours; its aim, three disjoint almost-minimal paths per pair, is that of deployment §4.2",
    limitations: "A heuristic without a bound on how far from the best it stays. Links are balanced over pairs of \
        switches, not over endpoints. Not free of deadlock by itself: it needs virtual channels.",
    examples: ["gateway", "gateway:layers=1", "gateway:layers=3,limit=minimal+1,effort=1", "gateway:limit=4,effort=0"],
    rejects: [
        ("gateway:layers=0", "layers=0 is out of range; legal: 1 to 16"),
        ("gateway:layers=17", "layers=17 is out of range; legal: 1 to 16"),
        ("gateway:limit=0", "limit=0 is not a hop limit; legal: 1 to 254, minimal+1 to minimal+9, or auto"),
        ("gateway:limit=minimal+10", "limit=minimal+10 is not a hop limit"),
        ("gateway:limit=+1", "limit=+1 is not a hop limit"),
        ("gateway:effort=-1", "effort=-1 is not a whole number"),
    ],
}

impl Scheme for Gateway {
    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error> {
        // No channel carries more paths than there are; they are counted in 32 bits.
        let (switches, layers) = (fabric.num_switches() as u64, u64::from(self.layers));
        if switches * switches * layers > MAX_PATHS {
            return Err(Error::Fabric {
                scheme: Gateway::INFO.name.to_owned(),
                problem: format!("{switches} switches in {layers} layers are too many"),
                legal: format!("legal: at most {} switches in as many layers", (MAX_PATHS / layers).isqrt()),
            });
        }
        let distances = connected_distances(&Gateway::INFO, fabric, &LayerLinks::all(fabric))?;
        let context = Context::new(fabric, distances, self.limit, usize::from(self.layers));
        let mut rounds = Rounds::new(&context, seed);
        rounds.plant(self.effort);
        rounds.balance(self.effort);
        Ok(Routes::Layers(rounds.tables()))
    }
}
