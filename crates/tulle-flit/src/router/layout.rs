//! The numbering of the ports and VCs of one switch.

use std::ops::Range;

use super::context::Run;

/// The layout of one switch. Endpoint ports have the first numbers; then come the ports of cables, in the order of the
/// switch's row of neighbours. An input or output VC of the switch has the number `port * stride + vc`, called
/// `port_vc`.
#[derive(Debug)]
pub(crate) struct Layout {
    pub switch: u32,
    pub endpoints: usize,
    pub ports: usize,
    /// Number of VCs of a port.
    pub vcs: u8,
    /// Number of flits of a record. A record is one flit or, depending on the router model, a whole packet.
    pub record: u16,
    /// Distance between the first VC numbers of two adjacent ports; at least the number of VCs of a port.
    pub stride: usize,
    /// The switch's first channel.
    first_channel: usize,
    /// Number of endpoint ports on which a packet may use all VCs, whatever its request group: all endpoint ports, or
    /// none.
    unrestricted: usize,
    /// Per request group, on ports of cables: its first VC and its number of VCs.
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
            record: run.timing.record,
            stride,
            first_channel: run.fabric.channels_of(switch).start,
            unrestricted: if run.routes.restricts_exits() { 0 } else { endpoints },
            ranges: run.routes.policy().ranges().into(),
        }
    }

    /// Returns how many VC numbers the switch has, including unused ones.
    #[inline]
    pub fn num_port_vcs(&self) -> usize {
        self.ports * self.stride
    }

    /// Returns the number of request groups.
    pub fn num_groups(&self) -> usize {
        self.ranges.len()
    }

    /// Returns the VC number (`port_vc`) of virtual channel `vc` of `port`.
    #[inline(always)]
    pub fn port_vc(&self, port: usize, vc: u8) -> usize {
        port * self.stride + usize::from(vc)
    }

    /// Returns the port and the VC that have the VC number `port_vc`.
    #[inline]
    pub fn place(&self, port_vc: usize) -> (usize, u8) {
        let port = port_vc / self.stride;
        (port, (port_vc - port * self.stride) as u8)
    }

    /// Returns whether `port` belongs to an endpoint and packets may use all of its VCs.
    #[inline]
    pub fn is_unrestricted(&self, port: usize) -> bool {
        port < self.unrestricted
    }

    /// Returns the first VC and the number of VCs of a request group at `port`. On endpoint ports a group has all VCs,
    /// unless the VC policy restricts packets to the VCs of their class there.
    #[inline]
    pub fn range(&self, port: usize, group: u8) -> (u8, u8) {
        if self.is_unrestricted(port) { (0, self.vcs) } else { self.ranges[usize::from(group)] }
    }

    /// Returns the numbers of the VCs of `group` at `port`, or of all VCs at `port` if `group` is `None`.
    #[inline]
    pub fn port_vcs(&self, port: usize, group: Option<u8>) -> Range<usize> {
        let (first, count) = group.map_or((0, self.vcs), |group| self.range(port, group));
        let start = self.port_vc(port, first);
        start..start + usize::from(count)
    }

    /// Returns the outgoing channel of `port`, which must be the port of a cable.
    pub fn channel(&self, port: usize) -> u32 {
        (self.first_channel + port - self.endpoints) as u32
    }
}
