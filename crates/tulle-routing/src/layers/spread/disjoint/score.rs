//! Scores a pair by its number of disjoint paths.

/// The number of disjoint paths that every pair should have (Blach et al., NSDI24, §4.2), if there are enough layers.
pub(super) const AIM: usize = 3;

/// The scores of pairs with 0, 1, 2, … disjoint paths.
///
/// The score is concave, so that pairs with few disjoint paths have priority. The second path gains more than the third. Each further path
/// gains a little, because it adds throughput.
pub(super) struct Worth(Vec<f64>);

impl Worth {
    /// Returns the scores of pairs with 0 to `layers` disjoint paths.
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

/// The gain of the k-th disjoint path, for k above [`AIM`], is this value divided by k.
const BEYOND_AIM: f64 = 0.3;

/// The price of a hop if the paths have too many hops in total. It is higher than the gain of each disjoint path beyond [`AIM`], and lower
/// than the gain of the second and of the third path.
pub(super) const HOP_PRICE: f64 = 0.1;

/// Returns the maximum number of disjoint paths among the paths in `layers`. `shares[l]` is the set of layers whose path shares a cable
/// with the path in layer l. This number is the size of a maximum independent set of layers. A branching search finds it.
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
    // If the path in this layer shares a cable with at most one other path, a set without this layer cannot be larger.
    if shared & shared.wrapping_sub(1) != 0 {
        grow(others, taken, shares, best);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_disjoint_matches_enumeration() {
        // The test covers all graphs of five layers. For each graph, it tries two sets of layers.
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
