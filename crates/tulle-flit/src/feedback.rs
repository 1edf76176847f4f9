//! Acknowledgements: the first switch of a packet learns how long the packet waited behind it, if the selector uses this.
//!
//! A flit has no room for its first switch and for the cycle in which it left there. So its field `created` holds a number instead, under
//! which the first switch stores these data and the cycle of creation. After every block of cycles, [`settle`] looks up the numbers of all
//! flits that reached an endpoint, and sends the acknowledgements. Only one thread does this, always in the same order, so results do not
//! depend on the number of threads.

use std::cmp::Reverse;

use tulle_base::memory;
use tulle_fabric::Fabric;
use tulle_routing::Table;

use crate::flit::{Flit, HEAD, TAIL};
use crate::router::context::{Local, Run};
use crate::router::core::Router;
use crate::router::model::Timing;
use crate::router::switching::Switching;
use crate::routes::Routes;

/// What a switch knows about its routes to one destination switch. The selector defines the meaning of "fast".
#[derive(Debug, Default, Clone)]
pub(crate) struct Known {
    /// Smoothed waits of packets on minimal routes and on detours, in cycles; 0 before the first acknowledgement.
    pub minimal: f32,
    pub detour: f32,
    /// Intermediate switches of packets that waited briefly, and their waits in cycles; the oldest first.
    pub fast: Vec<(u16, u16)>,
}

/// What a switch learns about one of its packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ack {
    /// The cycle in which the first switch gets the acknowledgement.
    due: u32,
    /// The destination switch.
    pub to: u16,
    /// The intermediate switch, if any.
    pub via: Option<u16>,
    /// Cycles between the departure of the packet's first flit from the first switch and its departure from the last switch, minus the
    /// time that this takes if all queues are empty.
    pub wait: u32,
}

/// A packet whose last flit has not arrived.
#[derive(Debug, Clone, Copy)]
struct Trip {
    /// The field `created` of the packet's flits ([`Flit::created`]).
    created: u32,
    /// The cycle in which the first flit left the first switch.
    departed: u32,
    /// The wait of the first flit, when it has arrived.
    wait: u32,
    to: u16,
    via: Option<u16>,
}

/// What a switch knows from acknowledgements, and its packets that are not acknowledged.
#[derive(Debug)]
pub(crate) struct Feedback {
    switch: u32,
    switches: u32,
    /// Per destination switch: what is known about the routes.
    pub known: Box<[Known]>,
    /// Packets by number; `free` has the unused numbers.
    trips: Vec<Trip>,
    free: Vec<u32>,
    /// Per input VC: the number of the packet that is arriving from an endpoint, as its flits carry it.
    arriving: Box<[u32]>,
    /// Acknowledgements on their way.
    pending: Vec<Ack>,
    /// Acknowledgements that arrive in the current block of cycles, the first one at the end.
    due: Vec<Ack>,
}

impl Feedback {
    /// Creates the feedback of `switch` in a network of `switches` switches. The switch has `port_vcs` input VCs.
    pub fn new(switch: u32, switches: usize, port_vcs: usize) -> Self {
        Self {
            switch,
            switches: switches as u32,
            known: vec![Known::default(); switches].into(),
            trips: Vec::new(),
            free: Vec::new(),
            arriving: vec![0; port_vcs].into(),
            pending: Vec::new(),
            due: Vec::new(),
        }
    }

    /// Returns whether the numbers of packets may run out if `more` packets start. The numbers of all switches fit in 32 bits.
    #[inline]
    pub fn is_nearly_full(&self, more: usize) -> bool {
        (self.trips.len() - self.free.len() + more) as u64 >= self.max_packets()
    }

    /// Returns the maximum number of packets of this switch that can be under way.
    pub fn max_packets(&self) -> u64 {
        (1 << 32) / u64::from(self.switches)
    }

    /// Selects the acknowledgements that arrive before cycle `until`. [`Feedback::learn`] then uses only these.
    pub fn gather(&mut self, until: u32) {
        self.due.extend(self.pending.extract_if(.., |ack| ack.due < until));
        self.due.sort_by_key(|ack| Reverse(ack.due));
    }

    /// Passes the acknowledgements that have arrived by cycle `now` to the selector.
    #[inline]
    pub fn learn(&mut self, routes: &Routes, now: u32) {
        while let Some(ack) = self.due.pop_if(|ack| ack.due <= now) {
            routes.on_ack(&mut self.known[usize::from(ack.to)], &ack);
        }
    }

    /// Stores the data of the packet that starts with `flit` at input VC `port_vc`. Its route has been chosen.
    #[inline]
    pub fn start(&mut self, port_vc: usize, flit: &Flit) {
        let trip = Trip { created: flit.created, departed: 0, wait: 0, to: flit.switch, via: Routes::via(flit) };
        let number = match self.free.pop() {
            Some(number) => {
                self.trips[number as usize] = trip;
                number
            }
            None => {
                self.trips.push(trip);
                self.trips.len() as u32 - 1
            }
        };
        self.arriving[port_vc] = number * self.switches + self.switch;
    }

    /// Returns the number of the packet that is arriving at input VC `port_vc`, as its flits carry it.
    #[inline]
    pub fn number(&self, port_vc: usize) -> u32 {
        self.arriving[port_vc]
    }

    /// Records that the packet of `flit` leaves this switch, its first one, in cycle `now`.
    #[inline]
    pub fn depart(&mut self, flit: &Flit, now: u32) {
        self.trips[(flit.created / self.switches) as usize].departed = now;
    }

    /// Records that `flit` left its last switch in cycle `now`. Sends the acknowledgement if this is the last flit of its packet. Returns
    /// the value that the field `created` of the flit had at its endpoint.
    fn arrive(&mut self, idle: &IdleTimes, flit: &Flit, now: u32) -> u32 {
        let number = flit.created / self.switches;
        let trip = &mut self.trips[number as usize];
        let time = if flit.hops == 0 { 0 } else { idle.of(self.switch, trip.via, trip.to, flit.hops) };
        if flit.flags & HEAD != 0 {
            trip.wait = (now - trip.departed).saturating_sub(time);
        }
        if flit.flags & TAIL != 0 {
            self.free.push(number);
            if flit.hops > 0 {
                self.pending.push(Ack { due: now + time, to: trip.to, via: trip.via, wait: trip.wait });
            }
        }
        trip.created
    }
}

/// Counts the flits that reached their endpoints in the last block of cycles, and sends acknowledgements to their first switches.
pub(crate) fn settle<S: Switching<P>, const P: usize>(
    run: &Run,
    routers: &mut [Router<S, P>],
    locals: &mut [Local<S::Scratch>],
) {
    let Some(idle) = &run.idle else { return };
    for local in locals {
        let mut ejected = std::mem::take(&mut local.ejected);
        for (now, mut flit) in ejected.drain(..) {
            let first = flit.created as usize % routers.len();
            let feedback = routers[first].switch.feedback.as_mut().expect("every switch gets feedback");
            flit.created = feedback.arrive(idle, &flit, now);
            local.arrive(run, &flit, now);
        }
        local.ejected = ejected;
    }
}

/// The times that packets need from their first to their last switch if all queues are empty.
#[derive(Debug)]
pub(crate) struct IdleTimes {
    /// Cycles per hop. If links have different latencies, these are excluded.
    hop: u32,
    /// Per first and last switch: the least sum of latencies over the paths of layer 0. Empty if all links have the same latency.
    latencies: Vec<u32>,
    switches: usize,
}

impl IdleTimes {
    /// Returns the times of routes in `table`. `latency` has the latency of every channel.
    pub fn new(fabric: &Fabric, table: &Table, latency: &[u32], timing: &Timing) -> Self {
        let switches = fabric.num_switches();
        let hop = timing.delay + timing.inside;
        match latency {
            [first, rest @ ..] if rest.iter().any(|other| other != first) => {
                Self { hop, latencies: least_latencies(fabric, table, latency), switches }
            }
            _ => Self { hop: hop + latency.first().copied().unwrap_or(0), latencies: Vec::new(), switches },
        }
    }

    /// Returns the time in cycles of a route of `hops` hops. If a pair of switches has paths of different latencies, the least latency
    /// counts.
    #[inline]
    fn of(&self, from: u32, via: Option<u16>, to: u16, hops: u8) -> u32 {
        let inside = self.hop * u32::from(hops);
        if self.latencies.is_empty() {
            return inside;
        }
        let between = |from: usize, to: usize| self.latencies[from * self.switches + to];
        let (from, to) = (from as usize, usize::from(to));
        inside
            + match via.map(usize::from) {
                Some(via) => between(from, via) + between(via, to),
                None => between(from, to),
            }
    }
}

/// Returns, per pair of switches, the least sum of `latency` over the paths of `table`; 0 if there is no path. Paths must have no loops.
fn least_latencies(fabric: &Fabric, table: &Table, latency: &[u32]) -> Vec<u32> {
    let switches = fabric.num_switches();
    let what = || format!("path latencies of {switches} switches");
    let mut least = memory::must(memory::filled(what, 0, switches * switches));
    let mut known = vec![u32::MAX; switches];
    for to in fabric.endpoint_switches() {
        known.fill(u32::MAX);
        known[to as usize] = 0;
        // Paths become known from their ends. So there are as many rounds as the longest path has hops, and one more.
        loop {
            let mut is_final = true;
            for from in (0..switches as u32).filter(|&from| from != to) {
                let start = fabric.offsets()[from as usize] as usize;
                let over = |&port: &u16| {
                    let channel = start + usize::from(port);
                    latency[channel].saturating_add(known[fabric.targets()[channel] as usize])
                };
                let found = table.next(from, to).iter().map(over).min().unwrap_or(u32::MAX);
                if found != known[from as usize] {
                    (known[from as usize], is_final) = (found, false);
                }
            }
            if is_final {
                break;
            }
        }
        for (from, &known) in known.iter().enumerate().filter(|&(_, &known)| known < u32::MAX) {
            least[from * switches + to as usize] = known;
        }
    }
    least
}
