//! How good a pair's paths are: how many of them share no cable.

/// The value of having 1, 2, 3, … pairwise disjoint paths, one per layer at most.
///
/// Concave, so that the worst-served pairs come first: three are wanted (deployment §4.2), the second is worth more than
/// the third, and those beyond count a little, as throughput still gains by them.
#[derive(Debug, Clone)]
pub(super) struct Worth(Vec<f64>);

impl Worth {
    /// For up to `layers` paths.
    pub fn new(layers: usize) -> Self {
        let mut worth = vec![0.0, 0.0];
        for paths in 2..=layers {
            let gain = match paths {
                2 => super::search::knob("GW_F2",0.6),
                3 => super::search::knob("GW_F3",0.4),
                more => super::search::knob("GW_F4",0.3) / more as f64,
            };
            worth.push(worth[paths - 1] + gain);
        }
        Self(worth)
    }

    #[inline]
    pub fn of(&self, disjoint: u32) -> f64 {
        self.0[disjoint as usize]
    }
}

/// The most pairwise disjoint paths among those of the set `layers`, where `shares[l]` is the set of layers whose paths
/// share a cable with that of layer `l`: a largest independent set.
pub(super) fn most_disjoint(layers: u32, shares: &[u32]) -> u32 {
    let mut best = 0;
    grow(layers, 0, shares, &mut best);
    best
}

fn grow(layers: u32, taken: u32, shares: &[u32], best: &mut u32) {
    if taken + layers.count_ones() <= *best {
        return;
    }
    if layers == 0 {
        *best = taken;
        return;
    }
    let layer = layers.trailing_zeros();
    let others = layers & (layers - 1);
    let shared = shares[layer as usize] & others;
    grow(others & !shared, taken + 1, shares, best);
    if shared != 0 {
        grow(others, taken, shares, best);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn independent_sets_match_enumeration() {
        // All graphs of five layers.
        let pairs: Vec<(usize, usize)> = (0..5).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
        for graph in 0..1u32 << pairs.len() {
            let mut shares = [0u32; 5];
            for (bit, &(a, b)) in pairs.iter().enumerate() {
                if graph >> bit & 1 == 1 {
                    shares[a] |= 1 << b;
                    shares[b] |= 1 << a;
                }
            }
            let independent = |set: u32| (0..5).all(|l| set >> l & 1 == 0 || shares[l] & set == 0);
            let expected = (0..32u32).filter(|&set| independent(set)).map(u32::count_ones).max().unwrap();
            assert_eq!(most_disjoint(31, &shares), expected);
        }
    }

    #[test]
    fn worth_is_concave() {
        let Worth(worth) = Worth::new(16);
        let gains: Vec<f64> = worth[1..].windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gains.windows(2).all(|pair| pair[0] > pair[1] && pair[1] > 0.0), "{gains:?}");
    }
}
