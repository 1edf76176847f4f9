//! Path failover: moves packets from paths that are known to be down to other layers, or to other paths of a layer (FatPaths §V-G).

use tulle_base::random::mix;

use super::Engine;
use crate::packet::Kind;
use crate::path::Path;
use crate::transport::{NO_SUBFLOW, Outgoing};

/// The maximum number of times that the selector is asked for another path.
const MAX_REQUESTS: usize = 4;
/// The number of paths that are tried per layer.
const PATHS_PER_LAYER: u64 = 16;

impl Engine<'_> {
    /// Returns a path for `outgoing` between switches `from` and `to`: `path`, or a working path if `path` is known to be down.
    ///
    /// For data without subflows, the selector is first asked for a path in another layer. Then all layers are tried, starting with the
    /// layer of `path`; for a selector that uses only layer 0, only layer 0 is tried. If no path works, the packet takes `path` and is
    /// lost.
    #[cold]
    #[inline(never)]
    pub(super) fn avoid(&mut self, outgoing: &Outgoing, path: Path, from: u32, to: u32) -> Path {
        let &Outgoing { flow, sequence, kind, subflow, .. } = outgoing;
        let now = self.state.now;
        let Some(faults) = &mut self.faults else { return path };
        let is_subflow = subflow != NO_SUBFLOW;
        faults.has_subflows |= is_subflow;
        if !faults.learn(now) {
            return path;
        }
        if from == to || self.selector.is_in_switch() {
            // The endpoint chooses no path: switches choose it, or both endpoints are at the same switch. Only the links of the endpoints
            // are checked, because no path can avoid them.
            self.check_ends(flow);
            return path;
        }
        if self.is_live(self.forwarding.enter(path, from, to), from, to) {
            self.check_ends(flow);
            return path;
        }
        let mut other = path;
        if kind == Kind::Data && !is_subflow {
            for _ in 0..MAX_REQUESTS {
                self.selector.leave(flow, other.layer);
                other = self.selector.data(flow, sequence, now);
                if self.is_live(self.forwarding.enter(other, from, to), from, to) {
                    return other;
                }
            }
        }
        let stays = self.selector.stays() && !is_subflow;
        self.find_live_path(flow, path, stays, from, to)
    }

    /// Moves packet `id` to a working path at `switch`, for selectors that choose in switches.
    #[cold]
    #[inline(never)]
    pub(super) fn avoid_in_switch(&mut self, switch: u32, id: u32) {
        let Some(faults) = &mut self.faults else { return };
        let packet = self.state.packets[id];
        let to = u32::from(packet.switch);
        let stays = self.selector.stays() && !faults.has_subflows;
        if !faults.learn(self.state.now) || switch == to || self.is_live((packet.layer, packet.entropy), switch, to) {
            return;
        }
        // `is_named` is set, so that a packet stays on its explicit path if no other path works.
        let path = Path { layer: packet.layer, is_named: true, entropy: packet.entropy };
        let other = self.find_live_path(packet.flow, path, stays, switch, to);
        if other != path {
            let (layer, entropy) = self.forwarding.enter(other, switch, to);
            let packet = &mut self.state.packets[id];
            packet.layer = layer;
            packet.entropy = entropy;
        }
    }

    /// If the link of the source or destination endpoint of `flow` is known to be down, records that `flow` has no path.
    fn check_ends(&mut self, flow: u32) {
        let (first_up, first_down) = (self.first_up(), self.first_down());
        let ends = [self.source[flow as usize], self.destination[flow as usize]];
        if let Some(faults) = &mut self.faults
            && ends.iter().any(|end| faults.is_known(first_up + end) || faults.is_known(first_down + end))
        {
            faults.record_no_path(flow);
        }
    }

    /// Returns a path from switch `from` to switch `to` without links that are known to be down. If none is found, returns `path`. With
    /// `stays`, only layer 0 is tried.
    ///
    /// The first candidates are the same at every call, so that a flow keeps its path. If all of these candidates are down, random
    /// candidates follow.
    fn find_live_path(&mut self, flow: u32, path: Path, stays: bool, from: u32, to: u32) -> Path {
        let Some(faults) = &self.faults else { return path };
        let layers = faults.choices(stays, from, to);
        let tried = if faults.has_tables() { PATHS_PER_LAYER } else { 1 };
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
            faults.record_no_path(flow);
        }
        path
    }

    /// Returns whether no link is known to be down on the path with this layer and entropy from switch `from` to switch `to`.
    fn is_live(&self, (layer, mut entropy): (u8, u32), from: u32, to: u32) -> bool {
        let Some(faults) = &self.faults else { return true };
        let mut switch = from;
        while switch != to {
            let port = self.forwarding.next(layer, switch, to, &mut entropy);
            if faults.is_known(port) {
                return false;
            }
            switch = self.state.channel_targets[port as usize];
        }
        true
    }
}
