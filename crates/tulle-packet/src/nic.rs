//! The network interface of an endpoint: the order in which the endpoint's flows send data over its link.
//!
//! Only data packets wait in the interface. Control packets are sent before all data, as at switches. But if the queue model treats them as
//! data, they can be paused, and only urgent data is sent before them. Urgent data is sent before other data. Within a class of data, the
//! option `nic` decides: either the flows take turns, one packet each, or packets are sent in the order of arrival.

use tulle_base::memory;
use tulle_base::random::{fnv1a, mix};
use tulle_spec::{Info, Plugin, Registered, SpecError, registry};

use crate::Error;
use crate::packet::{Arena, NONE, Packet};
use crate::port::Class;
use crate::transport::Sending;

registry! {
    /// All orders in which an endpoint can send the data of its flows; the default order comes first.
    pub(crate) static NICS: Nics("nic", (), Facts) -> SpecError = Box<dyn Registered>;
    mod round_robin: RoundRobin;
    mod fifo: Fifo;
    #[cfg(test)]
    mod toy: Toy;
}

/// The order in which an endpoint sends the data of its flows.
pub(crate) trait Order: Plugin {
    /// Whether the flows of an endpoint take turns.
    const TURNS: bool;
}

/// The constant properties of a sending order. They are known before the order's spec is parsed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    turns: bool,
}

impl Facts {
    const fn of<O: Order>() -> Self {
        Self { turns: O::TURNS }
    }
}

/// Returns the [`Info`] of every registered sending order, the default first.
pub fn nics() -> Vec<&'static Info> {
    NICS.infos()
}

/// Returns whether flows take turns in the sending order that `spec` names.
pub(crate) fn takes_turns(spec: &str) -> Result<bool, Error> {
    Ok(NICS.read(spec, &())?.0.facts.turns)
}

/// Returns `spec` with the value of every parameter, including defaults.
pub(crate) fn canonical(spec: &str) -> Result<String, Error> {
    Ok(NICS.read(spec, &())?.1.spec())
}

/// The data packets that wait at endpoints, except the packets that are already in the queue of an endpoint's port.
///
/// If flows take turns, the queue of a port holds only the next packet of every sending flow, in the order of their turns. The later
/// packets of a flow wait in the flow's own queue in this struct. A packet that finds the link idle is never stored here. If only one
/// flow sends, its packets move from its queue to the port one by one.
#[derive(Debug)]
pub(crate) struct Nic {
    /// The queues of each flow, by class; empty if flows do not take turns.
    queues: Vec<[FlowQueue; 2]>,
    pub(crate) sending: Sending,
    /// The hash key of the random delays.
    key: u64,
}

/// A linked list of a flow's packets that wait behind its next packet.
#[derive(Debug, Clone, Copy)]
struct FlowQueue {
    /// The first packet of the list. It is [`NONE`] if the flow has no waiting data, and [`LAST`] if the flow's only waiting packet is in
    /// the queue of the port.
    head: u32,
    tail: u32,
}

/// The value of [`FlowQueue::head`] if no packet waits behind the flow's packet at the port. All packet ids are smaller.
const LAST: u32 = NONE - 1;

impl Nic {
    pub(crate) fn new(turns: bool, sending: Sending, seed: u64, flows: usize) -> Self {
        let flows = if turns { flows } else { 0 };
        let queues = memory::array("queues of flows", [FlowQueue { head: NONE, tail: NONE }; 2], flows);
        Self { queues, sending, key: mix(seed ^ fnv1a(b"packet/jitter")) }
    }

    /// Returns the random delay before the endpoint sends data packet `packet` over an idle link, in picoseconds.
    ///
    /// The delay is a hash of the packet and is below the configured jitter. Without random delays, traffic is periodic: flows whose
    /// packets always reach a full queue just before packets of other flows lose nearly all packets (Floyd and Jacobson, On Traffic Phase
    /// Effects in Packet-Switched Gateways, Internetworking 3 (3), 1992, §5).
    #[inline]
    pub(crate) fn delay(&self, packet: &Packet) -> u64 {
        if self.sending.jitter == 0 {
            return 0;
        }
        let place = u64::from(packet.subflow()) << 32 | u64::from(packet.sequence);
        let hash = mix(mix(self.key ^ u64::from(packet.flow)) ^ place);
        ((u128::from(hash) * u128::from(self.sending.jitter)) >> 64) as u64
    }

    /// Returns the random gap between the previous packet and `packet`, a data packet that waited for the link, in picoseconds.
    ///
    /// The gap is 1/1024 of [`Self::delay`]. It models clock differences, for which IEEE 802.3 allows 200 ppm. If the clocks of
    /// endpoints and switches were identical, a flow that fills its link could keep a queue exactly full forever, and packets of other
    /// flows would never find space.
    #[inline]
    pub(crate) fn gap(&self, packet: &Packet) -> u64 {
        self.delay(packet) >> 10
    }

    /// Queues packet `id`, data of `flow`. Returns whether the packet joins the queue of the endpoint's port now. Otherwise it follows
    /// later, by [`Nic::take_turn`].
    #[inline]
    pub(crate) fn push(&mut self, packets: &mut Arena, id: u32, flow: u32, class: Class) -> bool {
        let Some(queues) = self.queues.get_mut(flow as usize) else { return true };
        let queue = &mut queues[class as usize];
        match queue.head {
            NONE => {
                queue.head = LAST;
                return true;
            }
            LAST => queue.head = id,
            _ => packets[queue.tail].next = id,
        }
        packets[id].next = NONE;
        queue.tail = id;
        false
    }

    /// Handles the departure of a packet of `flow` from its port. Returns the next packet of `flow`, if any, which joins the queue of the
    /// port now.
    #[inline]
    pub(crate) fn take_turn(&mut self, packets: &Arena, flow: u32, class: Class) -> Option<u32> {
        let queue = &mut self.queues.get_mut(flow as usize)?[class as usize];
        if queue.head == LAST {
            queue.head = NONE;
            return None;
        }
        let id = queue.head;
        queue.head = if id == queue.tail { LAST } else { packets[id].next };
        Some(id)
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
    use crate::port::Port;

    /// Queues data at `port`.
    fn push(nic: &mut Nic, port: &mut Port, packets: &mut Arena, id: u32) {
        let (flow, class) = (packets[id].flow, Class::of(&packets[id]));
        match nic.push(packets, id, flow, class) {
            true => port.push(packets, id, class),
            false => port.expect(class),
        }
    }

    /// Removes the next packet from `port`.
    fn pop(nic: &mut Nic, port: &mut Port, packets: &mut Arena) -> Option<crate::packet::Packet> {
        let packet = packets.remove(port.pop(packets)?);
        let class = Class::of(&packet);
        if let Some(next) = nic.take_turn(packets, packet.flow, class) {
            port.push_expected(packets, next, class);
        }
        Some(packet)
    }

    /// Returns the order in which packets (flow, sequence number) leave if all of them are queued before the first one leaves.
    fn order(turns: bool, handed: &[(u32, u32)], urgent: &[u32]) -> Vec<(u32, u32)> {
        let (mut nic, mut port, mut packets) = (Nic::new(turns, Sending::AT_ONCE, 0, 4), Port::new(), Arena::new());
        for &(flow, sequence) in handed {
            let packet = crate::packet::Packet {
                flow,
                ..data(sequence, if urgent.contains(&sequence) { flag::URGENT } else { 0 })
            };
            let id = packets.insert(packet);
            push(&mut nic, &mut port, &mut packets, id);
        }
        let mut waiting = 0;
        nic.for_each(&packets, |_| waiting += 1);
        waiting += Class::ALL.map(|class| port.iter(&packets, class).count()).iter().sum::<usize>();
        assert_eq!((waiting, port.payloads(0) as usize), (handed.len(), handed.len()));
        let mut left = Vec::new();
        while let Some(packet) = pop(&mut nic, &mut port, &mut packets) {
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
    fn urgent_data_goes_first_and_its_flows_take_turns() {
        let handed = [(0, 0), (0, 1), (0, 2), (1, 3), (1, 4), (1, 5)];
        let expected = [(0, 1), (1, 4), (0, 2), (0, 0), (1, 3), (1, 5)];
        assert_eq!(order(true, &handed, &[1, 2, 4]), expected);
        assert_eq!(order(false, &handed, &[1, 2, 4]), [(0, 1), (0, 2), (1, 4), (0, 0), (1, 3), (1, 5)]);
    }

    #[test]
    fn a_returning_flow_waits_behind_flows_that_already_wait() {
        let (mut nic, mut port, mut packets) = (Nic::new(true, Sending::AT_ONCE, 0, 2), Port::new(), Arena::new());
        let queue = |nic: &mut Nic, port: &mut Port, packets: &mut Arena, flow| {
            let id = packets.insert(crate::packet::Packet { flow, ..data(0, 0) });
            push(nic, port, packets, id);
        };
        queue(&mut nic, &mut port, &mut packets, 0);
        queue(&mut nic, &mut port, &mut packets, 1);
        queue(&mut nic, &mut port, &mut packets, 1);
        let next = |nic: &mut Nic, port: &mut Port, packets: &mut Arena| pop(nic, port, packets).unwrap().flow;
        assert_eq!(next(&mut nic, &mut port, &mut packets), 0);
        queue(&mut nic, &mut port, &mut packets, 0);
        let rest = [(); 3].map(|()| next(&mut nic, &mut port, &mut packets));
        assert_eq!(rest, [1, 0, 1]);
    }
}
