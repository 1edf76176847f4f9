//! An endpoint's network interface: the order in which its flows send data over its link.
//!
//! Only data waits here; what has no payload goes before all, as at switches. Of each class (urgent data first) the flows take
//! turns by packets, or packets go in the order in which they were handed over.

use tulle_base::memory;
use tulle_base::random::{fnv1a, mix};
use tulle_spec::{Info, Plugin, Registered, SpecError, registry};

use crate::Error;
use crate::packet::{Arena, NONE, Packet};
use crate::port::{Class, Port};
use crate::transport::Sending;

registry! {
    /// All orders of flows at endpoints' links, the default first.
    pub(crate) static NICS: Nics("nic", (), Facts) -> SpecError = Box<dyn Registered>;
    mod round_robin: RoundRobin;
    mod fifo: Fifo;
    #[cfg(test)]
    mod toy: Toy;
}

/// An order in which an endpoint's flows send.
pub(crate) trait Order: Plugin {
    /// Whether flows take turns.
    const TURNS: bool;
}

/// Constants of an order, known before its spec is parsed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    turns: bool,
}

impl Facts {
    const fn of<O: Order>() -> Self {
        Self { turns: O::TURNS }
    }
}

/// The [`Info`] of every registered order, the default first.
pub fn nics() -> Vec<&'static Info> {
    NICS.infos()
}

/// Whether flows take turns with the order of `spec`.
pub(crate) fn takes_turns(spec: &str) -> Result<bool, Error> {
    Ok(NICS.read(spec, &())?.0.facts.turns)
}

/// Returns `spec` with every parameter resolved.
pub(crate) fn canonical(spec: &str) -> Result<String, Error> {
    Ok(NICS.read(spec, &())?.1.spec())
}

/// Data that waits at endpoints, besides the packets in the queues of their ports.
///
/// With turns, the queue of a port holds the next packet of every flow that has one, in the order of their turns; what
/// a flow has behind that waits in its own queue here. So a packet that finds the link idle never comes here, and a
/// flow alone moves its packets from its queue to the port one by one.
#[derive(Debug)]
pub(crate) struct Nic {
    /// Queues of each flow, by class; empty if flows do not take turns.
    queues: Vec<[FlowQueue; 2]>,
    pub(crate) sending: Sending,
    key: u64,
}

/// The packets of a flow behind the one whose turn it is, as a linked list.
#[derive(Debug, Clone, Copy)]
struct FlowQueue {
    /// [`NONE`] if the flow has no waiting data, [`LAST`] if its only packet is at the port.
    head: u32,
    tail: u32,
}

/// No packet waits behind the one at the port. Packet ids are always smaller.
const LAST: u32 = NONE - 1;

impl Nic {
    pub(crate) fn new(turns: bool, sending: Sending, seed: u64, flows: usize) -> Self {
        let flows = if turns { flows } else { 0 };
        let queues = memory::array("queues of flows", [FlowQueue { head: NONE, tail: NONE }; 2], flows);
        Self { queues, sending, key: mix(seed ^ fnv1a(b"packet/jitter")) }
    }

    /// Picoseconds that the endpoint takes before `packet`, data that finds the link idle: a hash of the packet below the
    /// jitter. Where all else is periodic, those whose packets come to a full queue just before others' lose nearly all
    /// of them (Floyd and Jacobson, On Traffic Phase Effects in Packet-Switched Gateways, Internetworking 3 (3), 1992, §5).
    #[inline]
    pub(crate) fn delay(&self, packet: &Packet) -> u64 {
        if self.sending.jitter == 0 {
            return 0;
        }
        let place = u64::from(packet.subflow()) << 32 | u64::from(packet.sequence);
        let hash = mix(mix(self.key ^ u64::from(packet.flow)) ^ place);
        ((u128::from(hash) * u128::from(self.sending.jitter)) >> 64) as u64
    }

    /// Picoseconds between the packet before and `packet`, data that has waited for the link: a thousandth of its delay. Were an
    /// endpoint's clock exactly that of the switches, a flow that fills its link could keep a queue exactly full for ever, and
    /// nobody else's packets would find room (IEEE 802.3 lets clocks differ by 200 millionths).
    #[inline]
    pub(crate) fn gap(&self, packet: &Packet) -> u64 {
        self.delay(packet) >> 10
    }

    /// Queues packet `id`, data of `flow`, at `port` of the flow's endpoint.
    #[inline]
    pub(crate) fn push(&mut self, port: &mut Port, packets: &mut Arena, id: u32, flow: u32, class: Class) {
        let Some(queues) = self.queues.get_mut(flow as usize) else { return port.push(packets, id, class) };
        let queue = &mut queues[class as usize];
        match queue.head {
            NONE => {
                queue.head = LAST;
                return port.push(packets, id, class);
            }
            LAST => queue.head = id,
            _ => packets[queue.tail].next = id,
        }
        packets[id].next = NONE;
        queue.tail = id;
        port.expect(class);
    }

    /// Handles the departure of `flow`'s packet from `port`: the flow takes another turn later if it has more packets.
    #[inline]
    pub(crate) fn take_turn(&mut self, port: &mut Port, packets: &mut Arena, flow: u32, class: Class) {
        let Some(queues) = self.queues.get_mut(flow as usize) else { return };
        let queue = &mut queues[class as usize];
        if queue.head == LAST {
            queue.head = NONE;
            return;
        }
        let id = queue.head;
        queue.head = if id == queue.tail { LAST } else { packets[id].next };
        port.push_expected(packets, id, class);
    }

    /// Calls `f` with every packet in the queues of flows.
    pub(crate) fn for_each(&self, packets: &Arena, mut f: impl FnMut(u32)) {
        for queue in self.queues.as_flattened() {
            let mut id = queue.head;
            while id < LAST {
                f(id);
                id = packets[id].next;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{data, flag};

    /// The order in which packets (flow, number) leave that were handed over in this order, all before the first leaves.
    fn order(turns: bool, handed: &[(u32, u32)], urgent: &[u32]) -> Vec<(u32, u32)> {
        let (mut nic, mut port, mut packets) = (Nic::new(turns, Sending::AT_ONCE, 0, 4), Port::new(), Arena::new());
        for &(flow, sequence) in handed {
            let packet = crate::packet::Packet {
                flow,
                ..data(sequence, if urgent.contains(&sequence) { flag::URGENT } else { 0 })
            };
            let id = packets.insert(packet);
            nic.push(&mut port, &mut packets, id, flow, Class::of(&packet));
        }
        let mut waiting = 0;
        nic.for_each(&packets, |_| waiting += 1);
        waiting += Class::ALL.map(|class| port.iter(&packets, class).count()).iter().sum::<usize>();
        assert_eq!((waiting, port.payloads(0) as usize), (handed.len(), handed.len()));
        let mut left = Vec::new();
        while let Some(id) = port.pop(&packets) {
            let packet = packets.remove(id);
            nic.take_turn(&mut port, &mut packets, packet.flow, Class::of(&packet));
            left.push((packet.flow, packet.sequence));
        }
        assert_eq!((left.len(), port.payloads(0), packets.live()), (handed.len(), 0, 0));
        left
    }

    #[test]
    fn flows_take_turns_each_in_order() {
        let handed = [(0, 0), (0, 1), (0, 2), (0, 3), (2, 4), (1, 5), (1, 6)];
        let expected = [(0, 0), (2, 4), (1, 5), (0, 1), (1, 6), (0, 2), (0, 3)];
        assert_eq!(order(true, &handed, &[]), expected);
        assert_eq!(order(false, &handed, &[]), handed);
    }

    #[test]
    fn urgent_data_goes_first_in_turns_of_its_own() {
        let handed = [(0, 0), (0, 1), (0, 2), (1, 3), (1, 4), (1, 5)];
        let expected = [(0, 1), (1, 4), (0, 2), (0, 0), (1, 3), (1, 5)];
        assert_eq!(order(true, &handed, &[1, 2, 4]), expected);
        assert_eq!(order(false, &handed, &[1, 2, 4]), [(0, 1), (0, 2), (1, 4), (0, 0), (1, 3), (1, 5)]);
    }

    #[test]
    fn a_flow_that_comes_back_waits_behind_those_that_wait() {
        let (mut nic, mut port, mut packets) = (Nic::new(true, Sending::AT_ONCE, 0, 2), Port::new(), Arena::new());
        let push = |nic: &mut Nic, port: &mut Port, packets: &mut Arena, flow| {
            let id = packets.insert(crate::packet::Packet { flow, ..data(0, 0) });
            nic.push(port, packets, id, flow, Class::Bulk);
        };
        push(&mut nic, &mut port, &mut packets, 0);
        push(&mut nic, &mut port, &mut packets, 1);
        push(&mut nic, &mut port, &mut packets, 1);
        let next = |nic: &mut Nic, port: &mut Port, packets: &mut Arena| {
            let flow = packets.remove(port.pop(packets).unwrap()).flow;
            nic.take_turn(port, packets, flow, Class::Bulk);
            flow
        };
        assert_eq!(next(&mut nic, &mut port, &mut packets), 0);
        push(&mut nic, &mut port, &mut packets, 0);
        let rest = [(); 3].map(|()| next(&mut nic, &mut port, &mut packets));
        assert_eq!(rest, [1, 0, 1]);
    }
}
