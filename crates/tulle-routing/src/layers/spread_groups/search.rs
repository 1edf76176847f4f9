//! Searches for switches that get more disjoint paths toward one destination if their potential is raised. A switch forwards to all
//! neighbours of lower potential (see the module `spread_groups`).

use super::disjoint::Disjoint;
use super::raise::{Raise, raised, top};
use super::ways::Ways;

/// In fabrics of up to `FEW` switches, the search considers all switches. In larger fabrics, this would take minutes, so the search makes
/// only one round. It then considers only switches with too few ports toward neighbours of lower potential, and ignores a deficit of at
/// most 1/`SHARE` of the target. To find the cost of a raise, it counts the paths of only about `SAMPLE` of the affected switches.
const FEW: usize = 800;
const SHARE: usize = 8;
const SAMPLE: usize = 8;

/// A search for switches to raise, toward one destination.
pub(super) struct Search<'a> {
    ways: Ways<'a>,
    /// Per switch, the target number of disjoint paths.
    enough: Vec<usize>,
    /// The maximum number of hops of a path.
    limit: u32,
    disjoint: Disjoint,
    raise: Raise,
    /// Per switch: the last computed deficit ([`Self::lack`]), and the number of raises (`raises`) at the time of its computation.
    lacks: Vec<(u32, i64)>,
    raises: u32,
    /// The maximum number of affected switches whose paths are counted, to find the cost of a raise.
    sample: usize,
}

impl<'a> Search<'a> {
    pub fn new(ways: Ways<'a>, enough: Vec<usize>, limit: u32) -> Self {
        let (disjoint, lacks) = (Disjoint::new(&ways), vec![(0, 0); enough.len()]);
        let sample = if enough.len() > FEW { SAMPLE } else { usize::MAX };
        Self { ways, enough, limit, disjoint, raise: Raise::default(), lacks, raises: 1, sample }
    }

    /// Returns how many of the `effort` requested rounds the search makes in a fabric with this many switches.
    pub fn affordable(switches: usize, effort: u16) -> u16 {
        if switches > FEW { effort.min(1) } else { effort }
    }

    /// Returns whether `switch` has enough ports toward neighbours of lower potential for the target number of paths. In fabrics with more
    /// than [`FEW`] switches, the search skips such a switch without counting its paths. In smaller fabrics, the result is always false.
    fn is_open(&self, switch: u32) -> bool {
        let enough = self.enough[switch as usize];
        self.enough.len() > FEW && self.ways.open(switch) + enough / SHARE >= enough
    }

    /// Returns whether the deficit `lack` of `switch` is too small to justify a raise.
    fn is_little(&self, switch: u32, lack: i64) -> bool {
        let enough = self.enough[switch as usize];
        let little = if self.enough.len() > FEW { enough / SHARE } else { 0 };
        lack <= little.pow(2) as i64
    }

    /// Returns the potentials, one layer after the other.
    pub fn into_potentials(self) -> Vec<u16> {
        self.ways.into_potentials()
    }

    /// Raises the potential of `switch`, if this reduces the sum of deficits. The function tries two potentials in each of `layers`, and
    /// chooses the one that reduces the sum most. Returns whether the potential was raised.
    pub fn raise(&mut self, switch: u32, layers: &[usize]) -> bool {
        if self.is_open(switch) {
            return false;
        }
        let own = self.known_lack(switch);
        if self.is_little(switch, own) {
            return false;
        }
        let (mut most, mut best) = (0, None);
        'trials: for &layer in layers {
            let (raised, top) = (raised(&self.ways, switch), top(&self.ways, layer, switch));
            for height in [Some(raised), (top != raised).then_some(top)].into_iter().flatten() {
                if !self.raise.make(&mut self.ways, layer, switch, height) {
                    continue;
                }
                let saved = own - self.lack(switch);
                if saved > most
                    && let Some(saved) = self.saved(switch, saved, most)
                    && self.ways.within(layer, self.limit)
                {
                    (most, best) = (saved, Some((layer, height)));
                }
                self.raise.take_back(&mut self.ways);
                // A raise that reduces the sum by the whole deficit of `switch` is good enough, so the search tries no others.
                if most >= own {
                    break 'trials;
                }
            }
        }
        let is_better = best.is_some_and(|(layer, height)| self.raise.make(&mut self.ways, layer, switch, height));
        self.raises += u32::from(is_better);
        is_better
    }

    /// Returns by how much the current raise reduces the sum of deficits; `None` if the reduction is at most `most`. `saved` is the
    /// reduction at `switch` alone.
    fn saved(&mut self, switch: u32, saved: i64, most: i64) -> Option<i64> {
        let mut others = self.raise.touched(&self.ways);
        others.retain(|&near| near != switch);
        let each = others.len().div_ceil(self.sample).max(1);
        let others: Vec<u32> = others.into_iter().step_by(each).collect();
        if others.iter().any(|&near| self.lacks[near as usize].0 != self.raises) {
            self.raise.take_back(&mut self.ways);
            others.iter().for_each(|&near| _ = self.known_lack(near));
            self.raise.repeat(&mut self.ways);
        }
        let each = each as i64;
        let mut saved = saved + each * others.iter().map(|&near| self.lacks[near as usize].1).sum::<i64>();
        for near in others {
            if saved <= most {
                return None;
            }
            saved -= each * self.lack(near);
        }
        (saved > most).then_some(saved)
    }

    /// Returns the deficit of `switch` before the current raise.
    fn known_lack(&mut self, switch: u32) -> i64 {
        if self.lacks[switch as usize].0 != self.raises {
            self.lacks[switch as usize] = (self.raises, self.lack(switch));
        }
        self.lacks[switch as usize].1
    }

    /// Returns the deficit of `switch`: the square of the number of disjoint paths that it lacks.
    fn lack(&mut self, switch: u32) -> i64 {
        let enough = self.enough[switch as usize];
        (enough - self.disjoint.count(&self.ways, switch, enough)).pow(2) as i64
    }
}
