//! Reroutes after failures such that switches may load the new tables in any order while traffic flows.
//!
//! Hosts keep the service level of a path until they query its path record again, which can be much later. So this module changes only
//! forwarding entries; all service levels and SL-to-VL tables stay the same. While switches load the new entries, a packet can meet old and
//! new entries in any mixture. The search changes the entries of one switch after the other. It accepts a new entry only if the channel
//! dependencies of all mixtures still have no cycle.
//!
//! For each layer and destination, the old paths form a tree. The switches whose path has failed form subtrees of this tree. The search
//! begins with the switches that are farthest from the failure, because few other switches send through them. When the search reaches the
//! switches next to the failure, most other switches have already left the subtree.

mod dynamic_order;
mod tree;

use rayon::prelude::*;
use tulle_fabric::Fabric;
use tulle_routing::{Error, NO_GROUP, Routes, Routing, Table, TableBuilder};

use crate::assignment::{Assignment, Rule};
use crate::block::{BLOCK, Block};
use crate::id_map::IdMap;
use crate::known::{self, Known};
use crate::routes::{Route, senders};
use crate::turns::Turns;
use crate::{Certificate, InUse, VcPlan, collect};
use dynamic_order::DynamicOrder;
use tree::{Tree, Whole};

/// The maximum number of attempts. Each attempt starts with the destinations for which earlier attempts found no solution.
const ATTEMPTS: u32 = 40;
/// The search gives up after `FIRST_ATTEMPTS` attempts if more than `HOPELESS` trees (pairs of layer and destination) have no solution.
const HOPELESS: usize = 8;
const FIRST_ATTEMPTS: u32 = 4;
/// The number of hops by which a new path may exceed the longest old path.
const MORE_HOPS: usize = 2;

/// The combinations of old and new forwarding entries that must be free of deadlock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum States {
    /// All mixtures of old and new forwarding entries. They occur if switches load new entries while traffic flows.
    Mixtures {
        /// Whether switches discard packets that would leave through the port on which they arrived. If so, the check ignores such U-turns.
        drops_u_turns: bool,
    },
    /// Only the new forwarding entries. This suffices if traffic stops while switches load them.
    New,
}

/// Returns a routing of `damaged` and its plan. The plan keeps all service levels and SL-to-VL tables of `old`, and is free of deadlock in
/// all `states`. Returns `None` if the search finds no such routing. Also returns `None` if `old` has no plan, if its routing is a path set
/// or has several next hops per entry, or if SL-to-VL tables cannot express its plan.
///
/// # Errors
/// Fails if `damaged` is not a part of the fabric of `old`, or if a path does not lead to its destination.
pub fn reroute_undisturbed(
    old: InUse<'_>,
    damaged: &Fabric,
    states: States,
) -> Result<Option<(Routing, VcPlan)>, Error> {
    let id_map = IdMap::of(old.fabric, damaged)?;
    // No path leads to a switch without channels.
    if damaged.num_switches() > 1 && (0..damaged.num_switches() as u32).any(|switch| damaged.degree(switch) == 0) {
        return Ok(None);
    }
    let (Some(plan), Routes::Layers(tables)) = (old.plan, old.routing.routes()) else { return Ok(None) };
    if plan.num_phases() > 1 || !plan.fits(old.routing) || tables.iter().any(|table| table.widest() > 1) {
        return Ok(None);
    }
    let Some(lanes) = lanes(plan, old.fabric.num_switches()) else { return Ok(None) };
    let vcs = plan.num_vcs();
    // Like the new plan, this assignment takes the virtual channels from the SL-to-VL tables.
    let assignment = Assignment::new(old.routing, plan.sls().to_vec(), rule(plan, &lanes), vcs as u8);
    let Some(all) = plan.kept.get(old.fabric, old.routing, || Known::of(old.fabric, old.routing, &assignment))? else {
        return Ok(None);
    };
    let is_up: Vec<bool> =
        (0..old.fabric.num_channels() as u32).map(|channel| id_map.new_channel(channel).is_some()).collect();
    let mut is_sender = vec![false; old.fabric.num_switches()];
    senders(old.fabric).iter().for_each(|&switch| is_sender[switch as usize] = true);
    let used = all.channel_use(old.fabric);
    let mut whole = Whole {
        fabric: old.fabric,
        tables,
        plan,
        lanes: &lanes,
        num_sls: plan.num_sls(),
        vcs,
        is_up,
        is_sender,
        states,
        most_hops: used.longest + MORE_HOPS,
        load: used.load.clone(),
        attempt: 0,
    };
    let hit = hit(&whole, damaged, &id_map);
    let blocks: Vec<(usize, &[u32])> =
        hit.iter().enumerate().flat_map(|(layer, hit)| hit.chunks(BLOCK).map(move |some| (layer, some))).collect();
    let mut trees: Vec<Tree> = blocks
        .par_iter()
        .flat_map_iter(|&(layer, destinations)| {
            let block = Block::of(old.fabric, &assignment, &tables[layer], layer as u32, destinations);
            let tree = |(at, &destination)| Tree::of(&whole, layer, destination, block.ports(at));
            destinations.iter().enumerate().map(tree).filter(|tree| !tree.is_intact()).collect::<Vec<_>>()
        })
        .collect();
    // Packets for failed channels are dropped, so no packet waits for them.
    let lasts = |&[from, to]: &[u32; 2]| whole.is_up[from as usize / vcs] && whole.is_up[to as usize / vcs];
    let edges: Vec<[u32; 2]> = match states {
        States::Mixtures { .. } => all.edges.iter().copied().filter(lasts).collect(),
        States::New => {
            let mut is_intact = vec![true; tables.len() * old.fabric.num_switches().pow(2)];
            for tree in &trees {
                tree.sources().for_each(|source| {
                    is_intact[plan.assignment.number(tree.layer as u32, source, tree.destination)] = false;
                });
            }
            let wanted = |route: Route| is_intact[route.number as usize];
            let turns = Turns::of(old.fabric);
            let intact = collect::of_routes(old.fabric, &turns, old.routing, &assignment, wanted)?;
            known::edges(&intact).into_iter().filter(lasts).collect()
        }
    };
    let mut graph = DynamicOrder::new(&all.ranks, &edges);
    for attempt in 0..ATTEMPTS {
        whole.attempt = attempt;
        // Trees with the same key stay sorted by layer and destination, because the sort is stable.
        trees.sort_by_key(|tree| (std::cmp::Reverse(tree.failures), std::cmp::Reverse(tree.num_broken())));
        let before = whole.load.clone();
        let mut unsolved = 0;
        for tree in &mut trees {
            tulle_base::task::check();
            if !tree.grow(&mut whole, &mut graph) {
                tree.failures += 1;
                unsolved += 1;
            }
        }
        if unsolved == 0 {
            return finished(old, damaged, &id_map, &trees, lanes, vcs);
        }
        if attempt + 1 >= FIRST_ATTEMPTS && unsolved > HOPELESS {
            break;
        }
        graph.undo();
        whole.load = before;
        trees.iter_mut().for_each(Tree::clear);
    }
    Ok(None)
}

/// Returns, for each layer, the destinations in `damaged` toward which some entry leads to a failed channel, in ascending order and with
/// their old ids.
fn hit(whole: &Whole<'_>, damaged: &Fabric, id_map: &IdMap) -> Vec<Vec<u32>> {
    let fabric = whole.fabric;
    let down: Vec<u32> = (0..fabric.num_channels() as u32).filter(|&channel| !whole.is_up[channel as usize]).collect();
    let of_table = |table: &Table| {
        let mut is_hit = vec![false; fabric.num_switches()];
        for &channel in &down {
            let switch = fabric.sources()[channel as usize];
            let port = (channel - fabric.offsets()[switch as usize]) as u16;
            is_hit.iter_mut().zip(table.row(switch)).for_each(|(is_hit, &used)| *is_hit |= used == port);
        }
        let left = (0..damaged.num_switches() as u32).map(|switch| id_map.old_switch(switch));
        left.filter(|&destination| is_hit[destination as usize]).collect()
    };
    whole.tables.iter().map(of_table).collect()
}

/// Returns the virtual channels of `plan`, indexed by `(switch * 2 + injected) * num_sls + sl`. Returns `None` if a virtual channel also
/// depends on other values.
fn lanes(plan: &VcPlan, switches: usize) -> Option<Vec<u8>> {
    let rows = (0..switches as u32).flat_map(|switch| [false, true].map(|injected| (switch, injected)));
    rows.flat_map(|(switch, injected)| (0..plan.num_sls() as u8).map(move |sl| plan.sl_to_vl(switch, injected, sl)))
        .collect()
}

/// Returns the rule that gives the virtual channels `lanes` of `plan`.
fn rule(plan: &VcPlan, lanes: &[u8]) -> Rule {
    match plan.assignment.rule() {
        Rule::Constant => Rule::Constant,
        _ => Rule::Rows { lanes: lanes.to_vec(), num_sls: plan.num_sls() as u8 },
    }
}

/// Returns the routing and the plan with the switch and port numbers of the damaged fabric.
fn finished(
    old: InUse<'_>,
    damaged: &Fabric,
    id_map: &IdMap,
    trees: &[Tree],
    lanes: Vec<u8>,
    vcs: usize,
) -> Result<Option<(Routing, VcPlan)>, Error> {
    let (plan, tables) = (old.plan.expect("the search needs a plan"), old.routing.layers());
    let size = damaged.num_switches() as u32;
    let mut changed = vec![Vec::new(); tables.len()];
    trees.iter().for_each(|tree| changed[tree.layer].push(tree));
    let old_ids: Vec<usize> = (0..size).map(|switch| id_map.old_switch(switch) as usize).collect();
    let mut new_ids = vec![None; old.fabric.num_switches()];
    old_ids.iter().enumerate().for_each(|(new, &old)| new_ids[old] = Some(new));
    let mut layers = Vec::with_capacity(tables.len());
    for (table, changed) in tables.iter().zip(&changed) {
        // For each switch of the damaged fabric, the destinations and channels of its new entries.
        let mut entries: Vec<Vec<(usize, u32)>> = vec![Vec::new(); old_ids.len()];
        for tree in changed {
            let destination = new_ids[tree.destination as usize].expect("no path to a failed switch is repaired");
            tree.entries().for_each(|(switch, channel)| {
                entries[new_ids[switch as usize].expect("no failed switch gets an entry")].push((destination, channel));
            });
        }
        let mut builder = TableBuilder::new(damaged);
        builder.rows().for_each(|mut row| {
            let switch = row.switch as usize;
            let port =
                |channel: u32| id_map.new_channel(channel).map(|channel| (channel - damaged.offsets()[switch]) as u16);
            let ports: Vec<u16> = old
                .fabric
                .channels_of(old_ids[switch] as u32)
                .map(|channel| port(channel as u32).unwrap_or(NO_GROUP))
                .collect();
            let before = table.row(old_ids[switch] as u32);
            for (destination, &there) in old_ids.iter().enumerate().filter(|&(destination, _)| destination != switch) {
                row.groups[destination] = ports[usize::from(before[there])];
            }
            for &(destination, channel) in &entries[switch] {
                row.set(destination as u32, &[port(channel).expect("no entry leads to a failed channel")]);
            }
            let missing = row.groups.iter().filter(|&&port| port == NO_GROUP).count();
            assert_eq!(missing, 1, "every entry leads to a channel, except to the switch itself");
        });
        layers.push(builder.finish());
    }
    let routing = Routing::new(old.routing.spec().to_owned(), Routes::Layers(layers));
    let num_sls = plan.num_sls() as u8;
    let mut levels = Vec::with_capacity(tables.len() * old_ids.len().pow(2));
    for layer in 0..tables.len() as u32 {
        for (source, &from) in old_ids.iter().enumerate() {
            let first = plan.assignment.number(layer, from as u32, 0);
            levels.extend(old_ids.iter().map(|&to| plan.assignment.level(first + to)));
            let own = levels.len() - old_ids.len() + source;
            levels[own] = 0;
        }
    }
    let row = 2 * usize::from(num_sls);
    let lanes: Vec<u8> = (0..size)
        .flat_map(|switch| {
            let start = id_map.old_switch(switch) as usize * row;
            lanes[start..start + row].iter().copied()
        })
        .collect();
    let assignment = Assignment::new(&routing, levels, rule(plan, &lanes), vcs as u8).with_num_sls(num_sls);
    let Some(known) = Known::of(damaged, &routing, &assignment)? else { return Ok(None) };
    let certificate = Certificate::new(vcs, known.ranks.clone());
    let kept = known.into();
    let plan = VcPlan { spec: plan.spec.clone(), needed_vcs: plan.needed_vcs, assignment, certificate, kept };
    Ok(plan.certificate.check(damaged, &routing, &plan).is_ok().then_some((routing, plan)))
}

#[cfg(test)]
mod tests;
