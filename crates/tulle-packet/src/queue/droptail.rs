//! Drop tail: packets are sent first in, first out, and a full queue drops arriving packets.

use tulle_spec::{parameters, plugin};

use super::marking::is_below;
use super::{Hop, Model, Verdict};
use crate::config::Link;
use crate::packet::Arena;
use crate::port::Port;

plugin! {
    /// One queue per port for all kinds of packets, with a limit in bytes.
    ///
    /// Packets never overtake each other, so the departure time of a packet is known at its arrival. The model therefore stores a queue
    /// only as the transmission time of its bytes.
    #[derive(Debug, Clone)]
    pub(crate) struct DropTail(arguments, link: Link) {
        pub memory: Memory;
        /// probability that a switch port loses a packet regardless of its queue, for example because of a bad link
        loss: f64 = chance(), default "0";
        link: Link => *link;
    }
    name: "droptail",
    summary: "first come, first served; full queues drop arriving packets",
    paper: "FatPaths §VII-A6 (tail drop, 100 packets per port)",
    limitations: "The queue counts bytes: a short packet uses less space than a full-size packet. Control packets wait behind \
        data, and priorities are ignored.",
    examples: ["droptail:packets=100", "droptail", "droptail:packets=16,loss=1%"],
    rejects: [
        ("droptail:packets=0", "packets=0 is out of range; legal: 1 to 1048576"),
        ("droptail:loss=2", "loss=2 is out of range"),
        ("droptail:mark=33", "unknown parameter 'mark=33'"),
    ],
}

parameters! {
    /// The parameter that limits the queue of a port.
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Memory(arguments, link: Link) {
        /// memory per port in full-size packets, including the unsent part of the packet that is being sent
        pub packets: u64 = integer(1, 1 << 20), default "100";
    }
}

impl Model for DropTail {
    fn longest_wait(&self) -> u64 {
        self.memory.packets * self.link.time(self.link.mtu)
    }

    fn drain(&self, _link: &Link) -> u64 {
        self.longest_wait()
    }

    fn decides_when_idle(&self) -> bool {
        self.loss > 0.0
    }

    #[inline]
    fn admit(
        &mut self,
        _place: Hop,
        port: &mut Port,
        packets: &mut Arena,
        id: u32,
        now: u64,
        draw: impl Fn(u32) -> u64,
    ) -> Verdict {
        if self.loss > 0.0 {
            port.draws = port.draws.wrapping_add(1);
            if is_below(draw(port.draws), self.loss) {
                return Verdict::Dropped;
            }
        }
        let waiting = port.free(now) - now;
        if self.has_room(waiting, packets[id].size) { Verdict::Express } else { Verdict::Dropped }
    }
}

impl DropTail {
    pub(super) fn new(link: &Link, packets: u64) -> Self {
        Self { link: *link, memory: Memory { packets }, loss: 0.0 }
    }

    /// Returns whether `size` more bytes fit if the waiting bytes take `waiting` picoseconds to send.
    #[inline]
    pub(super) fn has_room(&self, waiting: u64, size: u16) -> bool {
        waiting + self.link.time(size) <= self.longest_wait()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;
    use crate::packet::data;
    use tulle_spec::Plugin;

    fn model(spec: &str) -> DropTail {
        let link = Link::new(&Config { mtu: 1500, ..Config::default() }).unwrap();
        DropTail::parse(spec, &link).unwrap()
    }

    #[test]
    fn a_full_queue_drops_arrivals() {
        let (mut model, mut port, mut packets) = (model("droptail:packets=3"), Port::new(), Arena::new());
        let full = model.link.time(1500);
        let mut admit = |port: &mut Port, now| {
            let id = packets.insert(data(0, 0));
            let verdict = model.admit(Hop::default(), port, &mut packets, id, now, |_| unreachable!());
            if verdict == Verdict::Express {
                port.occupy(port.free(now) + full, 9000, true);
            }
            verdict
        };
        for _ in 0..3 {
            assert_eq!(admit(&mut port, 0), Verdict::Express);
        }
        assert_eq!(admit(&mut port, 0), Verdict::Dropped);
        assert_eq!(admit(&mut port, full - 1), Verdict::Dropped);
        assert_eq!(admit(&mut port, full), Verdict::Express);
    }

    #[test]
    fn the_loss_rate_matches_its_parameter() {
        let (mut model, mut port, mut packets) = (model("droptail:loss=5%"), Port::new(), Arena::new());
        let id = packets.insert(data(0, 0));
        let draw = |count: u32| tulle_base::random::mix(count.into());
        let lost = (0..20_000)
            .filter(|_| model.admit(Hop::default(), &mut port, &mut packets, id, 0, draw) == Verdict::Dropped)
            .count();
        assert!(lost.abs_diff(1000) < 150, "{lost}");
    }
}
