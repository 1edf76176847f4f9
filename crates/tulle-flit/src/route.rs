//! The route of a packet, as selectors choose it.

/// The route of a packet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Route {
    /// The layer, or the number of the path.
    pub number: u32,
    /// The intermediate switch, over tables.
    pub via: Option<u16>,
    /// The port it leaves the first switch by, where that has been chosen, too; a position in the switch's row.
    pub port: Option<u16>,
    /// Whether it is a shortest one.
    pub is_minimal: bool,
}

impl Route {
    /// The shortest route by layer 0.
    pub fn minimal() -> Self {
        Self { number: 0, via: None, port: None, is_minimal: true }
    }
}
