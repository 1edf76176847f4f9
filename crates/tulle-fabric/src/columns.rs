//! Columns: lists with one value per part (switch, channel or endpoint).

/// Returns the result of `map` for the value of each of the parts `ids`.
pub(crate) fn pick<T: Copy>(values: &[T], ids: &[u32], map: impl Fn(T) -> T) -> Vec<T> {
    ids.iter().map(|&id| map(values[id as usize])).collect()
}
