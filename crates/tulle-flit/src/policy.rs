//! Policies: which virtual channels a packet may use at every hop. A policy sorts hops into *request groups*, each with a
//! range of virtual channels of its own; a packet asks for all of its group's.

use tulle_deadlock::{VcPlan, deadlock_free};
use tulle_fabric::Fabric;
use tulle_routing::{Routes, Routing};
use tulle_spec::{Info, Registered, registry};

use crate::counted::Counted;
use crate::walk::{Found, MAX_GROUPS, Walk};
use crate::{Error, last_class};
use crossings::Crossings;

/// A policy with its parameters, as its spec gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Hops { spare: bool },
    Phases,
    Free,
    Crossings(Crossings),
    Plan(String),
}

registry! {
    /// All policies, in the order of `tulle list policies`.
    pub(crate) static POLICIES: Policies("policy") -> Error = Box<dyn Gives>;
    mod hops: Hops;
    mod phases: Phases;
    mod free: Free;
    mod crossings: Crossings;
    mod plan: Plan;
    #[cfg(test)]
    mod toy: Toy;
}

/// A policy as a plug-in.
pub(crate) trait Gives: Registered {
    /// How it sorts hops.
    fn kind(&self) -> Kind;
}

/// The [`Info`] of every registered policy.
pub fn policies() -> Vec<&'static Info> {
    POLICIES.infos()
}

/// The policy that `spec` gives.
pub(crate) fn read(spec: &str) -> Result<Kind, Error> {
    Ok(POLICIES.read(spec, &())?.1.kind())
}

/// `spec` with every parameter resolved.
pub(crate) fn canonical(spec: &str) -> Result<String, Error> {
    Ok(POLICIES.read(spec, &())?.1.spec())
}

impl Kind {
    /// The canonical spec.
    pub fn spec(&self) -> String {
        match self {
            Self::Hops { spare } => hops::Hops { spare: *spare }.spec(),
            Self::Phases => phases::Phases {}.spec(),
            Self::Free => free::Free {}.spec(),
            Self::Crossings(crossings) => crossings.spec(),
            Self::Plan(scheme) => plan::Plan { scheme: scheme.clone() }.spec(),
        }
    }
}

/// The setting that a policy is made for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Purpose<'a> {
    pub fabric: &'a Fabric,
    pub routing: &'a Routing,
    /// How many routes a packet strings together.
    pub phases: u8,
    /// The most hops of all of them.
    pub hops: usize,
    /// The groups of switches, where any switch of its group will do for an intermediate one; and those within which a
    /// packet may be diverted after its first hop.
    pub groups: Option<&'a [u32]>,
    pub diverts: Option<&'a [u32]>,
    /// The virtual channels of a port.
    pub vcs: u8,
}

impl<'a> Purpose<'a> {
    /// All routes; `counted` are the cables that count, and passing an intermediate switch counts `per_route`.
    pub fn walk(&self, counted: Option<&'a Counted>, per_route: u8) -> Walk<'a> {
        Walk {
            fabric: self.fabric,
            routing: self.routing,
            indirect: self.phases > 1,
            groups: self.groups,
            diverts: self.diverts,
            counted,
            per_route,
            per_diversion: u8::from(counted.is_some() || per_route > 0),
        }
    }
}

/// A policy at work.
#[derive(Debug)]
pub(crate) struct Policy {
    kind: Kind,
    /// The cables that count.
    counted: Counted,
    /// The waits of packets, where a walk over all routes has found them: until the test for deadlock takes them.
    waits: Option<Found>,
    /// Per request group, its first virtual channel and their number; the groups are disjoint.
    ranges: Vec<(u8, u8)>,
    /// Where `hops` has fewer classes than routes have hops, those of each phase; else 0.
    per_phase: u32,
    plan: Option<Planned>,
}

#[derive(Debug)]
struct Planned {
    plan: VcPlan,
    /// Per phase, service level and hop the virtual channel.
    table: Vec<u8>,
    levels: u32,
    hops: u32,
}

impl Policy {
    /// The policy of `kind`; and the routing to use, where a scheme had to change some paths.
    ///
    /// # Errors
    /// Fewer virtual channels than needed, or a scheme that fails.
    pub fn new(kind: Kind, purpose: &Purpose) -> Result<(Self, Option<Routing>), Error> {
        let (mut counted, mut waits) = (Counted::default(), None);
        let classes = match &kind {
            Kind::Hops { .. } => purpose.hops.max(1),
            Kind::Phases => purpose.phases.into(),
            Kind::Free => 1,
            Kind::Crossings(crossings) => {
                counted = crossings.count(purpose.fabric)?;
                let Ok(found) = purpose.walk(Some(&counted), 0).walk() else {
                    let problem = format!("policy '{}' needs more than {MAX_GROUPS} virtual channels", kind.spec());
                    return Err(Error::shape(problem, "fewer channel classes that count; or another policy"));
                };
                let groups = found.groups;
                waits = Some(found);
                groups
            }
            Kind::Plan(scheme) => return Self::planned(scheme.clone(), purpose),
        };
        let vcs = usize::from(purpose.vcs);
        let mut per_phase = 0;
        if classes > vcs {
            let is_hops = matches!(kind, Kind::Hops { .. });
            let what = match kind {
                Kind::Hops { .. } => "routes have up to that many hops",
                Kind::Crossings(_) => "one more than a route crosses cables that count",
                _ => "a route has that many phases",
            };
            let needs =
                format!("policy '{}' needs {classes} virtual channels, {what}, and a port has {vcs}", kind.spec());
            let refuse =
                |why| Err(Error::shape(needs + why, format!("vcs={classes} or more (at most 16); or another policy")));
            // Phases that end or begin between switches with endpoints are not what the test below knows.
            let is_plain = purpose.groups.is_none() && purpose.diverts.is_none();
            per_phase = if is_hops && is_plain { vcs / usize::from(purpose.phases) } else { 0 };
            if per_phase == 0 {
                return refuse("");
            }
            if let Some(cycle) = last_class::cycle(purpose.fabric, purpose.routing, per_phase - 1) {
                return refuse(&format!(
                    ", of which the last cannot take all further hops: {}",
                    cycle.name(purpose.fabric)
                ));
            }
        }
        let classes = if per_phase > 0 { per_phase * usize::from(purpose.phases) } else { classes };
        let shared = if kind == (Kind::Hops { spare: false }) { classes } else { vcs };
        let mut ranges = Vec::with_capacity(classes);
        let mut first = 0;
        for class in 0..classes {
            let count = (shared / classes + usize::from(class < shared % classes)) as u8;
            ranges.push((first, count));
            first += count;
        }
        Ok((Self { kind, counted, waits, ranges, per_phase: per_phase as u32, plan: None }, None))
    }

    fn planned(scheme: String, purpose: &Purpose) -> Result<(Self, Option<Routing>), Error> {
        let (plan, repaired) = deadlock_free(purpose.fabric, purpose.routing, &scheme)?;
        let vcs = usize::from(purpose.vcs);
        let kind = Kind::Plan(scheme);
        if plan.num_vcs() > vcs {
            let problem =
                format!("policy '{}' uses {} virtual channels, and a port has {vcs}", kind.spec(), plan.num_vcs());
            return Err(Error::shape(problem, format!("vcs={} (at most 16); or a scheme of fewer", plan.num_vcs())));
        }
        let edge = purpose.fabric.endpoint_switches().len();
        if purpose.groups.is_some() && edge < purpose.fabric.num_switches() {
            let problem = format!(
                "policy '{}' plans for routes between switches with endpoints; routes by a group begin anew at others, too",
                kind.spec()
            );
            return Err(Error::shape(problem, "via=switch; or the policies hops, phases and crossings"));
        }
        if plan.num_phases() < purpose.phases {
            let problem =
                format!("policy '{}' plans for one phase, and routes have an intermediate switch", kind.spec());
            return Err(Error::shape(problem, "plan:phases; or the policies hops and phases"));
        }
        let routing = repaired.as_ref().unwrap_or(purpose.routing);
        let planned = Planned::new(plan, purpose.fabric, routing);
        let ranges = (0..purpose.vcs).map(|vc| (vc, 1)).collect();
        let (counted, waits) = (Counted::default(), None);
        Ok((Self { kind, counted, waits, ranges, per_phase: 0, plan: Some(planned) }, repaired))
    }

    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Per request group, its first virtual channel and their number.
    pub fn ranges(&self) -> &[(u8, u8)] {
        &self.ranges
    }

    /// The waits that a walk over all routes has found; to the first caller only.
    pub fn take_waits(&mut self) -> Option<Found> {
        self.waits.take()
    }

    /// The cables that count.
    #[inline]
    pub fn counted(&self) -> &Counted {
        &self.counted
    }

    /// The level of a packet that begins layer or path `number` between two different switches: the service level, where
    /// there is a plan, else that of before.
    #[inline]
    pub fn level(&self, before: u8, number: u32, from: u32, to: u32) -> u8 {
        self.plan.as_ref().map_or(before, |planned| planned.plan.sl(number, from, to))
    }

    /// The level of a packet that is diverted, but for plans.
    #[inline]
    pub fn diverted(&self, level: u8) -> u8 {
        level + u8::from(self.counted.is_any())
    }

    /// The request group in which a packet leaves for its endpoint.
    #[inline]
    pub fn exit(&self, level: u8) -> u8 {
        if self.counted.is_any() { level } else { 0 }
    }

    /// The request group on `channel` of a packet that has crossed `hops` channels, `hops_before` of them before the `route`
    /// it is on (0 for the first).
    #[inline]
    pub fn group(&self, route: u8, level: u8, hops: u32, hops_before: u32, channel: impl FnOnce() -> u32) -> u8 {
        match &self.kind {
            Kind::Hops { .. } if self.per_phase == 0 => hops as u8,
            Kind::Hops { .. } => {
                let first = u32::from(route) * self.per_phase;
                (first + (hops - hops_before).min(self.per_phase - 1)) as u8
            }
            Kind::Phases => route,
            Kind::Free => 0,
            Kind::Crossings(_) => self.counted.on(level, channel()),
            Kind::Plan(_) => self.plan.as_ref().map_or(0, |planned| {
                let row = u32::from(route) * planned.levels + u32::from(level);
                planned.table[(row * planned.hops + hops - hops_before) as usize]
            }),
        }
    }
}

impl Planned {
    /// The plan as a table: what a service level means at a hop is the same for all of its routes.
    fn new(plan: VcPlan, fabric: &Fabric, routing: &Routing) -> Self {
        let (phases, levels) = (u32::from(plan.num_phases()), plan.num_sls() as u32);
        let edge = fabric.endpoint_switches();
        // Per level a route with the most hops, found by all routes' own paths.
        let mut best = vec![(0usize, 0u32, 0u32, 0u32); levels as usize];
        let mut offer = |level: u8, hops: usize, number: u32, from: u32, to: u32| {
            let best = &mut best[usize::from(level)];
            if hops > best.0 {
                *best = (hops, number, from, to);
            }
        };
        for (&from, &to) in edge.iter().flat_map(|from| edge.iter().map(move |to| (from, to))).filter(|(a, b)| a != b) {
            match routing.routes() {
                Routes::Paths(paths) => paths
                    .between(from, to)
                    .for_each(|path| offer(plan.sl(path, from, to), paths.hops(path).len(), path, from, to)),
                Routes::Layers(layers) => layers.iter().zip(0u32..).for_each(|(table, layer)| {
                    let hops = tulle_routing::path(fabric, table, from, to).len();
                    offer(plan.sl(layer, from, to), hops, layer, from, to);
                }),
            }
        }
        let hops = best.iter().map(|best| best.0).max().unwrap_or(0) as u32;
        let mut table = vec![0; (phases * levels * hops) as usize];
        for phase in 0..phases {
            for (level, &(known, number, from, to)) in best.iter().enumerate() {
                for hop in 0..known {
                    let at = (phase * levels + level as u32) * hops + hop as u32;
                    table[at as usize] = plan.vc_in_phase(phase as u8, number, from, to, hop);
                }
            }
        }
        Self { plan, table, levels, hops }
    }
}
