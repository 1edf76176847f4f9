//! Finds weights for which the weighted mean of several vectors is as short as possible.

/// Maximum number of steps. Each step changes two weights.
const MAX_STEPS: usize = 500;

/// The search stops if the difference between the highest and the lowest slope, divided by the sum of squares, is at most this value.
const TOLERANCE: f64 = 1e-6;

/// Computes the weights for which the weighted mean of k vectors is shortest. Weights are at least 0 and sum to 1. `products` (k × k) has
/// the inner products of the vectors.
///
/// The slope of a vector is half of the derivative of the sum of squares by the weight of this vector. Each step moves weight from the
/// vector with the highest slope to the vector with the lowest slope, by the amount that reduces the sum of squares most. It is a pairwise
/// variant of the method of Frank and Wolfe (Lacoste-Julien and Jaggi, NIPS 2015). The search starts at the given `weights`.
pub(super) fn shortest_mean(products: &[f64], weights: &mut [f64]) {
    let k = weights.len();
    let row = |at: usize| &products[at * k..(at + 1) * k];
    let dot = |row: &[f64], weights: &[f64]| row.iter().zip(weights).map(|(a, b)| a * b).sum::<f64>();
    // Per weight, the slope: half of the derivative of the sum of squares by this weight.
    let mut slope: Vec<f64> = (0..k).map(|at| dot(row(at), weights)).collect();
    for _ in 0..MAX_STEPS {
        let least = (0..k).min_by(|&a, &b| slope[a].total_cmp(&slope[b]));
        let most = (0..k).filter(|&at| weights[at] > 0.0).max_by(|&a, &b| slope[a].total_cmp(&slope[b]));
        let (Some(to), Some(from)) = (least, most) else { return };
        let gain = slope[from] - slope[to];
        if gain <= TOLERANCE * dot(&slope, weights) {
            return;
        }
        let curve = products[to * k + to] + products[from * k + from] - 2.0 * products[to * k + from];
        let step = if curve > 0.0 { (gain / curve).min(weights[from]) } else { weights[from] };
        weights[to] += step;
        weights[from] = if step == weights[from] { 0.0 } else { weights[from] - step };
        for (slope, (to, from)) in slope.iter_mut().zip(row(to).iter().zip(row(from))) {
            *slope += step * (to - from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solve(vectors: &[&[f64]]) -> Vec<f64> {
        let products: Vec<f64> = vectors
            .iter()
            .flat_map(|a| vectors.iter().map(|b| a.iter().zip(*b).map(|(a, b)| a * b).sum::<f64>()))
            .collect();
        let mut weights = vec![1.0 / vectors.len() as f64; vectors.len()];
        shortest_mean(&products, &mut weights);
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9 && weights.iter().all(|&weight| weight >= 0.0));
        weights
    }

    #[test]
    fn disjoint_paths_share_by_their_lengths() {
        // The vectors are paths with no common channel. Their weights are proportional to 1 / length, like currents through resistors.
        let weights = solve(&[&[1.0, 0.0, 0.0, 0.0], &[0.0, 1.0, 1.0, 1.0]]);
        assert!((weights[0] - 0.75).abs() < 1e-4, "{weights:?}");
        // A path that contains all channels of another path gets weight 0.
        let weights = solve(&[&[1.0, 0.0, 0.0], &[1.0, 1.0, 1.0]]);
        assert_eq!(weights, [1.0, 0.0]);
        assert_eq!(solve(&[&[2.0]]), [1.0]);
    }
}
