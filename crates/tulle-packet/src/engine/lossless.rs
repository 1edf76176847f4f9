//! Supports lossless queues in the engine: delivers pause frames, and frees buffer space as packets leave.

use super::{Engine, State};
use crate::calendar::{Event, EventKind};
use crate::port::Class;
use crate::transport;

impl Engine<'_> {
    /// Passes the ports and links of the network to the queue model, if it is lossless.
    pub(super) fn attach_lossless(&mut self) {
        if let Some(pfc) = self.queues.first.pauses_mut() {
            let lanes = self.lanes.as_ref().map(|lanes| lanes.num_lanes());
            pfc.attach(&self.state.channel_targets, self.state.ports.len(), lanes);
            if !self.links.is_uniform() {
                pfc.approach(&self.links, &self.state.ports, self.reverse);
            }
        }
    }

    /// Handles the departure of packet `id`, which has waited at a switch's `port`.
    #[inline]
    pub(super) fn release(&mut self, port: u32, id: u32) {
        let Some(pfc) = self.queues.first.pauses_mut() else { return };
        pfc.release(port, &self.state.packets, id, self.state.now);
        self.send_signals();
    }

    /// Sends the pause frames that the queue model requests.
    #[inline]
    pub(super) fn send_signals(&mut self) {
        let Some(pfc) = self.queues.first.pauses_mut() else { return };
        while let Some(signal) = pfc.take_signal() {
            let data = u32::from(signal.lane) << 1 | u32::from(signal.pause);
            let arrival = signal.at + pfc.back_latency(signal.port, &self.links);
            self.state.calendar.push(Event::new(arrival, EventKind::Pause, signal.port, data));
        }
    }

    /// Handles the arrival of a pause or resume frame at `port`. Bit 0 of `data` means pause; the higher bits are the lane, which
    /// is a class if the simulation has no virtual lanes.
    pub(super) fn pause(&mut self, port: u32, data: u32) {
        if self.lanes.is_some() {
            return self.pause_lane(port, (data >> 1) as u8, data & 1 == 1);
        }
        let (class, paused) = (Class::ALL[(data >> 1) as usize], data & 1 == 1);
        let State { ports, channel_targets, .. } = &mut self.state;
        ports[port as usize].pause(class, paused);
        let first_up = channel_targets.len() - self.endpoint_switch.len();
        // The waiting packets are scheduled before the transport is notified. So packets that the transport sends now cannot overtake them.
        self.schedule(port);
        if let Some(endpoint) = (port as usize).checked_sub(first_up) {
            self.dispatch(transport::Event::Pause { endpoint: endpoint as u32, class, paused });
        }
    }
}
