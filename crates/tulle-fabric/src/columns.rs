//! Columns: a value per part.

/// Returns the result of `map` for each of `ids`.
pub(crate) fn pick<T: Copy>(values: &[T], ids: &[u32], map: impl Fn(T) -> T) -> Vec<T> {
    ids.iter().map(|&id| map(values[id as usize])).collect()
}
