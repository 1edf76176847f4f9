//! Rounds fractions to whole numbers with a given sum.

/// Rounds `fractions`, whose sum is 1, to whole numbers whose sum is `total` (Hamilton's method). The function rounds all numbers down, and
/// then increases the numbers with the largest remainders by 1. Among equal remainders, earlier fractions come first. Without fractions,
/// the result is empty.
pub(super) fn whole(fractions: impl Iterator<Item = f64>, total: u8) -> Vec<u8> {
    let exact: Vec<f64> = fractions.map(|fraction| fraction * f64::from(total)).collect();
    let mut parts: Vec<u8> = exact.iter().map(|exact| *exact as u8).collect();
    let left = usize::from(total).saturating_sub(parts.iter().map(|&part| usize::from(part)).sum());
    let mut order: Vec<usize> = (0..exact.len()).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    order.into_iter().take(left).for_each(|at| parts[at] += 1);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_shares_sum_up() {
        assert_eq!(whole([0.5, 0.25, 0.25].into_iter(), 4), [2, 1, 1]);
        assert_eq!(whole([1.0 / 3.0; 3].into_iter(), 4), [2, 1, 1]);
        assert_eq!(whole([0.9, 0.1].into_iter(), 4), [4, 0]);
        assert_eq!(whole([0.05, 0.95].into_iter(), 10), [1, 9]);
        assert_eq!(whole([].into_iter(), 10), [] as [u8; 0]);
        assert_eq!(whole([1.0].into_iter(), 255), [255]);
    }
}
