//! The receiving end of a flow of a receiver-driven transport.

use super::Options;
// Receivers and the pacer depend on each other: receivers pass pulls to the pacer, and the pacer updates receivers when it sends the pulls.
use super::pacer::Pacer;
use crate::packet::{HEADER, Kind, NONE, Packet, flag};
use crate::transport::{Action, Actions, Outgoing};

/// The destination's state of a flow.
#[derive(Debug)]
pub(super) struct Receiver {
    /// One bit per packet that arrived with payload; empty before the first arrival and after the last one.
    received: Box<[u64]>,
    packets: u32,
    arrived: u32,
    /// Packets pulled so far.
    pulled: u32,
    /// Pulls that wait for the pacer.
    pub(super) pending_pulls: u32,
    /// The next flow in the pacer's queue.
    pub(super) behind: u32,
    pub(super) trimmed: u32,
    hops: u64,
    /// Payload that has arrived in bytes, without duplicates.
    pub(super) bytes: u64,
}

impl Receiver {
    pub(super) fn new(packets: u32) -> Self {
        Self {
            received: Box::default(),
            packets,
            arrived: 0,
            pulled: 0,
            pending_pulls: 0,
            behind: NONE,
            trimmed: 0,
            hops: 0,
            bytes: 0,
        }
    }

    /// Returns the mean number of links crossed per packet.
    pub(super) fn hops(&self) -> f32 {
        if self.arrived == 0 { 0.0 } else { (self.hops as f64 / f64::from(self.arrived)) as f32 }
    }

    pub(super) fn is_complete(&self) -> bool {
        self.arrived == self.packets
    }

    /// Records the arrival of a packet or of its trimmed header. Returns whether the packet's payload has arrived, now or earlier.
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

    /// Returns the number of packets pulled so far.
    pub(super) fn pulled(&self) -> u32 {
        self.pulled
    }

    /// Counts a pull. Returns its number.
    pub(super) fn pull(&mut self) -> u32 {
        self.pulled += 1;
        self.pulled
    }

    /// Returns the number of packets and headers that have arrived, including duplicates. For each of them, the receiver has sent a pull,
    /// or the pull is pending. The number is valid until the flow is complete.
    pub(super) fn arrivals(&self) -> u32 {
        self.pulled + self.pending_pulls
    }
}

/// Handles an arriving packet or trimmed header: acknowledges it and pulls another packet.
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
        receiver.pending_pulls = 0;
        if !was_complete {
            out.push(Action::Delivered { flow });
        }
    } else {
        if !here && options.change {
            answer.flags |= flag::LEAVE;
        }
        if pacer.pull(receivers, packet, now, out) {
            answer.flags |= flag::PULLS;
        }
        answer.number = receivers[flow as usize].arrivals();
    }
    out.push(Action::Send(answer));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::data;

    /// Returns the answers of a receiver to `packets`, for a flow of three packets: kind, flags, layer, and number of arrivals.
    fn answers(change: bool, packets: &[Packet]) -> Vec<(Kind, u8, u8, u32)> {
        let options =
            Options { window: 3, timeout: 1000, reordering_window: 1000, priority: true, change, mtu: 1500, pace: 1.0 };
        let (mut receivers, mut pacer, mut out) = ([Receiver::new(3)], Pacer::new(10), Actions::new());
        for packet in packets {
            receive(&mut receivers, &mut pacer, packet, 5, &options, &mut out);
        }
        let answer = |action: &Action| match action {
            Action::Send(answer) => Some((answer.kind, answer.flags, answer.echo, answer.number)),
            _ => None,
        };
        out.iter().filter_map(answer).collect()
    }

    /// FatPaths §V-F: the answer to a trimmed header asks the source to leave the header's layer, unless the payload has already arrived.
    #[test]
    fn headers_whose_payload_is_missing_ask_for_another_layer() {
        let [first, header] = [data(0, 0), data(1, flag::TRIMMED)].map(|packet| Packet { layer: 4, ..packet });
        let late = Packet { sequence: 0, ..header };
        for (change, leave) in [(true, flag::LEAVE), (false, 0)] {
            // The first answer pulls, because the pacer is free; the other pulls are pending.
            let expected = [(Kind::Ack, flag::PULLS, 4, 1), (Kind::Nack, leave, 4, 2), (Kind::Ack, 0, 4, 3)];
            assert_eq!(answers(change, &[first, header, late]), expected);
        }
    }

    /// A duplicate delivers no payload. Until the flow is complete, it counts as an arrival, and the receiver pulls for it.
    #[test]
    fn duplicates_are_counted_but_deliver_no_payload() {
        let sequences = [0, 0, 1, 1, 2, 2].map(|sequence| data(sequence, 0));
        let numbers: Vec<_> = answers(true, &sequences).iter().map(|&(_, flags, _, number)| (flags, number)).collect();
        let complete = (flag::COMPLETE, 0);
        assert_eq!(numbers, [(flag::PULLS, 1), (0, 2), (0, 3), (0, 4), complete, complete]);
    }
}
