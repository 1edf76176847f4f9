//! Columns: a value per part.

/// The values of `ids`, each as `map` makes it.
pub(crate) fn pick<T: Copy>(values: &[T], ids: &[u32], map: impl Fn(T) -> T) -> Vec<T> {
    ids.iter().map(|&id| map(values[id as usize])).collect()
}
