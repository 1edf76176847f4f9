//! Reinjection: outstanding data of a stale subflow is also sent on other subflows (RFC 8684 §3.3.6).

use std::collections::{BTreeMap, VecDeque};

/// The packets of a flow that were outstanding on a stale subflow when its retransmission timer expired.
///
/// Packets are identified by their positions in the flow. The original subflow continues to send its packets, because its sequence
/// numbers must have no gap. Any copy of a packet can arrive first.
#[derive(Debug, Default)]
pub(super) struct Reinjection {
    /// Packets to reinject, each with the subflow that failed to deliver it.
    waiting: VecDeque<(u32, u32)>,
    /// The reinjected packets, by position.
    copies: BTreeMap<u32, Copies>,
}

/// The state of a packet that is reinjected: whether it waits for another subflow, and whether a copy has arrived.
#[derive(Debug, Clone, Copy, Default)]
struct Copies {
    waiting: bool,
    acknowledged: bool,
}

impl Reinjection {
    /// Records that `subflow` failed to deliver packet `place`.
    pub(super) fn add(&mut self, place: u32, subflow: u32) {
        let copies = self.copies.entry(place).or_default();
        if !copies.waiting && !copies.acknowledged {
            copies.waiting = true;
            self.waiting.push_back((place, subflow));
        }
    }

    /// Records that a copy of the packet at position `place` has arrived; does nothing if the packet was never to be reinjected.
    pub(super) fn acknowledge(&mut self, place: u32) {
        if let Some(copies) = self.copies.get_mut(&place) {
            copies.acknowledged = true;
        }
    }

    /// Returns the next packet for `subflow`: the first one that another subflow failed to deliver.
    pub(super) fn take(&mut self, subflow: u32) -> Option<u32> {
        let copies = &mut self.copies;
        self.waiting.retain(|(place, _)| !copies[place].acknowledged);
        let at = self.waiting.iter().position(|&(_, from)| from != subflow)?;
        let (place, _) = self.waiting.remove(at)?;
        copies.entry(place).or_default().waiting = false;
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_subflows_take_packets_that_have_not_arrived() {
        let mut stuck = Reinjection::default();
        [4, 5, 6].into_iter().for_each(|place| stuck.add(place, 1));
        [5, 6].into_iter().for_each(|place| stuck.add(place, 1));
        assert_eq!(stuck.take(1), None);
        assert_eq!(stuck.take(0), Some(4));
        stuck.acknowledge(5);
        assert_eq!((stuck.take(0), stuck.take(0)), (Some(6), None));
        // Subflow 0 fails to deliver its copy of packet 4, too.
        stuck.add(4, 0);
        stuck.add(5, 0);
        assert_eq!((stuck.take(0), stuck.take(1), stuck.take(1)), (None, Some(4), None));
    }
}
