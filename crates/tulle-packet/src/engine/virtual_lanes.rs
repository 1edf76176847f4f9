//! Moves packets over virtual lanes. Each lane is paused separately; packets on other lanes are still sent.

use tulle_base::random::mix;

use super::{Engine, State};
use crate::packet::Kind;
use crate::port::Class;
use crate::queue::Hop;

impl Engine<'_> {
    /// Assigns the lanes of packet `id`, which starts at `switch`. Returns its lane on the link from its endpoint; `None` if the simulation
    /// has no virtual lanes.
    #[inline]
    pub(super) fn start_on_lane(&mut self, id: u32, switch: u32) -> Option<u8> {
        let lanes = self.lanes.as_mut()?;
        lanes.start(id, &self.state.packets[id], &self.forwarding, switch);
        Some(lanes.of(id))
    }

    /// Assigns the lanes of packet `id` again after its first switch has chosen its layer.
    #[inline]
    pub(super) fn restart_on_lane(&mut self, id: u32, switch: u32) {
        if let Some(lanes) = &mut self.lanes {
            lanes.restart(id, &self.state.packets[id], &self.forwarding, switch);
        }
    }

    /// Returns whether the link of `port` is free for a packet on `lane`: the lane is not paused, and no packet on an unpaused lane waits
    /// at the port.
    pub(super) fn is_open(&self, port: u32, lane: u8) -> bool {
        let is_paused = self.lanes.as_ref().is_some_and(|lanes| lanes.queues.is_paused(port, lane));
        self.state.ports[port as usize].is_unused(self.state.now) && !is_paused
    }

    /// Queues packet `id` on a lane of an endpoint's `port`.
    pub(super) fn wait_on_lane(&mut self, port: u32, id: u32, lane: u8) {
        let (Some(lanes), State { ports, packets, nic, .. }) = (&mut self.lanes, &mut self.state) else { return };
        let (packet, at) = (packets[id], &mut ports[port as usize]);
        if packet.kind != Kind::Data {
            return lanes.queues.push_control(port, packets, id, lane);
        }
        let class = Class::of(&packet);
        match nic.push(packets, id, packet.flow, class) {
            true => lanes.queues.push(port, at, packets, id, lane, class),
            false => at.expect(class),
        }
        if nic.sending.stops && lanes.queues.is_paused(port, lane) {
            self.state.held = Some(packet.flow);
        }
    }

    /// Sends, queues or drops packet `id` at the output port `hop.out` of a switch.
    pub(super) fn admit_on_lane(&mut self, hop: Hop, id: u32) {
        let Hop { from, out } = hop;
        let is_last = out >= self.first_down();
        let Some(lanes) = &mut self.lanes else { return };
        let (arrived, lane) = lanes.advance(id, self.state.channel_targets[from as usize], is_last);
        if !self.state.packets[id].has_payload() && !self.queues.first.holds_control() {
            return self.express(out, id);
        }
        if self.is_open(out, lane) {
            return self.transmit(out, id);
        }
        let Some(lanes) = &mut self.lanes else { return };
        let pfc = self.queues.first.pauses_mut().expect("a plan of virtual lanes needs a lossless queue");
        let State { ports, packets, counters, ledger, now, draw_key, .. } = &mut self.state;
        let port = &mut ports[out as usize];
        let throw = || {
            port.draws = port.draws.wrapping_add(1);
            mix(*draw_key ^ (u64::from(out) << 32 | u64::from(port.draws)))
        };
        if pfc.store(hop, arrived, &mut packets[id], id, *now, throw) {
            let class = Class::of(&packets[id]);
            lanes.queues.push(out, port, packets, id, lane, class);
            self.waits(out);
            self.schedule(out);
            self.send_signals();
        } else {
            let packet = packets.remove(id);
            ledger.lost(&packet);
            *if packet.has_payload() { &mut counters.data_dropped } else { &mut counters.control_dropped } += 1;
        }
    }

    /// Pauses or resumes a lane of `port`.
    pub(super) fn pause_lane(&mut self, port: u32, lane: u8, paused: bool) {
        if let Some(lanes) = &mut self.lanes {
            lanes.queues.pause(port, lane, paused);
        }
        self.schedule(port);
    }
}
