//! Adapts a VC plan to the routing of a damaged fabric, and changes as few service levels as possible.
//!
//! After a failure, hosts keep using their current service levels for a while. A completely new plan would change most service levels, and
//! then packets on old and new paths together could deadlock.

use tulle_fabric::Fabric;
use tulle_routing::{Error, Flaw, Routing};

use super::acyclic_vc::AcyclicVc;
use super::assignment::{Assignment, Detours, Rule, Share};
use super::colouring::shortened_where_near;
use super::dependencies::Dependencies;
use super::known::Kept;
use super::online_order::OnlineOrder;
use super::routes::{NO_CHANNEL, Route, Step, Walker, routes_of, senders};
use super::turns::Turns;
use super::{Hardware, InUse, RemovedChannels, VcPlan, collect, verify};
use crate::id_map::IdMap;

/// Returns a plan for `routing` over `fabric`, which must be a part of the fabric of `old`, for example a result of [`Fabric::without`].
/// The plan has the service levels of the old plan, except for changed paths that cannot keep their level. If the plan's scheme is
/// `colouring`, some paths may have to be shortened; the second value is then the routing to use instead of `routing`. Returns `None` if
/// the old plan cannot be adapted; the scheme must then make a new plan.
///
/// With most schemes, a packet uses the same virtual channel at all hops. A virtual channel then accepts a new path only if the paths on
/// this virtual channel close no dependency cycle. The check includes all old paths, or only unchanged paths if `with_old` is false.
///
/// With `colouring`, every switch keeps its colour from the old plan, and the colour of a path's second switch selects the service level of
/// the path. This is impossible for paths of more than three hops, and for paths whose second and third switch have the same colour. These
/// paths use a separate virtual channel.
///
/// `limits` gives the maximum numbers of virtual channels and service levels. The plan assumes that switches drop packets for failed
/// channels, so no packet waits for a failed channel.
///
/// # Errors
/// Fails if `fabric` is not a part of the fabric of `old`, or if a path does not lead to its destination.
pub fn adapt_plan(
    old: InUse<'_>,
    fabric: &Fabric,
    routing: &Routing,
    limits: Hardware,
    with_old: bool,
) -> Result<Option<(VcPlan, Option<Routing>)>, Error> {
    let id_map = IdMap::of(old.fabric, fabric)?;
    let Some(plan) = old.plan else { return Ok(None) };
    let is_tables = |routing: &Routing| routing.path_set().is_none();
    let alike = is_tables(routing) && is_tables(old.routing) && routing.num_layers() == old.routing.num_layers();
    if plan.num_phases() > 1 || !alike || !plan.fits(old.routing) {
        return Ok(None);
    }
    let by_colours = matches!(plan.assignment.rule(), Rule::Positions { colours, .. } if !colours.is_empty());
    let is_trees = routing.layers().iter().all(|table| table.widest() <= 1);
    let shorter = (by_colours && is_trees).then(|| shortened_where_near(fabric, routing)).transpose()?;
    let shorter = shorter.filter(|shorter| shorter != routing);
    let routing = shorter.as_ref().unwrap_or(routing);
    let turns = Turns::of(old.fabric);
    let before = turns.channels_before();
    let incremental =
        IncrementalPlan { old, plan, fabric, routing, id_map: &id_map, turns: &turns, before: &before, limits };
    let Some((levels, rule, vcs)) = incremental.levels(with_old)? else { return Ok(None) };
    let assignment = Assignment::new(routing, levels, rule, vcs);
    let Ok(certificate) = verify(fabric, routing, &assignment)? else { return Ok(None) };
    let grown = usize::from(vcs) - plan.num_vcs();
    let needed_vcs = plan.needed_vcs + grown as u8;
    let adapted = VcPlan { spec: plan.spec.clone(), needed_vcs, assignment, certificate, kept: Kept::default() };
    Ok(adapted.certificate.check(fabric, routing, &adapted).is_ok().then_some((adapted, shorter)))
}

struct IncrementalPlan<'a> {
    old: InUse<'a>,
    plan: &'a VcPlan,
    fabric: &'a Fabric,
    routing: &'a Routing,
    id_map: &'a IdMap,
    turns: &'a Turns,
    before: &'a [u32],
    limits: Hardware,
}

/// The service levels of all routes, the rule that maps service levels to virtual channels, and the number of virtual channels.
type Levels = (Vec<u8>, Rule, u8);

impl<'a> IncrementalPlan<'a> {
    /// Returns service levels under the rule of the old plan, or `None` if some path fits on no virtual channel or the rule is
    /// [`Rule::Rows`].
    fn levels(&self, with_old: bool) -> Result<Option<Levels>, Error> {
        match self.plan.assignment.rule() {
            Rule::Constant => self.constant(with_old),
            Rule::Positions { shares, colours, num_colours, detours } => {
                let switches = 0..self.fabric.num_switches() as u32;
                let colours: Vec<u8> = match colours.is_empty() {
                    true => Vec::new(),
                    false => switches.map(|switch| colours[self.id_map.old_switch(switch) as usize]).collect(),
                };
                self.positions(shares, colours, *num_colours, *detours, with_old)
            }
            Rule::Rows { .. } => Ok(None),
        }
    }

    /// Returns the service level of a route in the old plan.
    fn level(&self, route: Route) -> u8 {
        let [source, destination] = [route.source, route.destination].map(|switch| self.id_map.old_switch(switch));
        self.plan.sl(route.layer, source, destination)
    }

    /// Calls `visit` with every route and its steps, until `visit` returns false.
    fn routes(&self, mut visit: impl FnMut(Route, &[Step]) -> bool) -> Result<bool, Error> {
        let (mut walker, edge) = (Walker::new(self.fabric, self.routing), senders(self.fabric));
        let (mut path, mut flaw, mut on) = (Vec::new(), None::<Flaw>, true);
        for &source in &edge {
            routes_of(self.routing, &edge, source, |route| {
                if on {
                    path.clear();
                    let walked = walker.walk(route, |step| path.push(step));
                    flaw = flaw.take().or(walked.err());
                    on = flaw.is_none() && visit(route, &path);
                }
            });
        }
        flaw.map_or(Ok(on), |flaw| Err(flaw.into()))
    }

    /// Returns an array with one service level per route, all set to 0.
    fn column(&self) -> Vec<u8> {
        vec![0; self.routing.num_layers() * self.fabric.num_switches().pow(2)]
    }

    /// Returns service levels for schemes in which each packet stays on one virtual channel.
    fn constant(&self, with_old: bool) -> Result<Option<Levels>, Error> {
        let [vcs, sls] = [self.limits.vcs, self.limits.sls].map(|most| most.unwrap_or(u8::MAX));
        let mut existing = self.existing_vcs(0, vcs.min(sls), with_old)?;
        let mut levels = self.column();
        let fits = self.routes(|route, path| {
            let found = existing.take(path, Some(self.level(route)));
            levels[route.number as usize] = found.unwrap_or_default();
            found.is_some()
        })?;
        if levels.iter().all(|&level| level == 0) {
            levels.clear();
        }
        Ok(fits.then_some((levels, Rule::Constant, existing.end())))
    }

    /// Returns service levels for schemes in which the virtual channel depends on the hop. Switches keep their colours. If the colours do
    /// not determine the service level of a route, the route stays on one virtual channel.
    fn positions(
        &self,
        shares: &[Share],
        colours: Vec<u8>,
        num_colours: u8,
        detours: Option<Detours>,
        with_old: bool,
    ) -> Result<Option<Levels>, Error> {
        let detours = detours.unwrap_or_else(|| {
            let slots = (self.plan.assignment.num_sls() - 1) / num_colours + 1;
            Detours { first_sl: slots.saturating_mul(num_colours), first_vc: self.plan.num_vcs() as u8 }
        });
        let [vcs, sls] = [(self.limits.vcs, detours.first_vc), (self.limits.sls, detours.first_sl)]
            .map(|(most, first)| most.unwrap_or(u8::MAX).saturating_sub(first));
        let mut existing = self.existing_vcs(detours.first_vc, vcs.min(sls), with_old)?;
        let mut levels = self.column();
        let fits = self.routes(|route, path| {
            let had = self.level(route);
            let detour = had.checked_sub(detours.first_sl).map(|at| detours.first_vc + at);
            let stays = detour.and_then(|vc| existing.take_on(path, vc).then_some(had));
            let by_colours = || {
                level_of_colours(
                    self.fabric,
                    path,
                    shares,
                    &colours,
                    num_colours,
                    if detour.is_some() { 0 } else { had },
                )
            };
            let found = stays
                .or_else(by_colours)
                .or_else(|| existing.take(path, None).map(|vc| detours.first_sl + (vc - detours.first_vc)));
            levels[route.number as usize] = found.unwrap_or_default();
            found.is_some()
        })?;
        let vcs = existing.end();
        let detours = (vcs > detours.first_vc).then_some(detours);
        Ok(fits.then_some((levels, Rule::Positions { shares: shares.to_vec(), colours, num_colours, detours }, vcs)))
    }

    /// Returns the virtual channels from `first` on, with their existing dependencies. New paths must not close a cycle with these
    /// dependencies. New virtual channels may be added until there are `most` virtual channels from `first` on.
    fn existing_vcs(&self, first: u8, most: u8, with_old: bool) -> Result<ExistingVcs<'a>, Error> {
        let mut graph = Dependencies::new(self.turns, self.plan.num_vcs());
        if with_old {
            let all = collect::dependencies(self.old.fabric, self.turns, self.old.routing, &self.plan.assignment)?;
            graph.add(&all, |channel| RemovedChannels::Down.holding(self.id_map, channel));
        } else {
            self.add_unchanged(&mut graph)?;
        }
        let vcs = first..self.plan.num_vcs() as u8;
        let vcs = vcs.map(|vc| {
            let mut channels: Vec<u32> = (0..self.turns.num_channels() as u32).collect();
            channels.sort_by_key(|&channel| self.plan.certificate.rank(channel, vc));
            let held = |turn: usize| graph.has(turn, vc, vc);
            AcyclicVc::new(OnlineOrder::of(self.old.fabric, self.turns, &channels, held), self.before)
        });
        let vcs = vcs.collect();
        let IncrementalPlan { old, id_map, turns, before, .. } = *self;
        Ok(ExistingVcs { fabric: old.fabric, id_map, turns, before, first, most: most.into(), vcs, path: Vec::new() })
    }

    /// Adds the dependencies of unchanged paths to `graph`, on their current virtual channels.
    fn add_unchanged(&self, graph: &mut Dependencies<'_>) -> Result<(), Error> {
        let mut walker = Walker::new(self.old.fabric, self.old.routing);
        let (mut was, mut flaw) = (Vec::new(), None::<Flaw>);
        self.routes(|route, path| {
            let [source, destination] = [route.source, route.destination].map(|switch| self.id_map.old_switch(switch));
            was.clear();
            let walked = walker.walk(Route { number: 0, source, destination, ..route }, |step| was.push(step));
            flaw = flaw.take().or(walked.err());
            let old = |channel| if channel == NO_CHANNEL { channel } else { self.id_map.old_channel(channel) };
            if path
                .iter()
                .map(|step| (old(step.before), old(step.channel)))
                .eq(was.iter().map(|step| (step.before, step.channel)))
            {
                let vcs = self.plan.assignment.level_vcs(self.level(route));
                let vc = |hop, channel: u32| vcs.at(hop, self.old.fabric.sources()[channel as usize]);
                for step in was.iter().filter(|step| step.before != NO_CHANNEL) {
                    graph.insert(step.before, vc(step.hop - 1, step.before), step.channel, vc(step.hop, step.channel));
                }
            }
            flaw.is_none()
        })?;
        flaw.map_or(Ok(()), |flaw| Err(flaw.into()))
    }
}

/// Returns the service level of `path` if the hop and the colours determine its virtual channels, otherwise `None`. The slot of the service
/// level (see [`Rule`]) is the slot of the old level `had`.
///
/// A path of one hop keeps its old level, because it has no second switch.
fn level_of_colours(
    fabric: &Fabric,
    path: &[Step],
    shares: &[Share],
    colours: &[u8],
    num_colours: u8,
    had: u8,
) -> Option<u8> {
    let mut second = None;
    for step in path {
        let colour = colours.get(fabric.sources()[step.channel as usize] as usize).copied();
        match step.hop {
            hop if hop >= shares.len() => return None,
            0 => {}
            1 if second.is_some() && second != colour => return None,
            1 => second = colour,
            _ if second.is_some() && second == colour => return None,
            _ => {}
        }
    }
    Some(second.map_or(had, |second| had / num_colours * num_colours + second))
}

/// Virtual channels on which a packet stays for its whole route. Each virtual channel accepts a path only if its dependencies stay acyclic.
struct ExistingVcs<'a> {
    fabric: &'a Fabric,
    id_map: &'a IdMap,
    turns: &'a Turns,
    before: &'a [u32],
    first: u8,
    most: usize,
    vcs: Vec<AcyclicVc<'a>>,
    path: Vec<u32>,
}

impl ExistingVcs<'_> {
    /// Returns the number of the last virtual channel plus one.
    fn end(&self) -> u8 {
        self.first + self.vcs.len() as u8
    }

    /// Returns the virtual channel that accepts `path`: its old virtual channel `had` if possible, otherwise the first one that accepts the
    /// path, or a new one.
    fn take(&mut self, path: &[Step], had: Option<u8>) -> Option<u8> {
        let others = (self.first..self.end()).filter(|&vc| Some(vc) != had);
        let found = had.into_iter().chain(others).find(|&vc| self.take_on(path, vc));
        if found.is_some() || self.vcs.len() >= self.most {
            return found;
        }
        self.vcs.push(AcyclicVc::new(OnlineOrder::new(self.fabric, self.turns), self.before));
        let vc = self.end() - 1;
        self.take_on(path, vc).then_some(vc)
    }

    /// Adds `path` to virtual channel `vc`, unless this closes a cycle. Returns whether it was added.
    fn take_on(&mut self, path: &[Step], vc: u8) -> bool {
        self.path.clear();
        for step in path.iter().filter(|step| step.before != NO_CHANNEL) {
            let [from, to] = [step.before, step.channel].map(|channel| self.id_map.old_channel(channel));
            self.path.push(self.turns.turn(from, to) as u32);
        }
        self.vcs[usize::from(vc - self.first)].take(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use tulle_fabric::Faults;

    use super::super::{acyclic_together, assign_vcs};
    use super::*;
    use crate::reroute::reroute;

    /// Counts entries (a layer and a pair of switches) whose service level changed, and entries whose path changed. Returns `None` if the
    /// plan cannot be adapted, or if the damaged fabric is not connected.
    fn changed(spec: &str, routing: &str, scheme: &str, faults: &str, with_old: bool) -> Option<(usize, usize)> {
        let fabric = tulle_topologies::build(spec, 0).unwrap();
        let given = tulle_routing::build(&fabric, routing, 0).unwrap();
        let (plan, repaired) = assign_vcs(&fabric, &given, scheme).unwrap();
        let routing = repaired.unwrap_or(given);
        let damaged = fabric.without(&faults.parse::<Faults>().unwrap(), 1).unwrap();
        let rerouted = reroute(&fabric, &routing, None, &damaged).ok()?.routing;
        let old = InUse { fabric: &fabric, routing: &routing, plan: Some(&plan) };
        let limits = Hardware { vcs: Some(8), sls: Some(16) };
        let (new, shorter) = adapt_plan(old, &damaged, &rerouted, limits, with_old).unwrap()?;
        let rerouted = shorter.unwrap_or(rerouted);
        let together = InUse { fabric: &damaged, routing: &rerouted, plan: Some(&new) };
        assert!(!with_old || acyclic_together(old, together, RemovedChannels::Down).unwrap().is_ok());
        let id_map = IdMap::of(&fabric, &damaged).unwrap();
        let (mut levels, mut paths) = (0, 0);
        for layer in 0..rerouted.num_layers() as u32 {
            for source in 0..damaged.num_switches() as u32 {
                for destination in (0..damaged.num_switches() as u32).filter(|&other| other != source) {
                    let [from, to] = [source, destination].map(|switch| id_map.old_switch(switch));
                    let of = |fabric: &Fabric, routing: &Routing, from, to| {
                        tulle_routing::path(fabric, &routing.layers()[layer as usize], from, to)
                    };
                    let was = of(&fabric, &routing, from, to);
                    let is: Vec<u32> =
                        of(&damaged, &rerouted, source, destination).iter().map(|&c| id_map.old_channel(c)).collect();
                    let moved = new.sl(layer, source, destination) != plan.sl(layer, from, to);
                    assert!(!moved || was != is, "an unchanged path has another service level");
                    levels += usize::from(moved);
                    paths += usize::from(was != is);
                }
            }
        }
        Some((levels, paths))
    }

    #[test]
    fn levels_stay_with_paths() {
        for (routing, scheme) in [
            ("almost-minimal:layers=4", "dfsssp"),
            ("random:layers=4,rho=0.7", "lash"),
            ("almost-minimal:layers=4", "colouring"),
        ] {
            for faults in ["links=1", "links=5%", "switches=1"] {
                for with_old in [true, false] {
                    if let Some((levels, paths)) = changed("slimfly:q=5", routing, scheme, faults, with_old) {
                        assert!(
                            levels <= paths && paths > 0,
                            "{routing} {scheme} {faults}: {levels} service levels changed, but only {paths} paths"
                        );
                    }
                }
            }
        }
        // This Slim Fly has girth 5. If the cable between two neighbours fails, they are 4 hops apart, so their paths need a separate
        // virtual channel.
        for (scheme, faults) in [("dfsssp", "links=1"), ("colouring", "links=1"), ("colouring", "switches=1")] {
            assert!(changed("slimfly:q=5", "almost-minimal:layers=4", scheme, faults, true).is_some(), "{scheme}");
        }
        // All 8 virtual channels are in use, so none is free for the paths of 4 hops.
        assert_eq!(changed("slimfly:q=5", "minimal", "colouring:vcs=8", "links=1", true), None);
    }
}
