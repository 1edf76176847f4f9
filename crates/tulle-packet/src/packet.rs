//! Packets of 32 bytes, which are stored in one arena.

use tulle_base::memory;

/// The size in bytes of a packet without payload: an acknowledgement, a pull, or a trimmed packet (Handley et al., NDP,
/// SIGCOMM 2017).
pub const HEADER: u16 = 64;

/// The value that stands for "no packet" and "no flow".
pub(crate) const NONE: u32 = u32::MAX;

/// The type of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// A data packet: it carries payload from the source of its flow, unless it was trimmed.
    Data,
    /// An acknowledgement: tells the source that the payload of a packet has arrived.
    Ack,
    /// A negative acknowledgement: tells the source that a packet's header has arrived without payload.
    Nack,
    /// A pull: lets the source send one more packet.
    Pull,
    /// An opening packet: the source asks the destination to open a connection.
    Syn,
    /// The answer to an opening packet: tells the source that its connection is open.
    SynAck,
    /// DCQCN's congestion notification packet (CNP): tells the source that a packet arrived with a congestion mark.
    Cnp,
}

impl Kind {
    /// Returns whether the source of a flow sends packets of this kind. The destination sends all other kinds.
    #[inline]
    pub(crate) fn is_forward(self) -> bool {
        matches!(self, Self::Data | Self::Syn)
    }
}

/// Bits of [`Packet::flags`].
pub(crate) mod flag {
    /// On a data packet: a switch trimmed the payload.
    pub(crate) const TRIMMED: u8 = 1;
    /// On an acknowledgement: the acknowledgement is also a pull for one packet. The receiver has then sent one pull for every packet that
    /// arrived.
    pub(crate) const PULLS: u8 = 1;
    /// On a data packet: queues serve the packet before other data. FatPaths sends retransmissions this way (§III-C).
    pub(crate) const URGENT: u8 = 2;
    /// On an acknowledgement: the whole flow has arrived.
    pub(crate) const COMPLETE: u8 = 4;
    /// On an acknowledgement: the receiver asks the sender to leave the layer in [`super::Packet::echo`] (FatPaths §V-F).
    pub(crate) const LEAVE: u8 = 8;
    /// On a data packet: the packet is a retransmission. On an acknowledgement: the acknowledged packet was a retransmission. This bit
    /// replaces the timestamps of RFC 7323: it tells the sender which copy of the packet arrived. Only window-based transports use this
    /// flag. [`LEAVE`] has the same value, but only receiver-driven transports use it.
    pub(crate) const RETRANSMITTED: u8 = 8;
    /// On a data packet: a queue signals congestion (congestion experienced, RFC 3168). On an acknowledgement: a copy of this bit from the
    /// acknowledged packet.
    pub(crate) const MARKED: u8 = 16;
    /// The position of the first of three bits that hold the number of the subflow.
    pub(crate) const SUBFLOW_SHIFT: u32 = 5;
    /// Number of subflows that three bits can hold.
    pub(crate) const MAX_SUBFLOWS: u32 = 8;
}

/// A packet, with the id of the next packet in its queue.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Packet {
    /// The flow, by its row in the workload.
    pub(crate) flow: u32,
    /// In a data packet: its sequence number in the flow or subflow. In an acknowledgement or a congestion notification: the sequence
    /// number of the packet that it answers. In a pull: the number of packets and trimmed headers that have arrived so far.
    pub(crate) sequence: u32,
    /// In a pull: the number of packets that the receiver has pulled so far. In an acknowledgement of a
    /// receiver-driven transport: the number of packets and trimmed headers that have arrived so far, including duplicates. In an
    /// acknowledgement of another transport: the sequence number of the first packet that has not arrived. In a data packet of a subflow:
    /// its position in the flow.
    pub(crate) number: u32,
    /// A random number that determines the remaining choices among equal-cost ports. It is read as a fraction of 2³². On an explicit path:
    /// the index of the next hop. See [`crate::forwarding`].
    pub(crate) entropy: u32,
    /// The destination endpoint.
    pub(crate) destination: u32,
    /// If the packet is in a queue: the next packet in this queue. If it is on a link: the output port at the next switch, once that port
    /// is known. If the slot is free: the next free slot.
    pub(crate) next: u32,
    /// The switch of the destination endpoint.
    pub(crate) switch: u16,
    /// The size on the wire in bytes, header included.
    pub(crate) size: u16,
    pub(crate) kind: Kind,
    pub(crate) flags: u8,
    /// The routing layer. With explicit paths: the number of the path among all paths between the two switches.
    pub(crate) layer: u8,
    /// In a data packet: the number of links crossed so far, at most 255. In an acknowledgement of a receiver-driven
    /// transport: the layer of the acknowledged packet. In an acknowledgement of a window-based transport: the number of consecutive
    /// received packets that end with the acknowledged packet, at most 255; packets before `number` do not count.
    pub(crate) echo: u8,
}

impl Packet {
    /// Returns whether this is a data packet with its payload.
    #[inline]
    pub(crate) fn has_payload(&self) -> bool {
        self.kind == Kind::Data && self.flags & flag::TRIMMED == 0
    }

    /// Returns the payload in bytes. The packet must have a payload.
    #[inline]
    pub(crate) fn payload(&self) -> u64 {
        u64::from(self.size - HEADER)
    }

    /// Returns the subflow of this packet.
    #[inline]
    pub(crate) fn subflow(&self) -> u32 {
        u32::from(self.flags >> flag::SUBFLOW_SHIFT)
    }

    /// Removes the payload.
    #[inline]
    pub(crate) fn trim(&mut self) {
        self.flags |= flag::TRIMMED;
        self.size = HEADER;
    }
}

/// All packets in the network. An id is a slot number and is reused after the packet is removed. No result depends on an id.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    packets: Vec<Packet>,
    free: u32,
    live: u32,
}

impl Arena {
    pub(crate) fn new() -> Self {
        Self { packets: Vec::new(), free: NONE, live: 0 }
    }

    /// Returns all slots, including free slots.
    #[inline]
    pub(crate) fn slots(&self) -> &[Packet] {
        &self.packets
    }

    #[inline]
    pub(crate) fn insert(&mut self, packet: Packet) -> u32 {
        self.live += 1;
        if self.free == NONE {
            memory::push("packets in the network", &mut self.packets, packet);
            return self.packets.len() as u32 - 1;
        }
        let id = self.free;
        self.free = self[id].next;
        self[id] = packet;
        id
    }

    #[inline]
    pub(crate) fn remove(&mut self, id: u32) -> Packet {
        self.live -= 1;
        let packet = self[id];
        self[id].next = self.free;
        self.free = id;
        packet
    }

    /// Returns the number of packets in the network.
    pub(crate) fn live(&self) -> u64 {
        self.live.into()
    }
}

impl std::ops::Index<u32> for Arena {
    type Output = Packet;

    #[inline]
    fn index(&self, id: u32) -> &Packet {
        &self.packets[id as usize]
    }
}

impl std::ops::IndexMut<u32> for Arena {
    #[inline]
    fn index_mut(&mut self, id: u32) -> &mut Packet {
        &mut self.packets[id as usize]
    }
}

/// Returns a full data packet of flow 0, for tests.
#[cfg(test)]
pub(crate) fn data(sequence: u32, flags: u8) -> Packet {
    Packet {
        flow: 0,
        sequence,
        number: 0,
        entropy: 0,
        destination: 0,
        next: NONE,
        switch: 0,
        size: 1500,
        kind: Kind::Data,
        flags,
        layer: 0,
        echo: 0,
    }
}
