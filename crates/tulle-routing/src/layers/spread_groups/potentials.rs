//! Potentials of all layers toward one destination.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;

use super::column::Column;
use super::disjoint::Disjoint;

/// How often every switch chooses its code anew.
const SWEEPS: usize = 3;

/// What potentials are made of.
pub(super) struct Potentials<'a> {
    pub fabric: &'a Fabric,
    pub distances: &'a Distances,
    /// A bit per layer.
    pub codes: &'a [u16],
    pub layers: usize,
    /// Per switch, whether its pairs count: those of switches that carry endpoints; all, where none does.
    pub counted: Vec<bool>,
    /// The most hops of a path, at least the diameter, and twice that where there are several codes.
    pub limit: u32,
    /// The disjoint paths that a switch is to have, over its ports or the destination's, whichever are fewer.
    pub share: f64,
    /// The most rounds of raising.
    pub effort: u16,
}

impl Potentials<'_> {
    /// The potentials of all switches toward `destination`, layer after layer; the destination's is 0.
    pub fn toward(&self, destination: u32, rng: &mut impl Rng) -> Vec<u16> {
        let distance = self.distances.row(destination);
        let code = self.colour(distance, rng);
        let layers = (0..self.layers).flat_map(|layer| {
            distance.iter().zip(&code).map(move |(&distance, &code)| {
                if distance == 0 { 0 } else { 2 * u16::from(distance) + (self.codes[code] >> layer & 1) }
            })
        });
        let mut potential: Vec<u16> = layers.collect();
        if self.counted[destination as usize] {
            self.raise(destination, &mut potential, rng);
        }
        potential
    }

    /// Per switch a code, such that neighbours equally far from the destination differ wherever they can.
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

    /// Raises switches that have few disjoint paths, each where that helps most and costs those around it less.
    fn raise(&self, destination: u32, potential: &mut [u16], rng: &mut impl Rng) {
        let switches = self.fabric.num_switches();
        let mut search = Search {
            of: self,
            distance: self.distances.row(destination),
            enough: (0..switches as u32).map(|switch| self.enough(switch, destination)).collect(),
            disjoint: Disjoint::new(self.fabric, self.layers),
        };
        let counts = |&switch: &u32| self.counted[switch as usize] && switch != destination;
        let mut order: Vec<u32> = (0..switches as u32).filter(counts).collect();
        let mut layers: Vec<usize> = (0..self.layers).collect();
        for _ in 0..self.effort {
            order.shuffle(rng);
            let mut is_over = true;
            for &switch in &order {
                layers.shuffle(rng);
                is_over &= !search.raise(potential, switch, &layers);
            }
            if is_over {
                break;
            }
        }
    }

    /// The disjoint paths that a switch is to have.
    fn enough(&self, switch: u32, destination: u32) -> usize {
        if !self.counted[switch as usize] {
            return 0;
        }
        let ports = self.fabric.degree(switch).min(self.fabric.degree(destination));
        ((ports as f64 * self.share).round() as usize).max(1)
    }
}

/// The search toward one destination.
struct Search<'a> {
    of: &'a Potentials<'a>,
    distance: &'a [u8],
    /// Per switch the disjoint paths that it is to have.
    enough: Vec<usize>,
    disjoint: Disjoint<'a>,
}

impl<'a> Search<'a> {
    /// Raises `switch` in the layer of `layers` and to the height that save most, if any does; whether it did.
    fn raise(&mut self, potential: &mut [u16], switch: u32, layers: &[usize]) -> bool {
        let own = self.lack(potential, switch);
        if own == 0 {
            return false;
        }
        let (mut most, mut best) = (0, None);
        for &layer in layers {
            let column = self.column(potential, layer);
            let (raised, top) = (column.raised(switch), column.top(switch));
            for height in [Some(raised), (top != raised).then_some(top)].into_iter().flatten() {
                let mut column = self.column(potential, layer);
                if !column.raise(switch, height) {
                    continue;
                }
                let (others, changes) = (column.touched(), column.changes());
                let mut saved = own as i64 - self.lack(potential, switch) as i64;
                if saved > most {
                    let lacks = |search: &mut Self, potential: &[u16]| {
                        others
                            .iter()
                            .filter(|&&near| near != switch)
                            .map(|&near| search.lack(potential, near) as i64)
                            .sum::<i64>()
                    };
                    saved -= lacks(self, potential);
                    let is_short = self.column(potential, layer).longest() <= self.of.limit;
                    put(self.layer(potential, layer), &changes);
                    saved += lacks(self, potential);
                    if saved > most && is_short {
                        (most, best) = (saved, Some((layer, height)));
                    }
                } else {
                    put(self.layer(potential, layer), &changes);
                }
            }
        }
        best.is_some_and(|(layer, height)| self.column(potential, layer).raise(switch, height))
    }

    /// The square of the disjoint paths that `switch` lacks.
    fn lack(&mut self, potential: &[u16], switch: u32) -> usize {
        let enough = self.enough[switch as usize];
        (enough - self.disjoint.count(potential, switch, enough)).pow(2)
    }

    fn layer<'p>(&self, potential: &'p mut [u16], layer: usize) -> &'p mut [u16] {
        let switches = self.distance.len();
        &mut potential[layer * switches..(layer + 1) * switches]
    }

    fn column<'p>(&self, potential: &'p mut [u16], layer: usize) -> Column<'p>
    where
        'a: 'p,
    {
        Column::new(self.of.fabric, self.distance, self.layer(potential, layer))
    }
}

/// Puts potentials back.
fn put(potential: &mut [u16], changes: &[(u32, u16)]) {
    changes.iter().rev().for_each(|&(switch, was)| potential[switch as usize] = was);
}
