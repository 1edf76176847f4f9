//! The channels that raise the VC class of a packet (policy `crossings`).

/// The VC-increment channels.
#[derive(Debug, Clone, Default)]
pub(crate) struct VcIncrements {
    /// Whether each channel is one; empty if none is.
    channels: Vec<bool>,
    with_cable: bool,
}

impl VcIncrements {
    /// `channels` tells per channel whether it increments the class. With `with_cable` the new class applies on that
    /// channel itself, otherwise from the next one on.
    pub fn new(channels: Vec<bool>, with_cable: bool) -> Self {
        Self { channels, with_cable }
    }

    /// Whether the policy uses increments at all.
    #[inline]
    pub fn is_any(&self) -> bool {
        !self.channels.is_empty()
    }

    /// Returns the class after `channel`, for a packet of class `before`.
    #[inline]
    pub fn class_after(&self, before: u8, channel: u32) -> u8 {
        before + u8::from(self.channels[channel as usize])
    }

    /// Returns the class on `channel` itself.
    #[inline]
    pub fn class_on(&self, before: u8, channel: u32) -> u8 {
        if self.with_cable { self.class_after(before, channel) } else { before }
    }
}
