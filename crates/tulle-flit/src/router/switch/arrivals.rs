//! Arrivals over links, read and routed once per block.

use super::Switch;
use crate::bits::pop;
use crate::flit::HEAD;
use crate::router::context::{Inbox, Run};
use crate::router::word::{ends_of, word_of};
use crate::wires::Line;

impl<const P: usize> Switch<P> {
    /// Reads the buffers of all channels, written in the last block, ahead of a block from cycle `start` on. Flits and
    /// credits that arrive in the block go into `inbox`, later ones are kept. Prefetches what routing will use.
    pub fn gather(&mut self, run: &Run, start: u32, wires: &[Line], inbox: &mut Inbox) {
        let block = run.block as u32;
        let (delay, credit) = (run.timing.delay, run.timing.credit);
        inbox.clear();
        self.late_flits.retain(|&(due, port, flit)| {
            let here = due < start + block;
            if here {
                inbox.incoming.push(((due - start) as u8, port, flit));
            }
            !here
        });
        self.late_credits.retain(|&(due, lane)| {
            let here = due < start + block;
            if here {
                inbox.credits[(due - start) as usize].push(lane);
            }
            !here
        });
        for (port, link) in (self.layout.endpoints..).zip(&self.links) {
            let line = &wires[link.channel as usize];
            for &flit in line.flits() {
                let slot = u32::from(flit.slot) + link.late + delay;
                if slot < block {
                    if flit.flags & HEAD != 0 {
                        run.routes.prefetch(self.layout.switch, &flit);
                    }
                    inbox.incoming.push((slot as u8, port as u8, flit));
                } else {
                    self.late_flits.push((start + slot, port as u8, flit));
                }
            }
            let mut slots = u64::from(line.credit_slots);
            while slots != 0 {
                let sent = pop(&mut slots);
                let slot = sent as u32 + link.late + credit;
                let mut lanes = u64::from(line.credits[sent]);
                while lanes != 0 {
                    let lane = self.layout.lane(port, pop(&mut lanes) as u8) as u16;
                    if slot < block {
                        inbox.credits[slot as usize].push(lane);
                    } else {
                        self.late_credits.push((start + slot, lane));
                    }
                }
            }
        }
        self.pool.prefetch_free(inbox.incoming.len() + self.layout.endpoints);
    }

    /// Routes all arriving flits.
    pub fn route(&mut self, run: &Run, inbox: &mut Inbox) {
        for at in 0..inbox.incoming.len() {
            let (slot, port, mut flit) = inbox.incoming[at];
            let port = usize::from(port);
            let lane = self.layout.lane(port, flit.vc) as u16;
            let mut word = ends_of(&flit);
            if flit.flags & HEAD != 0 {
                if run.routes.counts_cables() {
                    run.routes.cross(self.incoming(port), &mut flit);
                }
                let step = run.routes.next(self.layout.switch, &mut flit, &mut self.generator);
                word |= word_of::<P>(step);
            }
            inbox.flits[usize::from(slot)].push((lane, word | self.pool.take(flit)));
        }
    }
}
