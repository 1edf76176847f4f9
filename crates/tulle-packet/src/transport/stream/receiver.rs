//! The receiving ends of a connection, and of the flow whose packets its connections carry.

use super::ring::Ring;
use crate::packet::Packet;

/// The receiving end of a connection.
#[derive(Debug, Clone, Default)]
pub(super) struct Receiver {
    pub(super) ring: Ring,
    pub(super) trimmed: u32,
}

/// The receiving end of a flow.
#[derive(Debug, Clone, Default)]
pub(super) struct Arrivals {
    pub(super) packets: u32,
    /// Packets that have arrived, without duplicates.
    pub(super) arrived: u32,
    /// Arrivals by position in the flow; used only if subflows can carry copies of a packet.
    ring: Ring,
    hops: u64,
    /// Payload that has arrived in bytes, without duplicates.
    pub(super) bytes: u64,
}

impl Arrivals {
    pub(super) fn new(packets: u32) -> Self {
        Self { packets, ..Self::default() }
    }

    /// Records a packet that is new to its connection; `only` means that the flow has a single connection. Returns whether it completes the
    /// flow.
    pub(super) fn note(&mut self, packet: &Packet, only: bool) -> bool {
        // Data contains its position in the flow; see the sending end.
        if !only && !self.ring.note(packet.number) {
            return false;
        }
        self.arrived += 1;
        self.hops += u64::from(packet.echo);
        self.bytes += packet.payload();
        self.is_complete()
    }

    pub(super) fn is_complete(&self) -> bool {
        self.arrived == self.packets
    }

    /// Returns the mean number of links crossed per packet.
    pub(super) fn hops(&self) -> f32 {
        if self.arrived == 0 { 0.0 } else { (self.hops as f64 / f64::from(self.arrived)) as f32 }
    }
}
