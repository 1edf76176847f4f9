//! The route of a packet, as chosen by a selector.

/// The route of a packet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Route {
    /// The number of the layer or, with a path set, of the path.
    pub number: u32,
    /// The intermediate switch, if any (forwarding tables only).
    pub via: Option<u16>,
    /// The port at the first switch, if already chosen: a position in the switch's row of neighbours.
    pub port: Option<u16>,
    /// Whether the route is minimal: layer 0 without an intermediate switch, or a path with as few hops as the pair's first path.
    pub is_minimal: bool,
}

impl Route {
    /// Returns the minimal route: over layer 0, without an intermediate switch.
    pub fn minimal() -> Self {
        Self { number: 0, via: None, port: None, is_minimal: true }
    }
}
