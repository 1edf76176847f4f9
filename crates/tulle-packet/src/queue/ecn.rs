//! Drop tail that marks packets once its queue is long.

use tulle_spec::{Arguments, Info, Parameter, Parameters};

use super::droptail::{DropTail, PACKETS};
use super::marking::Marking;
use super::{Hop, Model, Verdict};
use crate::Error;
use crate::config::Link;
use crate::packet::{Arena, Kind, flag};
use crate::port::Port;

/// [`DropTail`] with marks on data that finds more than so many packets before it.
#[derive(Debug, Clone)]
pub(crate) struct Ecn {
    queue: DropTail,
    packets: u64,
    /// Lengths in full-size packets as the user gave them, and the same in picoseconds.
    mark: u64,
    full: u64,
    marking: Marking,
}

impl Model for Ecn {
    const INFO: Info = Info {
        name: "ecn",
        summary: "drop tail that marks data where more packets wait than a threshold",
        parameters: &[
            PACKETS,
            Parameter::prose(
                "mark",
                "0 to packets",
                "33, or a third of the packets",
                "marks begin where more full-size packets than this are before the packet that comes",
            ),
            Parameter::prose(
                "full",
                "mark to packets",
                "mark",
                "length at which the chance of a mark has risen to chance=; beyond it every packet is marked",
            ),
            Parameter::prose("chance", "above 0 and at most 1", "1", "chance of a mark at the length full="),
        ],
        nested: false,
        paper: "FatPaths §VII-A6 (more than 33 of 100 packets); RFC 3168; RFC 8257 §3.1; full= and chance=: Zhu et al., DCQCN, \
                SIGCOMM 2015 §3.1",
        limitations: "Marks by the length when a packet comes, and every transport's data alike, heeded or not.",
        examples: &["ecn:packets=100,mark=33", "ecn", "ecn:packets=50,mark=5,full=40,chance=1%"],
        rejects: &[
            ("ecn:packets=10,mark=11", "mark=11 is out of range; legal: 0 to 10"),
            ("ecn:mark=50,full=40", "full=40 is out of range; legal: 50 to 100"),
            ("ecn:chance=0", "chance=0 is out of range"),
        ],
    };

    fn read(arguments: &Arguments, link: &Link) -> Result<Self, Error> {
        let packets = arguments.integer("packets", 1..=1 << 20)?.unwrap_or(100);
        let mark = arguments.integer("mark", 0..=packets)?.unwrap_or(if packets >= 99 { 33 } else { packets / 3 });
        let full = arguments.integer("full", mark..=packets)?.unwrap_or(mark);
        let chance = arguments.fraction("chance", false)?.unwrap_or(1.0);
        let time = link.time(link.mtu);
        let marking = Marking { low: mark * time, high: full * time, chance };
        Ok(Self { queue: DropTail::new(link, packets), packets, mark, full, marking })
    }

    fn parameters(&self) -> Parameters {
        let lengths = Parameters::new().integer("packets", self.packets).integer("mark", self.mark);
        lengths.integer("full", self.full).real("chance", self.marking.chance)
    }

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
        coin: impl Fn(u32) -> u64,
    ) -> Verdict {
        let waiting = port.free(now) - now;
        let packet = &mut packets[id];
        if !self.queue.has_room(waiting, packet.size) {
            return Verdict::Dropped;
        }
        let throw = || {
            port.coins = port.coins.wrapping_add(1);
            coin(port.coins)
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

    #[test]
    fn data_that_finds_a_long_queue_is_marked_and_nothing_else_is() {
        let link = Link::new(&Config { mtu: 1500, ..Config::default() }).unwrap();
        let arguments = Arguments::parse(&const { Ecn::INFO }, "ecn:packets=10,mark=3").unwrap();
        let mut ecn = Ecn::read(&arguments, &link).unwrap();
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
        for control in [Kind::Ack, Kind::Nack, Kind::Pull, Kind::Syn, Kind::SynAck, Kind::Notice] {
            assert!(!marks(control, 9), "{control:?}");
        }
    }

    /// Between `mark` and `full` the chance rises, and coins are thrown; beyond, all is marked.
    #[test]
    fn ramps_go_from_mark_to_full() {
        let link = Link::new(&Config { mtu: 1500, ..Config::default() }).unwrap();
        let arguments = Arguments::parse(&const { Ecn::INFO }, "ecn:packets=10,mark=2,full=6,chance=50%").unwrap();
        let mut ecn = Ecn::read(&arguments, &link).unwrap();
        let mut packets = Arena::new();
        // Marked by a quarter of the coins, at half of the way to a chance of a half.
        for (before, coin, expected) in
            [(2, 0, false), (4, 1 << 62, false), (4, (1 << 62) - 1, true), (6, 1 << 63, false), (7, u64::MAX, true)]
        {
            let mut port = Port::new();
            port.occupy(before * link.time(1500), 1500, true);
            let id = packets.insert(data(0, 0));
            ecn.admit(Hop::default(), &mut port, &mut packets, id, 0, |_| coin);
            assert_eq!(packets[id].flags & flag::MARKED != 0, expected, "{before} {coin}");
        }
    }

    /// One long queue on the way is enough; a second does not take its mark back, nor does a short one.
    #[test]
    fn marks_stay() {
        let link = Link::new(&Config { mtu: 1500, ..Config::default() }).unwrap();
        let arguments = Arguments::parse(&const { Ecn::INFO }, "ecn:packets=10,mark=3").unwrap();
        let (mut ecn, mut packets) = (Ecn::read(&arguments, &link).unwrap(), Arena::new());
        for before in [1, 9] {
            let mut port = Port::new();
            port.occupy(before * link.time(1500), 1500, true);
            let id = packets.insert(data(0, flag::MARKED));
            assert_eq!(ecn.admit(Hop::default(), &mut port, &mut packets, id, 0, |_| 0), Verdict::Express);
            assert!(packets[id].flags & flag::MARKED != 0, "{before}");
        }
        // What a full port holds takes ten packets' time; and that is the longest that one waits.
        assert_eq!((ecn.drain(&link), ecn.longest_wait()), (10 * link.time(1500), 10 * link.time(1500)));
    }
}
