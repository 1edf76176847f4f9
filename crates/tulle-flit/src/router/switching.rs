//! The part of a router that each model implements itself: buffers, allocation and crossbar.

use tulle_base::memory::Need;

use super::context::{Cycle, Run};
use super::layout::Layout;
use super::model::Model;
use super::switch::Switch;
use crate::flit::Pool;
use crate::selector::Estimate;

/// The switching of one router of at most 64·P ports. It queues records (flits or whole packets) at input VCs, decides
/// which records cross, and passes them to output VCs.
///
/// [`Timing::whole`](super::model::Timing) says whether a record is a flit or a whole packet. Queues hold the record's handle, which
/// contains the output port and the request group of its packet.
///
/// In every cycle the router calls `credit`, `expect`, `begin`, `enqueue` and `step`, in this order.
pub(crate) trait Switching<const P: usize>: Send + Sync + Sized {
    /// The router model.
    type Model: Model;
    /// Scratch memory, one per thread.
    type Scratch: Default + Send;

    /// Returns how many VC numbers each port reserves ([`Layout::stride`]).
    fn stride(vcs: u8) -> usize {
        vcs.into()
    }

    /// Returns the memory that a router of `ports` ports needs beyond its own size.
    fn need(_model: &Self::Model, _ports: u64) -> Need {
        Need::default()
    }

    /// Creates the empty switching for the switch of `layout`, with [`Run::credits`] credits for every output VC.
    fn new(model: &Self::Model, run: &Run, layout: &Layout) -> Self;

    /// Accepts a credit that another switch has returned for an output VC.
    fn credit(&mut self, port_vc: usize);

    /// Starts cycle `now`, after the credits of the cycle have been accepted.
    fn begin(&mut self, _now: u32) {}

    /// Prefetches the queue of an input VC at which the record (flit or whole packet) of `handle` will arrive; called
    /// before the block of cycles.
    #[inline(always)]
    fn announce(&self, _port_vc: usize, _handle: u32) {}

    /// Prefetches the memory that [`Switching::enqueue`] will change; called before it in the cycle of the arrival.
    #[inline(always)]
    fn expect(&self, _pool: &Pool<P>, _port_vc: usize, _handle: u32) {}

    /// Puts the record (flit or whole packet) of `handle` into the buffer of an input VC.
    fn enqueue(&mut self, pool: &mut Pool<P>, port_vc: usize, handle: u32);

    /// Runs the crossbar. Records (flits or whole packets) leave through [`Switch::send`] if the next buffer has room,
    /// at most one per port in [`Timing::record`](super::model::Timing) cycles. They return their credits through
    /// [`Switch::return_credit`].
    fn step(&mut self, switch: &mut Switch<P>, cycle: &mut Cycle<Self::Scratch>);

    /// Returns the credits in use at `port`, like [`Queues::credits`](crate::selector::Queues::credits), but also for
    /// ports of endpoints.
    fn credits(&self, layout: &Layout, port: usize, group: Option<u8>) -> u32;

    /// Returns the number of flits in the output queue of `port`, like
    /// [`Queues::output`](crate::selector::Queues::output), but also for ports of endpoints.
    fn output(&self, layout: &Layout, port: usize) -> u32;

    /// Returns the capacity of the buffers that `estimate` measures, like
    /// [`Queues::capacity`](crate::selector::Queues::capacity).
    fn capacity(&self, estimate: Estimate) -> u32;

    /// Returns whether the buffer of an input VC is full.
    fn is_full(&self, pool: &Pool<P>, port_vc: usize) -> bool;

    /// Returns the output VCs for which the packet at the head of a full input VC waits. Room in any one of these VCs
    /// lets the packet move.
    fn wants(&self, run: &Run, switch: &Switch<P>, port_vc: usize) -> Vec<usize>;

    /// Returns whether an output VC can accept nothing until it gets a credit.
    fn is_blocked(&self, port_vc: usize) -> bool;

    /// Reads one entry of each array that a block of cycles uses, to pull it into the CPU cache; called before
    /// [`Switching::prefetch`].
    fn touch(&self, _layout: &Layout) {}

    /// Prefetches the arrays that a block of cycles uses.
    fn prefetch(&self, _layout: &Layout) {}

    /// Returns the number of records (flits or whole packets) in an input VC, plus the records that have left it but
    /// whose credits are not yet returned.
    #[cfg(feature = "conservation")]
    fn held(&self, switch: &Switch<P>, port_vc: usize) -> usize;

    /// Returns the number of credits of an output VC, plus the records (flits or whole packets) that hold a credit and
    /// have not been sent.
    #[cfg(feature = "conservation")]
    fn left(&self, switch: &Switch<P>, port_vc: usize) -> usize;

    /// Checks the state.
    ///
    /// # Panics
    /// Panics if the state is inconsistent.
    #[cfg(feature = "conservation")]
    fn audit(&self, _switch: &Switch<P>) {}
}
