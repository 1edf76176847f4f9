//! A faster check of certificates for forwarding tables with single next hops, if the switch and the service level determine the virtual
//! channel.
//!
//! Paths toward one destination join. After two packets of the same service level have joined, they use the same channels and virtual
//! channels. So each path is followed only until it joins a path of the same service level that was followed before.

use rayon::prelude::*;
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_routing::{Routes, Routing};

use super::Certificate;
// circle: `certificate` and `plan` import each other, because a plan contains a certificate, and the certificate's checker reads the plan.
use crate::VcPlan;
use crate::block::{BLOCK, Block};

/// Returns whether the ranks of `certificate` rise along all paths between the switches `edge`. Returns false also for plans that this
/// check does not cover.
pub(super) fn rises(
    certificate: &Certificate,
    fabric: &Fabric,
    routing: &Routing,
    plan: &VcPlan,
    edge: &[u32],
) -> bool {
    let (Routes::Layers(layers), Some(lanes)) = (routing.routes(), plan.assignment.lanes()) else { return false };
    let is_simple = plan.num_phases() == 1 && layers.iter().all(|table| table.widest() <= 1);
    if !is_simple || plan.num_sls() > u64::BITS as usize {
        return false;
    }
    let blocks: Vec<(u32, &[u32])> =
        (0..layers.len() as u32).flat_map(|layer| edge.chunks(BLOCK).map(move |some| (layer, some))).collect();
    blocks.par_iter().all(|&(layer, destinations)| {
        task::check();
        let block = Block::of(fabric, &plan.assignment, &layers[layer as usize], layer, destinations);
        // Per switch, one bit per service level. The bit is set if a packet of this level that came from another switch was already followed
        // from this switch to the destination.
        let mut followed = vec![0u64; fabric.num_switches()];
        destinations.iter().enumerate().all(|(at, &destination)| {
            let (ports, levels) = (block.ports(at), block.levels(at));
            followed.fill(0);
            edge.iter().filter(|&&source| source != destination).all(|&source| {
                let level = levels[source as usize];
                let (mut switch, mut below) = (source, None);
                loop {
                    let port = ports[switch as usize];
                    if usize::from(port) >= fabric.degree(switch) {
                        return false;
                    }
                    let channel = fabric.offsets()[switch as usize] + u32::from(port);
                    let rank = certificate.rank(channel, lanes.vc(switch, below.is_none(), level));
                    if below.is_some_and(|below| rank <= below) {
                        return false;
                    }
                    if below.is_some() && followed[switch as usize] >> level & 1 == 1 {
                        return true;
                    }
                    // Packets from an endpoint of a switch can leave it on another virtual channel than packets from other switches. So the
                    // bit is set only for packets from other switches.
                    followed[switch as usize] |= u64::from(below.is_some()) << level;
                    switch = fabric.targets()[channel as usize];
                    if switch == destination {
                        return true;
                    }
                    below = Some(rank);
                }
            })
        })
    })
}
