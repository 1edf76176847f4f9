//! Levels of packets. A level is a small number that a packet carries from channel to channel, for example the number of global cables that
//! it has crossed. The policies `crossings` and `datelines` compute the packet's request group (the VCs that it may use) from the level.

use crate::rings::Rings;

/// How channels change the level of a packet, and the request groups that follow from the level.
#[derive(Debug, Clone, Default)]
pub(crate) enum VcLevels {
    /// The policy has no levels.
    #[default]
    Untracked,
    /// Policy `crossings`.
    Crossings(VcIncrements),
    /// Policy `datelines`.
    Datelines(Rings),
}

impl VcLevels {
    /// Returns whether routers must update the level of a packet on every channel.
    #[inline]
    pub fn is_tracked(&self) -> bool {
        !matches!(self, Self::Untracked)
    }

    /// Returns whether the level is the request group on the link to an endpoint. Otherwise packets may use any VC on this link.
    #[inline]
    pub fn restricts_exits(&self) -> bool {
        self.is_counted()
    }

    /// Returns whether levels are numbers of crossed channels. Such a level also rises if a packet leaves its minimal route.
    #[inline]
    pub fn is_counted(&self) -> bool {
        matches!(self, Self::Crossings(_))
    }

    /// Returns the level of a packet after it has crossed `channel`; `before` is its level before the crossing.
    #[inline]
    pub fn after(&self, before: u8, channel: u32) -> u8 {
        match self {
            Self::Untracked => before,
            Self::Crossings(increments) => increments.class_after(before, channel),
            Self::Datelines(rings) => rings.after(before, channel),
        }
    }

    /// Returns whether the request group of a packet depends on the destination switch of its route.
    pub fn depends_on_target(&self) -> bool {
        matches!(self, Self::Datelines(rings) if rings.depends_on_target())
    }

    /// Returns the request group of a packet on `channel`. `before` is the packet's level before `channel`; `target` is the
    /// destination switch of its route.
    #[inline]
    pub fn group(&self, before: u8, channel: u32, target: impl FnOnce() -> u32) -> u8 {
        match self {
            Self::Untracked => before,
            Self::Crossings(increments) => increments.class_on(before, channel),
            Self::Datelines(rings) => rings.group(before, channel, target()),
        }
    }

    /// Returns the request group of a packet on the link to its endpoint.
    #[inline]
    pub fn exit(&self, level: u8) -> u8 {
        if self.restricts_exits() { level } else { 0 }
    }
}

/// VC-increment channels: the channels that raise the VC class of a packet (policy `crossings`). The class is the packet's level.
#[derive(Debug, Clone)]
pub(crate) struct VcIncrements {
    /// Per channel: whether it is a VC-increment channel.
    channels: Vec<bool>,
    with_cable: bool,
}

impl VcIncrements {
    /// Creates the set; `channels` has one item per channel. With `with_cable`, the raised VC class already applies on the VC-increment
    /// channel itself; otherwise it applies from the packet's next channel on.
    pub fn new(channels: Vec<bool>, with_cable: bool) -> Self {
        Self { channels, with_cable }
    }

    /// Returns the VC class of a packet after it has crossed `channel`; `before` is its class before the crossing.
    #[inline]
    fn class_after(&self, before: u8, channel: u32) -> u8 {
        before + u8::from(self.channels[channel as usize])
    }

    /// Returns the VC class of a packet on `channel`; `before` is its class before `channel`.
    #[inline]
    fn class_on(&self, before: u8, channel: u32) -> u8 {
        if self.with_cable { self.class_after(before, channel) } else { before }
    }
}
