//! Stores the paths of unanswered packets, for selectors that learn from answers.
//!
//! A packet has no space for its whole path. The source therefore stores the path under the packet's index in the flow, and every answer
//! contains this index. The result is the same as if the packet and its answer carried the entropy of the path, as in REPS. Only
//! retransmissions differ from REPS: an answer counts for the path of the packet's latest transmission.

use tulle_base::memory;

use super::Path;

/// Maximum number of unanswered packets per flow whose paths are stored. Paths of older packets are forgotten.
const MOST: usize = 1 << 12;
const FEW: usize = 16;

/// A packet that was sent and is not answered yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sent {
    sequence: u32,
    pub(super) path: Path,
    pub(super) at: u64,
}

/// For each flow, a ring of unanswered packets by sequence number. A ring is empty before the flow's first packet and after the flow's end.
#[derive(Debug)]
pub(super) struct Journal {
    rings: Vec<Vec<Option<Sent>>>,
}

impl Journal {
    pub(super) fn new(flows: usize) -> Self {
        Self { rings: memory::array("paths of unanswered packets", Vec::new(), flows) }
    }

    /// Records that packet `sequence` of `flow` takes `path`.
    pub(super) fn note(&mut self, flow: u32, sequence: u32, path: Path, at: u64) {
        let ring = &mut self.rings[flow as usize];
        if ring.is_empty() {
            ring.resize(FEW, None);
        }
        while ring.len() < MOST && place(ring, sequence).is_some_and(|sent| sent.sequence != sequence) {
            let larger = vec![None; 2 * ring.len()];
            for sent in std::mem::replace(ring, larger).into_iter().flatten() {
                *place(ring, sent.sequence) = Some(sent);
            }
        }
        *place(ring, sequence) = Some(Sent { sequence, path, at });
    }

    /// Changes the path of packet `sequence` to a path that a switch has chosen.
    pub(super) fn amend(&mut self, flow: u32, sequence: u32, path: Path, at: u64) {
        let ring = &mut self.rings[flow as usize];
        if !ring.is_empty()
            && let Some(sent) = place(ring, sequence).as_mut().filter(|sent| sent.sequence == sequence)
        {
            (sent.path, sent.at) = (path, at);
        }
    }

    /// Removes packet `sequence`, and returns its record if there was one.
    pub(super) fn take(&mut self, flow: u32, sequence: u32) -> Option<Sent> {
        let ring = &mut self.rings[flow as usize];
        if ring.is_empty() {
            return None;
        }
        place(ring, sequence).take_if(|sent| sent.sequence == sequence)
    }

    /// Removes all packets of `flow`, because the flow has ended.
    pub(super) fn end(&mut self, flow: u32) {
        self.rings[flow as usize] = Vec::new();
    }
}

/// Returns the slot of packet `sequence` in a ring, whose size is a power of two.
fn place(ring: &mut [Option<Sent>], sequence: u32) -> &mut Option<Sent> {
    let mask = ring.len() - 1;
    &mut ring[sequence as usize & mask]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_on_their_way_are_found_once() {
        let mut journal = Journal::new(2);
        assert_eq!(journal.take(1, 0), None);
        let path = |sequence: u32| Path::of(sequence as u8, sequence);
        for sequence in 0..100 {
            journal.note(1, sequence, path(sequence), sequence.into());
        }
        // The ring grows when there are more unanswered packets than slots.
        for sequence in [99, 0, 17, 16] {
            let sent = Sent { sequence, path: path(sequence), at: sequence.into() };
            assert_eq!((journal.take(1, sequence), journal.take(1, sequence)), (Some(sent), None));
        }
        // A retransmitted packet is stored with its latest path.
        journal.note(1, 5, path(7), 200);
        journal.amend(1, 6, path(8), 300);
        journal.amend(1, 0, path(8), 300);
        let found = [5, 6, 0].map(|sequence| journal.take(1, sequence).map(|sent| (sent.path, sent.at)));
        assert_eq!(found, [Some((path(7), 200)), Some((path(8), 300)), None]);
        journal.end(1);
        assert_eq!(journal.take(1, 4), None);
    }

    #[test]
    fn old_packets_are_forgotten() {
        let mut journal = Journal::new(1);
        for sequence in 0..=MOST as u32 {
            journal.note(0, sequence, Path::of(0, 0), 0);
        }
        assert_eq!((journal.rings[0].len(), journal.take(0, 0)), (MOST, None));
        assert!(journal.take(0, 1).is_some() && journal.take(0, MOST as u32).is_some());
    }
}
