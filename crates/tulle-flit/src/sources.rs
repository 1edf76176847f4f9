//! The endpoints of one switch: they create packets at random and queue them without limit, or take them from messages
//! posted to them, and send them flit by flit.

use crate::flit::Generator;
use crate::flit::{Flit, HEAD, TAIL};
use crate::measure::{Tally, Window};
use crate::message_queue::{MessageQueue, Order, Post};
use crate::traffic::{Arrivals, State};
use tulle_base::prefetch::{prefetch_all, touch};
use tulle_spec::words;

/// Things due in one of the next cycles, at most so many a cycle; all in one piece of memory.
#[derive(Debug)]
pub(crate) struct Ring<T> {
    items: Box<[T]>,
    counts: Box<[u16]>,
    width: usize,
}

impl<T: Copy + Default> Ring<T> {
    /// For things due at most `longest` cycles ahead, `width` a cycle.
    pub fn new(longest: u32, width: usize) -> Self {
        let slots = (longest as usize + 1).next_power_of_two();
        Self { items: vec![T::default(); slots * width].into(), counts: vec![0; slots].into(), width }
    }

    /// Adds what is due in `cycle`.
    #[inline]
    pub fn push(&mut self, cycle: u32, item: T) {
        let slot = cycle as usize & (self.counts.len() - 1);
        self.items[slot * self.width..][..self.width][usize::from(self.counts[slot])] = item;
        self.counts[slot] += 1;
    }

    /// Takes one thing due in `cycle`.
    #[inline]
    pub fn pop(&mut self, cycle: u32) -> Option<T> {
        let slot = cycle as usize & (self.counts.len() - 1);
        let count = self.counts[slot].checked_sub(1)?;
        self.counts[slot] = count;
        Some(self.items[slot * self.width + usize::from(count)])
    }

    /// What is due in `cycle`.
    #[inline]
    pub fn due(&self, cycle: u32) -> &[T] {
        let slot = cycle as usize & (self.counts.len() - 1);
        &self.items[slot * self.width..][..usize::from(self.counts[slot])]
    }

    /// Reads a little of it.
    pub fn touch(&self) {
        touch(&self.items);
        touch(&self.counts);
    }

    /// Asks for the memory.
    pub fn prefetch(&self) {
        prefetch_all(&self.items);
        prefetch_all(&self.counts);
    }

    /// All of them, in no particular order.
    #[cfg(feature = "conservation")]
    pub fn all(&self) -> impl Iterator<Item = &T> {
        let slots = self.counts.iter().enumerate();
        slots.flat_map(|(slot, &count)| &self.items[slot * self.width..][..usize::from(count)])
    }
}

/// One endpoint. Packets that wait in its queue are not kept: when one is sent, the next is drawn, cycle by cycle from where
/// the last one was created.
#[derive(Debug)]
struct Source {
    endpoint: u32,
    /// The next cycle to draw, and what it is like where packets come in bursts.
    next: u32,
    state: State,
    /// The cycle in which the packet was created; the number of its message, where messages are posted.
    created: u32,
    place: u32,
    /// Flits of the packet not sent yet.
    left: u16,
    vc: u8,
    /// The first cycle in which its link is free, where packets go whole.
    busy: u32,
}

words! {
    /// The virtual channel of a new packet.
    pub(crate) enum Inject {
        /// The first that has a credit.
        First = "first",
        /// The next after the last packet's that has a credit, cyclically (BookSim2).
        RoundRobin = "round-robin",
        /// One at random, credit or not, drawn anew every cycle.
        Random = "random",
    }
}

impl Inject {
    /// One of `lanes`, by their credits; `last` is that of the packet before.
    #[inline]
    fn lane(self, lanes: &[u16], last: u8, generator: &mut Generator) -> u8 {
        let able = |lane: &usize| lanes[*lane] > 0;
        match self {
            Self::First => (0..lanes.len()).find(able).unwrap_or(0) as u8,
            Self::RoundRobin => {
                let next = usize::from(last) + 1;
                (next..lanes.len()).chain(0..next).find(able).unwrap_or(usize::from(last)) as u8
            }
            Self::Random => generator.below(lanes.len() as u32) as u8,
        }
    }
}

/// How endpoints are joined to their switch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Joint {
    /// Cycles from an endpoint into a buffer of the switch, and of a credit on its way back.
    pub there: u32,
    pub back: u32,
    /// The most credits that come back to an endpoint in a cycle.
    pub credits: usize,
    /// Whether packets go whole: as one record that takes one credit and keeps the link busy for all flits.
    pub whole: bool,
    /// Which virtual channel they take.
    pub inject: Inject,
}

/// The endpoints of one switch, by port.
#[derive(Debug)]
pub(crate) struct Sources {
    sources: Box<[Source]>,
    /// Per port and virtual channel the credits left.
    credits: Box<[u16]>,
    vcs: u8,
    /// Per port the messages posted to it; empty where packets are created at random.
    queues: Box<[MessageQueue]>,
    /// How they are joined to the switch.
    joint: Joint,
    /// Flits on their way to the switch.
    pub arriving: Ring<(u8, Flit)>,
    /// Credits on their way back: positions in `credits`.
    pub returning: Ring<u16>,
}

/// Where packets come from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Supply<'a> {
    /// They are created at random.
    Random(&'a Arrivals<'a>),
    /// Messages are posted, and sent in this order.
    Posted(Order),
}

/// What sources need to know.
pub(crate) struct Sending<'a> {
    pub supply: Supply<'a>,
    /// Flits per packet.
    pub packet: u16,
    /// Cycles from an endpoint to its switch.
    pub latency: u32,
    pub window: Window,
}

impl Sources {
    /// `endpoints` with `buffer` credits for each of `vcs` virtual channels.
    pub fn new(endpoints: &[u32], sending: &Sending, vcs: u8, buffer: u16, joint: Joint) -> Self {
        let source = |&endpoint: &u32| {
            let next = match sending.supply {
                Supply::Random(arrivals) if arrivals.traffic.sends(endpoint) => 0,
                _ => u32::MAX,
            };
            // Round robin begins with virtual channel 0.
            Source { endpoint, next, state: State::New, created: 0, place: 0, left: 0, vc: vcs - 1, busy: 0 }
        };
        let queues = if let Supply::Posted(_) = sending.supply { endpoints.len() } else { 0 };
        Self {
            queues: (0..queues).map(|_| MessageQueue::default()).collect(),
            sources: endpoints.iter().map(source).collect(),
            credits: vec![buffer; endpoints.len() * usize::from(vcs)].into(),
            vcs,
            arriving: Ring::new(joint.there, endpoints.len()),
            returning: Ring::new(joint.back, endpoints.len() * joint.credits),
            joint,
        }
    }

    /// Posts a message to the endpoint of `port`; not before those posted earlier.
    pub fn post(&mut self, port: usize, post: Post) {
        self.queues[port].post(post);
    }

    /// Returns a credit for `vc` of `port` that leaves the switch in `cycle`.
    #[inline]
    pub fn credit(&mut self, cycle: u32, port: usize, vc: u8) {
        let at = port * usize::from(self.vcs) + usize::from(vc);
        self.returning.push(cycle + self.joint.back, at as u16);
    }

    /// One cycle: takes credits, creates packets, sends at most one flit per endpoint.
    #[inline]
    pub fn step(&mut self, cycle: u32, sending: &Sending, generator: &mut Generator, tally: &mut Tally) {
        while let Some(at) = self.returning.pop(cycle) {
            self.credits[usize::from(at)] += 1;
        }
        if let Supply::Posted(Order::Random) = sending.supply {
            self.prefetch_drawn(cycle, sending, generator.clone());
        }
        for (port, source) in self.sources.iter_mut().enumerate() {
            if source.left == 0 {
                let has_packet = match sending.supply {
                    Supply::Random(arrivals) => source.draw(cycle, arrivals, sending, generator, tally),
                    Supply::Posted(order) => {
                        source.take(cycle, order, &mut self.queues[port], sending, generator, tally)
                    }
                };
                if !has_packet {
                    continue;
                }
            }
            if source.busy > cycle {
                continue;
            }
            let is_first = source.left == sending.packet;
            let lanes = &mut self.credits[port * usize::from(self.vcs)..][..usize::from(self.vcs)];
            if is_first {
                source.vc = self.joint.inject.lane(lanes, source.vc, generator);
            }
            let credits = &mut lanes[usize::from(source.vc)];
            if *credits == 0 {
                continue;
            }
            *credits -= 1;
            if is_first {
                tally.waited += match sending.supply {
                    Supply::Random(_) if !sending.window.holds(source.created) => 0,
                    Supply::Random(_) => u64::from(cycle - source.created),
                    Supply::Posted(_) => cycle.into(),
                };
            }
            source.left -= if self.joint.whole { sending.packet } else { 1 };
            source.busy = if self.joint.whole { cycle + u32::from(sending.packet) } else { 0 };
            let mut flags = if is_first { HEAD } else { 0 };
            if source.left == 0 {
                flags |= TAIL;
            }
            let flit = Flit {
                created: source.created,
                switch: source.place as u16,
                port: (source.place >> 16) as u8,
                vc: source.vc,
                flags,
                ..Flit::default()
            };
            self.arriving.push(cycle + self.joint.there, (port as u8, flit));
        }
    }

    /// Asks for the messages that packets will be drawn from in `cycle`, which lie all over memory: makes the draws of
    /// [`Sources::step`] with a generator of its own, so that they are fetched at the same time.
    fn prefetch_drawn(&self, cycle: u32, sending: &Sending, mut generator: Generator) {
        for (source, queue) in self.sources.iter().zip(&self.queues) {
            let is_new = source.left == 0;
            if is_new && !queue.prefetch_drawn(&mut generator) {
                continue;
            }
            let draws_lane = (is_new || source.left == sending.packet) && source.busy <= cycle;
            if draws_lane && self.joint.inject == Inject::Random {
                generator.draw();
            }
        }
    }

    /// Reads a little of it.
    pub fn touch(&self) {
        touch(&self.credits);
        self.arriving.touch();
        self.returning.touch();
    }

    /// Asks for the memory.
    pub fn prefetch(&self) {
        prefetch_all(&self.sources);
        prefetch_all(&self.credits);
        self.arriving.prefetch();
        self.returning.prefetch();
    }

    /// The first cycle for which some endpoint may still create packets.
    pub fn drawn_until(&self) -> u32 {
        self.sources.iter().map(|source| source.next).min().unwrap_or(u32::MAX)
    }

    /// Flits created and not sent.
    #[cfg(feature = "conservation")]
    pub fn queued(&self) -> u64 {
        self.sources.iter().map(|source| u64::from(source.left)).sum()
    }

    /// Credits of `vc` at `port` that are not in use, and flits on their way with one.
    #[cfg(feature = "conservation")]
    pub fn credits_of(&self, port: usize, vc: u8) -> usize {
        let at = port * usize::from(self.vcs) + usize::from(vc);
        usize::from(self.credits[at])
            + self.returning.all().filter(|&&back| usize::from(back) == at).count()
            + self.arriving.all().filter(|(to, flit)| usize::from(*to) == port && flit.vc == vc).count()
    }
}

impl Source {
    /// Draws the next packet created up to `cycle`; whether there is one.
    #[inline]
    fn draw(
        &mut self,
        cycle: u32,
        arrivals: &Arrivals,
        sending: &Sending,
        generator: &mut Generator,
        tally: &mut Tally,
    ) -> bool {
        while self.next <= cycle {
            let created = self.next;
            self.next += 1;
            if let Some(place) = arrivals.draw(self.endpoint, &mut self.state, generator) {
                tally.created_flits += u64::from(sending.packet);
                tally.created += u64::from(sending.window.holds(created));
                (self.created, self.place, self.left) = (created, place, sending.packet);
                return true;
            }
        }
        false
    }

    /// Takes the next packet of the messages posted for `cycle`; whether there is one.
    #[inline]
    fn take(
        &mut self,
        cycle: u32,
        order: Order,
        queue: &mut MessageQueue,
        sending: &Sending,
        generator: &mut Generator,
        tally: &mut Tally,
    ) -> bool {
        let Some((message, place)) = queue.take(cycle, order, generator) else { return false };
        tally.created_flits += u64::from(sending.packet);
        tally.created += 1;
        (self.created, self.place, self.left) = (message, place, sending.packet);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_packets_choose_their_virtual_channels() {
        let mut generator = Generator::new(1, 0);
        let mut run = |inject: Inject, lanes: &[u16]| {
            let mut last = lanes.len() as u8 - 1;
            let mut next = || {
                last = inject.lane(lanes, last, &mut generator);
                last
            };
            (0..6).map(|_| next()).collect::<Vec<u8>>()
        };
        assert_eq!(run(Inject::RoundRobin, &[3, 1, 2]), [0, 1, 2, 0, 1, 2]);
        assert_eq!(run(Inject::RoundRobin, &[0, 1, 0, 2]), [1, 3, 1, 3, 1, 3]);
        assert_eq!(run(Inject::First, &[0, 1, 2]), [1; 6]);
        // The one at random may be full.
        assert!(run(Inject::Random, &[0; 16]).windows(2).any(|two| two[0] != two[1]));
    }
}
