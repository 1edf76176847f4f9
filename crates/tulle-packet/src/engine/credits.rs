//! Checks the credits of a receiver-driven flow after every event of its transport. No credit may be lost permanently, and no extra credit
//! may appear.
//!
//! For each flow, the ledger counts the data packets that were sent, are in the network, or were lost. The check compares these counts with
//! the state at both ends of the flow. It runs only in builds with debug assertions or with the feature `conservation`.

use super::Engine;
use crate::packet::{Kind, Packet};
use crate::transport::Credits;

/// The counts of a flow's data packets, with or without payload.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    sent: u64,
    in_flight: u64,
    lost: u64,
}

/// The counts of data packets by flow; empty if the simulation does not count them.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    flows: Vec<Count>,
}

impl Ledger {
    /// Returns a ledger for this number of flows. It is empty with several partitions, because then no partition has both ends of
    /// all flows.
    pub(super) fn new(flows: usize, parts: usize) -> Self {
        let counts = cfg!(any(debug_assertions, feature = "conservation")) && parts == 1;
        Self { flows: if counts { vec![Count::default(); flows] } else { Vec::new() } }
    }

    fn count(&mut self, flow: u32, kind: Kind) -> Option<&mut Count> {
        if !cfg!(any(debug_assertions, feature = "conservation")) || kind != Kind::Data {
            return None;
        }
        self.flows.get_mut(flow as usize)
    }

    #[inline(always)]
    pub(super) fn sent(&mut self, flow: u32, kind: Kind) {
        if let Some(count) = self.count(flow, kind) {
            count.sent += 1;
            count.in_flight += 1;
        }
    }

    /// Counts `packet` as arrived at its destination.
    #[inline(always)]
    pub(super) fn arrived(&mut self, packet: &Packet) {
        if let Some(count) = self.count(packet.flow, packet.kind) {
            count.in_flight -= 1;
        }
    }

    /// Counts `packet` as lost, because a queue dropped it or a fault destroyed it.
    #[inline(always)]
    pub(super) fn lost(&mut self, packet: &Packet) {
        if let Some(count) = self.count(packet.flow, packet.kind) {
            count.in_flight -= 1;
            count.lost += 1;
        }
    }
}

impl Engine<'_> {
    /// Panics if the credits of `flow` do not match its packets.
    pub(super) fn audit(&self, flow: u32) {
        let Some(&Count { sent, in_flight, lost }) = self.state.ledger.flows.get(flow as usize) else { return };
        let Some(credits) = self.transport.credits(flow) else { return };
        let Credits { window, left, returned, arrived, pulled, pending_pulls, acked } = credits;
        let about = || {
            format!(
                "flow {flow} at {} ps: {sent} sent, {in_flight} in flight, {lost} lost, {credits:?}",
                self.state.now
            )
        };
        assert_eq!(sent, in_flight + arrived + lost, "{}", about());
        assert_eq!(arrived, pulled + pending_pulls, "{}", about());
        assert!(acked.0 <= arrived && acked.1 <= pulled, "{}", about());
        // The source already has the credits of packets that were declared lost. If such a packet was only late, it uses a credit again
        // when it arrives.
        let out = in_flight + (arrived - acked.1) + lost;
        assert!(out + left == window + returned || left == 0 && out >= window + returned, "{}", about());
    }
}
