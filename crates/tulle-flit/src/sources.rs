//! The endpoints of one switch. They create packets at random, which wait in unbounded queues, or they take packets from the messages of a
//! workload. They send a packet flit by flit.

use crate::SaturationRule;
use crate::flit::Generator;
use crate::flit::{Flit, HEAD, MEASURED, TAIL};
use crate::measure::Tally;
use crate::message_queue::{MessageQueue, Order, Post};
use crate::traffic::{Arrivals, State};
use crate::window::Window;
use tulle_base::prefetch::{prefetch_all, touch};
use tulle_spec::words;

/// A ring buffer of items that are due in one of the next cycles, with a maximum number of items per cycle. Each array
/// is allocated once.
#[derive(Debug)]
pub(crate) struct Ring<T> {
    items: Box<[T]>,
    counts: Box<[u16]>,
    width: usize,
}

impl<T: Copy + Default> Ring<T> {
    /// Creates a ring for items that are due at most `longest` cycles ahead, with at most `width` items per cycle.
    pub fn new(longest: u32, width: usize) -> Self {
        let slots = (longest as usize + 1).next_power_of_two();
        Self { items: vec![T::default(); slots * width].into(), counts: vec![0; slots].into(), width }
    }

    /// Adds an item due in `cycle`.
    #[inline]
    pub fn push(&mut self, cycle: u32, item: T) {
        let slot = cycle as usize & (self.counts.len() - 1);
        self.items[slot * self.width..][..self.width][usize::from(self.counts[slot])] = item;
        self.counts[slot] += 1;
    }

    /// Removes one item due in `cycle`.
    #[inline]
    pub fn pop(&mut self, cycle: u32) -> Option<T> {
        let slot = cycle as usize & (self.counts.len() - 1);
        let count = self.counts[slot].checked_sub(1)?;
        self.counts[slot] = count;
        Some(self.items[slot * self.width + usize::from(count)])
    }

    /// Returns the items due in `cycle`.
    #[inline]
    pub fn due(&self, cycle: u32) -> &[T] {
        let slot = cycle as usize & (self.counts.len() - 1);
        &self.items[slot * self.width..][..usize::from(self.counts[slot])]
    }

    /// Reads one entry of each array of the ring buffer, to pull it into the CPU cache.
    pub fn touch(&self) {
        touch(&self.items);
        touch(&self.counts);
    }

    /// Prefetches all arrays.
    pub fn prefetch(&self) {
        prefetch_all(&self.items);
        prefetch_all(&self.counts);
    }

    /// Returns all items of the ring buffer, in no particular order.
    #[cfg(feature = "conservation")]
    pub fn all(&self) -> impl Iterator<Item = &T> {
        let slots = self.counts.iter().enumerate();
        slots.flat_map(|(slot, &count)| &self.items[slot * self.width..][..usize::from(count)])
    }
}

/// One endpoint. Waiting packets are not stored. After a packet has been sent, the endpoint determines when the next packet was created:
/// for each cycle after the creation of the previous packet, a random number decides whether a packet was created in this cycle.
#[derive(Debug)]
struct Source {
    endpoint: u32,
    /// The next cycle for which the endpoint must decide whether it creates a packet.
    next: u32,
    /// Whether the source is on or off, if packets come in bursts.
    state: State,
    /// The cycle in which the current packet was created. If the packet belongs to a message of a workload, the number of the message
    /// instead.
    created: u32,
    place: u32,
    /// Number of flits of the current packet that have not been sent.
    left: u16,
    vc: u8,
    /// The flags of all flits of the current packet.
    flags: u8,
    /// The first cycle in which the link is free; used if a packet is sent as a whole.
    busy: u32,
}

words! {
    /// The VC of a new packet.
    pub(crate) enum Inject {
        /// The first VC that has a credit.
        First = "first",
        /// The next VC with a credit, in cyclic order after the VC of the last packet (BookSim2).
        RoundRobin = "round-robin",
        /// A random VC, chosen again every cycle. If the chosen VC has no credit, the packet waits.
        Random = "random",
    }
}

impl Inject {
    /// Picks a VC for a new packet. `credits` has the credits of every VC; `last` is the VC of the previous packet.
    #[inline]
    fn pick_vc(self, credits: &[u16], last: u8, generator: &mut Generator) -> u8 {
        let able = |vc: &usize| credits[*vc] > 0;
        match self {
            Self::First => (0..credits.len()).find(able).unwrap_or(0) as u8,
            Self::RoundRobin => {
                let next = usize::from(last) + 1;
                (next..credits.len()).chain(0..next).find(able).unwrap_or(usize::from(last)) as u8
            }
            Self::Random => generator.below(credits.len() as u32) as u8,
        }
    }
}

/// The links between a switch and its endpoints.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EndpointLinks {
    /// Delay in cycles of a flit from an endpoint to a buffer of the switch (`delay`), and of a credit back
    /// (`credit_delay`).
    pub delay: u32,
    pub credit_delay: u32,
    /// Maximum number of credits that return to an endpoint per cycle.
    pub credits: usize,
    /// Whether a packet travels as one record. A record uses one credit and keeps the link busy for the time of all its flits.
    pub whole: bool,
    /// The rule that picks the VC of a new packet.
    pub inject: Inject,
}

/// The endpoints of one switch, in the order of their ports.
#[derive(Debug)]
pub(crate) struct Sources {
    sources: Box<[Source]>,
    /// Available credits, per port and VC.
    credits: Box<[u16]>,
    vcs: u8,
    /// Per port: the messages that the endpoint must send; empty if packets are created at random.
    queues: Box<[MessageQueue]>,
    /// The links between the endpoints and the switch.
    endpoint_links: EndpointLinks,
    /// Flits on their way to the switch.
    pub arriving: Ring<(u8, Flit)>,
    /// Credits on their way back, as positions in `credits`.
    pub returning: Ring<u16>,
}

/// The origin of packets.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Supply<'a> {
    /// Packets are created at random.
    Random(&'a Arrivals<'a>),
    /// Packets are taken from the messages of a workload, which are sent in this order.
    Posted(Order),
}

/// The data about the simulation that the endpoints need.
pub(crate) struct Sending<'a> {
    pub supply: Supply<'a>,
    /// Flits per packet.
    pub packet: u16,
    /// Latency in cycles from an endpoint to its switch.
    pub latency: u32,
    pub window: Window,
    pub rule: SaturationRule,
}

impl Sources {
    /// Creates `endpoints` with `buffer` credits for each of `vcs` VCs.
    pub fn new(endpoints: &[u32], sending: &Sending, vcs: u8, buffer: u16, endpoint_links: EndpointLinks) -> Self {
        let source = |&endpoint: &u32| {
            let next = match sending.supply {
                Supply::Random(arrivals) if arrivals.traffic.sends(endpoint) => 0,
                _ => u32::MAX,
            };
            // The last VC counts as the VC of the previous packet, so that round robin begins with VC 0.
            Source { endpoint, next, state: State::New, created: 0, place: 0, left: 0, vc: vcs - 1, flags: 0, busy: 0 }
        };
        let queues = if let Supply::Posted(_) = sending.supply { endpoints.len() } else { 0 };
        Self {
            queues: (0..queues).map(|_| MessageQueue::default()).collect(),
            sources: endpoints.iter().map(source).collect(),
            credits: vec![buffer; endpoints.len() * usize::from(vcs)].into(),
            vcs,
            arriving: Ring::new(endpoint_links.delay, endpoints.len()),
            returning: Ring::new(endpoint_links.credit_delay, endpoints.len() * endpoint_links.credits),
            endpoint_links,
        }
    }

    /// Gives a message to the endpoint of `port`. Messages must be given in the order of their starts.
    pub fn post(&mut self, port: usize, post: Post) {
        self.queues[port].post(post);
    }

    /// Returns a credit for `vc` to the endpoint of `port`; the credit leaves the switch in `cycle`.
    #[inline]
    pub fn credit(&mut self, cycle: u32, port: usize, vc: u8) {
        let at = port * usize::from(self.vcs) + usize::from(vc);
        self.returning.push(cycle + self.endpoint_links.credit_delay, at as u16);
    }

    /// Runs one cycle: collects credits, creates packets, and sends at most one flit per endpoint.
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
            let of_port = &mut self.credits[port * usize::from(self.vcs)..][..usize::from(self.vcs)];
            if is_first {
                source.vc = self.endpoint_links.inject.pick_vc(of_port, source.vc, generator);
            }
            let credits = &mut of_port[usize::from(source.vc)];
            if *credits == 0 {
                continue;
            }
            *credits -= 1;
            if is_first {
                tally.waited += match sending.supply {
                    Supply::Random(_) if !sending.window.contains(source.created) => 0,
                    Supply::Random(_) => u64::from(cycle - source.created),
                    Supply::Posted(_) => cycle.into(),
                };
            }
            source.left -= if self.endpoint_links.whole { sending.packet } else { 1 };
            source.busy = if self.endpoint_links.whole { cycle + u32::from(sending.packet) } else { 0 };
            let mut flags = source.flags | if is_first { HEAD } else { 0 };
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
            self.arriving.push(cycle + self.endpoint_links.delay, (port as u8, flit));
        }
    }

    /// Prefetches the messages from which packets will be taken in `cycle`. The messages are scattered over memory. A copy of the generator
    /// makes the random choices of [`Sources::step`] in advance, so that the memory accesses overlap.
    fn prefetch_drawn(&self, cycle: u32, sending: &Sending, mut generator: Generator) {
        for (source, queue) in self.sources.iter().zip(&self.queues) {
            let is_new = source.left == 0;
            if is_new && !queue.prefetch_drawn(&mut generator) {
                continue;
            }
            let draws_vc = (is_new || source.left == sending.packet) && source.busy <= cycle;
            if draws_vc && self.endpoint_links.inject == Inject::Random {
                generator.draw();
            }
        }
    }

    /// Reads one entry of each array of the sources, to pull it into the CPU cache.
    pub fn touch(&self) {
        touch(&self.credits);
        self.arriving.touch();
        self.returning.touch();
    }

    /// Prefetches all arrays of the sources.
    pub fn prefetch(&self) {
        prefetch_all(&self.sources);
        prefetch_all(&self.credits);
        self.arriving.prefetch();
        self.returning.prefetch();
    }

    /// Returns the first cycle for which some endpoint has not decided whether it creates a packet.
    pub fn drawn_until(&self) -> u32 {
        self.sources.iter().map(|source| source.next).min().unwrap_or(u32::MAX)
    }

    /// Returns the number of flits that were created but have not been sent.
    #[cfg(feature = "conservation")]
    pub fn queued(&self) -> u64 {
        self.sources.iter().map(|source| u64::from(source.left)).sum()
    }

    /// Returns the credits of `vc` at `port` that are available or on their way back, plus the flits on their way to
    /// the switch.
    #[cfg(feature = "conservation")]
    pub fn credits_of(&self, port: usize, vc: u8) -> usize {
        let at = port * usize::from(self.vcs) + usize::from(vc);
        usize::from(self.credits[at])
            + self.returning.all().filter(|&&back| usize::from(back) == at).count()
            + self.arriving.all().filter(|(to, flit)| usize::from(*to) == port && flit.vc == vc).count()
    }
}

impl Source {
    /// Draws a random number for one cycle after another, up to `cycle`, to decide whether the endpoint creates a packet in that cycle.
    /// Stops at the first packet. Returns whether a packet was created.
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
                tally.created += u64::from(sending.window.contains(created));
                (self.created, self.place, self.left) = (created, place, sending.packet);
                if sending.rule == SaturationRule::Booksim {
                    let is_measured = tally.ages.create(created, cycle, sending.packet, &sending.window);
                    self.flags = if is_measured { MEASURED } else { 0 };
                }
                return true;
            }
        }
        false
    }

    /// Takes the next packet of the messages that can be sent in `cycle`. Returns whether there is a packet.
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
    fn new_packets_get_their_virtual_channels() {
        let mut generator = Generator::new(1, 0);
        let mut run = |inject: Inject, credits: &[u16]| {
            let mut last = credits.len() as u8 - 1;
            let mut next = || {
                last = inject.pick_vc(credits, last, &mut generator);
                last
            };
            (0..6).map(|_| next()).collect::<Vec<u8>>()
        };
        assert_eq!(run(Inject::RoundRobin, &[3, 1, 2]), [0, 1, 2, 0, 1, 2]);
        assert_eq!(run(Inject::RoundRobin, &[0, 1, 0, 2]), [1, 3, 1, 3, 1, 3]);
        assert_eq!(run(Inject::First, &[0, 1, 2]), [1; 6]);
        // A random choice may return a VC without credits.
        assert!(run(Inject::Random, &[0; 16]).windows(2).any(|two| two[0] != two[1]));
    }
}
