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
    /// The most hops of a path, at least the diameter, and twice that where there are several codes.
    pub limit: u32,
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
        self.raise(destination, &mut potential, rng);
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
        let distance = self.distances.row(destination);
        let switches = distance.len();
        let mut disjoint = Disjoint::new(self.fabric, self.layers);
        let enough: Vec<usize> = (0..switches as u32).map(|switch| self.enough(switch, destination)).collect();
        let mut order: Vec<u32> = (0..switches as u32).filter(|&switch| switch != destination).collect();
        let mut layers: Vec<usize> = (0..self.layers).collect();
        for _ in 0..self.effort {
            let mut raised = 0;
            order.shuffle(rng);
            for &switch in &order {
                let lack = |disjoint: &mut Disjoint, potential: &[u16], switch: u32| {
                    let most = enough[switch as usize];
                    (most - disjoint.count(potential, switch, most)).pow(2)
                };
                let own = lack(&mut disjoint, potential, switch);
                if own == 0 {
                    continue;
                }
                layers.shuffle(rng);
                // The most saved so far, the layer and the height.
                let mut best = (0, 0, 0);
                for &layer in &layers {
                    let range = layer * switches..(layer + 1) * switches;
                    let column = Column::new(self.fabric, distance, self.limit, &mut potential[range.clone()]);
                    let heights = [column.raised(switch), column.top(switch)];
                    for (number, height) in heights.into_iter().enumerate() {
                        if number == 1 && height == heights[0] {
                            continue;
                        }
                        let mut column = Column::new(self.fabric, distance, self.limit, &mut potential[range.clone()]);
                        if !column.raise(switch, height) {
                            continue;
                        }
                        let touched = column.touched();
                        let changes = column.changes();
                        let saved = own.saturating_sub(lack(&mut disjoint, potential, switch));
                        if saved > best.0 {
                            let others = touched.iter().filter(|&&near| near != switch && near != destination);
                            let after: usize =
                                others.clone().map(|&near| lack(&mut disjoint, potential, near)).sum();
                            put(&mut potential[range.clone()], &changes);
                            let before: usize = others.map(|&near| lack(&mut disjoint, potential, near)).sum();
                            if saved + before > after + best.0 {
                                best = (saved + before - after, layer, height);
                            }
                        } else {
                            put(&mut potential[range.clone()], &changes);
                        }
                    }
                }
                if best.0 > 0 {
                    let range = best.1 * switches..(best.1 + 1) * switches;
                    Column::new(self.fabric, distance, self.limit, &mut potential[range]).raise(switch, best.2);
                    raised += 1;
                }
            }
            if raised == 0 {
                break;
            }
        }
    }

    /// The disjoint paths that a switch is to have.
    fn enough(&self, switch: u32, destination: u32) -> usize {
        let target: f64 = std::env::var("TARGET").map(|s| s.parse().unwrap()).unwrap_or(0.65);
        let ports = self.fabric.degree(switch).min(self.fabric.degree(destination));
        ((ports as f64 * target).round() as usize).max(1)
    }
}

/// Puts potentials back.
fn put(potential: &mut [u16], changes: &[(u32, u16)]) {
    changes.iter().rev().for_each(|&(switch, was)| potential[switch as usize] = was);
}
