//! The sending end of a flow.

use super::Options;
use super::fates::Fates;
use super::receiver::Receiver;
use super::watch::{Look, Watch};
use crate::packet::{Kind, Packet, flag};
use crate::transport::{Action, Actions, Credits, Outgoing};

/// A flow as its source sees it.
///
/// Its window is a fixed number of credits. Each is outstanding with a packet, owed by the receiver from the arrival of that
/// packet until the pull for it, or here and lets another packet go. Arrivals and pulls are counted by the receiver, and its counts
/// make up for those that were lost. A packet taken for lost is no longer outstanding, and its credit is here again; if it was
/// late, or if its answer alone was lost, the count of arrivals tells, and the credit is owed.
#[derive(Debug, Default)]
pub(super) struct Sender {
    fates: Fates,
    /// Packets that the first window has.
    window: u32,
    /// Packets sent, each time anew; and those that have arrived and that were pulled, as far as is known.
    sent: u32,
    arrived: u32,
    pulled: u32,
    pub(super) retransmits: u32,
    pub(super) timeouts: u32,
    /// One packet is out to find out if anything still comes through; pulls until it was sent.
    probing: Option<u32>,
    /// Bytes on the wire of the last packet.
    last: u16,
    finished: bool,
    watch: Watch,
}

impl Sender {
    pub(super) fn new(packets: u32, last: u16) -> Self {
        Self { fates: Fates::new(packets), last, ..Self::default() }
    }

    /// Sends the first window at line rate.
    pub(super) fn start(&mut self, flow: u32, now: u64, options: &Options, out: &mut Actions) {
        self.fates.begin();
        self.window = options.window.min(self.fates.packets());
        self.spend(flow, now, options, out);
        self.watch.begin(&mut self.fates, now);
        out.push(Action::Timer { flow, at: self.watch.first_look(options) });
    }

    /// Takes an acknowledgement or a pull.
    pub(super) fn receive(&mut self, packet: &Packet, now: u64, options: &Options, out: &mut Actions) {
        if self.finished {
            return;
        }
        let flow = packet.flow;
        let (arrived, pulled) = match packet.kind {
            Kind::Ack if packet.flags & flag::COMPLETE != 0 => {
                self.finished = true;
                self.fates.end();
                out.push(Action::Finished { flow });
                return;
            }
            Kind::Pull => (packet.sequence, packet.number),
            _ => {
                self.watch.answered(packet.sequence, &self.fates, now, options);
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
        if self.watch.hear(packet.kind == Kind::Pull, now) {
            self.watch.turn(&mut self.fates);
        }
        self.spend(flow, now, options, out);
    }

    /// Sends again what has not been answered for too long, and makes the flow go on if its last pull was lost; `held` while data
    /// waits at the link of the source.
    ///
    /// Trimming keeps the news of congestion, so this guards against rare losses only: of headers, and on dead links.
    pub(super) fn timer(&mut self, flow: u32, held: bool, now: u64, options: &Options, out: &mut Actions) {
        if self.finished {
            return;
        }
        match self.watch.look(&self.fates, held, now, options) {
            Look::Later(at) => return out.push(Action::Timer { flow, at }),
            Look::Overdue => {
                self.watch.turn(&mut self.fates);
                self.spend(flow, now, options, out);
                return out.push(Action::Timer { flow, at: self.watch.first_look(options).max(now + 1) });
            }
            Look::Silent => {}
        }
        self.timeouts += 1;
        let again = self.watch.give_up(&mut self.fates, now, options);
        // One packet now; what else there is credit for once an acknowledgement shows that packets get through.
        self.probing = Some(self.pulled);
        self.send(flow, now, options, out);
        out.push(Action::Timer { flow, at: again });
    }

    fn acknowledge(&mut self, sequence: u32) {
        if self.fates.acknowledge(sequence) {
            self.watch.relax();
            self.probing = None;
        }
    }

    fn trimmed(&mut self, packet: &Packet, out: &mut Actions) {
        self.fates.trimmed(packet.sequence);
        if packet.flags & flag::LEAVE != 0 {
            out.push(Action::Leave { flow: packet.flow, layer: packet.echo });
        }
    }

    /// Packets that the flow has credit for.
    ///
    /// A packet that it has sent is outstanding, has arrived, or was lost. Answers on their way are counted twice, as
    /// outstanding and by those that overtook them, but no packet uses more than one credit.
    #[inline]
    fn credit(&self) -> u32 {
        let used = self.sent.min(self.fates.outstanding() + self.arrived);
        (self.window + self.pulled).saturating_sub(used)
    }

    /// Its credits, where `receiver` is its other end.
    pub(super) fn credits(&self, receiver: &Receiver) -> Credits {
        let known = (self.fates.outstanding() + self.arrived).min(self.sent);
        Credits {
            window: self.window.into(),
            left: self.credit().into(),
            returned: (self.sent - known).into(),
            arrived: receiver.arrivals().into(),
            pulled: receiver.pulled().into(),
            owed: receiver.owed.into(),
            heard: (self.arrived.into(), self.pulled.into()),
        }
    }

    /// Sends what there is credit for.
    fn spend(&mut self, flow: u32, now: u64, options: &Options, out: &mut Actions) {
        if let Some(pulled) = self.probing {
            // What was found to be trimmed takes its turn.
            if self.pulled > pulled && self.fates.outstanding() == 0 && self.credit() > 0 {
                self.probing = Some(self.pulled);
                self.send(flow, now, options, out);
            }
            return;
        }
        while self.credit() > 0 && self.send(flow, now, options, out) {}
    }

    /// Sends one packet; false where there is none.
    fn send(&mut self, flow: u32, now: u64, options: &Options, out: &mut Actions) -> bool {
        let Some((sequence, again)) = self.fates.take() else { return false };
        self.sent += 1;
        let flags = if again && options.priority { flag::URGENT } else { 0 };
        if again {
            self.retransmits += 1;
        } else {
            self.watch.sent(sequence, now);
        }
        let size = if sequence + 1 == self.fates.packets() { self.last } else { options.mtu };
        out.push(Action::Send(Outgoing { flags, ..Outgoing::new(flow, Kind::Data, sequence, size) }));
        true
    }
}

#[cfg(test)]
mod tests;
