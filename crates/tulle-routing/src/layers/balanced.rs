//! The scheme `balanced`: shortest paths that balance the load of the links. DFSSSP routes in this way before it assigns virtual channels.

use rand::seq::SliceRandom;
use tulle_base::random::stream;
use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use crate::columns::Columns;
use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::loads::{BalancedTrees, Loads};
use crate::scheme::Scheme;
use crate::{Error, Routes};

plugin! {
    pub struct Balanced {
        /// number of layers n; if a pair has several shortest paths, its layers can use different ones
        layers: u8 = integer(1, 255), default "1";
    }
    name: "balanced",
    summary: "one shortest path per pair and layer, chosen so that all links carry about equally many routes",
    paper: "Slim Fly deployment (NSDI24) §5.2, the DFSSSP baseline (reference [36] of this paper); Hoefler et al., HotI 2009",
    limitations: "The scheme uses minimal paths only. Destinations are routed one after another in random order. The balance counts only \
        destinations that are already routed, so the first destinations are hardly balanced. The load of a link is its number of \
        routes between endpoints, not the traffic of an application.",
    examples: ["balanced", "balanced:layers=3"],
    rejects: [
        ("balanced:layers=0", "layers=0 is out of range; legal: 1 to 255"),
        ("balanced:layers=256", "layers=256 is out of range; legal: 1 to 255"),
        ("balanced:rho=1", "unknown parameter 'rho=1'"),
    ],
}

impl Scheme for Balanced {
    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error> {
        let distances = connected_distances(&Balanced::INFO, fabric, &LayerLinks::all(fabric))?;
        let switches = fabric.num_switches();
        let mut loads = Loads::new(fabric);
        let mut trees = BalancedTrees::new(switches);
        let mut destinations: Vec<u32> = (0..switches as u32).collect();
        let layers = (0..u64::from(self.layers)).map(|layer| {
            let mut rng = stream(seed, "routing/balanced", layer);
            destinations.shuffle(&mut rng);
            let mut columns = Columns::new(switches);
            for &destination in &destinations {
                let column = columns.column_mut(destination);
                trees.add(fabric, &distances, destination, &mut loads, column, &mut rng);
            }
            columns.table(fabric)
        });
        Ok(Routes::Layers(layers.collect()))
    }
}
