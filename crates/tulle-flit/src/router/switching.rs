//! The part of a router that its model has of its own: buffers, allocation and the way through the switch.

use tulle_base::memory::Need;

use super::context::{Cycle, Run};
use super::layout::Layout;
use super::model::Model;
use super::switch::Switch;
use crate::flit::Pool;
use crate::selector::Estimate;

/// The switching of one router of at most 64·P ports: queues of records from input lanes to output lanes, and who crosses.
///
/// A record is a flit, or a whole packet ([`Timing::whole`](super::model::Timing)); in queues a word stands for it, which says the
/// output port and the request group that its packet asks for.
pub(crate) trait Switching<const P: usize>: Send + Sync + Sized {
    /// Its parameters.
    type Model: Model;
    /// Memory to work in, one per thread.
    type Scratch: Default + Send;

    /// Numbers of lanes per port ([`Layout::stride`]).
    fn stride(vcs: u8) -> usize {
        vcs.into()
    }

    /// The memory that a router of `ports` ports takes beside itself.
    fn need(_model: &Self::Model, _ports: u64) -> Need {
        Need::default()
    }

    /// The empty switching of the switch of `layout`, with [`Run::room`] credits for every output lane.
    fn new(model: &Self::Model, run: &Run, layout: &Layout) -> Self;

    /// First in a cycle: a credit from another switch has come for output `lane`.
    fn credit(&mut self, lane: usize);

    /// After the credits of cycle `now`.
    fn begin(&mut self, _now: u32) {}

    /// The record of `word` will come into input `lane` in this block: asks for its queue.
    #[inline(always)]
    fn announce(&self, _lane: usize, _word: u32) {}

    /// It comes in this cycle: asks for what that queue leads to, which [`Switching::enqueue`] changes.
    #[inline(always)]
    fn expect(&self, _pool: &Pool<P>, _lane: usize, _word: u32) {}

    /// Then: the record of `word` comes into input `lane`.
    fn enqueue(&mut self, pool: &mut Pool<P>, lane: usize, word: u32);

    /// Last: records cross, leave by [`Switch::send`] where the next buffer has room, at most one per port and
    /// [`Timing::record`](super::model::Timing) cycles, and give their credits back by [`Switch::return_credit`].
    fn step(&mut self, switch: &mut Switch<P>, cycle: &mut Cycle<Self::Scratch>);

    /// As [`Queues::credits`](crate::selector::Queues::credits), of any port.
    fn credits(&self, layout: &Layout, port: usize, group: Option<u8>) -> u32;

    /// As [`Queues::output`](crate::selector::Queues::output), of any port.
    fn output(&self, layout: &Layout, port: usize) -> u32;

    /// As [`Queues::capacity`](crate::selector::Queues::capacity).
    fn capacity(&self, estimate: Estimate) -> u32;

    /// Whether the buffer of input `lane` has no room left.
    fn is_full(&self, pool: &Pool<P>, lane: usize) -> bool;

    /// The output lanes, any of which would let a packet in input `lane` go on; the lane is full.
    fn wants(&self, run: &Run, switch: &Switch<P>, lane: usize) -> Vec<usize>;

    /// Whether output `lane` can take nothing more until credits come.
    fn is_blocked(&self, lane: usize) -> bool;

    /// Reads a little of everything that a block reads; before [`Switching::prefetch`].
    fn touch(&self, _layout: &Layout) {}

    /// Asks for what a block reads.
    fn prefetch(&self, _layout: &Layout) {}

    /// Records in input `lane`, and those that have left it whose credits have not been returned yet.
    #[cfg(feature = "conservation")]
    fn held(&self, switch: &Switch<P>, lane: usize) -> usize;

    /// Credits of output `lane`, and records that have taken one and have not been sent yet.
    #[cfg(feature = "conservation")]
    fn left(&self, switch: &Switch<P>, lane: usize) -> usize;

    /// Panics where it contradicts itself.
    #[cfg(feature = "conservation")]
    fn audit(&self, _switch: &Switch<P>) {}
}
