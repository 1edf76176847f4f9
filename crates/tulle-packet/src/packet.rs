//! Packets: 32 bytes each, in one arena.

use tulle_base::memory;

/// Size in bytes of a packet without payload: an acknowledgement, a pull, or a trimmed header (Handley et al., NDP, SIGCOMM 2017).
pub(crate) const HEADER: u16 = 64;

/// No packet; no flow.
pub(crate) const NONE: u32 = u32::MAX;

/// The type of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// A data packet: carries payload from the source of its flow, unless a switch has trimmed it.
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
    /// DCQCN's congestion notification packet: tells the source that a marked packet arrived.
    Notice,
}

impl Kind {
    /// Whether the source of the flow sends this kind; the destination sends the others.
    #[inline]
    pub(crate) fn is_forward(self) -> bool {
        matches!(self, Self::Data | Self::Syn)
    }
}

/// Bits of [`Packet::flags`].
pub(crate) mod flag {
    /// Data: a switch trimmed the payload.
    pub(crate) const TRIMMED: u8 = 1;
    /// Acknowledgement: pulls a packet, and every packet that has arrived has been pulled for.
    pub(crate) const PULLS: u8 = 1;
    /// Data: served before other data, as retransmissions in FatPaths (§III-C).
    pub(crate) const URGENT: u8 = 2;
    /// Acknowledgement: the whole flow has arrived.
    pub(crate) const COMPLETE: u8 = 4;
    /// Acknowledgement: the receiver asks to leave the layer in [`super::Packet::echo`] (FatPaths §V-F).
    pub(crate) const LEAVE: u8 = 8;
    /// Window-based transports. On data: the packet is a retransmission; on an acknowledgement: it answers a retransmission. It replaces
    /// timestamps (RFC 7323), which tell which copy arrived. Other transports use the bit for [`LEAVE`].
    pub(crate) const RETRANSMITTED: u8 = 8;
    /// On data: a queue marked the packet (congestion experienced, RFC 3168). On an acknowledgement: the acknowledged packet was marked.
    pub(crate) const MARKED: u8 = 16;
    /// The first of three bits that hold the subflow.
    pub(crate) const SUBFLOW_SHIFT: u32 = 5;
    /// Number of subflows that three bits can hold.
    pub(crate) const MAX_SUBFLOWS: u32 = 8;
}

/// A packet, with its link to the next packet of its queue.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Packet {
    /// The flow, by its row in the workload.
    pub(crate) flow: u32,
    /// Data: the packet's index in the flow. Acknowledgement: the index of the acknowledged packet. Pull: the number of packets that have
    /// arrived.
    pub(crate) sequence: u32,
    /// Pull: the number of packets that the receiver has pulled. Acknowledgement: the number of packets that have arrived, duplicates
    /// included; with window-based transports, the first packet that has not arrived.
    pub(crate) number: u32,
    /// The remaining choices among equal-cost ports, as a fraction of 2³²; on an explicit path, the index of its next hop. See
    /// [`crate::forwarding`].
    pub(crate) entropy: u32,
    /// The endpoint it goes to.
    pub(crate) destination: u32,
    /// While the packet waits: the packet behind it. On a link: the output port at the next switch, once it is known. In a free slot: the
    /// next free slot.
    pub(crate) next: u32,
    /// The switch of its destination endpoint.
    pub(crate) switch: u16,
    /// Bytes on the wire.
    pub(crate) size: u16,
    pub(crate) kind: Kind,
    pub(crate) flags: u8,
    /// The layer in which the packet is routed; with explicit paths, the number of its path among the pair's paths.
    pub(crate) layer: u8,
    /// Data: the number of links crossed, saturating. Acknowledgement: the layer of the acknowledged packet; with window-based transports,
    /// the number of consecutive packets received that end with the acknowledged one.
    pub(crate) echo: u8,
}

impl Packet {
    /// Whether this is data with its payload.
    #[inline]
    pub(crate) fn has_payload(&self) -> bool {
        self.kind == Kind::Data && self.flags & flag::TRIMMED == 0
    }

    /// Bytes of payload, which it has.
    #[inline]
    pub(crate) fn payload(&self) -> u64 {
        u64::from(self.size - HEADER)
    }

    /// The subflow it belongs to.
    #[inline]
    pub(crate) fn subflow(&self) -> u32 {
        u32::from(self.flags >> flag::SUBFLOW_SHIFT)
    }

    /// Cuts the payload off.
    #[inline]
    pub(crate) fn trim(&mut self) {
        self.flags |= flag::TRIMMED;
        self.size = HEADER;
    }
}

/// All packets in the network; ids are slots, reused once freed. Nothing observable depends on an id.
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

    /// The slots, in use and free.
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

    /// Packets in the network now.
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
