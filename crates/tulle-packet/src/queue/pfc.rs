//! Priority flow control (IEEE 802.1Qbb): a switch that runs out of buffer space pauses the far ends of its links.

#[cfg(test)]
mod tests;
mod threshold;

use tulle_spec::plugin;

use super::marking::Marking;
use super::{Hop, Model, Verdict};
use crate::config::Link;
use crate::link_table::LinkTable;
use crate::outcome::NEVER;
use crate::packet::{Arena, HEADER, Kind, Packet, flag};
use crate::port::{Class, Port};
use threshold::Threshold;

/// A pause or resume frame, addressed to the port that sends over a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Signal {
    pub(crate) port: u32,
    pub(crate) lane: u8,
    pub(crate) pause: bool,
    /// Time at which the frame has left the switch.
    pub(crate) at: u64,
}

/// A switch's counters for the packets of one lane from one link.
#[derive(Debug, Clone, Copy)]
struct Ingress {
    /// Waiting bytes, including the bytes in the headroom.
    bytes: u64,
    headroom: u64,
    /// Time at which the switch requested the pause of the far end; [`NEVER`] if no pause is requested.
    asked: u64,
}

/// The data needed to pause a port: the headroom for its link, and the delays of the reverse link, which carries the pause frames.
#[derive(Debug, Clone, Copy)]
struct Approach {
    /// Bytes that can still arrive after the far end has sent a pause frame.
    headroom: u64,
    /// Transmission time of a pause frame on the reverse link, in picoseconds.
    frame: u64,
    /// Latency of the reverse link, in picoseconds.
    latency: u64,
}

/// Upper limit of a threshold or a headroom in bytes.
const MAX_BYTES: u64 = 1_000_000_000;

plugin! {
    /// Lossless switches with one queue per port and lane. A waiting packet counts toward the link over which it arrived, and toward the
    /// lane on which it arrived.
    ///
    /// Without a plan of virtual channels, the two lanes are the two classes of data (see [`Class`]). With a plan, the lanes are the
    /// virtual lanes of the plan.
    ///
    /// By default, control packets overtake all data and are neither counted nor paused; they are a few percent of the bytes. With
    /// `control=data`, control packets are queued, counted and paused like data that is not urgent.
    #[derive(Debug)]
    pub(crate) struct Pfc(arguments, link: Link) {
        threshold: Threshold;
        /// bytes per link and class (or virtual lane) beyond the threshold; packets that do not fit are dropped
        headroom: u64 = bytes_of(0, MAX_BYTES), or "the bytes that can arrive until a pause takes effect" { link.reaction() };
        /// treatment of acknowledgements and other control packets: `first` (before all data, neither counted nor paused) or
        /// `data` (like data that is not urgent: in the same queue, counted and paused)
        as_data "control": bool = either("data", "first"), default "first";
        /// thresholds with virtual lanes: each of n lanes has 1/n of xoff= or alpha= (`divided`), or all of it (`whole`)
        lanes: Option<&'static str> = word(&["divided", "whole"]), or "divided";
        /// mark packets as DCQCN requires
        mark: bool = flag(), default "yes";
        /// queue length in bytes at which marking begins (K_min)
        kmin: Option<u64> = bytes_of(0, MAX_BYTES), default "5KB";
        /// queue length in bytes beyond which every packet is marked (K_max)
        kmax: Option<u64> = bytes_of(1, MAX_BYTES), note "kmin or more", or "200KB, or kmin if kmin is more" {
            kmin.map(|kmin: u64| kmin.max(200_000))
        };
        /// chance of a mark at kmax (P_max)
        pmax: Option<f64> = fraction(), default "1%";
        /// The marking function of the queue length in bytes.
        marking: Option<Marking> => kmin.zip(kmax).zip(pmax).filter(|_| mark).map(|((low, high), chance)| Marking { low, high, chance });
        /// Transmission time of a pause frame in picoseconds.
        frame: u64 => link.time(HEADER);
        /// Whether the configuration sets the headroom. A configured headroom is the same for every link.
        is_given: bool => arguments.has("headroom");
        /// For each port that leads to a switch, its headroom and pause delays; empty if all links are alike.
        approaches: Vec<Approach> => Vec::new();
        /// The number of lanes per port.
        width: usize => Class::ALL.len();
        /// Bytes of headroom that each virtual lane has in addition to `headroom`.
        lane_headroom: u64 => 0;
        /// For each packet id, the port of the link and the lane on which the packet arrived.
        from: Vec<(u32, u8)> => Vec::new();
        /// Per port and lane, the counters of the packets that arrived over the port's link and wait at its far end. The row of a pair is
        /// port · `width` + lane.
        ingress: Vec<Ingress> => Vec::new();
        /// Per port, the bytes that wait to be sent over it.
        egress: Vec<u64> => Vec::new();
        /// Per port that leads to a switch, the target switch.
        channel_targets: Vec<u32> => Vec::new();
        /// Per switch, the waiting bytes, without the bytes in headroom.
        used: Vec<u64> => Vec::new();
        /// Per switch, the ports and lanes that the switch has paused, in the order of the pauses.
        asking: Vec<Vec<(u32, u8)>> => Vec::new();
        /// Per port, the time at which the reverse link is free of pause frames.
        free: Vec<u64> => Vec::new();
        signals: Vec<Signal> => Vec::new();
        pub(crate) pauses: u64 => 0;
    }
    check {
        if let (Some(low), Some(high)) = (kmin, kmax) {
            arguments.check("kmax", high, low.max(1)..=MAX_BYTES)?;
        }
        if !mark {
            (kmin, kmax, pmax) = (None, None, None);
        }
    }
    name: "pfc",
    summary: "lossless switches: a full switch pauses its neighbours",
    paper: "Flattened Clos (NSDI23) §2.1.1, §5 (11% of the free buffer, like HPCC), §6.1 (static thresholds), §6.2 \
        (marking like DCQCN); IEEE 802.1Qbb; memory of 32 MB: Li et al., HPCC, SIGCOMM 2019 §5.1; control=data: \
        csg-htsim, LosslessInputQueue",
    limitations: "Pause frames do not wait for a packet that is being sent. Endpoints never pause switches. A packet uses \
        memory while it waits, but not while it is being sent.",
    examples: [
        "pfc", "pfc:threshold=testbed,control=data", "pfc:threshold=testbed", "pfc:xoff=800KB,xon=797KB,mark=no",
        "pfc:alpha=50%,buffer=1MB,kmin=20KB", "pfc:threshold=testbed,lanes=whole",
    ],
    rejects: [
        ("pfc:xoff=50KB,xon=60KB", "xon=60KB is above xoff=50KB; legal: 0 to 50KB"),
        ("pfc:threshold=testbed,alpha=5%", "exclude each other"),
        ("pfc:xon=5KB", "needs xoff="),
        ("pfc:threshold=static", "needs xoff=; legal: both, for example xoff=50KB"),
        ("pfc:kmin=5KB,kmax=4KB", "kmax=4KB is out of range; legal: 5KB to 1GB"),
        ("pfc:threshold=high", "threshold=high is not a choice"),
        ("pfc:control=last", "control=last is not a choice"),
    ],
}

impl Model for Pfc {
    const LOSSLESS: bool = true;

    fn pauses(&self) -> Option<&Pfc> {
        Some(self)
    }

    fn pauses_mut(&mut self) -> Option<&mut Pfc> {
        Some(self)
    }

    fn holds_control(&self) -> bool {
        self.as_data
    }

    fn drain(&self, _link: &Link) -> u64 {
        u64::MAX
    }

    fn admit(
        &mut self,
        hop: Hop,
        port: &mut Port,
        packets: &mut Arena,
        id: u32,
        now: u64,
        draw: impl Fn(u32) -> u64,
    ) -> Verdict {
        let packet = &packets[id];
        if !packet.has_payload() && !self.as_data {
            return Verdict::Express;
        }
        let class = Class::of(packet);
        if !self.store(hop, class as u8, &mut packets[id], id, now, || {
            port.draws = port.draws.wrapping_add(1);
            draw(port.draws)
        }) {
            return Verdict::Dropped;
        }
        port.push(packets, id, class);
        Verdict::Stored
    }
}

impl Pfc {
    /// Stores the network: `channel_targets` is the target switch of each port that leads to a switch, `ports` is the number of all
    /// ports. `lanes` is the number of virtual lanes; `None` stands for the two classes of data.
    pub(crate) fn attach(&mut self, channel_targets: &[u32], ports: usize, lanes: Option<usize>) {
        const NOTHING: Ingress = Ingress { bytes: 0, headroom: 0, asked: NEVER };
        if let Some(lanes) = lanes {
            self.width = lanes;
            self.threshold.divide(if self.lanes == Some("whole") { 1 } else { lanes as u64 });
            // The pause frames of all lanes share the reverse link, so a frame can wait for one frame of each other lane.
            self.lane_headroom = if self.is_given { 0 } else { lanes as u64 * u64::from(HEADER) };
        }
        self.channel_targets = channel_targets.to_vec();
        self.used = vec![0; channel_targets.iter().max().map_or(0, |&most| most as usize + 1)];
        self.asking = vec![Vec::new(); self.used.len()];
        self.ingress = vec![NOTHING; channel_targets.len() * self.width];
        self.free = vec![0; channel_targets.len()];
        self.egress = vec![0; ports];
    }

    /// Stores the headroom and pause delays of all ports that lead to a switch, for a network with different links. `reverse` maps each
    /// channel to its opposite direction.
    pub(crate) fn approach(&mut self, links: &LinkTable, ports: &[Port], reverse: &[u32]) {
        // Port numbers: first the channels, then the ports from endpoints to switches, then the ports from switches to endpoints.
        let endpoints = self.channel_targets.len() - reverse.len();
        let back = reverse.iter().copied().chain((0..endpoints).map(|at| (self.channel_targets.len() + at) as u32));
        let approach = |(port, back): (&Port, u32)| {
            let (there, back) = (links.of(port), links.of(&ports[back as usize]));
            let headroom = if self.is_given { self.headroom } else { there.reaction_to(back) };
            Approach { headroom, frame: back.time(HEADER), latency: back.latency }
        };
        self.approaches = ports.iter().zip(back).map(approach).collect();
    }

    /// Returns the latency of the reverse link of `port` in picoseconds.
    pub(crate) fn back_latency(&self, port: u32, links: &LinkTable) -> u64 {
        self.approaches.get(port as usize).map_or(links.kind(0).latency, |at| at.latency)
    }

    /// Returns whether control packets are queued and paused with data.
    #[inline]
    pub(crate) fn holds_control(&self) -> bool {
        self.as_data
    }

    /// Returns the row of `ingress` for a port and a lane.
    #[inline(always)]
    fn row(&self, port: u32, lane: u8) -> usize {
        port as usize * self.width + usize::from(lane)
    }

    /// Reserves memory for packet `id`, which arrived on `lane` and has to wait. May mark the packet, depending on the length of its output
    /// queue. Returns false if there is no memory. `throw` returns a random number.
    #[inline(always)]
    pub(crate) fn store(
        &mut self,
        hop: Hop,
        lane: u8,
        packet: &mut Packet,
        id: u32,
        now: u64,
        throw: impl FnOnce() -> u64,
    ) -> bool {
        let (size, row) = (u64::from(packet.size), self.row(hop.from, lane));
        let switch = self.channel_targets[hop.from as usize] as usize;
        let used = &mut self.used[switch];
        let ingress = &mut self.ingress[row];
        if ingress.asked != NEVER || ingress.bytes + size > self.threshold.xoff(*used) {
            // Packets beyond the threshold, or during a pause, use the headroom.
            let headroom = self.approaches.get(hop.from as usize).map_or(self.headroom, |at| at.headroom);
            if ingress.headroom + size > headroom + self.lane_headroom {
                return false;
            }
            ingress.headroom += size;
        } else {
            *used += size;
        }
        ingress.bytes += size;
        if ingress.headroom > 0 && ingress.asked == NEVER {
            ingress.asked = now;
            self.asking[switch].push((hop.from, lane));
            self.signal(hop.from, lane, true, now);
        }
        let waiting = &mut self.egress[hop.out as usize];
        if packet.kind == Kind::Data && self.marking.is_some_and(|marking| marking.marks(*waiting, throw)) {
            packet.flags |= flag::MARKED;
        }
        *waiting += size;
        if self.from.len() <= id as usize {
            self.from.resize(id as usize + 1, (0, 0));
        }
        self.from[id as usize] = (hop.from, lane);
        true
    }

    /// Frees the memory of packet `id`, which waited at switch port `out` and is sent now.
    pub(crate) fn release(&mut self, out: u32, packets: &Arena, id: u32, now: u64) {
        let size = u64::from(packets[id].size);
        self.egress[out as usize] -= size;
        let (from, lane) = self.came_over(id);
        let switch = self.channel_targets[from as usize] as usize;
        let row = self.row(from, lane);
        let ingress = &mut self.ingress[row];
        ingress.bytes -= size;
        // The headroom is freed first, because the next pause needs it.
        let of_headroom = size.min(ingress.headroom);
        ingress.headroom -= of_headroom;
        self.used[switch] -= size - of_headroom;
        if self.asking[switch].is_empty() {
            return;
        }
        if self.threshold.is_shared() {
            // Freed memory raises the thresholds of all links.
            for (port, lane) in self.asking[switch].clone() {
                self.resume(switch, port, lane, now);
            }
        } else {
            self.resume(switch, from, lane, now);
        }
    }

    /// Resumes `port` if it is paused and few enough bytes from its link wait at `switch`.
    fn resume(&mut self, switch: usize, port: u32, lane: u8, now: u64) {
        let row = self.row(port, lane);
        let ingress = &mut self.ingress[row];
        if ingress.asked != NEVER && ingress.headroom == 0 && ingress.bytes <= self.threshold.xon(self.used[switch]) {
            ingress.asked = NEVER;
            self.asking[switch].retain(|&asking| asking != (port, lane));
            self.signal(port, lane, false, now);
        }
    }

    fn signal(&mut self, port: u32, lane: u8, pause: bool, now: u64) {
        // Pause frames are sent one after the other, so two of them never reach the port at the same time.
        let free = &mut self.free[port as usize];
        *free = now.max(*free) + self.approaches.get(port as usize).map_or(self.frame, |at| at.frame);
        self.signals.push(Signal { port, lane, pause, at: *free });
        self.pauses += u64::from(pause);
    }

    /// Removes and returns one of the pause frames to be sent.
    #[inline]
    pub(crate) fn take_signal(&mut self) -> Option<Signal> {
        self.signals.pop()
    }

    /// Returns the number of lanes per port.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Returns the ports and lanes that switches have paused.
    pub(crate) fn asking(&self) -> impl Iterator<Item = (u32, u8)> {
        self.asking.iter().flatten().copied()
    }

    /// Returns the time at which the pause of `lane` of the port was requested; `None` if no pause is requested.
    pub(crate) fn asked(&self, port: u32, lane: u8) -> Option<u64> {
        let asked = self.ingress.get(self.row(port, lane))?.asked;
        (asked != NEVER).then_some(asked)
    }

    /// Returns the port of the link over which the waiting packet `id` arrived, and the lane on which it arrived.
    #[inline]
    pub(crate) fn came_over(&self, id: u32) -> (u32, u8) {
        self.from[id as usize]
    }

    /// Returns how many bytes of the headroom of `port` stay in use if `bytes` from its link never leave the switch and all other bytes
    /// leave.
    pub(crate) fn headroom_kept(&self, port: u32, lane: u8, bytes: u64) -> u64 {
        let ingress = &self.ingress[self.row(port, lane)];
        ingress.headroom.saturating_sub(ingress.bytes - bytes)
    }

    /// Returns whether the pause of `port` never ends if some bytes never leave the switch at the far end of the link. `bytes` is the
    /// number of these bytes that arrived over the link of `port` on `lane`. `used` is their number over all links and lanes, without bytes
    /// in the headroom.
    pub(crate) fn lasts_forever(&self, port: u32, lane: u8, bytes: u64, used: u64) -> bool {
        self.headroom_kept(port, lane, bytes) > 0 || bytes > self.threshold.xon(used)
    }

    /// Returns the switch to which `port` leads.
    pub(crate) fn head(&self, port: u32) -> u32 {
        self.channel_targets[port as usize]
    }
}
