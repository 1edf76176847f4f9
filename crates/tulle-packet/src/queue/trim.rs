//! Trimming: a full queue cuts payloads off and keeps the headers.

use tulle_fabric::spec::{Arguments, Info, Parameter};

use super::{Model, Verdict};
use crate::Error;
use crate::packet::{Arena, HEADER};
use crate::port::{Class, Port};

/// A shallow queue of whole packets per port and one of headers that goes first.
///
/// Data that comes to a full queue loses its payload; with probability one half the newest packet that waits loses it in its
/// place, which spares a stream of packets in lockstep with the port from being trimmed every time (NDP §3.1). A packet
/// marked urgent takes the place of one that is not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trim {
    /// Most packets with payload at a port, the one being sent included.
    packets: u32,
    /// Most headers that wait at a port.
    headers: u32,
}

impl Model for Trim {
    const INFO: Info = Info {
        name: "trim",
        summary: "full queues cut payloads off and forward the headers first",
        parameters: &[
            Parameter {
                name: "packets",
                legal: "1 to 1048576",
                default: "8",
                help: "full-size packets per port, the one being sent included",
            },
            Parameter {
                name: "headers",
                legal: "1 to 1073741824",
                default: "as many as fill the memory of the packets",
                help: "headers and control packets that wait per port",
            },
        ],
        nested: false,
        paper: "FatPaths §III-C, §VII-A6 (8 packets); Handley et al., NDP, SIGCOMM 2017 §3.1",
        limitations: "Counts packets, not bytes: a short last packet takes the place of a full one.",
        examples: &["trim:packets=8", "trim", "trim:packets=14,headers=4218"],
        rejects: &[
            ("trim:packets=0", "packets=0 is out of range; legal: 1 to 1048576"),
            ("trim:headers=0", "headers=0 is out of range"),
            ("trim:depth=8", "unknown parameter 'depth=8'"),
        ],
    };

    fn read(arguments: &Arguments, mtu: u16) -> Result<Self, Error> {
        let packets = arguments.integer("packets", 1..=1 << 20)?.unwrap_or(8);
        let memory = packets * u64::from(mtu) / u64::from(HEADER);
        let headers = arguments.integer("headers", 1..=1 << 30)?.unwrap_or(memory.clamp(1, 1 << 30));
        Ok(Self { packets: packets as u32, headers: headers as u32 })
    }

    #[inline]
    fn admit(&self, port: &mut Port, packets: &mut Arena, id: u32, now: u64, coin: impl Fn(u32) -> u64) -> Verdict {
        let class = Class::of(&packets[id]);
        if class == Class::Control {
            if port.waiting(Class::Control) >= self.headers {
                return Verdict::Dropped;
            }
            port.push(packets, id, class);
            return Verdict::Stored;
        }
        if port.payloads(now) < self.packets {
            port.push(packets, id, class);
            return Verdict::Stored;
        }
        self.overflow(port, packets, id, class, coin)
    }
}

impl Trim {
    fn overflow(
        &self,
        port: &mut Port,
        packets: &mut Arena,
        id: u32,
        class: Class,
        coin: impl Fn(u32) -> u64,
    ) -> Verdict {
        port.overflows = port.overflows.wrapping_add(1);
        let heads = coin(port.overflows) & 1 == 0;
        let newest = match class {
            Class::Urgent if port.waiting(Class::Bulk) > 0 => {
                // One limit holds for both queues. The oldest bulk packet gives way: its header is there soonest.
                let oldest = port.pop_class(packets, Class::Bulk).expect("one waits");
                port.push(packets, id, Class::Urgent);
                return self.keep_header(port, packets, oldest);
            }
            class => port.newest(class),
        };
        if let Some(newest) = newest.filter(|_| heads) {
            // The arrival takes the victim's slot and with it its place in the queue; the victim moves to the arrival's.
            let place = packets[newest].next;
            let arrival = packets[id];
            packets[id] = packets[newest];
            packets[newest] = arrival;
            packets[newest].next = place;
        }
        self.keep_header(port, packets, id)
    }

    fn keep_header(&self, port: &mut Port, packets: &mut Arena, id: u32) -> Verdict {
        packets[id].trim();
        if port.waiting(Class::Control) >= self.headers {
            return Verdict::TrimmedAndDropped(id);
        }
        port.push(packets, id, Class::Control);
        Verdict::Trimmed
    }
}
