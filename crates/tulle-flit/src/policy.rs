//! Policies: a policy determines the VCs that a packet may use at every hop. It assigns hops to *request groups*, each with its own range
//! of VCs. A packet requests any VC of its group. To choose the group, a policy can use the packet's *level*, which a packet carries from
//! hop to hop (see [`crate::vc_levels`]).

use tulle_deadlock::assign_vcs;
use tulle_fabric::Fabric;
use tulle_routing::Routing;
use tulle_spec::{Info, Registered, registry};

use crate::vc_levels::VcLevels;
use crate::walk::{ChannelDependencies, MAX_GROUPS, Walk};
use crate::{Error, last_class};
use crossings::Crossings;
use datelines::Datelines;
use planned::Planned;

mod planned;

/// A policy with its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Hops { spare: bool },
    Phases,
    Free,
    Crossings(Crossings),
    Datelines(Datelines),
    Plan(String),
}

registry! {
    /// All policies, in the order of `tulle list policies`.
    pub(crate) static POLICIES: Policies("policy") -> Error = Box<dyn PolicyPlugin>;
    mod hops: Hops;
    mod phases: Phases;
    mod free: Free;
    mod crossings: Crossings;
    mod datelines: Datelines;
    mod plan: Plan;
    #[cfg(test)]
    mod toy: Toy;
}

/// A policy as a plug-in.
pub(crate) trait PolicyPlugin: Registered {
    /// Returns the VC policy as a value of [`Kind`], with its parameters.
    fn kind(&self) -> Kind;
}

/// Returns the [`Info`] of every registered policy.
pub fn policies() -> Vec<&'static Info> {
    POLICIES.infos()
}

/// Parses the spec of a VC policy.
pub(crate) fn read(spec: &str) -> Result<Kind, Error> {
    Ok(POLICIES.read(spec, &())?.1.kind())
}

/// Returns the canonical form of `spec`, which states every parameter.
pub(crate) fn canonical(spec: &str) -> Result<String, Error> {
    Ok(POLICIES.read(spec, &())?.1.spec())
}

impl Kind {
    /// Returns the canonical spec.
    pub fn spec(&self) -> String {
        match self {
            Self::Hops { spare } => hops::Hops { spare: *spare }.spec(),
            Self::Phases => phases::Phases {}.spec(),
            Self::Free => free::Free {}.spec(),
            Self::Crossings(crossings) => crossings.spec(),
            Self::Datelines(datelines) => datelines.spec(),
            Self::Plan(scheme) => plan::Plan { scheme: scheme.clone() }.spec(),
        }
    }
}

/// The fabric, routing and selector that a policy must serve.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PolicyContext<'a> {
    pub fabric: &'a Fabric,
    pub routing: &'a Routing,
    /// Maximum number of routes that a packet takes one after the other.
    pub phases: u8,
    /// Maximum number of hops of a packet, over all its routes.
    pub hops: usize,
    /// The group of every switch. `groups` is set if a packet passes an intermediate group instead of an intermediate
    /// switch. `diverts` is set if a packet may be diverted within its source's group after the first hop.
    pub groups: Option<&'a [u32]>,
    pub diverts: Option<&'a [u32]>,
    /// Whether a packet may change to another layer at its second switch.
    pub changes_layer: bool,
    /// Number of virtual channels of a port.
    pub vcs: u8,
}

impl<'a> PolicyContext<'a> {
    /// Returns a walk over all routes that packets may take. When a packet passes an intermediate switch, its level rises by `per_route`.
    pub fn walk(&self, levels: &'a VcLevels, per_route: u8) -> Walk<'a> {
        Walk {
            fabric: self.fabric,
            routing: self.routing,
            indirect: self.phases > 1 && !self.changes_layer,
            changes_layer: self.changes_layer,
            groups: self.groups,
            diverts: self.diverts,
            levels,
            per_route,
            per_diversion: u8::from(levels.is_counted() || per_route > 0),
        }
    }
}

/// A policy prepared for its fabric and routing.
#[derive(Debug)]
pub(crate) struct Policy {
    kind: Kind,
    /// How channels change the level of a packet.
    levels: VcLevels,
    /// The channel dependencies, if a walk over all routes has found them. The deadlock test moves them out of this field.
    dependencies: Option<ChannelDependencies>,
    /// Per request group: its first VC and its number of VCs. The groups are disjoint.
    ranges: Vec<(u8, u8)>,
    /// Number of classes per phase, if policy `hops` has fewer classes than routes have hops; otherwise 0.
    per_phase: u32,
    plan: Option<Planned>,
}

impl Policy {
    /// Prepares the VC policy `kind`. If a deadlock scheme had to change some paths, also returns the changed routing.
    ///
    /// # Errors
    /// Fails if there are too few VCs, or if the deadlock scheme fails.
    pub fn new(kind: Kind, context: &PolicyContext) -> Result<(Self, Option<Routing>), Error> {
        let levels = match &kind {
            Kind::Crossings(crossings) => VcLevels::Crossings(crossings.increments(context.fabric)?),
            Kind::Datelines(datelines) => VcLevels::Datelines(datelines.rings(context.fabric)?),
            _ => VcLevels::Untracked,
        };
        let mut dependencies = None;
        let classes = match &kind {
            Kind::Hops { .. } => context.hops.max(1),
            Kind::Phases => context.phases.into(),
            Kind::Free => 1,
            Kind::Crossings(_) | Kind::Datelines(_) => {
                let Ok(found) = context.walk(&levels, 0).walk() else {
                    let problem = format!("policy '{}' needs more than {MAX_GROUPS} virtual channels", kind.spec());
                    let legal = match kind {
                        Kind::Crossings(_) => "fewer channel classes in classes=; or another policy",
                        _ => "another policy",
                    };
                    return Err(Error::shape(problem, legal));
                };
                let groups = found.groups;
                dependencies = Some(found);
                groups
            }
            Kind::Plan(scheme) => return Self::planned(scheme.clone(), context),
        };
        let vcs = usize::from(context.vcs);
        let mut per_phase = 0;
        if classes > vcs {
            let is_hops = matches!(kind, Kind::Hops { .. });
            let what = match kind {
                Kind::Hops { .. } => "one per hop of the longest route",
                Kind::Crossings(_) => "one more than the number of cables on a route that increment the VC class",
                Kind::Datelines(_) => "one for packets that cross the dateline of a ring and one for other packets",
                _ => "one per phase of a route",
            };
            let needs =
                format!("policy '{}' needs {classes} virtual channels, {what}, but a port has {vcs}", kind.spec());
            let refuse = |why| match Self::instead_of(&kind, context) {
                Some(datelines) => Ok((datelines, None)),
                None => {
                    let more = if classes > MAX_GROUPS {
                        String::new()
                    } else {
                        format!("vcs={classes} or more (at most {MAX_GROUPS}); or ")
                    };
                    Err(Error::shape(needs + why, format!("{more}another policy")))
                }
            };
            // `last_class::cycle` does not cover phases that begin or end at switches without endpoints.
            let is_plain = context.groups.is_none() && context.diverts.is_none() && !context.changes_layer;
            per_phase = if is_hops && is_plain { vcs / usize::from(context.phases) } else { 0 };
            if per_phase == 0 {
                return refuse("");
            }
            if let Some(cycle) = last_class::cycle(context.fabric, context.routing, per_phase - 1) {
                return refuse(&format!(
                    "; the last virtual channel cannot serve all remaining hops, because these hops can deadlock: {}",
                    cycle.name(context.fabric)
                ));
            }
        }
        let classes = if per_phase > 0 { per_phase * usize::from(context.phases) } else { classes };
        let shared = if kind == (Kind::Hops { spare: false }) { classes } else { vcs };
        let mut ranges = Vec::with_capacity(classes);
        let mut first = 0;
        for class in 0..classes {
            let count = (shared / classes + usize::from(class < shared % classes)) as u8;
            ranges.push((first, count));
            first += count;
        }
        Ok((Self { kind, levels, dependencies, ranges, per_phase: per_phase as u32, plan: None }, None))
    }

    /// Returns the VC policy `datelines`, which replaces the default policy `hops` if a port has too few VCs for `hops`. Returns `None` if
    /// `kind` is not the default, if `datelines` needs more VCs than a port has, or if packets can deadlock with `datelines`.
    fn instead_of(kind: &Kind, context: &PolicyContext) -> Option<Self> {
        if *kind != (Kind::Hops { spare: true }) {
            return None;
        }
        let (datelines, _) = Self::new(Kind::Datelines(Datelines { whole: true }), context).ok()?;
        datelines.dependencies.as_ref()?.cycle().is_none().then_some(datelines)
    }

    fn planned(scheme: String, context: &PolicyContext) -> Result<(Self, Option<Routing>), Error> {
        if context.changes_layer {
            let problem = format!(
                "policy 'plan:{scheme}' assigns virtual channels to whole paths, but packets change to another layer at their second switch"
            );
            return Err(Error::shape(problem, "selector ugal:via=layer; or policy hops, phases or crossings"));
        }
        let (plan, repaired) = assign_vcs(context.fabric, context.routing, &scheme)?;
        let vcs = usize::from(context.vcs);
        let kind = Kind::Plan(scheme);
        if plan.num_vcs() > vcs {
            let problem =
                format!("policy '{}' uses {} virtual channels, but a port has {vcs}", kind.spec(), plan.num_vcs());
            let more = if plan.num_vcs() > MAX_GROUPS {
                String::new()
            } else {
                format!("vcs={} (at most {MAX_GROUPS}); or ", plan.num_vcs())
            };
            return Err(Error::shape(problem, format!("{more}a scheme that needs fewer")));
        }
        let edge = context.fabric.endpoint_switches().len();
        if context.groups.is_some() && edge < context.fabric.num_switches() {
            let problem = format!(
                "policy '{}' plans routes between switches with endpoints, but the second half of a route through a \
                group can start at a switch without endpoints",
                kind.spec()
            );
            return Err(Error::shape(problem, "a selector with via=switch; or policy hops, phases or crossings"));
        }
        if plan.num_phases() < context.phases {
            let problem =
                format!("policy '{}' plans for one phase, but routes have an intermediate switch", kind.spec());
            return Err(Error::shape(problem, "policy plan:phases, hops or phases"));
        }
        let routing = repaired.as_ref().unwrap_or(context.routing);
        let planned = Planned::new(plan, context.fabric, routing);
        let ranges = (0..context.vcs).map(|vc| (vc, 1)).collect();
        let (levels, dependencies) = (VcLevels::Untracked, None);
        Ok((Self { kind, levels, dependencies, ranges, per_phase: 0, plan: Some(planned) }, repaired))
    }

    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Returns, per request group, its first VC and its number of VCs.
    pub fn ranges(&self) -> &[(u8, u8)] {
        &self.ranges
    }

    /// Moves the channel dependencies out of the VC policy, if a walk has found them. Later calls return `None`.
    pub fn take_dependencies(&mut self) -> Option<ChannelDependencies> {
        self.dependencies.take()
    }

    /// Returns how channels change the level of a packet.
    #[inline]
    pub fn levels(&self) -> &VcLevels {
        &self.levels
    }

    /// Returns the level of a packet that starts on layer or path `number` between two different switches. With policy `plan`, the level is
    /// the service level; with other policies it stays at `before`.
    #[inline]
    pub fn level(&self, before: u8, number: u32, from: u32, to: u32) -> u8 {
        self.plan.as_ref().map_or(before, |planned| planned.level(number, from, to))
    }

    /// Returns the level of a packet after a diversion, that is, after it has got a new route at its second switch; `level` is its level
    /// before the diversion. The level rises only with policy `crossings`.
    #[inline]
    pub fn diverted(&self, level: u8) -> u8 {
        level + u8::from(self.levels.is_counted())
    }

    /// Returns the request group of a packet on the link to its endpoint.
    #[inline]
    pub fn exit(&self, level: u8) -> u8 {
        self.levels.exit(level)
    }

    /// Returns the request group of a packet on `channel`. The packet has crossed `hops` channels, `hops_before` of them before its current
    /// route. `route` is the number of the current route, from 0; it leads to the switch `target`.
    #[inline]
    pub fn group(
        &self,
        (route, target): (u8, impl FnOnce() -> u32),
        level: u8,
        hops: u32,
        hops_before: u32,
        channel: impl FnOnce() -> u32,
    ) -> u8 {
        match &self.kind {
            Kind::Hops { .. } if self.per_phase == 0 => hops as u8,
            Kind::Hops { .. } => {
                let first = u32::from(route) * self.per_phase;
                (first + (hops - hops_before).min(self.per_phase - 1)) as u8
            }
            Kind::Phases => route,
            Kind::Free => 0,
            Kind::Crossings(_) | Kind::Datelines(_) => self.levels.group(level, channel(), target),
            Kind::Plan(_) => self.plan.as_ref().map_or(0, |planned| planned.vc(route, level, hops - hops_before)),
        }
    }
}
