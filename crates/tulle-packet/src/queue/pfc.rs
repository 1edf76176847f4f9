//! Priority flow control: a switch that runs out of memory asks the far ends of its links to pause (IEEE 802.1Qbb).

#[cfg(test)]
mod tests;
mod threshold;

use tulle_spec::plugin;

use super::marking::Marking;
use super::{Hop, Model, Verdict};
use crate::config::Link;
use crate::link_table::LinkTable;
use crate::outcome::NEVER;
use crate::packet::{Arena, HEADER, Kind, flag};
use crate::port::{Class, Port};
use threshold::Threshold;

/// A pause frame or its end, for the port at the near end of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Signal {
    pub(crate) port: u32,
    pub(crate) class: Class,
    pub(crate) pause: bool,
    /// Time at which the frame has left the switch.
    pub(crate) at: u64,
}

/// A switch's account of the waiting packets of one class that came over one link.
#[derive(Debug, Clone, Copy)]
struct Ingress {
    /// Waiting bytes, including those in the headroom.
    bytes: u64,
    headroom: u64,
    /// Time since which the far end is paused; [`NEVER`] if it is not.
    asked: u64,
}

/// Delays of a pause on a port's link and on the reverse link, over which the far end sends pause frames.
#[derive(Debug, Clone, Copy)]
struct Approach {
    /// Bytes that can still arrive after the far end has sent a pause frame.
    headroom: u64,
    /// Transmission time of a pause frame, and its latency, in picoseconds.
    frame: u64,
    latency: u64,
}

/// Upper limit of a threshold or a headroom in bytes.
const MAX_BYTES: u64 = 1_000_000_000;

plugin! {
    /// Lossless switches: one queue per class and port; memory is accounted to the link over which a packet came.
    ///
    /// Control packets are a few percent of the bytes. They go before all data and are neither counted nor paused; with `as_data` they
    /// wait, count and pause with the bulk data.
    #[derive(Debug)]
    pub(crate) struct Pfc(arguments, link: Link) {
        threshold: Threshold;
        /// bytes per link and class beyond the threshold; packets that do not fit are dropped
        headroom: u64 = bytes_of(0, MAX_BYTES), or "the bytes that arrive until a pause takes effect" { link.reaction() };
        /// class of acknowledgements and other control packets: before all data, neither counted nor paused; or counted and paused with
        /// bulk data
        as_data "control": bool = either("data", "first"), default "first";
        /// mark packets as DCQCN asks for
        mark: bool = flag(), default "yes";
        /// bytes at which marks begin (K_min)
        kmin: Option<u64> = bytes_of(0, MAX_BYTES), default "5KB";
        /// bytes beyond which every packet is marked (K_max)
        kmax: Option<u64> = bytes_of(1, MAX_BYTES), note "kmin or more", or "200KB, or kmin where that is more" {
            kmin.map(|kmin: u64| kmin.max(200_000))
        };
        /// chance of a mark at kmax (P_max)
        pmax: Option<f64> = fraction(), default "1%";
        /// In bytes.
        marking: Option<Marking> => kmin.zip(kmax).zip(pmax).filter(|_| mark).map(|((low, high), chance)| Marking { low, high, chance });
        /// Transmission time of a pause frame in picoseconds.
        frame: u64 => link.time(HEADER);
        /// Whether the headroom was given; if so, it is the same for every link.
        is_given: bool => arguments.has("headroom");
        /// Delays per port that leads to a switch; empty if all links are alike.
        approaches: Vec<Approach> => Vec::new();
        /// Per packet slot, the port of the link over which the packet came.
        from: Vec<u32> => Vec::new();
        /// Per port, the packets from its link that wait at the far end.
        ingress: Vec<[Ingress; 2]> => Vec::new();
        /// Per port, bytes that wait there.
        egress: Vec<u64> => Vec::new();
        /// Per port that leads to a switch, that switch; and per switch the bytes that wait, headroom not counted.
        channel_targets: Vec<u32> => Vec::new();
        used: Vec<u64> => Vec::new();
        /// Per switch, the links whose far ends it has paused, by their ports, in the order of the pauses.
        asking: Vec<Vec<(u32, Class)>> => Vec::new();
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
    paper: "Flattened Clos §2.1.1, §5 (11% of the free buffer, as HPCC), §6.1 (static thresholds), §6.2 (marking as \
        DCQCN); IEEE 802.1Qbb; memory of 32 MB: Li et al., HPCC, SIGCOMM 2019 §5.1; control=data: csg-htsim, \
        LosslessInputQueue",
    limitations: "Pause frames do not wait for a packet that is being sent; endpoints never pause; a packet uses \
        memory while it waits, not while it is being sent.",
    examples: [
        "pfc", "pfc:threshold=testbed,control=data", "pfc:threshold=testbed", "pfc:xoff=800KB,xon=797KB,mark=no",
        "pfc:alpha=50%,buffer=1MB,kmin=20KB",
    ],
    rejects: [
        ("pfc:xoff=50KB,xon=60KB", "xon=60KB is above xoff=50KB; legal: 0 to 50KB"),
        ("pfc:threshold=testbed,alpha=5%", "exclude each other"),
        ("pfc:xon=5KB", "needs xoff="),
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
        let packet = &mut packets[id];
        if !packet.has_payload() && !self.as_data {
            return Verdict::Express;
        }
        let (size, class) = (u64::from(packet.size), Class::of(packet));
        let switch = self.channel_targets[hop.from as usize] as usize;
        let used = &mut self.used[switch];
        let ingress = &mut self.ingress[hop.from as usize][class as usize];
        if ingress.asked != NEVER || ingress.bytes + size > self.threshold.xoff(*used) {
            // Packets beyond the threshold go to the headroom.
            if ingress.headroom + size > self.approaches.get(hop.from as usize).map_or(self.headroom, |at| at.headroom)
            {
                return Verdict::Dropped;
            }
            ingress.headroom += size;
        } else {
            *used += size;
        }
        ingress.bytes += size;
        if ingress.headroom > 0 && ingress.asked == NEVER {
            ingress.asked = now;
            self.asking[switch].push((hop.from, class));
            self.signal(hop.from, class, true, now);
        }
        let waiting = &mut self.egress[hop.out as usize];
        let throw = || {
            port.draws = port.draws.wrapping_add(1);
            draw(port.draws)
        };
        if packet.kind == Kind::Data && self.marking.is_some_and(|marking| marking.marks(*waiting, throw)) {
            packet.flags |= flag::MARKED;
        }
        *waiting += size;
        if self.from.len() <= id as usize {
            self.from.resize(id as usize + 1, 0);
        }
        self.from[id as usize] = hop.from;
        port.push(packets, id, class);
        Verdict::Stored
    }
}

impl Pfc {
    /// Stores the network: per port that leads to a switch, that switch, and the total number of ports.
    pub(crate) fn attach(&mut self, channel_targets: &[u32], ports: usize) {
        const NOTHING: Ingress = Ingress { bytes: 0, headroom: 0, asked: NEVER };
        self.channel_targets = channel_targets.to_vec();
        self.used = vec![0; channel_targets.iter().max().map_or(0, |&most| most as usize + 1)];
        self.asking = vec![Vec::new(); self.used.len()];
        self.ingress = vec![[NOTHING; 2]; channel_targets.len()];
        self.free = vec![0; channel_targets.len()];
        self.egress = vec![0; ports];
    }

    /// Stores the links of a network in which they differ, by port; `reverse` is the other direction of each channel.
    pub(crate) fn approach(&mut self, links: &LinkTable, ports: &[Port], reverse: &[u32]) {
        // Ports of endpoints follow the channels; ports of switches toward endpoints come last.
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

    /// Whether control packets wait with data and are paused with it.
    #[inline]
    pub(crate) fn holds_control(&self) -> bool {
        self.as_data
    }

    /// Releases the memory of packet `id`, which has waited at switch port `out` and is sent now.
    pub(crate) fn release(&mut self, out: u32, packets: &Arena, id: u32, now: u64) {
        let packet = &packets[id];
        let (size, class, from) = (u64::from(packet.size), Class::of(packet), self.from[id as usize]);
        self.egress[out as usize] -= size;
        let switch = self.channel_targets[from as usize] as usize;
        let ingress = &mut self.ingress[from as usize][class as usize];
        ingress.bytes -= size;
        // The headroom is freed first, because the next pause needs it.
        let of_headroom = size.min(ingress.headroom);
        ingress.headroom -= of_headroom;
        self.used[switch] -= size - of_headroom;
        if self.asking[switch].is_empty() {
            return;
        }
        if self.threshold.is_shared() {
            // The freed memory raises the thresholds of all links.
            for (port, class) in self.asking[switch].clone() {
                self.resume(switch, port, class, now);
            }
        } else {
            self.resume(switch, from, class, now);
        }
    }

    /// Ends the pause of `port`'s link, if it is paused and few enough bytes from it wait at `switch`.
    fn resume(&mut self, switch: usize, port: u32, class: Class, now: u64) {
        let ingress = &mut self.ingress[port as usize][class as usize];
        if ingress.asked != NEVER && ingress.headroom == 0 && ingress.bytes <= self.threshold.xon(self.used[switch]) {
            ingress.asked = NEVER;
            self.asking[switch].retain(|&asking| asking != (port, class));
            self.signal(port, class, false, now);
        }
    }

    fn signal(&mut self, port: u32, class: Class, pause: bool, now: u64) {
        // Frames are sent one at a time, so no two of them reach the port at once.
        let free = &mut self.free[port as usize];
        *free = now.max(*free) + self.approaches.get(port as usize).map_or(self.frame, |at| at.frame);
        self.signals.push(Signal { port, class, pause, at: *free });
        self.pauses += u64::from(pause);
    }

    /// Removes and returns one of the pause frames to be sent.
    #[inline]
    pub(crate) fn take_signal(&mut self) -> Option<Signal> {
        self.signals.pop()
    }

    /// Returns since when the port is paused for `class`; `None` if it is not.
    pub(crate) fn asked(&self, port: u32, class: Class) -> Option<u64> {
        let asked = self.ingress.get(port as usize)?[class as usize].asked;
        (asked != NEVER).then_some(asked)
    }

    /// Returns the port of the link over which the waiting packet `id` came.
    pub(crate) fn came_over(&self, id: u32) -> u32 {
        self.from[id as usize]
    }

    /// Returns the headroom bytes of `port` that stay in use if only `bytes` from its link never leave.
    pub(crate) fn headroom_kept(&self, port: u32, class: Class, bytes: u64) -> u64 {
        let ingress = &self.ingress[port as usize][class as usize];
        ingress.headroom.saturating_sub(ingress.bytes - bytes)
    }

    /// Whether a pause of `port` lasts for ever if, of the packets that it waits for, `bytes` never leave, and `used` bytes (headrooms
    /// excluded) at that switch never leave either.
    pub(crate) fn lasts(&self, port: u32, class: Class, bytes: u64, used: u64) -> bool {
        self.headroom_kept(port, class, bytes) > 0 || bytes > self.threshold.xon(used)
    }

    /// The switch that `port` leads to.
    pub(crate) fn head(&self, port: u32) -> u32 {
        self.channel_targets[port as usize]
    }
}
