//! The numbering of the ports and VCs of one switch.

use std::ops::Range;

use super::context::Run;

/// Ports of endpoints come first, then those of channels, in the order of the switch's row. An input or output VC of
/// the switch has the number `port * stride + vc`, its `port_vc`.
#[derive(Debug)]
pub(crate) struct Layout {
    pub switch: u32,
    pub endpoints: usize,
    pub ports: usize,
    /// VCs of a port.
    pub vcs: u8,
    /// Distance between the numbers of two ports: at least the VCs of a port.
    pub stride: usize,
    /// The switch's first channel.
    first_channel: usize,
    /// Number of endpoint ports on which a packet may use all VCs whatever its group: all endpoint ports or none.
    unrestricted: usize,
    /// Per request group on channels: its first VC and their number.
    ranges: Box<[(u8, u8)]>,
}

impl Layout {
    /// Creates the layout of `switch` with `vcs` VCs per port.
    pub fn new(run: &Run, switch: u32, vcs: u8, stride: usize) -> Self {
        let endpoints = run.fabric.endpoints_of(switch).len();
        Self {
            switch,
            endpoints,
            ports: endpoints + run.fabric.degree(switch),
            vcs,
            stride,
            first_channel: run.fabric.channels_of(switch).start,
            unrestricted: if run.routes.tracks_vc_class() { 0 } else { endpoints },
            ranges: run.routes.policy().ranges().into(),
        }
    }

    /// The size of the number range of VCs, including unused numbers.
    #[inline]
    pub fn num_port_vcs(&self) -> usize {
        self.ports * self.stride
    }

    /// The number of request groups.
    pub fn num_groups(&self) -> usize {
        self.ranges.len()
    }

    /// Returns the number of virtual channel `vc` of `port`.
    #[inline(always)]
    pub fn port_vc(&self, port: usize, vc: u8) -> usize {
        port * self.stride + usize::from(vc)
    }

    /// Returns the port and the VC of a number.
    #[inline]
    pub fn place(&self, port_vc: usize) -> (usize, u8) {
        let port = port_vc / self.stride;
        (port, (port_vc - port * self.stride) as u8)
    }

    /// Whether `port` belongs to an endpoint and packets may use all of its VCs.
    #[inline]
    pub fn is_unrestricted(&self, port: usize) -> bool {
        port < self.unrestricted
    }

    /// Returns the first VC and the number of VCs of a request group at `port`. Toward an endpoint these are all VCs,
    /// unless packets leave on the VCs of their class.
    #[inline]
    pub fn range(&self, port: usize, group: u8) -> (u8, u8) {
        if self.is_unrestricted(port) { (0, self.vcs) } else { self.ranges[usize::from(group)] }
    }

    /// Returns the numbers of the VCs of a request group at `port`, or of all its VCs.
    #[inline]
    pub fn port_vcs(&self, port: usize, group: Option<u8>) -> Range<usize> {
        let (first, count) = group.map_or((0, self.vcs), |group| self.range(port, group));
        let start = self.port_vc(port, first);
        start..start + usize::from(count)
    }

    /// Returns the channel that leaves through `port`, which is not an endpoint's.
    pub fn channel(&self, port: usize) -> u32 {
        (self.first_channel + port - self.endpoints) as u32
    }
}
