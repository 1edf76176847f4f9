//! Assigns the virtual channel of a packet from the service level of its route and the hop number.

use serde::{Deserialize, Serialize};

use super::routes::{Route, column};
use tulle_routing::Routing;

/// A range of `count` virtual channels that starts at `first`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Share {
    pub first: u8,
    pub count: u8,
}

/// The rule that determines the virtual channel from a route's service level and the hop number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Rule {
    /// At every hop, the virtual channel equals the service level.
    Constant,
    /// Each hop has its own range of virtual channels. The service level selects one virtual channel of this range.
    Positions {
        /// The share of each hop.
        shares: Vec<Share>,
        /// The colour of each switch; empty if there is only one colour.
        colours: Vec<u8>,
        /// The number of colours. The service level is the colour of the path's second switch plus `num_colours · slot`. The service levels
        /// of each colour have slots 0, 1, and so on. A hop uses virtual channel `slot mod count` of its range.
        num_colours: u8,
        /// The virtual channels of routes whose hop number cannot be determined from the colours of switches. Only repaired routings have
        /// such routes.
        #[serde(default)]
        detours: Option<Detours>,
    },
    /// Every switch looks up the virtual channel, as InfiniBand's SL-to-VL tables do.
    Rows {
        /// The virtual channel, at index `(switch * 2 + injected) * num_sls + sl`. `injected` is 1 for packets from an endpoint of the
        /// switch, and 0 for packets from another switch.
        lanes: Vec<u8>,
        /// The number of service levels in `lanes`.
        num_sls: u8,
    },
}

/// Routes that stay on one virtual channel, while all other routes change the virtual channel at every hop. Each virtual channel from
/// `first_vc` on has one service level, starting with `first_sl`. No other route uses these virtual channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Detours {
    pub first_sl: u8,
    pub first_vc: u8,
}

/// The virtual channel of every route at every hop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Assignment {
    /// The number of switches if the routing has forwarding tables; 0 if it has path sets.
    switches: u32,
    /// The service level of each route; empty if all service levels are 0.
    levels: Vec<u8>,
    rule: Rule,
    vcs_per_phase: u8,
    phases: u8,
    num_sls: u8,
}

/// The virtual channels of a route, by hop.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RouteVcs<'a> {
    Constant(u8),
    Positions { shares: &'a [Share], slot: u8 },
    Rows { lanes: &'a [u8], num_sls: u8, sl: u8 },
}

impl RouteVcs<'_> {
    /// How many hops a route can have.
    pub fn hops(self) -> usize {
        match self {
            Self::Constant(_) | Self::Rows { .. } => usize::MAX,
            Self::Positions { shares, .. } => shares.len(),
        }
    }

    /// The virtual channel at `hop`, which leaves `switch`.
    #[inline]
    pub fn at(self, hop: usize, switch: u32) -> u8 {
        match self {
            Self::Constant(vc) => vc,
            Self::Positions { shares, slot } => shares[hop].first + slot % shares[hop].count,
            Self::Rows { lanes, num_sls, sl } => {
                lanes[(switch as usize * 2 + usize::from(hop == 0)) * usize::from(num_sls) + usize::from(sl)]
            }
        }
    }
}

/// The virtual channels of an assignment in which they depend only on the switch, the service level, and whether the packet comes from an
/// endpoint of the switch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lanes<'a> {
    /// As in [`Rule::Rows`]; `None` if the virtual channel equals the service level.
    rows: Option<&'a [u8]>,
    num_sls: usize,
}

impl Lanes<'_> {
    /// Returns the virtual channel of packets of service level `sl` that leave `switch`. `injected` says whether they come from an endpoint
    /// of the switch.
    #[inline]
    pub fn vc(self, switch: u32, injected: bool, sl: u8) -> u8 {
        match self.rows {
            Some(rows) => rows[(switch as usize * 2 + usize::from(injected)) * self.num_sls + usize::from(sl)],
            None => sl,
        }
    }
}

impl Assignment {
    /// Returns the virtual channels by switch and service level; `None` if the virtual channel depends on the hop number.
    pub fn lanes(&self) -> Option<Lanes<'_>> {
        match &self.rule {
            Rule::Constant => Some(Lanes { rows: None, num_sls: 0 }),
            Rule::Rows { lanes, num_sls } => Some(Lanes { rows: Some(lanes), num_sls: usize::from(*num_sls) }),
            Rule::Positions { .. } => None,
        }
    }

    /// Returns an assignment that puts all packets on one virtual channel.
    pub fn of(routing: &Routing) -> Self {
        Self::new(routing, Vec::new(), Rule::Constant, 1)
    }

    /// Returns an assignment with the service levels `levels` and the rule `rule` over `vcs` virtual channels.
    pub fn new(routing: &Routing, levels: Vec<u8>, rule: Rule, vcs: u8) -> Self {
        let switches = if routing.path_set().is_some() { 0 } else { routing.num_switches() as u32 };
        let num_sls = 1 + levels.iter().copied().max().unwrap_or(0);
        Self { switches, levels, rule, vcs_per_phase: vcs, phases: 1, num_sls }
    }

    /// Returns this assignment with `num_sls` service levels, of which some may be unused.
    pub fn with_num_sls(self, num_sls: u8) -> Self {
        Self { num_sls: num_sls.max(self.num_sls), ..self }
    }

    /// Returns this assignment with `count` further virtual channels for the first hops of all paths. In the assignment, packets must stay
    /// on one virtual channel, and there must be a single phase.
    ///
    /// Packets enter the further virtual channels only from endpoints. So no packet in the fabric waits for the channel of a first hop, and
    /// a first hop cannot be part of a cycle.
    pub fn with_first_vcs(self, switches: usize, count: u8) -> Self {
        debug_assert!(self.rule == Rule::Constant && self.phases == 1, "packets stay on one virtual channel");
        let (vcs, num_sls) = (self.vcs_per_phase, self.num_sls);
        let row: Vec<u8> = (0..num_sls).chain((0..num_sls).map(|sl| vcs + sl % count)).collect();
        Self { rule: Rule::Rows { lanes: row.repeat(switches), num_sls }, vcs_per_phase: vcs + count, ..self }
    }

    /// Returns this assignment repeated for each of the `phases` phases, with separate virtual channels per phase. A packet takes one route
    /// per phase, for example first to an intermediate switch and then to its destination.
    pub fn in_phases(self, phases: u8) -> Self {
        Self { phases, ..self }
    }

    pub fn num_vcs(&self) -> usize {
        self.vcs_per_phase() * usize::from(self.phases)
    }

    pub fn vcs_per_phase(&self) -> usize {
        usize::from(self.vcs_per_phase)
    }

    pub fn phases(&self) -> u8 {
        self.phases
    }

    pub fn num_sls(&self) -> u8 {
        self.num_sls
    }

    pub fn levels(&self) -> &[u8] {
        &self.levels
    }

    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// Returns whether all packets use the same virtual channel within a phase.
    pub fn is_uniform(&self) -> bool {
        self.rule == Rule::Constant && self.levels.is_empty()
    }

    /// Returns whether the assignment was made for a routing of this size.
    pub fn fits(&self, routing: &Routing) -> bool {
        let switches = if routing.path_set().is_some() { 0 } else { routing.num_switches() as u32 };
        let column = column(routing);
        self.switches == switches && (self.levels.is_empty() || column == Ok(self.levels.len()))
    }

    /// Returns the number of a route. The number is the route's index in `levels`.
    #[inline]
    pub fn number(&self, layer: u32, source: u32, destination: u32) -> usize {
        let switches = self.switches as usize;
        if switches == 0 {
            return layer as usize;
        }
        (layer as usize * switches + source as usize) * switches + destination as usize
    }

    /// Returns the service level of route `number`.
    #[inline]
    pub fn level(&self, number: usize) -> u8 {
        if self.levels.is_empty() { 0 } else { self.levels[number] }
    }

    /// Returns the virtual channels of `route` in the first phase.
    #[inline]
    pub fn route_vcs(&self, route: Route) -> RouteVcs<'_> {
        self.level_vcs(self.level(route.number as usize))
    }

    /// Returns the virtual channels of a service level in the first phase.
    #[inline]
    pub fn level_vcs(&self, level: u8) -> RouteVcs<'_> {
        match &self.rule {
            Rule::Constant => RouteVcs::Constant(level),
            Rule::Positions { detours: Some(detours), .. } if level >= detours.first_sl => {
                RouteVcs::Constant(detours.first_vc + (level - detours.first_sl))
            }
            Rule::Positions { shares, num_colours, .. } => RouteVcs::Positions { shares, slot: level / num_colours },
            Rule::Rows { lanes, num_sls } => RouteVcs::Rows { lanes, num_sls: *num_sls, sl: level },
        }
    }
}
