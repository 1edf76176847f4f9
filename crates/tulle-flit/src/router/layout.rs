//! The ports and virtual channels of one switch, and their numbers.

use std::ops::Range;

use super::context::Run;

/// Ports of endpoints come first, then those of channels in the order of the switch's row. An input or output virtual channel, a
/// *lane*, has the number `port * stride + vc`.
#[derive(Debug)]
pub(crate) struct Layout {
    pub switch: u32,
    pub endpoints: usize,
    pub ports: usize,
    /// Virtual channels of a port.
    pub vcs: u8,
    /// Numbers of a port: at least its virtual channels.
    pub stride: usize,
    /// The switch's first channel.
    first_channel: usize,
    /// Ports of endpoints whose virtual channels all packets may have, whatever their group: all or none of them.
    open: usize,
    /// Per request group of channels, its first virtual channel and their number.
    ranges: Box<[(u8, u8)]>,
}

impl Layout {
    /// The layout of `switch` with `vcs` virtual channels a port.
    pub fn new(run: &Run, switch: u32, vcs: u8, stride: usize) -> Self {
        let endpoints = run.fabric.endpoints_of(switch).len();
        Self {
            switch,
            endpoints,
            ports: endpoints + run.fabric.degree(switch),
            vcs,
            stride,
            first_channel: run.fabric.channels_of(switch).start,
            open: if run.routes.counts_cables() { 0 } else { endpoints },
            ranges: run.routes.policy().ranges().into(),
        }
    }

    /// The number of lanes, those that ports do not have included.
    #[inline]
    pub fn num_lanes(&self) -> usize {
        self.ports * self.stride
    }

    /// The number of request groups.
    pub fn num_groups(&self) -> usize {
        self.ranges.len()
    }

    /// The lane of virtual channel `vc` of `port`.
    #[inline(always)]
    pub fn lane(&self, port: usize, vc: u8) -> usize {
        port * self.stride + usize::from(vc)
    }

    /// The port of `lane`, and which of its virtual channels it is.
    #[inline]
    pub fn place(&self, lane: usize) -> (usize, u8) {
        let port = lane / self.stride;
        (port, (lane - port * self.stride) as u8)
    }

    /// Whether `port` is that of an endpoint all of whose virtual channels any packet may have.
    #[inline]
    pub fn is_open(&self, port: usize) -> bool {
        port < self.open
    }

    /// The virtual channels of a request group at `port`, the first and how many: toward an endpoint all, unless packets leave on
    /// their class.
    #[inline]
    pub fn range(&self, port: usize, group: u8) -> (u8, u8) {
        if self.is_open(port) { (0, self.vcs) } else { self.ranges[usize::from(group)] }
    }

    /// The lanes of a request group at `port`, or all.
    #[inline]
    pub fn lanes(&self, port: usize, group: Option<u8>) -> Range<usize> {
        let (first, count) = group.map_or((0, self.vcs), |group| self.range(port, group));
        let start = self.lane(port, first);
        start..start + usize::from(count)
    }

    /// The channel that leaves by `port`, which is no endpoint's.
    pub fn channel(&self, port: usize) -> u32 {
        (self.first_channel + port - self.endpoints) as u32
    }
}
