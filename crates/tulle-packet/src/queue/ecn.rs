//! A drop-tail queue that marks packets if it is long (explicit congestion notification).

use tulle_spec::plugin;

use super::droptail::{DropTail, Memory};
use super::marking::Marking;
use super::{Hop, Model, Verdict};
use crate::config::Link;
use crate::packet::{Arena, Kind, flag};
use crate::port::Port;

plugin! {
    /// A [`DropTail`] queue that marks a data packet if more packets than a threshold wait before it.
    #[derive(Debug, Clone)]
    pub(crate) struct Ecn(arguments, link: Link) {
        memory: Memory;
        /// a packet can be marked if more full-size packets than this wait before it
        mark: u64 = integer(0, 1 << 20), note "at most packets", or "33, or a third of packets= if that is smaller" {
            if memory.packets >= 99 { 33 } else { memory.packets / 3 }
        };
        /// queue length in full-size packets at which the probability of a mark is chance=; beyond it every packet is marked
        full: u64 = integer(0, 1 << 20), note "mark= to packets=", or "mark" { mark };
        /// probability of a mark at the queue length full=
        chance: f64 = fraction(), default "1";
        queue: DropTail => DropTail::new(link, memory.packets);
        marking: Marking => {
            let time = link.time(link.mtu);
            Marking { low: mark * time, high: full * time, chance }
        };
    }
    check {
        arguments.check("mark", mark, 0..=memory.packets)?;
        arguments.check("full", full, mark..=memory.packets)?;
    }
    name: "ecn",
    summary: "drop tail that marks data if the queue is longer than a threshold",
    paper: "FatPaths §VII-A6 (more than 33 of 100 packets); RFC 3168; RFC 8257 §3.1; full= and chance=: Zhu et al., \
        DCQCN, SIGCOMM 2015 §3.1",
    limitations: "The queue length at a packet's arrival decides whether the packet is marked. Data of every transport is marked, \
        even if the transport ignores marks.",
    examples: ["ecn:packets=100,mark=33", "ecn", "ecn:packets=50,mark=5,full=40,chance=1%"],
    rejects: [
        ("ecn:packets=10,mark=11", "mark=11 is out of range; legal: 0 to 10"),
        ("ecn:mark=50,full=40", "full=40 is out of range; legal: 50 to 100"),
        ("ecn:chance=0", "chance=0 is out of range"),
    ],
}

impl Model for Ecn {
    fn longest_wait(&self) -> u64 {
        self.queue.longest_wait()
    }

    fn drain(&self, _link: &Link) -> u64 {
        self.longest_wait()
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
        let waiting = port.free(now) - now;
        let packet = &mut packets[id];
        if !self.queue.has_room(waiting, packet.size) {
            return Verdict::Dropped;
        }
        let throw = || {
            port.draws = port.draws.wrapping_add(1);
            draw(port.draws)
        };
        if packet.kind == Kind::Data && self.marking.marks(waiting, throw) {
            packet.flags |= flag::MARKED;
        }
        Verdict::Express
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;
    use crate::packet::{HEADER, data};
    use tulle_spec::Plugin;

    #[test]
    fn data_that_finds_a_long_queue_is_marked_and_nothing_else_is() {
        let link = Link::new(&Config { mtu: 1500, ..Config::default() }).unwrap();
        let mut ecn = Ecn::parse("ecn:packets=10,mark=3", &link).unwrap();
        let mut packets = Arena::new();
        let mut marks = |kind: Kind, before: u64| {
            let mut port = Port::new();
            port.occupy(before * link.time(1500), 1500, true);
            let size = if kind == Kind::Data { 1500 } else { HEADER };
            let id = packets.insert(crate::packet::Packet { kind, size, ..data(0, 0) });
            assert_eq!(ecn.admit(Hop::default(), &mut port, &mut packets, id, 0, |_| 0), Verdict::Express);
            packets.remove(id).flags & flag::MARKED != 0
        };
        assert_eq!((marks(Kind::Data, 3), marks(Kind::Data, 4)), (false, true));
        for control in [Kind::Ack, Kind::Nack, Kind::Pull, Kind::Syn, Kind::SynAck, Kind::Cnp] {
            assert!(!marks(control, 9), "{control:?}");
        }
    }

    /// Between `mark` and `full`, the probability of a mark rises and a random number decides. Beyond `full`, every packet is marked.
    #[test]
    fn ramps_go_from_mark_to_full() {
        let link = Link::new(&Config { mtu: 1500, ..Config::default() }).unwrap();
        let mut ecn = Ecn::parse("ecn:packets=10,mark=2,full=6,chance=50%", &link).unwrap();
        let mut packets = Arena::new();
        // At a queue length of 4, halfway between `mark` and `full`, the probability of a mark is half of 50%, that is 1/4.
        for (before, draw, expected) in
            [(2, 0, false), (4, 1 << 62, false), (4, (1 << 62) - 1, true), (6, 1 << 63, false), (7, u64::MAX, true)]
        {
            let mut port = Port::new();
            port.occupy(before * link.time(1500), 1500, true);
            let id = packets.insert(data(0, 0));
            ecn.admit(Hop::default(), &mut port, &mut packets, id, 0, |_| draw);
            assert_eq!(packets[id].flags & flag::MARKED != 0, expected, "{before} {draw}");
        }
    }

    /// A packet that is already marked keeps its mark, at short and at long queues.
    #[test]
    fn marks_stay() {
        let link = Link::new(&Config { mtu: 1500, ..Config::default() }).unwrap();
        let (mut ecn, mut packets) = (Ecn::parse("ecn:packets=10,mark=3", &link).unwrap(), Arena::new());
        for before in [1, 9] {
            let mut port = Port::new();
            port.occupy(before * link.time(1500), 1500, true);
            let id = packets.insert(data(0, flag::MARKED));
            assert_eq!(ecn.admit(Hop::default(), &mut port, &mut packets, id, 0, |_| 0), Verdict::Express);
            assert!(packets[id].flags & flag::MARKED != 0, "{before}");
        }
        // A full port holds ten packets. So the time to drain it and the longest wait are both the transmission time of ten packets.
        assert_eq!((ecn.drain(&link), ecn.longest_wait()), (10 * link.time(1500), 10 * link.time(1500)));
    }
}
