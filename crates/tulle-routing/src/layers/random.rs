//! Layers of randomly sampled links (FatPaths Listing 1).

use rand::seq::index;
use tulle_fabric::Fabric;
use tulle_fabric::distances::{Distances, is_connected};
use tulle_fabric::random::stream;
use tulle_fabric::spec::{Arguments, Info, Parameter, Parameters, SpecError};

use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::schemes::Scheme;
use crate::shortest::random_next_hops;
use crate::{Error, Routes, TableBuilder};

/// What this scheme says of itself.
pub const INFO: Info = Info {
    name: "random",
    summary: "one layer of all links and further layers of a random share of them, shortest paths within each",
    parameters: &[
        Parameter { name: "layers", legal: "1 to 255", default: "9", help: "layers n, the one of all links included" },
        Parameter {
            name: "rho",
            legal: "above 0, at most 1",
            default: "0.6",
            help: "share ρ of the cables that each further layer keeps",
        },
    ],
    nested: false,
    paper: "FatPaths §V-B2, Listing 1; one next hop drawn from the shortest ones, §V-C",
    limitations: "Exactly ⌊ρ·cables⌋ cables per layer, drawn anew until connected; layers may overlap, paths are not made disjoint.",
    examples: &["random:layers=4,rho=0.7", "random:layers=1", "random:layers=3,rho=1"],
    rejects: &[
        ("random:layers=0", "layers=0 is out of range; legal: 1 to 255"),
        ("random:rho=0", "rho=0 is out of range"),
        ("random:rho=1.5", "rho=1.5 is out of range; legal: above 0 and at most 1"),
        ("random:rho=x", "rho=x is not a fraction"),
    ],
};

/// How often a layer is drawn anew before the share is called too small.
const ATTEMPTS: u64 = 100;

struct Random {
    layers: u8,
    rho: f64,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Scheme>, SpecError> {
    let layers = arguments.integer("layers", 1..=255)?.unwrap_or(9) as u8;
    let rho = arguments.fraction("rho", false)?.unwrap_or(0.6);
    Ok(Box::new(Random { layers, rho }))
}

impl Scheme for Random {
    fn parameters(&self) -> Parameters {
        Parameters::new().integer("layers", self.layers).real("rho", self.rho)
    }

    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error> {
        let all = LayerLinks::all(fabric);
        let distances = connected_distances(&INFO, fabric, &all)?;
        let table = |links: &LayerLinks, distances: &Distances, layer: u64| {
            let mut builder = TableBuilder::new(fabric);
            random_next_hops(&mut builder, links, distances, seed, layer);
            builder.finish()
        };
        let mut layers = vec![table(&all, &distances, 0)];
        for layer in 1..u64::from(self.layers) {
            if self.rho == 1.0 {
                layers.push(table(&all, &distances, layer));
                continue;
            }
            let links = self.sample(fabric, seed, layer)?;
            let distances = connected_distances(&INFO, fabric, &links)?;
            layers.push(table(&links, &distances, layer));
        }
        Ok(Routes::Layers(layers))
    }
}

impl Random {
    /// Exactly ⌊ρ·cables⌋ cables that connect the fabric.
    fn sample(&self, fabric: &Fabric, seed: u64, layer: u64) -> Result<LayerLinks, Error> {
        let cables: Vec<u32> = fabric.cables().collect();
        // Guards against ρ·cables landing just below a whole number that it equals.
        let kept = (self.rho * cables.len() as f64 + 1e-9).floor() as usize;
        let tree = fabric.num_switches().saturating_sub(1);
        if kept >= tree {
            for attempt in 0..ATTEMPTS {
                let mut rng = stream(seed, "routing/random/layer", layer * ATTEMPTS + attempt);
                let mut keep = vec![false; fabric.num_channels()];
                for at in index::sample(&mut rng, cables.len(), kept) {
                    let channel = cables[at] as usize;
                    keep[channel] = true;
                    keep[fabric.reverse()[channel] as usize] = true;
                }
                let links = LayerLinks::of(fabric, |channel| keep[channel as usize]);
                if is_connected(&links) {
                    return Ok(links);
                }
            }
        }
        Err(Error::Fabric {
            scheme: INFO.name.to_owned(),
            problem: format!(
                "rho={} keeps {kept} of {} cables of {}, which never connected its {} switches in {ATTEMPTS} draws",
                self.rho,
                cables.len(),
                fabric.spec(),
                fabric.num_switches()
            ),
            legal: format!("legal: a larger rho (even one tree needs {:.3})", tree as f64 / cables.len().max(1) as f64),
        })
    }
}
