//! The receiving end of a flow.

use super::Options;
use super::pacer::Pacer;
use crate::packet::{HEADER, Kind, NONE, Packet, flag};
use crate::transport::{Action, Actions, Outgoing};

/// A flow as its destination sees it.
#[derive(Debug)]
pub(super) struct Receiver {
    /// One bit per packet that arrived with payload; empty before the first and after the last.
    received: Box<[u64]>,
    packets: u32,
    arrived: u32,
    /// Packets pulled so far.
    pulled: u32,
    /// Pulls that wait for the pacer.
    pub(super) owed: u32,
    /// The flow behind this one in the pacer's turn.
    pub(super) behind: u32,
    pub(super) trimmed: u32,
    hops: u64,
    /// Payload that has arrived, each byte counted once.
    pub(super) bytes: u64,
}

impl Receiver {
    pub(super) fn new(packets: u32) -> Self {
        Self {
            received: Box::default(),
            packets,
            arrived: 0,
            pulled: 0,
            owed: 0,
            behind: NONE,
            trimmed: 0,
            hops: 0,
            bytes: 0,
        }
    }

    /// Links crossed per packet, on average.
    pub(super) fn hops(&self) -> f32 {
        if self.arrived == 0 { 0.0 } else { (self.hops as f64 / f64::from(self.arrived)) as f32 }
    }

    pub(super) fn is_complete(&self) -> bool {
        self.arrived == self.packets
    }

    /// Notes the arrival of a packet or its header; whether its payload is here now.
    fn note(&mut self, packet: &Packet) -> bool {
        if !packet.has_payload() {
            self.trimmed += 1;
        }
        if self.is_complete() {
            return true;
        }
        if self.received.is_empty() {
            self.received = vec![0; (self.packets as usize).div_ceil(64)].into_boxed_slice();
        }
        let word = &mut self.received[packet.sequence as usize / 64];
        let bit = 1 << (packet.sequence % 64);
        let here = *word & bit != 0;
        if here || !packet.has_payload() {
            return here;
        }
        *word |= bit;
        self.arrived += 1;
        self.hops += u64::from(packet.echo);
        self.bytes += packet.payload();
        if self.is_complete() {
            self.received = Box::default();
        }
        true
    }

    /// Packets pulled so far.
    pub(super) fn pulled(&self) -> u32 {
        self.pulled
    }

    /// The number of the next pull.
    pub(super) fn pull(&mut self) -> u32 {
        self.pulled += 1;
        self.pulled
    }

    /// Packets and headers that have arrived, copies too; each is pulled for, or that is owed.
    pub(super) fn arrivals(&self) -> u32 {
        self.pulled + self.owed
    }
}

/// Takes a packet or a header: acknowledges it, and pulls another.
pub(super) fn receive(
    receivers: &mut [Receiver],
    pacer: &mut Pacer,
    packet: &Packet,
    now: u64,
    options: &Options,
    out: &mut Actions,
) {
    let flow = packet.flow;
    let receiver = &mut receivers[flow as usize];
    let was_complete = receiver.is_complete();
    let here = receiver.note(packet);
    let kind = if here { Kind::Ack } else { Kind::Nack };
    let mut answer = Outgoing { echo: packet.layer, ..Outgoing::new(flow, kind, packet.sequence, HEADER) };
    if receiver.is_complete() {
        answer.flags |= flag::COMPLETE;
        receiver.owed = 0;
        if !was_complete {
            out.push(Action::Delivered { flow });
        }
    } else {
        if !here && options.change {
            answer.flags |= flag::LEAVE;
        }
        if pacer.pull(receivers, packet, now, options, out) {
            answer.flags |= flag::PULLS;
        }
        answer.number = receivers[flow as usize].arrivals();
    }
    out.push(Action::Send(answer));
}
