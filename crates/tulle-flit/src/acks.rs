//! What selectors learn from acknowledgements.

/// What a switch knows about its routes to one destination switch. The selector decides which routes are fast.
#[derive(Debug, Default, Clone)]
pub(crate) struct Known {
    /// Moving average of the waits of packets on minimal routes, in cycles; 0 before the first acknowledgement.
    pub minimal: f32,
    /// The same for packets on detours.
    pub detour: f32,
    /// Detours of packets that waited briefly, with the waits in cycles; the oldest first. A detour is an intermediate switch or a layer.
    pub fast: Vec<(u16, u16)>,
}

/// What the acknowledgement of a packet tells the packet's first switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ack {
    /// The cycle in which the first switch gets the acknowledgement.
    pub due: u32,
    /// The destination switch.
    pub to: u16,
    /// The intermediate switch or the layer that the packet took; `None` if it took the minimal route.
    pub detour: Option<u16>,
    /// Cycles between the departure of the packet's first flit from the first switch and its departure from the last switch, minus the
    /// time that this takes if all queues are empty.
    pub wait: u32,
}
