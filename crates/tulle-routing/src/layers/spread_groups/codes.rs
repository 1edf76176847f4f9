//! Computes codes. A code is the set of layers in which a switch has the higher of its two potentials (see the module `spread_groups`). No
//! code contains another code.

use rand::Rng;
use rand::seq::SliceRandom;

/// Maximum number of codes. A switch should differ from its neighbours at the same distance, so it can use at most one code more than it
/// has such neighbours.
const MAX_CODES: usize = 256;

/// Returns all sets that contain half of the layers (rounded down, but at least one layer). If there are more than [`MAX_CODES`] sets,
/// returns that many random ones. A set is a word with one bit per layer.
pub(super) fn codes(layers: u8, rng: &mut impl Rng) -> Vec<u16> {
    let half = u32::from(layers / 2).max(1);
    let mut codes: Vec<u16> =
        (0..1u32 << layers).filter(|code| code.count_ones() == half).map(|code| code as u16).collect();
    if codes.len() > MAX_CODES {
        codes.shuffle(rng);
        codes.truncate(MAX_CODES);
    }
    codes
}
