//! The endpoints of one switch: they create packets, queue them without limit, and send them flit by flit.

use crate::flit::Generator;
use crate::flit::{Flit, HEAD, TAIL};
use crate::measure::{Tally, Window};
use crate::traffic::Arrivals;

/// Things due in one of the next cycles.
#[derive(Debug)]
pub(crate) struct Ring<T> {
    slots: Box<[Vec<T>]>,
}

impl<T> Ring<T> {
    /// For things due at most `longest` cycles ahead.
    pub fn new(longest: u32) -> Self {
        Self { slots: (0..(longest + 1).next_power_of_two()).map(|_| Vec::new()).collect() }
    }

    /// Those due in `cycle`; the caller takes them out.
    #[inline]
    pub fn due(&mut self, cycle: u32) -> &mut Vec<T> {
        let mask = self.slots.len() - 1;
        &mut self.slots[cycle as usize & mask]
    }

    /// All of them, in no particular order.
    #[cfg(feature = "conservation")]
    pub fn all(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().flatten()
    }
}

/// One endpoint. Packets that wait in its queue are not kept: when one is sent, the next is drawn, cycle by cycle from where
/// the last one was created.
#[derive(Debug)]
struct Source {
    endpoint: u32,
    /// The next cycle to draw.
    next: u32,
    created: u32,
    place: u32,
    /// Flits of the packet not sent yet.
    left: u16,
    vc: u8,
}

/// The endpoints of one switch, by port.
#[derive(Debug)]
pub(crate) struct Sources {
    sources: Box<[Source]>,
    /// Per port and virtual channel the credits left.
    credits: Box<[u16]>,
    vcs: u8,
    /// Cycles that flits take in the switch before they are in their buffer.
    delay: u32,
    /// Flits on their way to the switch.
    pub arriving: Ring<(u8, Flit)>,
    /// Credits on their way back: positions in `credits`.
    pub returning: Ring<u16>,
}

/// What sources need to know.
pub(crate) struct Sending<'a> {
    pub arrivals: &'a Arrivals<'a>,
    /// Flits per packet.
    pub packet: u16,
    /// Cycles from an endpoint to its switch.
    pub latency: u32,
    pub window: Window,
}

impl Sources {
    /// `endpoints` with `buffer` credits for each of `vcs` virtual channels; `delay` cycles are added to their links.
    pub fn new(endpoints: &[u32], sending: &Sending, vcs: u8, buffer: u16, delay: u32) -> Self {
        let source = |&endpoint: &u32| {
            let next = if sending.arrivals.traffic.sends(endpoint) { 0 } else { u32::MAX };
            Source { endpoint, next, created: 0, place: 0, left: 0, vc: 0 }
        };
        Self {
            sources: endpoints.iter().map(source).collect(),
            credits: vec![buffer; endpoints.len() * usize::from(vcs)].into(),
            vcs,
            delay,
            arriving: Ring::new(sending.latency + 1 + delay),
            returning: Ring::new(sending.latency + 1),
        }
    }

    /// Returns a credit for `vc` of `port` that leaves the switch in `cycle`.
    #[inline]
    pub fn credit(&mut self, cycle: u32, latency: u32, port: usize, vc: u8) {
        let at = port * usize::from(self.vcs) + usize::from(vc);
        self.returning.due(cycle + 1 + latency).push(at as u16);
    }

    /// One cycle: takes credits, creates packets, sends at most one flit per endpoint.
    #[inline]
    pub fn step(&mut self, cycle: u32, sending: &Sending, generator: &mut Generator, tally: &mut Tally) {
        for at in self.returning.due(cycle).drain(..) {
            self.credits[usize::from(at)] += 1;
        }
        for (port, source) in self.sources.iter_mut().enumerate() {
            if source.left == 0 && !source.draw(cycle, sending, generator, tally) {
                continue;
            }
            let is_first = source.left == sending.packet;
            if is_first {
                // Drawn anew every cycle until there is a credit.
                source.vc = generator.below(self.vcs.into()) as u8;
            }
            let credits = &mut self.credits[port * usize::from(self.vcs) + usize::from(source.vc)];
            if *credits == 0 {
                continue;
            }
            *credits -= 1;
            if is_first && sending.window.holds(source.created) {
                tally.waited += u64::from(cycle - source.created);
            }
            source.left -= 1;
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
            self.arriving.due(cycle + 1 + sending.latency + self.delay).push((port as u8, flit));
        }
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
    fn draw(&mut self, cycle: u32, sending: &Sending, generator: &mut Generator, tally: &mut Tally) -> bool {
        while self.next <= cycle {
            let created = self.next;
            self.next += 1;
            if let Some(place) = sending.arrivals.draw(self.endpoint, generator) {
                tally.created_flits += u64::from(sending.packet);
                tally.created += u64::from(sending.window.holds(created));
                (self.created, self.place, self.left) = (created, place, sending.packet);
                return true;
            }
        }
        false
    }
}
