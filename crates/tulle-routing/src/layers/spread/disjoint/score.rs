//! The score of a pair's paths, by the number of disjoint paths.

/// Number of disjoint paths that every pair should have (deployment §4.2), if there are as many layers.
pub(super) const AIM: usize = 3;

/// The score of 1, 2, 3, … disjoint paths per pair.
///
/// The score is concave, so that pairs with fewer paths come first: the second path is worth more than the third, and every further path
/// adds a little, for its throughput.
pub(super) struct Worth(Vec<f64>);

impl Worth {
    /// For up to `layers` paths.
    pub fn new(layers: usize) -> Self {
        let mut worth = vec![0.0, 0.0];
        for paths in 2..=layers {
            let more = match paths {
                2 => 0.6,
                3 => 0.4,
                _ => BEYOND_AIM / paths as f64,
            };
            worth.push(worth[paths - 1] + more);
        }
        Self(worth)
    }

    #[inline]
    pub fn of(&self, disjoint: u8) -> f64 {
        self.0[usize::from(disjoint)]
    }
}

/// Score of the k-th disjoint path beyond [`AIM`], multiplied by 1/k.
const BEYOND_AIM: f64 = 0.3;

/// Cost of a hop if paths are too long already. It is more than the value of a path beyond the aim, and less than the value of a path below
/// it.
pub(super) const HOP_PRICE: f64 = 0.1;

/// Returns the maximum number of disjoint paths in the set `layers`. `shares[l]` is the set of layers whose paths share a cable with the
/// path of layer l. The result is the size of a maximum independent set, found by branching on layers that share cables.
pub(super) fn most_disjoint(layers: u16, shares: &[u16]) -> u8 {
    let mut best = 0;
    grow(layers, 0, shares, &mut best);
    best
}

fn grow(layers: u16, taken: u8, shares: &[u16], best: &mut u8) {
    if taken + layers.count_ones() as u8 <= *best {
        return;
    }
    if layers == 0 {
        *best = taken;
        return;
    }
    let layer = layers.trailing_zeros() as usize;
    let others = layers & (layers - 1);
    let shared = shares[layer] & others;
    grow(others & !shared, taken + 1, shares, best);
    // If a layer shares a cable with at most one other layer, excluding it gains nothing.
    if shared & shared.wrapping_sub(1) != 0 {
        grow(others, taken, shares, best);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_disjoint_matches_enumeration() {
        // The test covers all graphs of five layers, with two sets of layers each.
        let pairs: Vec<(usize, usize)> = (0..5).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
        for graph in 0..1u32 << pairs.len() {
            let mut shares = [0u16; 5];
            for (bit, &(a, b)) in pairs.iter().enumerate() {
                if graph >> bit & 1 == 1 {
                    shares[a] |= 1 << b;
                    shares[b] |= 1 << a;
                }
            }
            let independent = |set: u16| (0..5).all(|layer| set >> layer & 1 == 0 || shares[layer] & set == 0);
            for layers in [0b11111, 0b10110] {
                let subsets = (0..32u16).filter(|set| set & !layers == 0 && independent(*set));
                let most = subsets.map(u16::count_ones).max().unwrap();
                assert_eq!(u32::from(most_disjoint(layers, &shares)), most, "{shares:?}");
            }
        }
    }

    #[test]
    fn worth_is_concave_and_hops_cost_more_than_paths_beyond_the_aim() {
        let Worth(worth) = Worth::new(16);
        let more: Vec<f64> = worth[1..].windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(more.windows(2).all(|pair| pair[0] > pair[1]), "{more:?}");
        assert!(more[AIM - 2] > HOP_PRICE && HOP_PRICE > more[AIM - 1] && more[14] > 0.0);
    }
}
