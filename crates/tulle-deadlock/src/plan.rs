//! The plan gives the virtual channel of a packet at every hop. It includes the proof that packets cannot wait for each other in a cycle.

use serde::{Deserialize, Serialize};
use tulle_fabric::Fabric;
use tulle_routing::{Error, Routing};

use super::Certificate;
use super::assignment::{Assignment, Rule};
use super::known::Kept;

/// The virtual channels for the paths of one routing over one fabric, proved free of deadlock.
///
/// A *virtual channel* (VC) is a buffer of a channel with its own flow control, for example a virtual lane (VL) of InfiniBand or a lossless
/// priority of Ethernet. A packet carries a *service level* (SL) that never changes and that determines the virtual channel. In some
/// schemes, the virtual channel also depends on the hop. The service levels need one byte of memory per layer and ordered pair of switches
/// (for a path set, one byte per path). They need no memory if all packets have the same service level.
///
/// The plan covers packets between all switches with endpoints. If no switch has endpoints, it covers packets between all switches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VcPlan {
    pub(crate) spec: String,
    pub(crate) needed_vcs: u8,
    pub(crate) assignment: Assignment,
    pub(crate) certificate: Certificate,
    /// Data about this plan that [`crate::reroute_undisturbed`] caches.
    #[serde(skip)]
    pub(crate) kept: Kept,
}

impl VcPlan {
    /// The canonical spec of the scheme.
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// The name of the scheme.
    pub fn scheme(&self) -> &str {
        self.spec.split(':').next().unwrap_or_default()
    }

    /// Returns the number of virtual channels in use, including the spare virtual channels over which paths are spread.
    pub fn num_vcs(&self) -> usize {
        self.assignment.num_vcs()
    }

    /// Returns the minimum number of virtual channels that the scheme needs for this routing.
    pub fn needed_vcs(&self) -> usize {
        usize::from(self.needed_vcs)
    }

    /// Returns the number of service levels in use. Service levels are numbered from 0.
    pub fn num_sls(&self) -> usize {
        usize::from(self.assignment.num_sls())
    }

    /// Returns the number of routes that a packet takes one after another: 2 if it goes through an intermediate switch, otherwise 1.
    pub fn num_phases(&self) -> u8 {
        self.assignment.phases()
    }

    /// The ranks that prove the plan free of deadlock.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// Returns the service level of packets of `layer` from switch `source` to switch `destination`. For path sets, `layer` is the path
    /// number.
    ///
    /// # Panics
    /// Panics if the routing has no such layer or path.
    pub fn sl(&self, layer: u32, source: u32, destination: u32) -> u8 {
        self.assignment.level(self.assignment.number(layer, source, destination))
    }

    /// Returns the service levels of all routes; empty if all are 0. The index of a route is `(layer * S + source) * S + destination`, with
    /// S switches. For path sets, the index is the path number.
    pub fn sls(&self) -> &[u8] {
        self.assignment.levels()
    }

    /// Returns the virtual channel at `hop` (counted from 0) of `layer` from switch `source` to switch `destination`, in the first phase.
    /// The hop leaves `switch`. For path sets, `layer` is the path number.
    ///
    /// # Panics
    /// Panics if the routing has no such layer, path or hop.
    #[inline]
    pub fn vc(&self, layer: u32, source: u32, destination: u32, hop: usize, switch: u32) -> u8 {
        self.vc_in_phase(0, layer, source, destination, hop, switch)
    }

    /// Returns the virtual channel at `hop` of the route that a packet takes in `phase`. This route leads from `source` to `destination`, and
    /// the hop leaves `switch`.
    ///
    /// # Panics
    /// Panics if the routing has no such layer, path or hop, or if the plan has no such phase.
    #[inline]
    pub fn vc_in_phase(&self, phase: u8, layer: u32, source: u32, destination: u32, hop: usize, switch: u32) -> u8 {
        self.find_vc(phase, layer, source, destination, hop, switch).expect("the plan is of this routing")
    }

    /// Returns the same as [`VcPlan::vc_in_phase`], but `None` if the hop or the phase does not exist.
    #[inline]
    pub(crate) fn find_vc(
        &self,
        phase: u8,
        layer: u32,
        source: u32,
        destination: u32,
        hop: usize,
        switch: u32,
    ) -> Option<u8> {
        let vcs = self.assignment.level_vcs(self.sl(layer, source, destination));
        let vc = (hop < vcs.hops()).then(|| vcs.at(hop, switch))?;
        (phase < self.num_phases()).then(|| phase * self.assignment.vcs_per_phase() as u8 + vc)
    }

    /// Returns the number of hops that [`VcPlan::vc_of`] distinguishes. It is 1 if a packet keeps its virtual channel, and 2 if the virtual
    /// channel changes only after the first hop. Returns `None` if the virtual channel depends on the switch. In a repaired plan, packets
    /// of some service levels never change their virtual channel, while all other packets do.
    pub fn num_hops(&self) -> Option<usize> {
        match self.assignment.rule() {
            Rule::Constant => Some(1),
            Rule::Positions { shares, .. } => Some(shares.len()),
            Rule::Rows { lanes, num_sls } => {
                let (row, rest) = lanes.split_at(2 * usize::from(*num_sls));
                rest.chunks(row.len()).all(|other| other == row).then_some(2)
            }
        }
    }

    /// Returns the virtual channel of packets of service level `sl` at `hop` of the route that they take in `phase`. `hop` must be less
    /// than [`VcPlan::num_hops`].
    ///
    /// # Panics
    /// Panics if the hop does not exist.
    pub fn vc_of(&self, phase: u8, sl: u8, hop: usize) -> u8 {
        phase * self.assignment.vcs_per_phase() as u8 + self.assignment.level_vcs(sl).at(hop, 0)
    }

    /// Returns the virtual channel at `hop` (counted from 0) of a route of service level `sl`, in the first phase. The hop leaves
    /// `switch`.
    ///
    /// # Panics
    /// Panics if no route of this service level has such a hop.
    #[inline]
    pub fn vc_at(&self, sl: u8, hop: usize, switch: u32) -> u8 {
        self.assignment.level_vcs(sl).at(hop, switch)
    }

    /// Returns an entry of an InfiniBand SL-to-VL table: the virtual channel on which `switch` forwards packets of service level `sl` to
    /// another switch. Set `injected` if the packets come from an endpoint of `switch`; the input port has no other influence on the entry.
    ///
    /// Returns `None` if an SL-to-VL table cannot express the plan. These are plans with several phases, and plans with a virtual channel
    /// per hop from a scheme other than `colouring`.
    pub fn sl_to_vl(&self, switch: u32, injected: bool, sl: u8) -> Option<u8> {
        if self.num_phases() > 1 {
            return None;
        }
        let vcs = self.assignment.level_vcs(sl);
        match self.assignment.rule() {
            Rule::Constant => Some(sl),
            Rule::Rows { .. } => Some(vcs.at(usize::from(!injected), switch)),
            Rule::Positions { .. } if vcs.hops() == usize::MAX => Some(vcs.at(0, switch)),
            Rule::Positions { shares, .. } if shares.len() == 1 => Some(vcs.at(0, switch)),
            Rule::Positions { colours, .. } if colours.is_empty() => None,
            Rule::Positions { .. } if injected => Some(vcs.at(0, switch)),
            Rule::Positions { shares, colours, num_colours, .. } => {
                let second = colours[switch as usize] == sl % num_colours;
                Some(vcs.at(if second { 1 } else { shares.len() - 1 }, switch))
            }
        }
    }

    /// Returns the plan as text that [`VcPlan::from_text`] can parse.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("a plan is numbers and names")
    }

    /// Parses a plan of `routing` over `fabric` from the text of [`VcPlan::to_text`], and verifies the proof again.
    ///
    /// # Errors
    /// Returns [`Error::Array`] if the text is not a plan of `routing`.
    pub fn from_text(text: &str, fabric: &Fabric, routing: &Routing) -> Result<Self, Error> {
        let wrong = |problem: String| Error::Array {
            what: "text of a plan of virtual channels".to_owned(),
            problem,
            legal: "legal: the unchanged text of a plan of this routing".to_owned(),
        };
        let plan: Self = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        plan.certificate.check(fabric, routing, &plan).map_err(|violation| wrong(violation.to_string()))?;
        Ok(plan)
    }

    /// Returns whether this plan has the right size for `routing`.
    pub(crate) fn fits(&self, routing: &Routing) -> bool {
        self.assignment.fits(routing)
    }
}
