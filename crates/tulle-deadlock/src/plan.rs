//! The plan: the virtual channel of a packet at every hop, with the proof that no cycle of waiting packets is possible.

use serde::{Deserialize, Serialize};
use tulle_fabric::Fabric;
use tulle_routing::{Error, Routing};

use super::Certificate;
use super::assignment::{Assignment, Rule};

/// Virtual channels for the paths of one routing over one fabric, proved free of deadlock.
///
/// A *virtual channel* (VC) is a buffer of a channel with its own flow control: a virtual lane (VL) of InfiniBand, a lossless priority of
/// Ethernet. A packet carries a *service level* (SL) that never changes; it determines the virtual channel, in some schemes together with
/// the hop. The plan takes a byte per layer and ordered pair of switches (per path, for a path set), or no memory if all packets have the
/// same service level.
///
/// The plan covers packets between switches with endpoints; in a fabric without endpoints, between all switches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VcPlan {
    pub(crate) spec: String,
    pub(crate) needed_vcs: u8,
    pub(crate) assignment: Assignment,
    pub(crate) certificate: Certificate,
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

    /// Number of virtual channels in use, including spare ones over which paths were spread.
    pub fn num_vcs(&self) -> usize {
        self.assignment.num_vcs()
    }

    /// The minimum number of virtual channels with which the scheme can serve this routing.
    pub fn needed_vcs(&self) -> usize {
        usize::from(self.needed_vcs)
    }

    /// The number of service levels in use; they are numbered from 0.
    pub fn num_sls(&self) -> usize {
        usize::from(self.assignment.num_sls())
    }

    /// Number of routes that a packet takes one after another: 2 through an intermediate switch, otherwise 1.
    pub fn num_phases(&self) -> u8 {
        self.assignment.phases()
    }

    /// The ranks that prove it.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// The service level of packets of `layer` from switch `source` to `destination`. For path sets, `layer` is the path number.
    ///
    /// # Panics
    /// If the routing has no such layer or path.
    pub fn sl(&self, layer: u32, source: u32, destination: u32) -> u8 {
        self.assignment.level(self.assignment.number(layer, source, destination))
    }

    /// The service levels of all routes, `(layer * S + source) * S + destination` or path by path; empty if all are 0.
    pub fn sls(&self) -> &[u8] {
        self.assignment.levels()
    }

    /// The virtual channel at `hop` (from 0) of `layer` from switch `source` to `destination`, in the first phase. For path sets, `layer`
    /// is the path number.
    ///
    /// # Panics
    /// If the routing has no such layer, path or hop.
    #[inline]
    pub fn vc(&self, layer: u32, source: u32, destination: u32, hop: usize) -> u8 {
        self.vc_in_phase(0, layer, source, destination, hop)
    }

    /// The virtual channel at `hop` of the route that a packet takes in `phase`. The ends of that route are `source` and `destination`.
    ///
    /// # Panics
    /// If the routing has no such layer, path or hop, or the plan has no such phase.
    #[inline]
    pub fn vc_in_phase(&self, phase: u8, layer: u32, source: u32, destination: u32, hop: usize) -> u8 {
        self.find_vc(phase, layer, source, destination, hop).expect("the plan is of this routing")
    }

    /// Like [`VcPlan::vc_in_phase`], but returns `None` if there is no such hop or phase.
    #[inline]
    pub(crate) fn find_vc(&self, phase: u8, layer: u32, source: u32, destination: u32, hop: usize) -> Option<u8> {
        let vcs = self.assignment.level_vcs(self.sl(layer, source, destination));
        let vc = (hop < vcs.hops()).then(|| vcs.at(hop))?;
        (phase < self.num_phases()).then(|| phase * self.assignment.vcs_per_phase() as u8 + vc)
    }

    /// Number of hops that [`VcPlan::vc_of`] distinguishes; 1 if a packet keeps its virtual channel. In a repaired plan, packets of some
    /// service levels stay on one virtual channel over any number of hops, although other packets change it.
    pub fn num_hops(&self) -> usize {
        match self.assignment.rule() {
            Rule::Constant => 1,
            Rule::Positions { shares, .. } => shares.len(),
        }
    }

    /// The virtual channel of packets of service level `sl` at `hop`, below [`VcPlan::num_hops`], of the route that they take in
    /// `phase`.
    ///
    /// # Panics
    /// If there is no such hop.
    pub fn vc_of(&self, phase: u8, sl: u8, hop: usize) -> u8 {
        phase * self.assignment.vcs_per_phase() as u8 + self.assignment.level_vcs(sl).at(hop)
    }

    /// Returns the virtual channel on which `switch` forwards packets of service level `sl` toward another switch: an entry of an
    /// InfiniBand SL-to-VL table. The entry depends only on whether the packets come from an endpoint of the switch (`injected`).
    ///
    /// Returns `None` if the plan cannot be written as such a table: plans with a virtual channel per hop from schemes other than
    /// `colouring`, and plans with several phases.
    pub fn sl_to_vl(&self, switch: u32, injected: bool, sl: u8) -> Option<u8> {
        if self.num_phases() > 1 {
            return None;
        }
        let vcs = self.assignment.level_vcs(sl);
        match self.assignment.rule() {
            Rule::Constant => Some(sl),
            Rule::Positions { .. } if vcs.hops() == usize::MAX => Some(vcs.at(0)),
            Rule::Positions { shares, .. } if shares.len() == 1 => Some(vcs.at(0)),
            Rule::Positions { colours, .. } if colours.is_empty() => None,
            Rule::Positions { .. } if injected => Some(vcs.at(0)),
            Rule::Positions { shares, colours, num_colours, .. } => {
                let second = colours[switch as usize] == sl % num_colours;
                Some(vcs.at(if second { 1 } else { shares.len() - 1 }))
            }
        }
    }

    /// Returns the plan as text, for [`VcPlan::from_text`].
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("a plan is numbers and names")
    }

    /// Parses a plan of `routing` over `fabric` from the text of [`VcPlan::to_text`], and verifies its proof again.
    ///
    /// # Errors
    /// [`Error::Array`] for any other text.
    pub fn from_text(text: &str, fabric: &Fabric, routing: &Routing) -> Result<Self, Error> {
        let wrong = |problem: String| Error::Array {
            what: "a stored plan of virtual channels".to_owned(),
            problem,
            legal: "legal: a plan of this routing, as it was stored".to_owned(),
        };
        let plan: Self = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        plan.certificate.check(fabric, routing, &plan).map_err(|violation| wrong(violation.to_string()))?;
        Ok(plan)
    }

    /// Whether this plan has the size that a plan of `routing` needs.
    pub(crate) fn fits(&self, routing: &Routing) -> bool {
        self.assignment.fits(routing)
    }
}
