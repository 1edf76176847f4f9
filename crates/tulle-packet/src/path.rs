//! The path of a packet, which a selector chooses.

/// A path choice for one packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Path {
    /// With forwarding tables: the layer, counted from 0. With explicit paths: the number of the path, if `is_named` is set.
    pub(crate) layer: u8,
    /// Whether the selector chose `layer`. If not, a packet uses layer 0 of forwarding tables; with explicit paths, `entropy` chooses among
    /// all paths of the pair.
    pub(crate) is_named: bool,
    /// A random number that determines the choices among equal-cost ports. It is read as a fraction of 2³²; see [`crate::forwarding`].
    pub(crate) entropy: u32,
}

impl Path {
    /// Returns a path in `layer`, or explicit path number `layer`.
    #[inline]
    pub(crate) fn of(layer: u8, entropy: u32) -> Self {
        Self { layer, is_named: true, entropy }
    }

    /// Returns a path in layer 0, or any explicit path.
    #[inline]
    pub(crate) fn any(entropy: u32) -> Self {
        Self { layer: 0, is_named: false, entropy }
    }
}
