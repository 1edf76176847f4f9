//! A plan carried over to the routing of a damaged fabric: as few service levels change as possible.
//!
//! Hosts keep the service levels that they were told. Making a plan anew would change most of them, and old and new paths
//! together could then wait for each other in a circle.

use tulle_fabric::Fabric;

use super::acyclic_vc::AcyclicVc;
use super::assignment::{Assignment, Rule};
use super::dependencies::Dependencies;
use super::online_order::OnlineOrder;
use super::routes::{NO_CHANNEL, Route, Walker, routes_of, senders};
use super::turns::Turns;
use super::{InUse, VcPlan, collect, judge};
use crate::lineage::Lineage;
use crate::{Error, Flaw, Routing};

/// A plan for `routing` over `fabric`, which came from `old`'s by [`Fabric::without`]: that of `old`, with other service
/// levels for paths alone that changed and cannot have theirs. `None` where there is none like that: the scheme must plan
/// anew.
///
/// Where a packet keeps its virtual channel, one gets another path only while the paths on it, old and new, stay free of
/// cycles together (where `with_old` is false: new ones alone); there may come to be `most` of them. With `colouring`, switches keep their colours, and a path has that of its second switch.
///
/// # Errors
/// A fabric that did not come from the old one, or a routing with a path that does not lead to its destination.
pub fn carried(
    old: InUse<'_>,
    fabric: &Fabric,
    routing: &Routing,
    most: u8,
    with_old: bool,
) -> Result<Option<VcPlan>, Error> {
    let lineage = Lineage::of(old.fabric, fabric)?;
    let Some(plan) = old.plan else { return Ok(None) };
    let is_tables = |routing: &Routing| routing.path_set().is_none();
    let alike = is_tables(routing) && is_tables(old.routing) && routing.num_layers() == old.routing.num_layers();
    if plan.num_phases() > 1 || !alike || !plan.fits(old.routing) {
        return Ok(None);
    }
    let carry = Carry { old, plan, fabric, routing, lineage: &lineage };
    let rule = plan.assignment.rule();
    let found = match rule {
        Rule::Constant => carry.classes(most, with_old)?.map(|(levels, vcs)| (levels, Rule::Constant, vcs)),
        Rule::Positions { .. } => carry.positions()?.map(|(levels, rule)| (levels, rule, plan.num_vcs() as u8)),
    };
    let Some((levels, rule, vcs)) = found else { return Ok(None) };
    let assignment = Assignment::new(routing, levels, rule, vcs);
    let Ok(certificate) = judge(fabric, routing, &assignment)? else { return Ok(None) };
    let grown = usize::from(vcs) > plan.num_vcs();
    let needed_vcs = if grown { vcs } else { plan.needed_vcs };
    let carried = VcPlan { spec: plan.spec.clone(), needed_vcs, assignment, certificate };
    Ok(carried.certificate.check(fabric, routing, &carried).is_ok().then_some(carried))
}

struct Carry<'a> {
    old: InUse<'a>,
    plan: &'a VcPlan,
    fabric: &'a Fabric,
    routing: &'a Routing,
    lineage: &'a Lineage,
}

impl Carry<'_> {
    /// The level that a route had.
    fn level(&self, layer: u32, source: u32, destination: u32) -> u8 {
        self.plan.sl(layer, self.lineage.old_switch(source), self.lineage.old_switch(destination))
    }

    /// A column of levels of all routes, that of a route without senders 0.
    fn column(&self) -> Vec<u8> {
        vec![0; self.routing.num_layers() * self.fabric.num_switches().pow(2)]
    }

    /// Levels where a packet keeps its virtual channel, and how many of these there are; `None` where a path fits on none.
    fn classes(&self, most: u8, with_old: bool) -> Result<Option<(Vec<u8>, u8)>, Error> {
        let assignment = &self.plan.assignment;
        let turns = Turns::of(self.old.fabric);
        let before = turns.channels_before();
        let mut graph = Dependencies::new(&turns, self.plan.num_vcs());
        if with_old {
            graph = collect::dependencies(self.old.fabric, &turns, self.old.routing, assignment)?;
        } else {
            self.staying(&mut graph)?;
        }
        let channel = |vc: u8| {
            let mut channels: Vec<u32> = (0..turns.num_channels() as u32).collect();
            channels.sort_by_key(|&channel| self.plan.certificate.rank(channel, vc));
            channels
        };
        let mut vcs: Vec<AcyclicVc<'_>> = (0..self.plan.num_vcs() as u8)
            .map(|vc| {
                let held = |turn: usize| graph.has(turn, vc, vc);
                AcyclicVc::new(OnlineOrder::of(self.old.fabric, &turns, &channel(vc), held), &before)
            })
            .collect();
        let mut levels = self.column();
        let (mut walker, edge) = (Walker::new(self.fabric, self.routing), senders(self.fabric));
        let (mut path, mut flaw, mut fits) = (Vec::new(), None::<Flaw>, true);
        for &source in &edge {
            routes_of(self.routing, &edge, source, |route| {
                if !fits {
                    return;
                }
                path.clear();
                let walked = walker.walk(route, |step| {
                    if step.before != NO_CHANNEL {
                        let [from, to] = [step.before, step.channel].map(|channel| self.lineage.old_channel(channel));
                        path.push(turns.turn(from, to) as u32);
                    }
                });
                flaw = flaw.take().or(walked.err());
                let had = self.level(route.layer, route.source, route.destination);
                let others = (0..vcs.len() as u8).filter(|&vc| vc != had);
                let mut found = std::iter::once(had).chain(others).find(|&vc| vcs[usize::from(vc)].take(&path));
                if found.is_none() && vcs.len() < usize::from(most) {
                    let mut another = AcyclicVc::new(OnlineOrder::new(self.old.fabric, &turns), &before);
                    found = another.take(&path).then_some(vcs.len() as u8);
                    vcs.push(another);
                }
                match found {
                    Some(vc) => levels[route.number as usize] = vc,
                    None => fits = false,
                }
            });
        }
        if let Some(flaw) = flaw {
            return Err(flaw.into());
        }
        if levels.iter().all(|&level| level == 0) {
            levels.clear();
        }
        let vcs = vcs.len() as u8;
        Ok(fits.then_some((levels, vcs)))
    }

    /// Adds the dependencies of paths that stay, on the virtual channels that they have.
    fn staying(&self, graph: &mut Dependencies<'_>) -> Result<(), Error> {
        let (mut walker, edge) = (Walker::new(self.fabric, self.routing), senders(self.fabric));
        let mut before = Walker::new(self.old.fabric, self.old.routing);
        let (mut path, mut was, mut flaw) = (Vec::new(), Vec::new(), None::<Flaw>);
        for &source in &edge {
            routes_of(self.routing, &edge, source, |route| {
                let [from, to] = [route.source, route.destination].map(|switch| self.lineage.old_switch(switch));
                path.clear();
                was.clear();
                let old = |channel| if channel == NO_CHANNEL { channel } else { self.lineage.old_channel(channel) };
                let walked = walker.walk(route, |step| path.push((old(step.before), old(step.channel))));
                let old_route = Route { number: 0, source: from, destination: to, ..route };
                let walked = walked.and(before.walk(old_route, |step| was.push((step.before, step.channel))));
                flaw = flaw.take().or(walked.err());
                if path == was {
                    let vc = self.level(route.layer, route.source, route.destination);
                    for &(before, channel) in path.iter().filter(|(before, _)| *before != NO_CHANNEL) {
                        graph.insert(before, vc, channel, vc);
                    }
                }
            });
        }
        flaw.map_or(Ok(()), |flaw| Err(flaw.into()))
    }

    /// Levels where the hop tells the virtual channel, by the colours there are; `None` where these do not tell any more.
    fn positions(&self) -> Result<Option<(Vec<u8>, Rule)>, Error> {
        let Rule::Positions { shares, colours, num_colours } = self.plan.assignment.rule() else { return Ok(None) };
        if colours.is_empty() && shares.len() > 1 {
            return Ok(None);
        }
        let switches = 0..self.fabric.num_switches() as u32;
        let colours: Vec<u8> = match colours.is_empty() {
            true => Vec::new(),
            false => switches.map(|switch| colours[self.lineage.old_switch(switch) as usize]).collect(),
        };
        let mut levels = self.column();
        let (mut walker, edge) = (Walker::new(self.fabric, self.routing), senders(self.fabric));
        let (mut flaw, mut fits) = (None::<Flaw>, true);
        for &source in &edge {
            routes_of(self.routing, &edge, source, |route| {
                let had = self.level(route.layer, route.source, route.destination);
                let mut second: Option<u8> = None;
                let walked = walker.walk(route, |step| {
                    let colour = || colours.get(self.fabric.sources()[step.channel as usize] as usize).copied();
                    match step.hop {
                        0 => {}
                        hop if hop >= shares.len() => fits = false,
                        1 => {
                            fits &= second.is_none() || second == colour();
                            second = colour();
                        }
                        _ => fits &= second != colour(),
                    }
                });
                flaw = flaw.take().or(walked.err());
                // A path of one hop keeps its level, whatever that is.
                levels[route.number as usize] = second.map_or(had, |second| had / num_colours * num_colours + second);
            });
        }
        if let Some(flaw) = flaw {
            return Err(flaw.into());
        }
        let rule = Rule::Positions { shares: shares.clone(), colours, num_colours: *num_colours };
        Ok(fits.then_some((levels, rule)))
    }
}

#[cfg(test)]
mod tests {
    use tulle_fabric::Faults;

    use super::super::{acyclic_together, deadlock_free};
    use super::*;
    use crate::reroute::reroute;

    /// Of all pairs and layers those whose level changed, and those whose path did; `None` where a plan cannot be carried
    /// over, or pairs are too far apart for its scheme.
    fn changed(spec: &str, routing: &str, scheme: &str, faults: &str, with_old: bool) -> Option<(usize, usize)> {
        let fabric = tulle_fabric::build(spec, 0).unwrap();
        let given = crate::build(&fabric, routing, 0).unwrap();
        let (plan, repaired) = deadlock_free(&fabric, &given, scheme).unwrap();
        let routing = repaired.unwrap_or(given);
        let damaged = fabric.without(&faults.parse::<Faults>().unwrap(), 1).unwrap();
        let mended = reroute(&fabric, &routing, (scheme == "colouring").then_some(&plan), &damaged).ok()?.routing;
        let old = InUse { fabric: &fabric, routing: &routing, plan: Some(&plan) };
        let new = carried(old, &damaged, &mended, 8, with_old).unwrap()?;
        let together = InUse { fabric: &damaged, routing: &mended, plan: Some(&new) };
        assert!(!with_old || acyclic_together(old, together).unwrap().is_ok());
        let lineage = Lineage::of(&fabric, &damaged).unwrap();
        let (mut levels, mut paths) = (0, 0);
        for layer in 0..mended.num_layers() as u32 {
            for source in 0..damaged.num_switches() as u32 {
                for destination in (0..damaged.num_switches() as u32).filter(|&other| other != source) {
                    let [from, to] = [source, destination].map(|switch| lineage.old_switch(switch));
                    let of = |fabric: &Fabric, routing: &Routing, from, to| {
                        crate::path(fabric, &routing.layers()[layer as usize], from, to)
                    };
                    let was = of(&fabric, &routing, from, to);
                    let is: Vec<u32> =
                        of(&damaged, &mended, source, destination).iter().map(|&c| lineage.old_channel(c)).collect();
                    let moved = new.sl(layer, source, destination) != plan.sl(layer, from, to);
                    assert!(!moved || was != is, "a path that stayed has another level");
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
                        assert!(levels <= paths && paths > 0, "{routing} {scheme} {faults}: {levels} of {paths}");
                    }
                }
            }
        }
        // Of girth 5: without their cable neighbours are 4 hops apart.
        for (scheme, faults) in [("dfsssp", "links=1"), ("colouring", "switches=1")] {
            assert!(changed("slimfly:q=5", "almost-minimal:layers=4", scheme, faults, true).is_some(), "{scheme}");
        }
        // With two sets of virtual channels there is none for a third hop.
        assert_eq!(changed("slimfly:q=5", "minimal", "colouring:vcs=8", "links=1", true), None);
    }
}
