use tulle_fabric::Faults;

use super::*;
use crate::assign_vcs;
use crate::known::Kept;

/// Builds a fabric without failures, with its routing and plan.
fn whole(spec: &str, routing: &str, scheme: &str) -> (Fabric, Routing, VcPlan) {
    let fabric = tulle_topologies::build(spec, 0).unwrap();
    let given = tulle_routing::build(&fabric, routing, 0).unwrap();
    let (plan, repaired) = assign_vcs(&fabric, &given, scheme).unwrap();
    (fabric, repaired.unwrap_or(given), plan)
}

/// Returns whether the union of old and new forwarding entries, on the service levels of all senders, has a dependency cycle. For each
/// packet, this function simply follows all its possible paths.
fn mixtures_have_a_cycle(old: InUse<'_>, damaged: &Fabric, new: &Routing) -> bool {
    let id_map = IdMap::of(old.fabric, damaged).unwrap();
    let (fabric, plan) = (old.fabric, old.plan.unwrap());
    let is_up = |channel: u32| id_map.new_channel(channel).is_some();
    let mut of_old = vec![None; fabric.num_switches()];
    (0..damaged.num_switches() as u32).for_each(|switch| of_old[id_map.old_switch(switch) as usize] = Some(switch));
    let mut edges = std::collections::BTreeSet::new();
    for layer in 0..new.num_layers() {
        for destination in 0..fabric.num_switches() as u32 {
            let choices = |switch: u32| {
                let mut found = vec![
                    fabric.offsets()[switch as usize]
                        + u32::from(old.routing.layers()[layer].next(switch, destination)[0]),
                ];
                if let (Some(here), Some(there)) = (of_old[switch as usize], of_old[destination as usize]) {
                    let port = new.layers()[layer].next(here, there)[0];
                    found.push(id_map.old_channel(damaged.offsets()[here as usize] + u32::from(port)));
                }
                found
            };
            for source in (0..fabric.num_switches() as u32).filter(|&source| source != destination) {
                let sl = plan.sl(layer as u32, source, destination);
                let mut stack: Vec<(u32, bool)> = choices(source).into_iter().map(|channel| (channel, true)).collect();
                let mut seen = std::collections::HashSet::new();
                while let Some((channel, injected)) = stack.pop() {
                    let here = fabric.targets()[channel as usize];
                    if !seen.insert((channel, injected)) || here == destination {
                        continue;
                    }
                    let vc = |channel: u32, injected| {
                        plan.sl_to_vl(fabric.sources()[channel as usize], injected, sl).unwrap()
                    };
                    for next in choices(here).into_iter().filter(|&next| next != fabric.reverse()[channel as usize]) {
                        if is_up(channel) && is_up(next) {
                            edges.insert([(channel, vc(channel, injected)), (next, vc(next, false))]);
                        }
                        stack.push((next, false));
                    }
                }
            }
        }
    }
    let mut incoming: std::collections::BTreeMap<(u32, u8), usize> = std::collections::BTreeMap::new();
    for [from, to] in &edges {
        incoming.entry(*from).or_default();
        *incoming.entry(*to).or_default() += 1;
    }
    let mut free: Vec<_> = incoming.iter().filter(|(_, count)| **count == 0).map(|(node, _)| *node).collect();
    let mut removed = 0;
    while let Some(node) = free.pop() {
        removed += 1;
        for [_, to] in edges.range([node, (0, 0)]..=[node, (u32::MAX, u8::MAX)]) {
            let count = incoming.get_mut(to).unwrap();
            *count -= 1;
            if *count == 0 {
                free.push(*to);
            }
        }
    }
    removed < incoming.len()
}

/// Reroutes after failures, checks the result, and returns the number of entries that changed; `None` if there is no solution.
fn rerouted(whole: &(Fabric, Routing, VcPlan), faults: &str, seed: u64) -> Option<usize> {
    let (fabric, routing, plan) = whole;
    let damaged = fabric.without(&faults.parse::<Faults>().unwrap(), seed).unwrap();
    let old = InUse { fabric, routing, plan: Some(plan) };
    let (new, new_plan) = reroute_undisturbed(old, &damaged, States::Mixtures { drops_u_turns: true }).unwrap()?;
    new_plan.certificate().check(&damaged, &new, &new_plan).unwrap();
    new.layers().iter().for_each(|table| tulle_routing::verify(&damaged, table).unwrap());
    assert!(!mixtures_have_a_cycle(old, &damaged, &new), "{faults} {seed}");
    let id_map = IdMap::of(fabric, &damaged).unwrap();
    let mut changed = 0;
    for layer in 0..new.num_layers() {
        for from in 0..damaged.num_switches() as u32 {
            for to in (0..damaged.num_switches() as u32).filter(|&to| to != from) {
                let [was_from, was_to] = [from, to].map(|switch| id_map.old_switch(switch));
                assert_eq!(new_plan.sl(layer as u32, from, to), plan.sl(layer as u32, was_from, was_to));
                let was =
                    fabric.offsets()[was_from as usize] + u32::from(routing.layers()[layer].next(was_from, was_to)[0]);
                let is = damaged.offsets()[from as usize] + u32::from(new.layers()[layer].next(from, to)[0]);
                changed += usize::from(id_map.old_channel(is) != was);
            }
        }
    }
    for sl in 0..plan.num_sls() as u8 {
        for switch in 0..damaged.num_switches() as u32 {
            for injected in [false, true] {
                let was = plan.sl_to_vl(id_map.old_switch(switch), injected, sl);
                assert_eq!(new_plan.sl_to_vl(switch, injected, sl), was);
            }
        }
    }
    Some(changed)
}

#[test]
fn single_cables_of_slim_fly_with_colouring() {
    let whole = whole("slimfly:q=5", "almost-minimal:layers=4", "colouring");
    for seed in 0..20 {
        let changed = rerouted(&whole, "links=1", seed).expect("a solution");
        // In every layer, about 35 entries lead over any given cable.
        assert!((50..250).contains(&changed), "{changed} entries changed");
    }
}

#[test]
fn several_cables_and_a_switch_of_slim_fly_with_colouring() {
    let whole = whole("slimfly:q=5", "almost-minimal:layers=4", "colouring");
    let found: Vec<bool> = ["links=2", "links=3", "switches=1"]
        .into_iter()
        .flat_map(|faults| (0..4).map(move |seed| (faults, seed)))
        .map(|(faults, seed)| rerouted(&whole, faults, seed).is_some())
        .collect();
    assert!(found.iter().filter(|found| **found).count() >= 11, "{found:?}");
}

#[test]
fn dfsssp_with_a_virtual_channel_for_first_hops() {
    let whole = whole("slimfly:q=5", "almost-minimal:layers=4", "dfsssp:first_vcs=1,vcs=7");
    let found = (0..20).filter(|&seed| rerouted(&whole, "links=1", seed).is_some()).count();
    assert!(found >= 19, "{found} of 20");
}

#[test]
fn a_second_failure_after_the_first() {
    let (fabric, routing, plan) = whole("slimfly:q=5", "almost-minimal:layers=4", "colouring");
    let damaged = fabric.without(&"links=1".parse::<Faults>().unwrap(), 1).unwrap();
    let old = InUse { fabric: &fabric, routing: &routing, plan: Some(&plan) };
    let (new, new_plan) =
        reroute_undisturbed(old, &damaged, States::Mixtures { drops_u_turns: true }).unwrap().unwrap();
    assert!(rerouted(&(damaged, new, new_plan), "links=1", 2).is_some());
}

#[test]
fn a_ring_has_no_short_detour() {
    // In a ring, a detour is much longer than the paths before the failure.
    let whole = whole("torus:dims=12", "random:layers=1,rho=1", "dfsssp");
    assert_eq!(rerouted(&whole, "links=1", 0), None);
}

#[test]
fn new_entries_alone_are_easier() {
    // This scheme assigns one virtual channel per path, so each virtual channel already has many dependencies. Few repairs are then free of
    // deadlock while traffic flows.
    let (fabric, routing, plan) = whole("slimfly:q=5", "almost-minimal:layers=4", "dfsssp");
    let old = InUse { fabric: &fabric, routing: &routing, plan: Some(&plan) };
    let mut found = [0, 0];
    for seed in 0..10 {
        let damaged = fabric.without(&"links=1".parse::<Faults>().unwrap(), seed).unwrap();
        for (found, states) in found.iter_mut().zip([States::Mixtures { drops_u_turns: false }, States::New]) {
            let rerouted = reroute_undisturbed(old, &damaged, states).unwrap();
            if let Some((new, new_plan)) = rerouted {
                new_plan.certificate().check(&damaged, &new, &new_plan).unwrap();
                new.layers().iter().for_each(|table| tulle_routing::verify(&damaged, table).unwrap());
                *found += 1;
            }
        }
    }
    assert!(found[0] < found[1], "{found:?}");
}

/// A plan that has cached data of an earlier search gives the same result as a plan without cached data.
#[test]
fn kept_knowledge_changes_no_result() {
    let states = States::Mixtures { drops_u_turns: true };
    let (mut fabric, mut routing, mut plan) = whole("slimfly:q=5", "almost-minimal:layers=4", "colouring");
    let fresh = |plan: &VcPlan| VcPlan { kept: Kept::default(), ..plan.clone() };
    for seed in 0..3 {
        let damaged = fabric.without(&"links=1".parse::<Faults>().unwrap(), seed).unwrap();
        let search = |routing: &Routing, plan: &VcPlan| {
            let old = InUse { fabric: &fabric, routing, plan: Some(plan) };
            reroute_undisturbed(old, &damaged, states).unwrap()
        };
        let first = search(&routing, &plan);
        assert!(first.is_some());
        assert_eq!(first, search(&routing, &plan));
        assert_eq!(first, search(&routing, &fresh(&plan)));
        // The cache of the plan has no data about this routing. The result has the paths of a search from scratch.
        let mut layers = routing.layers().to_vec();
        layers.swap(0, 1);
        let other = Routing::new(routing.spec().to_owned(), Routes::Layers(layers));
        assert_eq!(search(&other, &plan), search(&other, &fresh(&plan)));
        (routing, plan) = first.unwrap();
        fabric = damaged;
    }
}

#[test]
fn a_network_without_cables_has_no_routing() {
    let ring = whole("torus:shape=4,p=1", "random:layers=1,rho=1", "dfsssp");
    assert_eq!(rerouted(&ring, "links=4", 0), None);
}
