//! Ways around what endpoints know to be down: other layers, and other paths of a layer (FatPaths §V-G).

use tulle_base::random::mix;

use super::Engine;
use crate::packet::Kind;
use crate::path::Path;
use crate::transport::{ALONE, Outgoing};

/// How often a selector is asked for another path.
const ASKED: usize = 4;
/// Paths tried per layer.
const TRIED: u64 = 16;

impl Engine<'_> {
    /// The path of `outgoing` between switches `from` and `to`: `path`, or another if that is known to be down and another
    /// is not.
    ///
    /// A selector that leaves layers is made to; then all its layers are tried, from that of `path` on. Selectors that use
    /// layer 0 only stay there. What finds no way takes `path`, and is lost.
    #[cold]
    #[inline(never)]
    pub(super) fn avoid(&mut self, outgoing: &Outgoing, path: Path, from: u32, to: u32) -> Path {
        let &Outgoing { flow, sequence, kind, subflow, .. } = outgoing;
        let now = self.state.now;
        let Some(faults) = &mut self.faults else { return path };
        let is_subflow = subflow != ALONE;
        faults.has_subflows |= is_subflow;
        if !faults.hear(now) {
            return path;
        }
        if from == to || self.selector.is_in_switch() {
            // Switches choose; but nothing leads around the link of an endpoint.
            self.check_ends(flow);
            return path;
        }
        if self.is_live(self.forwarding.enter(path, from, to), from, to) {
            self.check_ends(flow);
            return path;
        }
        let mut other = path;
        if kind == Kind::Data && !is_subflow {
            for _ in 0..ASKED {
                self.selector.leave(flow, other.layer);
                other = self.selector.data(flow, sequence, now);
                if self.is_live(self.forwarding.enter(other, from, to), from, to) {
                    return other;
                }
            }
        }
        let stays = self.selector.stays() && !is_subflow;
        self.detour(flow, path, stays, from, to)
    }

    /// The same in a switch, for selectors that choose there.
    #[cold]
    #[inline(never)]
    pub(super) fn avoid_in_switch(&mut self, switch: u32, id: u32) {
        let Some(faults) = &mut self.faults else { return };
        let packet = self.state.packets[id];
        let to = u32::from(packet.switch);
        let stays = self.selector.stays() && !faults.has_subflows;
        if !faults.hear(self.state.now) || switch == to || self.is_live((packet.layer, packet.entropy), switch, to) {
            return;
        }
        // Of an explicit path the rest is kept where there is no other.
        let path = Path { layer: packet.layer, is_named: true, entropy: packet.entropy };
        let other = self.detour(packet.flow, path, stays, switch, to);
        if other != path {
            let (layer, entropy) = self.forwarding.enter(other, switch, to);
            let packet = &mut self.state.packets[id];
            packet.layer = layer;
            packet.entropy = entropy;
        }
    }

    /// Notes a flow with an end that is known to be without a link.
    fn check_ends(&mut self, flow: u32) {
        let (first_up, first_down) = (self.first_up(), self.first_down());
        let ends = [self.source[flow as usize], self.destination[flow as usize]];
        if let Some(faults) = &mut self.faults
            && ends.iter().any(|end| faults.is_known(first_up + end) || faults.is_known(first_down + end))
        {
            faults.loses_way(flow);
        }
    }

    /// A path from switch `from` to switch `to` that is not known to be down, in layer 0 where it `stays` there; `path` where
    /// none was found.
    ///
    /// First the same ones every time, so that a flow keeps its path; where none of them leads anywhere, others each time.
    fn detour(&mut self, flow: u32, path: Path, stays: bool, from: u32, to: u32) -> Path {
        let Some(faults) = &self.faults else { return path };
        let layers = faults.choices(stays, from, to);
        let tried = if faults.has_tables() { TRIED } else { 1 };
        for key in [0, mix(self.state.now | 1)] {
            for step in 0..layers {
                let layer = ((u32::from(path.layer) + step) % layers) as u8;
                for number in 0..tried {
                    let hash = mix(mix(key ^ u64::from(flow)) ^ (u64::from(layer) << 8 | number));
                    let other = Path { layer, is_named: true, entropy: (hash >> 32) as u32 };
                    if self.is_live(self.forwarding.enter(other, from, to), from, to) {
                        return other;
                    }
                }
            }
        }
        if let Some(faults) = &mut self.faults {
            faults.loses_way(flow);
        }
        path
    }

    /// Whether no link is known to be down on the way of a packet of this layer and entropy from switch `from` to switch `to`.
    fn is_live(&self, (layer, mut entropy): (u8, u32), from: u32, to: u32) -> bool {
        let Some(faults) = &self.faults else { return true };
        let mut switch = from;
        while switch != to {
            let port = self.forwarding.next(layer, switch, to, &mut entropy);
            if faults.is_known(port) {
                return false;
            }
            switch = self.state.heads[port as usize];
        }
        true
    }
}
