//! Paths of packets, as selectors choose them.

/// The way a packet goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Path {
    /// With tables the layer, from 0 on; else the number of the path, if it is named.
    pub(crate) layer: u8,
    /// Whether the selector wants this layer and no other path.
    pub(crate) is_named: bool,
    /// A fraction of 2³²; see [`crate::forwarding`].
    pub(crate) entropy: u32,
}

impl Path {
    /// A path of `layer`; or explicit path number `layer`.
    #[inline]
    pub(crate) fn of(layer: u8, entropy: u32) -> Self {
        Self { layer, is_named: true, entropy }
    }

    /// A path of layer 0; or any of the explicit ones.
    #[inline]
    pub(crate) fn any(entropy: u32) -> Self {
        Self { layer: 0, is_named: false, entropy }
    }
}
