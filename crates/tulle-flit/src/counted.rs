//! Channels that policies count.

/// The channels that count.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counted {
    /// Per channel; empty where none does.
    channels: Vec<bool>,
    with_cable: bool,
}

impl Counted {
    /// Channels that count, given per channel; `with_cable` where a packet's class changes with the cable that counts, not behind it.
    pub fn new(channels: Vec<bool>, with_cable: bool) -> Self {
        Self { channels, with_cable }
    }

    /// Whether any counts.
    #[inline]
    pub fn is_any(&self) -> bool {
        !self.channels.is_empty()
    }

    /// How many are counted once `channel` has been crossed after `before`.
    #[inline]
    pub fn after(&self, before: u8, channel: u32) -> u8 {
        before + u8::from(self.channels[channel as usize])
    }

    /// The class on `channel` itself.
    #[inline]
    pub fn on(&self, before: u8, channel: u32) -> u8 {
        if self.with_cable { self.after(before, channel) } else { before }
    }
}
