//! The sending end of a flow of a receiver-driven transport.

use super::Options;
use super::loss_detector::{Check, LossDetector};
use super::receiver::Receiver;
use super::scoreboard::SendScoreboard;
use crate::packet::{Kind, Packet, flag};
use crate::transport::{Action, Actions, Credits, Outgoing};

/// The source's state of a flow.
///
/// The window is a fixed number of credits. Every credit is in one of three states. It is used by an outstanding packet; or it is pending
/// at the receiver, from the arrival of the packet until the pull for it; or it is available, so that another packet can be sent. The
/// receiver counts arrivals and pulls, and sends these counts to the source. A later count also covers answers that were lost. A packet
/// that is declared lost returns its credit. If the packet was only late, or only its acknowledgement was lost, the count of arrivals shows
/// this later. The credit is then pending again.
#[derive(Debug, Default)]
pub(super) struct Sender {
    scoreboard: SendScoreboard,
    /// The size of the first window in packets.
    window: u32,
    /// The number of packets sent, including retransmissions.
    sent: u32,
    /// The number of arrivals at the receiver that the source knows about.
    arrived: u32,
    /// The number of pulls that the source knows about.
    pulled: u32,
    pub(super) retransmits: u32,
    pub(super) timeouts: u32,
    /// The value of `pulled` when the source sent a probe after a timeout; `None` if no probe is unacknowledged.
    probing: Option<u32>,
    /// The size of the flow's last packet on the wire, in bytes.
    last: u16,
    finished: bool,
    detector: LossDetector,
}

impl Sender {
    pub(super) fn new(packets: u32, last: u16) -> Self {
        Self { scoreboard: SendScoreboard::new(packets), last, ..Self::default() }
    }

    /// Sends the first window at line rate.
    pub(super) fn start(&mut self, flow: u32, now: u64, options: &Options, out: &mut Actions) {
        self.scoreboard.begin();
        self.window = options.window.min(self.scoreboard.packets());
        self.spend(flow, now, options, out);
        self.detector.begin(&mut self.scoreboard, now);
        out.push(Action::Timer { flow, at: self.detector.first_check(options) });
    }

    /// Handles an acknowledgement or a pull.
    pub(super) fn receive(&mut self, packet: &Packet, now: u64, options: &Options, out: &mut Actions) {
        if self.finished {
            return;
        }
        let flow = packet.flow;
        let (arrived, pulled) = match packet.kind {
            Kind::Ack if packet.flags & flag::COMPLETE != 0 => {
                self.finished = true;
                self.scoreboard.end();
                out.push(Action::Finished { flow });
                return;
            }
            Kind::Pull => (packet.sequence, packet.number),
            _ => {
                self.detector.answered(packet.sequence, &self.scoreboard, now, options);
                if packet.kind == Kind::Ack {
                    self.acknowledge(packet.sequence);
                } else {
                    self.trimmed(packet, out);
                }
                (packet.number, if packet.flags & flag::PULLS != 0 { packet.number } else { 0 })
            }
        };
        self.arrived = self.arrived.max(arrived);
        self.pulled = self.pulled.max(pulled);
        if self.detector.on_answer(packet.kind == Kind::Pull, now) {
            self.detector.turn(&mut self.scoreboard);
        }
        self.spend(flow, now, options, out);
    }

    /// Retransmits packets that were not answered in time, and restarts the flow if its last pull was lost. `held` is true if data
    /// waits at the link of the source.
    ///
    /// Trimmed headers report losses by congestion, so the timer covers only rare losses: lost headers, and packets on failed links.
    pub(super) fn timer(&mut self, flow: u32, held: bool, now: u64, options: &Options, out: &mut Actions) {
        if self.finished {
            return;
        }
        match self.detector.check(&self.scoreboard, held, now, options) {
            Check::Later(at) => return out.push(Action::Timer { flow, at }),
            Check::Overdue => {
                self.detector.turn(&mut self.scoreboard);
                self.spend(flow, now, options, out);
                return out.push(Action::Timer { flow, at: self.detector.first_check(options).max(now + 1) });
            }
            Check::Silent => {}
        }
        self.timeouts += 1;
        let again = self.detector.give_up(&mut self.scoreboard, now, options);
        // Only one packet is sent, as a probe. The other credits are used when an acknowledgement shows that packets arrive at the
        // destination.
        self.probing = Some(self.pulled);
        self.send(flow, now, options, out);
        out.push(Action::Timer { flow, at: again });
    }

    fn acknowledge(&mut self, sequence: u32) {
        if self.scoreboard.acknowledge(sequence) {
            self.detector.relax();
            self.probing = None;
        }
    }

    fn trimmed(&mut self, packet: &Packet, out: &mut Actions) {
        self.scoreboard.trimmed(packet.sequence);
        if packet.flags & flag::LEAVE != 0 {
            out.push(Action::Leave { flow: packet.flow, layer: packet.echo });
        }
    }

    /// Returns the number of packets that the flow can send now.
    ///
    /// A sent packet is outstanding, has arrived, or was lost. If the acknowledgement of a packet is overtaken by a later acknowledgement,
    /// the packet counts twice: as outstanding and as arrived. The sum is therefore limited to the number of sent packets, so that no
    /// packet uses two credits.
    #[inline]
    fn credit(&self) -> u32 {
        let used = self.sent.min(self.scoreboard.outstanding() + self.arrived);
        (self.window + self.pulled).saturating_sub(used)
    }

    /// Returns the credits of the flow with this `receiver`.
    pub(super) fn credits(&self, receiver: &Receiver) -> Credits {
        let known = (self.scoreboard.outstanding() + self.arrived).min(self.sent);
        Credits {
            window: self.window.into(),
            left: self.credit().into(),
            returned: (self.sent - known).into(),
            arrived: receiver.arrivals().into(),
            pulled: receiver.pulled().into(),
            pending_pulls: receiver.pending_pulls.into(),
            acked: (self.arrived.into(), self.pulled.into()),
        }
    }

    /// Sends as many packets as the flow has credits.
    fn spend(&mut self, flow: u32, now: u64, options: &Options, out: &mut Actions) {
        if let Some(pulled) = self.probing {
            // While the probe is unacknowledged, each pull allows one packet: the retransmission of the trimmed probe.
            if self.pulled > pulled && self.scoreboard.outstanding() == 0 && self.credit() > 0 {
                self.probing = Some(self.pulled);
                self.send(flow, now, options, out);
            }
            return;
        }
        while self.credit() > 0 && self.send(flow, now, options, out) {}
    }

    /// Sends one packet. Returns false if no packet is left to send.
    fn send(&mut self, flow: u32, now: u64, options: &Options, out: &mut Actions) -> bool {
        let Some((sequence, again)) = self.scoreboard.take() else { return false };
        self.sent += 1;
        let flags = if again && options.priority { flag::URGENT } else { 0 };
        if again {
            self.retransmits += 1;
        } else {
            self.detector.sent(sequence, now);
        }
        let size = if sequence + 1 == self.scoreboard.packets() { self.last } else { options.mtu };
        out.push(Action::Send(Outgoing { flags, ..Outgoing::new(flow, Kind::Data, sequence, size) }));
        true
    }
}

#[cfg(test)]
mod tests;
