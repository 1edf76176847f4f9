//! Inspection of a router of any model. It finds stuck buffers for the watchdog, and counts flits and credits for the
//! conservation check.

use super::context::{Run, Waiting};
use super::core::Router;
use super::switching::Switching;
// circle: `router` and `conservation` import each other, because the conservation check adds up the counts of all routers.
#[cfg(feature = "conservation")]
use crate::conservation::Census;

impl<S: Switching<P>, const P: usize> Router<S, P> {
    /// Returns the full buffers of channels in which the first packet waits for credits on all of its possible next VCs. Also returns those
    /// VCs.
    pub fn stuck(&self, run: &Run) -> Vec<Waiting> {
        let (layout, switching) = (&self.switch.layout, &self.switching);
        let mut stuck = Vec::new();
        for port in layout.endpoints..layout.ports {
            for vc in 0..layout.vcs {
                let port_vc = layout.port_vc(port, vc);
                if !switching.is_full(&self.switch.pool, port_vc) {
                    continue;
                }
                let wants = switching.wants(run, &self.switch, port_vc);
                // Endpoints accept every flit, so a packet for an endpoint can move.
                if wants.iter().any(|&to| layout.place(to).0 < layout.endpoints || !switching.is_blocked(to)) {
                    continue;
                }
                let channel = |to| {
                    let (port, vc) = layout.place(to);
                    (layout.channel(port), vc)
                };
                stuck.push(Waiting {
                    at: (self.switch.incoming(port), vc),
                    wants: wants.into_iter().map(channel).collect(),
                });
            }
        }
        stuck
    }

    /// Counts the records (flits or whole packets) and the credits of every VC.
    #[cfg(feature = "conservation")]
    pub fn census(&self, run: &Run) -> Census {
        let (switch, layout, record) = (&self.switch, &self.switch.layout, u64::from(run.timing.record));
        let mut census =
            Census { flits: switch.num_records() * record, queued: switch.sources.queued(), ..Default::default() };
        for port in 0..layout.ports {
            for vc in 0..layout.vcs {
                let port_vc = layout.port_vc(port, vc);
                let [late_flits, late_credits] = switch.late(port, vc);
                let input = self.switching.held(switch, port_vc) + late_flits;
                if port < layout.endpoints {
                    // For endpoint ports, the count includes the flits and credits at the endpoint and on its link.
                    assert_eq!(
                        input + switch.sources.credits_of(port, vc),
                        usize::from(run.credits),
                        "credits of a source"
                    );
                } else {
                    census.inputs.push(((switch.incoming(port), vc), input));
                    let output = self.switching.left(switch, port_vc) + late_credits;
                    census.outputs.push(((layout.channel(port), vc), output));
                }
            }
        }
        self.switching.audit(switch);
        census
    }
}
