//! The scheme `random`: layers of randomly sampled links (FatPaths Listing 1).

use rand::seq::index;
use rand::{Rng, RngExt};
use tulle_base::random::stream;
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_fabric::distances::{Distances, is_connected};
use tulle_spec::{Plugin, plugin, words};

use crate::acyclic_layer::{acyclic_layer, permutation};
use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::scheme::Scheme;
use crate::shortest::random_next_hops;
use crate::{Error, Routes, TableBuilder};

/// If none of this many random selections of cables connects the fabric, the scheme reports that the fraction of cables is too small.
const ATTEMPTS: u64 = 100;

plugin! {
    pub struct Random {
        /// number of layers n, including layer 0, which contains all links of the fabric
        layers: u8 = integer(1, 255), default "9";
        /// fraction ρ of the cables that each layer except layer 0 contains
        rho: f64 = fraction(), default "0.6";
        /// exact: ⌊ρ·cables⌋ cables per layer; bernoulli: each cable with probability ρ
        sampling: Sampling = word(Sampling::WORDS), default "exact";
        /// whether each layer except layer 0 uses its cables in one direction only, from the earlier to the later switch in a random order
        /// of the switches
        acyclic: bool = either("true", "false"), default "false";
    }
    name: "random",
    summary: "one layer with all links, and further layers with a random part of the links; shortest paths within each \
        layer",
    paper: "FatPaths §V-B2, Listing 1; one random shortest next hop, §V-C",
    limitations: "The paths of different layers may share links, because the scheme does not make them disjoint. With \
        acyclic=false, the links of a layer are selected again until they connect all switches. In an acyclic layer, \
        about half of the pairs, or more, have no path; their packets follow layer 0 until they reach a switch with a \
        path in the layer.",
    examples: [
        "random:layers=4,rho=0.7", "random:layers=1", "random:layers=3,rho=1",
        "random:layers=3,rho=0.8,sampling=bernoulli", "random:layers=4,rho=0.6,acyclic=true",
    ],
    rejects: [
        ("random:layers=0", "layers=0 is out of range; legal: 1 to 255"),
        ("random:rho=0", "rho=0 is out of range"),
        ("random:rho=1.5", "rho=1.5 is out of range; legal: above 0 and at most 1"),
        ("random:rho=x", "rho=x is not a fraction"),
        ("random:sampling=half", "sampling=half is not a choice; legal: exact, bernoulli"),
        ("random:acyclic=maybe", "acyclic=maybe is not a choice; legal: true, false"),
    ],
}

words! {
    /// How the cables of a layer are chosen at random.
    enum Sampling {
        Exact = "exact",
        Bernoulli = "bernoulli",
    }
}

impl Scheme for Random {
    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error> {
        let all = LayerLinks::all(fabric);
        let distances = connected_distances(&Random::INFO, fabric, &all)?;
        let table = |links: &LayerLinks, distances: &Distances, layer: u64| {
            let mut builder = TableBuilder::new(fabric);
            random_next_hops(&mut builder, links, distances, seed, layer);
            builder.finish()
        };
        let mut layers = vec![table(&all, &distances, 0)];
        for layer in 1..u64::from(self.layers) {
            let further = if self.acyclic {
                let keep = self.one_way(fabric, &mut stream(seed, "routing/random/one-way", layer));
                acyclic_layer(fabric, &keep, &layers[0], seed, layer)
            } else if self.rho == 1.0 {
                table(&all, &distances, layer)
            } else {
                let links = self.connected(fabric, seed, layer)?;
                table(&links, &connected_distances(&Random::INFO, fabric, &links)?, layer)
            };
            layers.push(further);
        }
        Ok(Routes::Layers(layers))
    }
}

impl Random {
    /// Selects cables at random. Returns, per channel, whether its cable was selected.
    fn sample(&self, fabric: &Fabric, cables: &[u32], rng: &mut impl Rng) -> Vec<bool> {
        let mut keep = vec![false; fabric.num_channels()];
        let mut mark = |cable: u32| {
            keep[cable as usize] = true;
            keep[fabric.reverse()[cable as usize] as usize] = true;
        };
        match self.sampling {
            Sampling::Exact => {
                index::sample(rng, cables.len(), self.share(cables.len())).iter().for_each(|at| mark(cables[at]));
            }
            Sampling::Bernoulli => cables.iter().filter(|_| rng.random_bool(self.rho)).for_each(|&cable| mark(cable)),
        }
        keep
    }

    /// Returns the number of cables that exact sampling selects.
    fn share(&self, cables: usize) -> usize {
        // The small term corrects products that are just below a whole number because of rounding.
        (self.rho * cables as f64 + 1e-9).floor() as usize
    }

    /// Selects cables at random until they connect the fabric, at most [`ATTEMPTS`] times.
    fn connected(&self, fabric: &Fabric, seed: u64, layer: u64) -> Result<LayerLinks, Error> {
        let cables: Vec<u32> = fabric.cables().collect();
        let tree = fabric.num_switches().saturating_sub(1);
        // With Bernoulli sampling, a selection can have more cables than this share.
        let is_enough = self.sampling == Sampling::Bernoulli || self.share(cables.len()) >= tree;
        if is_enough {
            for attempt in 0..ATTEMPTS {
                task::check();
                let mut rng = stream(seed, "routing/random/layer", layer * ATTEMPTS + attempt);
                let keep = self.sample(fabric, &cables, &mut rng);
                let links = LayerLinks::of(fabric, |channel| keep[channel as usize]);
                if is_connected(&links) {
                    return Ok(links);
                }
            }
        }
        let about = if self.sampling == Sampling::Bernoulli { "about " } else { "" };
        let why = match is_enough {
            true => format!("none of {ATTEMPTS} random selections connects its {} switches", fabric.num_switches()),
            false => format!("its {} switches need at least {tree}", fabric.num_switches()),
        };
        Err(Error::Fabric {
            scheme: Random::INFO.name.to_owned(),
            problem: format!(
                "rho={} keeps {about}{} of {} cables of {}; {why}",
                self.rho,
                self.share(cables.len()),
                cables.len(),
                fabric.spec()
            ),
            legal: format!(
                "legal: a larger rho (a spanning tree alone needs {:.3})",
                tree as f64 / cables.len().max(1) as f64
            ),
        })
    }

    /// Selects cables at random, and uses each cable in one direction only: from the earlier to the later switch in a random order of the
    /// switches.
    fn one_way(&self, fabric: &Fabric, rng: &mut impl Rng) -> Vec<bool> {
        let rank = permutation(fabric.num_switches(), rng);
        let cables: Vec<u32> = fabric.cables().collect();
        let mut keep = self.sample(fabric, &cables, rng);
        for (keep, (&source, &target)) in keep.iter_mut().zip(fabric.sources().iter().zip(fabric.targets())) {
            *keep &= rank[source as usize] < rank[target as usize];
        }
        keep
    }
}
