//! The plan of virtual channels that a simulation uses. It is checked for the simulated queue and routing.

use tulle_deadlock::VcPlan;
use tulle_fabric::Fabric;
use tulle_routing::Routing;

use crate::{Config, Error, queue};

/// Maximum number of virtual lanes: InfiniBand has 15 lanes for data, and Ethernet has 8 priorities.
const MAX_LANES: usize = 15;

/// A plan of virtual channels for the simulated routing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LanePlan<'a> {
    plan: &'a VcPlan,
    /// The lane of each virtual channel. Tests change this array to merge several channels into one lane.
    #[cfg(test)]
    pub(super) lanes: [u8; MAX_LANES],
}

impl<'a> LanePlan<'a> {
    /// Returns the lanes of `plan` for `routing` over `fabric`.
    ///
    /// # Errors
    /// Fails if the queue of `config` drops packets, if the plan has too many virtual channels or several phases, or if the proof of the
    /// plan does not hold for `routing`.
    pub(crate) fn new(plan: &'a VcPlan, fabric: &Fabric, routing: &Routing, config: &Config) -> Result<Self, Error> {
        let shape = |problem: String, legal: &str| Err(Error::Shape { problem, legal: format!("legal: {legal}") });
        let (scheme, lanes) = (plan.spec(), plan.num_vcs());
        if !queue::is_lossless(&config.queue) {
            let problem = format!("queue={} drops packets, so it has no virtual lanes for {scheme}", config.queue);
            return shape(problem, "queue=pfc, or no deadlock scheme");
        }
        if plan.num_phases() > 1 {
            let problem =
                format!("{scheme} plans routes over an intermediate switch, which packet simulations do not have");
            return shape(problem, "a scheme with one phase, for example dfsssp");
        }
        if lanes > MAX_LANES {
            let problem = format!("{scheme} uses {lanes} virtual lanes for {}", routing.spec());
            return shape(problem, &format!("at most {MAX_LANES}; dfsssp and lash need few"));
        }
        if let Err(violation) = plan.certificate().check(fabric, routing, plan) {
            return shape(
                format!("the plan {scheme} is not valid for routing '{}': {violation}", routing.spec()),
                "a plan that was computed for this routing",
            );
        }
        Ok(Self {
            plan,
            #[cfg(test)]
            lanes: std::array::from_fn(|lane| lane as u8),
        })
    }

    pub(crate) fn num_lanes(&self) -> usize {
        self.plan.num_vcs()
    }

    /// Returns the service level of route `number` from switch `from` to another switch, `to`. The number of a route is its layer, or the
    /// number of its path in the path set.
    #[inline]
    pub(super) fn level(&self, number: u32, from: u32, to: u32) -> u8 {
        self.plan.sl(number, from, to)
    }

    /// Returns the lane of a packet of service level `level` at `hop`, which leaves `switch`.
    #[inline]
    pub(super) fn lane(&self, level: u8, hop: u8, switch: u32) -> u8 {
        let lane = self.plan.vc_at(level, usize::from(hop), switch);
        #[cfg(test)]
        let lane = self.lanes[usize::from(lane)];
        lane
    }
}
