//! Computes the potentials of all switches toward one destination, in all layers. A switch forwards to its neighbours of lower potential.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;

use super::search::Search;
use super::ways::Ways;

/// How often every switch chooses its code. A switch chooses again because its neighbours may have changed their codes.
const SWEEPS: usize = 3;

/// The inputs for computing potentials.
pub(super) struct Potentials<'a> {
    pub fabric: &'a Fabric,
    pub distances: &'a Distances,
    /// The codes that switches can choose (see the module `codes`), each with one bit per layer.
    pub codes: &'a [u16],
    pub layers: usize,
    /// Per switch, whether the search improves the paths of its pairs. It does so for switches with endpoints, or for all switches if no
    /// switch has endpoints.
    pub counted: Vec<bool>,
    /// Maximum hops of a path. It is at least the diameter. If switches can choose among several codes, it is at least twice the diameter.
    pub limit: u32,
    /// The target number of disjoint paths, as a fraction of the ports of the switch or of the destination, whichever has fewer ports.
    pub share: f64,
    /// Maximum number of rounds in which the search raises potentials.
    pub effort: u16,
}

impl Potentials<'_> {
    /// Returns the potentials of all switches toward `destination`, one layer after the other. The destination has potential 0.
    pub fn toward(&self, destination: u32, rng: &mut impl Rng) -> Vec<u16> {
        let distance = self.distances.row(destination);
        let code = self.colour(distance, rng);
        let layers = (0..self.layers).flat_map(|layer| {
            distance.iter().zip(&code).map(move |(&distance, &code)| {
                if distance == 0 { 0 } else { 2 * u16::from(distance) + (self.codes[code] >> layer & 1) }
            })
        });
        let potential: Vec<u16> = layers.collect();
        if self.counted[destination as usize] { self.raise(destination, potential, rng) } else { potential }
    }

    /// Returns a code per switch. Neighbours at the same distance from the destination get different codes, if possible.
    fn colour(&self, distance: &[u8], rng: &mut impl Rng) -> Vec<usize> {
        const NONE: usize = usize::MAX;
        let mut code = vec![NONE; distance.len()];
        let mut order: Vec<u32> = (0..distance.len() as u32).collect();
        let mut uses = vec![0u32; self.codes.len()];
        for _ in 0..SWEEPS {
            order.shuffle(rng);
            for &switch in &order {
                uses.fill(0);
                for &next in self.fabric.neighbours(switch) {
                    if distance[next as usize] == distance[switch as usize] && code[next as usize] != NONE {
                        uses[code[next as usize]] += 1;
                    }
                }
                let least = uses.iter().min().expect("there is a code");
                let ties = uses.iter().enumerate().filter(|&(_, uses)| uses == least);
                let pick = rng.random_range(0..ties.clone().count());
                code[switch as usize] = ties.map(|(code, _)| code).nth(pick).expect("it is one of the ties");
            }
        }
        code
    }

    /// Raises the potential of switches with few disjoint paths. For each of these switches, the search chooses the layer and the potential
    /// that reduce the sum of all deficits most (see [`Search::raise`]).
    fn raise(&self, destination: u32, potential: Vec<u16>, rng: &mut impl Rng) -> Vec<u16> {
        let switches = self.fabric.num_switches();
        let enough = (0..switches as u32).map(|switch| self.enough(switch, destination)).collect();
        let ways = Ways::new(self.fabric, self.distances.row(destination), potential);
        let mut search = Search::new(ways, enough, self.limit);
        let counts = |&switch: &u32| self.counted[switch as usize] && switch != destination;
        let mut order: Vec<u32> = (0..switches as u32).filter(counts).collect();
        let mut layers: Vec<usize> = (0..self.layers).collect();
        for _ in 0..Search::affordable(switches, self.effort) {
            order.shuffle(rng);
            let mut is_over = true;
            for &switch in &order {
                layers.shuffle(rng);
                is_over &= !search.raise(switch, &layers);
            }
            if is_over {
                break;
            }
        }
        search.into_potentials()
    }

    /// Returns the target number of disjoint paths from `switch` to `destination`.
    fn enough(&self, switch: u32, destination: u32) -> usize {
        if !self.counted[switch as usize] {
            return 0;
        }
        let ports = self.fabric.degree(switch).min(self.fabric.degree(destination));
        ((ports as f64 * self.share).round() as usize).max(1)
    }
}
