//! The certificate that a plan is free of deadlock, and its independent checker.

mod trees;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use tulle_fabric::Fabric;
use tulle_routing::{Routes, Routing};

// circle: `certificate` and `plan` import each other, because a plan contains a certificate, and the certificate's checker reads the plan.
use super::VcPlan;

/// A proof of deadlock freedom: one rank per channel and virtual channel, such that ranks strictly rise along every path.
///
/// If ranks rise along every path, packets on the channels of the highest rank can always leave. Then packets of the next lower rank can
/// leave, and so on, so deadlock is impossible. The checker only follows the paths and needs no graph algorithm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    vcs: usize,
    ranks: Vec<u32>,
}

/// The reason why a certificate does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// The sizes of the plan, certificate, routing and fabric do not match.
    #[error(
        "the sizes of certificate, plan, routing and fabric do not match: the certificate has {ranks} ranks, the plan needs {needed}"
    )]
    Size {
        /// Ranks in the certificate.
        ranks: usize,
        /// The expected number of ranks: the number of channels times the number of virtual channels.
        needed: usize,
    },
    /// A hop uses a port that does not exist, or the plan has no virtual channel for the hop.
    #[error(
        "hop {hop} from switch {source_switch} to {destination} has no channel or no virtual channel (layer or path {layer})"
    )]
    Hop {
        /// The layer, or the path number.
        layer: u32,
        /// The path's first switch.
        source_switch: u32,
        /// The path's last switch.
        destination: u32,
        /// The hop, from 0.
        hop: usize,
    },
    /// At some hop of a path, the rank of the channel is not higher than the rank of the channel before it.
    #[error(
        "from switch {source_switch} to {destination} the rank does not rise from channel {before} to {channel} \
         (layer or path {layer}, hop {hop})"
    )]
    Rank {
        /// The layer, or the path number.
        layer: u32,
        /// The path's first switch.
        source_switch: u32,
        /// The path's last switch.
        destination: u32,
        /// The hop number of the second channel, counted from 0.
        hop: usize,
        /// The first channel.
        before: u32,
        /// The second channel.
        channel: u32,
    },
}

impl Certificate {
    pub(crate) fn new(vcs: usize, ranks: Vec<u32>) -> Self {
        Self { vcs, ranks }
    }

    /// Returns the ranks. The ranks of a channel, one per virtual channel, are stored next to each other.
    pub fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// The rank of `channel` on `vc`.
    #[inline]
    pub fn rank(&self, channel: u32, vc: u8) -> u32 {
        self.ranks[channel as usize * self.vcs + usize::from(vc)]
    }

    /// Checks that the rank rises at every hop of every path of `routing` between switches with endpoints. If no switch has endpoints, all
    /// switches are used. If the plan has several phases, a packet's path in one phase ends at a switch, and its path in the next phase
    /// starts there. So the rank must also rise from the last channel of one path to the first channel of the next.
    ///
    /// # Errors
    /// Returns the first violation that is found.
    pub fn check(&self, fabric: &Fabric, routing: &Routing, plan: &VcPlan) -> Result<(), Violation> {
        let needed = fabric.num_channels() * plan.num_vcs();
        if self.ranks.len() != needed || self.vcs != plan.num_vcs() || !plan.fits(routing) {
            return Err(Violation::Size { ranks: self.ranks.len(), needed });
        }
        let edge = fabric.endpoint_switches();
        let edge = if edge.is_empty() { (0..fabric.num_switches() as u32).collect() } else { edge };
        // If the faster check finds no proof, the check of single paths names the violation.
        if trees::rises(self, fabric, routing, plan, &edge) {
            return Ok(());
        }
        // Per switch: the highest rank among the last channels of paths of the previous phase that end at the switch, and the channel with
        // this rank.
        let mut arrived = vec![None; fabric.num_switches()];
        for phase in 0..plan.num_phases() {
            let check = Check { certificate: self, fabric, routing, plan, phase, edge: &edge };
            let walked: Vec<_> =
                edge.par_iter().map(|&source| check.source(source, arrived[source as usize])).collect();
            arrived.fill(None);
            for last in walked {
                arrived.iter_mut().zip(last?).for_each(|(highest, last)| *highest = last.max(*highest));
            }
        }
        Ok(())
    }
}

/// A rank, with its channel.
type Ranked = Option<(u32, u32)>;

struct Check<'a> {
    certificate: &'a Certificate,
    fabric: &'a Fabric,
    routing: &'a Routing,
    plan: &'a VcPlan,
    phase: u8,
    edge: &'a [u32],
}

impl Check<'_> {
    /// Follows all paths from `source`. `arrived` is the highest-ranked channel on which packets reached `source` in the previous phase,
    /// with its rank. Returns, for each switch, the highest-ranked channel on which a path ends there, with its rank.
    fn source(&self, source: u32, arrived: Ranked) -> Result<Vec<Ranked>, Violation> {
        let mut last = vec![None; self.fabric.num_switches()];
        let (mut here, mut next) = (Vec::new(), Vec::new());
        for &destination in self.edge.iter().filter(|&&destination| destination != source) {
            let layers = match self.routing.routes() {
                Routes::Layers(layers) => 0..layers.len() as u32,
                Routes::Paths(paths) => paths.between(source, destination),
            };
            for layer in layers {
                let start = Place { layer, source, destination, hop: 0 };
                let (mut hop, reached) = self.single(start, arrived)?;
                if let Some((_, channel)) = reached
                    && hop > 0
                    && self.fabric.targets()[channel as usize] == destination
                {
                    last[destination as usize] = last[destination as usize].max(reached);
                    continue;
                }
                here.clear();
                here.push(reached);
                while !here.is_empty() {
                    for &before in &here {
                        let switch = match before {
                            Some((_, channel)) if hop > 0 => self.fabric.targets()[channel as usize],
                            _ => source,
                        };
                        let place = Place { layer, source, destination, hop };
                        for &port in self.ports(place, switch) {
                            let reached = self.step(place, switch, port, before)?;
                            match self.fabric.targets()[reached.1 as usize] == destination {
                                true => last[destination as usize] = last[destination as usize].max(Some(reached)),
                                false => next.push(Some(reached)),
                            }
                        }
                    }
                    hop += 1;
                    here.clear();
                    std::mem::swap(&mut here, &mut next);
                    here.sort_unstable();
                    here.dedup();
                }
            }
        }
        Ok(last)
    }

    /// Follows a path from its source to the first hop at which it has several channels, or to its end. Most paths have a single channel at
    /// each hop. Returns the number of hops, and the last channel with its rank (`arrived` if there are no hops).
    fn single(&self, start: Place, arrived: Ranked) -> Result<(usize, Ranked), Violation> {
        let (mut place, mut before, mut switch) = (start, arrived, start.source);
        while let Some(port) = self.single_port(place, switch) {
            let reached = self.step(place, switch, port, before)?;
            (before, switch) = (Some(reached), self.fabric.targets()[reached.1 as usize]);
            place.hop += 1;
            if switch == place.destination {
                break;
            }
        }
        Ok((place.hop, before))
    }

    /// Returns the port through which a packet leaves `switch`, if there is only one.
    fn single_port(&self, place: Place, switch: u32) -> Option<u16> {
        if let Routes::Layers(layers) = self.routing.routes() {
            // A group number below the switch's degree stands for a single port. This saves looking up the group.
            let group = layers[place.layer as usize].group(switch, place.destination);
            if usize::from(group) < self.fabric.degree(switch) {
                return Some(group);
            }
        }
        match *self.ports(place, switch) {
            [port] => Some(port),
            _ => None,
        }
    }

    /// Returns the ports through which a packet may leave `switch`; empty if the path ends at this switch.
    fn ports(&self, place: Place, switch: u32) -> &[u16] {
        match self.routing.routes() {
            Routes::Layers(layers) => layers[place.layer as usize].next(switch, place.destination),
            Routes::Paths(paths) => {
                let ports = paths.ports(place.layer);
                &ports[place.hop.min(ports.len())..ports.len().min(place.hop + 1)]
            }
        }
    }

    /// Returns the rank and number of the channel at `port` of `switch`. Fails if the rank is not above the rank of the previous channel
    /// `before`.
    fn step(&self, place: Place, switch: u32, port: u16, before: Ranked) -> Result<(u32, u32), Violation> {
        let Place { layer, source, destination, hop } = place;
        let channel = self.fabric.offsets()[switch as usize] + u32::from(port);
        let vc = self.plan.find_vc(self.phase, layer, source, destination, hop, switch);
        let Some(vc) = vc.filter(|_| usize::from(port) < self.fabric.degree(switch)) else {
            return Err(Violation::Hop { layer, source_switch: source, destination, hop });
        };
        let rank = self.certificate.rank(channel, vc);
        match before {
            Some((below, before)) if rank <= below => {
                Err(Violation::Rank { layer, source_switch: source, destination, hop, before, channel })
            }
            _ => Ok((rank, channel)),
        }
    }
}

/// A hop of a path.
#[derive(Clone, Copy)]
struct Place {
    layer: u32,
    source: u32,
    destination: u32,
    hop: usize,
}

#[cfg(test)]
mod tests;
