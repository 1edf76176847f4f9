//! The part of a router that each model implements: buffers, allocation and crossbar.

use tulle_base::memory::Need;

use super::context::{Cycle, Run};
use super::layout::Layout;
use super::model::Model;
use super::switch::Switch;
use crate::flit::Pool;
use crate::selector::Estimate;

/// The switching of one router of at most 64·P ports: it queues records at input VCs, decides which ones cross, and
/// passes them to output VCs.
///
/// A record is a flit, or a whole packet ([`Timing::whole`](super::model::Timing)). Queues hold its handle, which
/// contains the output port and the request group of its packet.
///
/// In every cycle the router calls `credit`, `expect`, `begin`, `enqueue` and `step`, in this order.
pub(crate) trait Switching<const P: usize>: Send + Sync + Sized {
    /// The router model.
    type Model: Model;
    /// Scratch memory, one per thread.
    type Scratch: Default + Send;

    /// Returns the numbers that a port takes ([`Layout::stride`]).
    fn stride(vcs: u8) -> usize {
        vcs.into()
    }

    /// Returns the memory that a router of `ports` ports needs in addition to its own size.
    fn need(_model: &Self::Model, _ports: u64) -> Need {
        Need::default()
    }

    /// Creates the empty switching for the switch of `layout`, with [`Run::room`] credits for every output VC.
    fn new(model: &Self::Model, run: &Run, layout: &Layout) -> Self;

    /// Takes in a credit that another switch has returned for an output VC.
    fn credit(&mut self, port_vc: usize);

    /// Called after the credits of cycle `now`.
    fn begin(&mut self, _now: u32) {}

    /// Called before the block: the record of `handle` will arrive at an input VC; prefetches its queue.
    #[inline(always)]
    fn announce(&self, _lane: usize, _word: u32) {}

    /// Called in the cycle of the arrival, before [`Switching::enqueue`]: prefetches what that will change.
    #[inline(always)]
    fn expect(&self, _pool: &Pool<P>, _lane: usize, _word: u32) {}

    /// Puts the record of `handle` into the buffer of an input VC.
    fn enqueue(&mut self, pool: &mut Pool<P>, port_vc: usize, handle: u32);

    /// Runs the crossbar. Records leave through [`Switch::send`] if the next buffer has room, at most one per port in
    /// [`Timing::record`](super::model::Timing) cycles, and return their credits through [`Switch::return_credit`].
    fn step(&mut self, switch: &mut Switch<P>, cycle: &mut Cycle<Self::Scratch>);

    /// Like [`Queues::credits`](crate::selector::Queues::credits), but for every port.
    fn credits(&self, layout: &Layout, port: usize, group: Option<u8>) -> u32;

    /// Like [`Queues::output`](crate::selector::Queues::output), but for every port.
    fn output(&self, layout: &Layout, port: usize) -> u32;

    /// Like [`Queues::capacity`](crate::selector::Queues::capacity).
    fn capacity(&self, estimate: Estimate) -> u32;

    /// Whether the buffer of an input VC is full.
    fn is_full(&self, pool: &Pool<P>, port_vc: usize) -> bool;

    /// Returns the output VCs of which any one would let a packet of this full input VC move.
    fn wants(&self, run: &Run, switch: &Switch<P>, port_vc: usize) -> Vec<usize>;

    /// Whether an output VC can accept nothing until it gets a credit.
    fn is_blocked(&self, port_vc: usize) -> bool;

    /// Reads one entry of each array that a block reads, to pull it into the cache; called before
    /// [`Switching::prefetch`].
    fn touch(&self, _layout: &Layout) {}

    /// Prefetches what a block reads.
    fn prefetch(&self, _layout: &Layout) {}

    /// Counts the records in an input VC, and those that have left it but whose credits are not yet returned.
    #[cfg(feature = "conservation")]
    fn held(&self, switch: &Switch<P>, port_vc: usize) -> usize;

    /// Counts the credits of an output VC, and the records that hold one and have not been sent.
    #[cfg(feature = "conservation")]
    fn left(&self, switch: &Switch<P>, port_vc: usize) -> usize;

    /// Panics if the state is inconsistent.
    #[cfg(feature = "conservation")]
    fn audit(&self, _switch: &Switch<P>) {}
}
