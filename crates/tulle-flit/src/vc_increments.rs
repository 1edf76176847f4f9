//! VC-increment channels: the channels that raise the VC class of a packet (policy `crossings`).

/// The set of VC-increment channels.
#[derive(Debug, Clone, Default)]
pub(crate) struct VcIncrements {
    /// Per channel: whether it is a VC-increment channel. Empty if the policy has no VC-increment channels.
    channels: Vec<bool>,
    with_cable: bool,
}

impl VcIncrements {
    /// Creates the set; `channels` has one item per channel. With `with_cable`, the raised VC class already applies on the VC-increment
    /// channel itself; otherwise it applies from the packet's next channel on.
    pub fn new(channels: Vec<bool>, with_cable: bool) -> Self {
        Self { channels, with_cable }
    }

    /// Returns whether the policy has VC-increment channels.
    #[inline]
    pub fn is_any(&self) -> bool {
        !self.channels.is_empty()
    }

    /// Returns the VC class of a packet after it has crossed `channel`; `before` is its class before the crossing.
    #[inline]
    pub fn class_after(&self, before: u8, channel: u32) -> u8 {
        before + u8::from(self.channels[channel as usize])
    }

    /// Returns the VC class of a packet on `channel`; `before` is its class before `channel`.
    #[inline]
    pub fn class_on(&self, before: u8, channel: u32) -> u8 {
        if self.with_cable { self.class_after(before, channel) } else { before }
    }
}
