//! Conservation check: counts every flit and every credit after each block of cycles, to detect lost and duplicated
//! ones.

use std::collections::HashMap;

use crate::channel_buffer::ChannelBuffer;
use crate::router::context::{Local, Run};
use crate::router::core::Router;
use crate::router::switching::Switching;

/// Counts of the flits and credits of one router.
#[derive(Debug, Default)]
pub(crate) struct Census {
    /// Flits in the router, on their way to its buffers, and on the links from its endpoints.
    pub flits: u64,
    /// Flits that were created but have not left their endpoints.
    pub queued: u64,
    /// Per incoming channel and VC: the flits in the buffer and the flits on their way to the buffer, plus the credits not yet returned.
    pub inputs: Vec<((u32, u8), usize)>,
    /// Per outgoing channel and VC: credits available or on their way back, plus flits that hold a credit and wait for
    /// the link.
    pub outputs: Vec<((u32, u8), usize)>,
}

/// Checks the flits and credits after a block of cycles that ended with cycle `now`. `buffers` contains the flits and credits that are on
/// links.
///
/// # Panics
/// Panics if a flit or a credit is missing or surplus.
pub(crate) fn check<S: Switching<P>, const P: usize>(
    run: &Run,
    routers: &[Router<S, P>],
    locals: &[Local<S::Scratch>],
    buffers: &[ChannelBuffer],
    now: u32,
) {
    let mut credits: HashMap<(u32, u8), usize> = HashMap::new();
    let (mut flits, mut queued) = (0, 0);
    for router in routers {
        let census = router.census(run);
        flits += census.flits;
        queued += census.queued;
        census
            .inputs
            .into_iter()
            .chain(census.outputs)
            .for_each(|(at, count)| *credits.entry(at).or_default() += count);
    }
    for (channel, buffer) in buffers.iter().enumerate() {
        flits += buffer.flits().len() as u64 * u64::from(run.timing.record);
        for flit in buffer.flits() {
            *credits.entry((channel as u32, flit.vc)).or_default() += 1;
        }
        // The credits of a channel travel on the opposite channel of the same cable.
        let opposite = run.fabric.reverse()[channel];
        for slot in buffer.credits {
            (0..16).filter(|vc| slot >> vc & 1 == 1).for_each(|vc| *credits.entry((opposite, vc)).or_default() += 1);
        }
    }
    for (at, count) in credits {
        assert_eq!(count, usize::from(run.credits), "credits of channel and virtual channel {at:?} in cycle {now}");
    }
    let sum = |of: fn(&Local<S::Scratch>) -> u64| locals.iter().map(of).sum::<u64>();
    let (created, delivered) = (sum(|local| local.tally.created_flits), sum(|local| local.tally.delivered_flits));
    assert_eq!(created, delivered + queued + flits, "flits in cycle {now}");
}
