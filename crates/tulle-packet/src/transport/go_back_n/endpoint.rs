//! A sending endpoint. Its flows take turns: the flow whose rate allows the earliest next packet comes first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Options;
use super::flow::Sender;
use crate::transport::alarm::Alarm;
use crate::transport::congestion::Controller;
use crate::transport::{Action, Actions};

/// The flows of an endpoint that have packets to send.
#[derive(Debug, Clone, Default)]
pub(super) struct Endpoint {
    /// Flows ordered by the earliest time of their next packet, then by flow number.
    turns: BinaryHeap<Reverse<(u64, u32)>>,
    /// The time at which the link finishes sending the last packet.
    free: u64,
    alarm: Alarm,
    /// Whether the switch has paused the endpoint.
    pub(super) paused: bool,
}

impl Endpoint {
    pub(super) fn add(&mut self, at: u64, flow: u32) {
        self.turns.push(Reverse((at, flow)));
    }

    pub(super) fn fired(&mut self, now: u64) {
        self.alarm.fired(now);
    }

    /// Sends all packets that can be sent now, and schedules a wake-up for the next packet.
    pub(super) fn pace<C: Controller>(
        &mut self,
        senders: &mut [Sender<C>],
        endpoint: u32,
        now: u64,
        options: &Options<C>,
        out: &mut Actions,
    ) {
        while let Some(&Reverse((at, flow))) = self.turns.peek()
            && !self.paused
        {
            let at = at.max(self.free);
            if at > now {
                if let Some(at) = self.alarm.set(at) {
                    out.push(Action::Pace { endpoint, at });
                }
                return;
            }
            self.turns.pop();
            let sender = &mut senders[flow as usize];
            if let Some(time) = sender.send(flow, now, options, out) {
                self.free = now + time;
                if sender.wants_turn() {
                    self.add(sender.turn(now), flow);
                }
            }
        }
    }
}
