//! Looking into a router of any model: for the watchdog, and to count flits and credits.

use super::context::{Run, Waiting};
use super::skeleton::Router;
use super::switching::Switching;
// circle: the check of conservation adds up what each router counts of itself.
#[cfg(feature = "conservation")]
use crate::conservation::Census;

impl<S: Switching<P>, const P: usize> Router<S, P> {
    /// The full buffers of channels all of whose ways on are blocked for want of credits, and those ways.
    pub fn stuck(&self, run: &Run) -> Vec<Waiting> {
        let (layout, switching) = (&self.switch.layout, &self.switching);
        let mut stuck = Vec::new();
        for port in layout.endpoints..layout.ports {
            for vc in 0..layout.vcs {
                let lane = layout.lane(port, vc);
                if !switching.is_full(&self.switch.pool, lane) {
                    continue;
                }
                let wants = switching.wants(run, &self.switch, lane);
                // Endpoints take what comes.
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

    /// Records and credits of every virtual channel.
    #[cfg(feature = "conservation")]
    pub fn census(&self, run: &Run) -> Census {
        let (switch, layout, record) = (&self.switch, &self.switch.layout, u64::from(run.timing.record));
        let mut census =
            Census { flits: switch.num_records() * record, queued: switch.sources.queued(), ..Default::default() };
        for port in 0..layout.ports {
            for vc in 0..layout.vcs {
                let lane = layout.lane(port, vc);
                let [late_flits, late_credits] = switch.late(port, vc);
                let input = self.switching.held(switch, lane) + late_flits;
                if port < layout.endpoints {
                    // The endpoint's side of the link is here, too.
                    assert_eq!(
                        input + switch.sources.credits_of(port, vc),
                        usize::from(run.room),
                        "credits of a source"
                    );
                } else {
                    census.inputs.push(((switch.incoming(port), vc), input));
                    let output = self.switching.left(switch, lane) + late_credits;
                    census.outputs.push(((layout.channel(port), vc), output));
                }
            }
        }
        self.switching.audit(switch);
        census
    }
}
