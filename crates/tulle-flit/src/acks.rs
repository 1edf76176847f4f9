//! What selectors learn from acknowledgements.

/// What a switch knows about its routes to one destination switch. The selector defines the meaning of "fast".
#[derive(Debug, Default, Clone)]
pub(crate) struct Known {
    /// Smoothed waits of packets on minimal routes and on detours, in cycles; 0 before the first acknowledgement.
    pub minimal: f32,
    pub detour: f32,
    /// Intermediate switches of packets that waited briefly, and their waits in cycles; the oldest first.
    pub fast: Vec<(u16, u16)>,
}

/// What a switch learns about one of its packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ack {
    /// The cycle in which the first switch gets the acknowledgement.
    pub due: u32,
    /// The destination switch.
    pub to: u16,
    /// The intermediate switch, if any.
    pub via: Option<u16>,
    /// Cycles between the departure of the packet's first flit from the first switch and its departure from the last switch, minus the
    /// time that this takes if all queues are empty.
    pub wait: u32,
}
