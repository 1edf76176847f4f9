//! Flits and credits that arrive over links. They are read and routed once per block of cycles.

use super::Switch;
use crate::bits::pop;
use crate::channel_buffer::ChannelBuffer;
use crate::flit::HEAD;
use crate::router::context::{Inbox, Run};
use crate::router::handle::{ends_of, handle_of};

impl<const P: usize> Switch<P> {
    /// Reads the buffers of all incoming channels, which were written in the last block of cycles. The next block starts with cycle
    /// `start`. Flits and credits that arrive in this block go into `inbox`; later ones are stored for later blocks. The function also
    /// prefetches the memory that routing will use.
    pub fn gather(&mut self, run: &Run, start: u32, buffers: &[ChannelBuffer], inbox: &mut Inbox) {
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
        self.late_credits.retain(|&(due, port_vc)| {
            let here = due < start + block;
            if here {
                inbox.credits[(due - start) as usize].push(port_vc);
            }
            !here
        });
        for (port, link) in (self.layout.endpoints..).zip(&self.links) {
            let buffer = &buffers[link.channel as usize];
            for &flit in buffer.flits() {
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
            let mut slots = u64::from(buffer.credit_slots);
            while slots != 0 {
                let sent = pop(&mut slots);
                let slot = sent as u32 + link.late + credit;
                let mut vcs = u64::from(buffer.credits[sent]);
                while vcs != 0 {
                    let port_vc = self.layout.port_vc(port, pop(&mut vcs) as u8) as u16;
                    if slot < block {
                        inbox.credits[slot as usize].push(port_vc);
                    } else {
                        self.late_credits.push((start + slot, port_vc));
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
            let port_vc = self.layout.port_vc(port, flit.vc) as u16;
            let mut handle = ends_of(&flit);
            if flit.flags & HEAD != 0 {
                if run.routes.tracks_levels() {
                    run.routes.cross(self.incoming(port), &mut flit);
                }
                let step = run.routes.next(self.layout.switch, &mut flit, &mut self.generator);
                handle |= handle_of::<P>(step);
            }
            inbox.flits[usize::from(slot)].push((port_vc, handle | self.pool.take(flit)));
        }
    }
}
