//! Packet trimming: a full queue removes payloads and keeps the headers.

use tulle_spec::plugin;

use super::{Hop, Model, Verdict};
use crate::config::Link;
use crate::packet::{Arena, HEADER, Kind};
use crate::port::{Class, Port};

plugin! {
    /// Two queues per port: a short queue of packets with payload, and a queue of headers and control packets with priority.
    ///
    /// After `weight` consecutive headers, one waiting packet is sent. With strict priority, the headers of many senders could occupy a
    /// link forever. NDP (§3.1) uses a ratio of 10 to 1, csg-htsim 100,000 to 1.
    ///
    /// If a data packet arrives at a full queue, either this packet or the newest waiting packet is trimmed, each with probability 1/2.
    /// Without this random choice, all packets of a flow could be trimmed if the flow's packets always arrive when the queue is full (NDP
    /// §3.1). An urgent packet replaces a waiting packet that is not urgent.
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Trim(arguments, link: Link) {
        /// packets with payload per port, including the one being sent
        packets: u32 = integer(1, 1 << 20), default "8";
        /// headers and control packets per port, including the one being sent
        most_headers "headers": u64 = integer(1, 1 << 30), or "as many headers as fit into the memory for packets=" {
            (u64::from(packets) * u64::from(link.mtu) / u64::from(HEADER)).clamp(1, 1 << 30)
        };
        /// consecutive headers and control packets after which a waiting packet is sent
        weight: u8 = integer(1, 254), default "100";
        /// The transmission time of the maximum number of headers, in picoseconds.
        headers: u64 => most_headers * link.time(HEADER);
    }
    name: "trim",
    summary: "full queues trim packets to their headers and forward headers first",
    paper: "FatPaths §III-C, §VII-A6 (8 packets); Handley et al., NDP, SIGCOMM 2017 §3.1",
    limitations: "The queue counts packets, not bytes: a short last packet uses as much space as a full one.",
    examples: ["trim:packets=8", "trim", "trim:packets=14,headers=4218,weight=5"],
    rejects: [
        ("trim:weight=0", "weight=0 is out of range; legal: 1 to 254"),
        ("trim:packets=0", "packets=0 is out of range; legal: 1 to 1048576"),
        ("trim:headers=0", "headers=0 is out of range"),
        ("trim:depth=8", "unknown parameter 'depth=8'"),
    ],
}

impl Model for Trim {
    fn drain(&self, link: &Link) -> u64 {
        u64::from(self.packets) * link.time(link.mtu)
    }

    fn max_consecutive_control(&self) -> u8 {
        self.weight
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
        let packet = &packets[id];
        if packet.kind != Kind::Data || !packet.has_payload() {
            return if self.has_room(port, now) { Verdict::Express } else { Verdict::Dropped };
        }
        let class = Class::of(packet);
        if port.payloads(now) < self.packets {
            port.push(packets, id, class);
            return Verdict::Stored;
        }
        self.overflow(port, packets, id, now, class, draw)
    }
}

impl Trim {
    fn overflow(
        &self,
        port: &mut Port,
        packets: &mut Arena,
        id: u32,
        now: u64,
        class: Class,
        draw: impl Fn(u32) -> u64,
    ) -> Verdict {
        port.draws = port.draws.wrapping_add(1);
        let trims_newest = draw(port.draws) & 1 == 0;
        let newest = match class {
            Class::Urgent if port.waiting(Class::Bulk) > 0 => {
                // Urgent and bulk data share one limit. The oldest bulk packet is trimmed, because its header then arrives soonest.
                let oldest = port.pop_class(packets, Class::Bulk).expect("one waits");
                port.push(packets, id, Class::Urgent);
                return self.keep_header(port, packets, oldest, now);
            }
            class => port.newest(class),
        };
        if let Some(newest) = newest.filter(|_| trims_newest) {
            // The newest waiting packet and the arriving packet swap their slots. The arriving packet thus takes the waiting packet's
            // position in the queue.
            let place = packets[newest].next;
            let arrival = packets[id];
            packets[id] = packets[newest];
            packets[newest] = arrival;
            packets[newest].next = place;
        }
        self.keep_header(port, packets, id, now)
    }

    fn keep_header(&self, port: &Port, packets: &mut Arena, id: u32, now: u64) -> Verdict {
        packets[id].trim();
        if self.has_room(port, now) { Verdict::Trimmed(id) } else { Verdict::TrimmedAndDropped(id) }
    }

    /// Returns whether the queue has space for one more header.
    #[inline]
    fn has_room(&self, port: &Port, now: u64) -> bool {
        port.control(now) < self.headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{data, flag};
    use tulle_spec::Plugin;

    const HEADS: fn(u32) -> u64 = |_| 0;
    const TAILS: fn(u32) -> u64 = |_| 1;

    struct Fixture {
        trim: Trim,
        port: Port,
        packets: Arena,
    }

    impl Fixture {
        /// Returns a port that is sending a packet with payload until time 100. It has space for three packets, and for two headers
        /// that take 10 picoseconds each.
        fn new() -> Self {
            let mut port = Port::new();
            port.occupy(100, 9000, true);
            Self { trim: Trim { packets: 3, most_headers: 2, headers: 20, weight: 10 }, port, packets: Arena::new() }
        }

        fn admit(&mut self, sequence: u32, flags: u8, draw: fn(u32) -> u64) -> (u32, Verdict) {
            let id = self.packets.insert(data(sequence, flags));
            (id, self.trim.admit(Hop::default(), &mut self.port, &mut self.packets, id, 50, draw))
        }

        /// Removes all waiting packets and returns their sequence numbers in the order of service.
        fn waiting(&mut self) -> Vec<u32> {
            std::iter::from_fn(|| self.port.pop(&self.packets)).map(|id| self.packets[id].sequence).collect()
        }
    }

    #[test]
    fn a_full_queue_trims_the_arrival_or_the_newest() {
        for (draw, left, trimmed) in [(TAILS, [0, 1], 2), (HEADS, [0, 2], 1)] {
            let mut fixture = Fixture::new();
            assert_eq!(fixture.admit(0, 0, draw).1, Verdict::Stored);
            assert_eq!(fixture.admit(1, 0, draw).1, Verdict::Stored);
            let (_, verdict) = fixture.admit(2, 0, draw);
            let Verdict::Trimmed(header) = verdict else { panic!("{verdict:?}") };
            let header = fixture.packets[header];
            assert_eq!((header.sequence, header.size, header.has_payload()), (trimmed, HEADER, false));
            assert_eq!(fixture.waiting(), left);
        }
    }

    #[test]
    fn urgent_packets_take_the_place_of_others() {
        let mut fixture = Fixture::new();
        for sequence in [0, 1] {
            fixture.admit(sequence, 0, TAILS);
        }
        for (sequence, gives_way) in [(2, 0), (3, 1)] {
            let (_, verdict) = fixture.admit(sequence, flag::URGENT, TAILS);
            let Verdict::Trimmed(header) = verdict else { panic!("{verdict:?}") };
            assert_eq!(fixture.packets[header].sequence, gives_way);
        }
        // If all waiting packets are urgent, a random number decides whether an urgent arrival or a waiting packet is trimmed. A bulk
        // packet never replaces an urgent packet.
        let (id, verdict) = fixture.admit(4, flag::URGENT, TAILS);
        assert_eq!(verdict, Verdict::Trimmed(id));
        let (id, verdict) = fixture.admit(5, 0, HEADS);
        assert_eq!(verdict, Verdict::Trimmed(id));
        assert_eq!(fixture.waiting(), [2, 3]);
    }

    #[test]
    fn the_number_of_headers_is_limited() {
        let mut fixture = Fixture::new();
        for sequence in [0, 1] {
            fixture.admit(sequence, 0, TAILS);
        }
        assert_eq!(fixture.admit(2, flag::TRIMMED, TAILS).1, Verdict::Express);
        fixture.port.occupy(120, 64, false);
        assert_eq!(fixture.admit(3, flag::TRIMMED, TAILS).1, Verdict::Dropped);
        let (id, verdict) = fixture.admit(4, 0, TAILS);
        assert_eq!(verdict, Verdict::TrimmedAndDropped(id));
    }

    #[test]
    fn the_default_header_limit_fits_the_memory_of_the_packets() {
        let link = Link::new(&crate::Config { mtu: 1500, ..crate::Config::default() }).unwrap();
        let trim = Trim::parse("trim:packets=3", &link).unwrap();
        assert_eq!((trim.most_headers, trim.headers), (70, 70 * link.time(HEADER)));
        assert_eq!((trim.drain(&link), trim.max_consecutive_control()), (3 * link.time(1500), 100));
    }
}
