//! The receiving end of a connection, and the receiving end of a flow with one or more connections.

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
    /// The arrived packets by position in the flow; used only if several subflows can carry the same packet.
    ring: Ring,
    hops: u64,
    /// Payload that has arrived in bytes, without duplicates.
    pub(super) bytes: u64,
}

impl Arrivals {
    pub(super) fn new(packets: u32) -> Self {
        Self { packets, ..Self::default() }
    }

    /// Records a packet that is new to its connection. Returns whether it completes the flow. `only` is true if the flow has only one
    /// connection.
    pub(super) fn note(&mut self, packet: &Packet, only: bool) -> bool {
        // With several connections, the field `number` of a data packet is its position in the flow.
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
