//! Channel loads if traffic is split in fixed proportions, and the rates of subflows. Both have closed forms and need no optimisation.

use rayon::prelude::*;
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_routing::{NO_GROUP, Routes, Routing, Table, total_share};
use tulle_traffic::{MADE_FOR_THIS, Workload};

use crate::{Demands, Error};

/// Returns the load of each channel under `demands`. Every pair splits its traffic over its layers by their shares. Within a layer, every
/// switch splits it over the ports of the next-hop group by the ports' shares (ECMP, WCMP). In a path set, a pair splits its traffic evenly
/// over its paths. If all capacities are 1, the throughput of such a routing is 1 divided by the largest load. This value bounds the load
/// at which the network saturates (Kathareios et al. (SC15) §4.3).
///
/// # Errors
/// Fails if `routing` or `demands` are for another number of switches, or if a path set has no path for a pair.
pub fn split_loads(fabric: &Fabric, routing: &Routing, demands: &Demands) -> Result<Vec<f64>, Error> {
    for (what, switches) in [("the routing", routing.num_switches()), ("the traffic", demands.num_switches())] {
        if switches != fabric.num_switches() {
            let problem = format!("{what} is for {switches} switches");
            return Err(Error::input(problem, format!("{} switches, as {} has", fabric.num_switches(), fabric.spec())));
        }
    }
    let mut load = vec![0.0; fabric.num_channels()];
    match routing.routes() {
        Routes::Layers(tables) => {
            let mut toward = vec![Vec::new(); fabric.num_switches()];
            for (source, destination, amount) in demands.iter() {
                let total = total_share(tables, source, destination);
                toward[destination as usize].push((source, amount / f64::from(total)));
            }
            // There is a fixed number of partial sums, added in order, so the result does not depend on the number of
            // threads.
            let parts: Vec<Vec<f64>> = toward
                .par_chunks(fabric.num_switches().div_ceil(PARTS).max(1))
                .enumerate()
                .map(|(part, columns)| {
                    let first = part * fabric.num_switches().div_ceil(PARTS).max(1);
                    let groups: Vec<Vec<u16>> =
                        tables.iter().map(|table| copied(table, first..first + columns.len())).collect();
                    let mut load = vec![0.0; fabric.num_channels()];
                    for (at, column) in columns.iter().enumerate().filter(|(_, column)| !column.is_empty()) {
                        for (table, groups) in tables.iter().zip(&groups) {
                            let groups = &groups[at * fabric.num_switches()..][..fabric.num_switches()];
                            add_column(fabric, table, groups, (first + at) as u32, column, &mut load);
                        }
                    }
                    load
                })
                .collect();
            for part in parts {
                load.iter_mut().zip(part).for_each(|(load, more)| *load += more);
            }
        }
        Routes::Paths(set) => {
            for (source, destination, amount) in demands.iter() {
                let paths = set.between(source, destination);
                if paths.is_empty() {
                    let [from, to] = [source, destination].map(|switch| fabric.called(switch));
                    let problem = format!("{} has no path from switch {from} to {to}", routing.spec());
                    return Err(Error::input(problem, "a routing with a path for every pair of the traffic"));
                }
                let share = amount / paths.len() as f64;
                for path in paths {
                    set.channels(fabric, source, path).for_each(|channel| load[channel as usize] += share);
                }
            }
        }
    }
    Ok(load)
}

/// Number of partial sums into which the computation of loads is divided.
const PARTS: usize = 16;

/// Returns the groups of next hops of all switches toward `destinations`, one destination after the other. Tables are stored by switch, so
/// copying the groups of a single destination would load a whole cache line per switch.
fn copied(table: &Table, destinations: std::ops::Range<usize>) -> Vec<u16> {
    let switches = table.num_switches();
    let mut groups = vec![NO_GROUP; destinations.len() * switches];
    for switch in 0..switches {
        for (at, &group) in table.row(switch as u32)[destinations.clone()].iter().enumerate() {
            groups[at * switches + switch] = group;
        }
    }
    groups
}

/// Adds the loads of the traffic toward `destination`. `groups` has the next-hop group of every switch. `column` lists the sources, each
/// with its amount of traffic divided by the sum of all layers' shares. Each source sends this amount times the layer's share over this
/// table. The function visits the switches in the topological order of the next hops.
fn add_column(
    fabric: &Fabric,
    table: &Table,
    groups: &[u16],
    destination: u32,
    column: &[(u32, f64)],
    load: &mut [f64],
) {
    task::check();
    let switches = fabric.num_switches();
    let next = |switch: u32| {
        let first = fabric.offsets()[switch as usize];
        let ports = match groups[switch as usize] {
            NO_GROUP => &[],
            group => table.ports(switch, group),
        };
        ports.iter().map(move |&port| (first + u32::from(port)) as usize)
    };
    let mut through = vec![0.0; switches];
    for &(source, amount) in column {
        through[source as usize] += amount * f64::from(table.layer_share(source, destination));
    }
    let mut waiting = vec![0u32; switches];
    // A group number below the switch's degree stands for a single port. This saves looking up the group and its shares.
    let single = |switch: u32| {
        let (group, channels) = (usize::from(groups[switch as usize]), fabric.channels_of(switch));
        (group < channels.len()).then(|| channels.start + group)
    };
    for switch in 0..switches as u32 {
        if let Some(channel) = single(switch) {
            waiting[fabric.targets()[channel] as usize] += 1;
            continue;
        }
        next(switch).for_each(|channel| waiting[fabric.targets()[channel] as usize] += 1);
    }
    let mut ready: Vec<u32> = (0..switches as u32).filter(|&switch| waiting[switch as usize] == 0).collect();
    while let Some(switch) = ready.pop() {
        if let Some(channel) = single(switch) {
            let target = fabric.targets()[channel] as usize;
            load[channel] += through[switch as usize];
            through[target] += through[switch as usize];
            waiting[target] -= 1;
            if waiting[target] == 0 {
                ready.push(target as u32);
            }
            continue;
        }
        let shares = || table.shares_of(switch, groups[switch as usize]);
        let share = through[switch as usize] / f64::from(shares().sum::<u16>().max(1));
        for (channel, part) in next(switch).zip(shares()) {
            let target = fabric.targets()[channel] as usize;
            let amount = share * f64::from(part);
            load[channel] += amount;
            through[target] += amount;
            waiting[target] -= 1;
            if waiting[target] == 0 {
                ready.push(target as u32);
            }
        }
    }
}

/// Returns the rate of each message in units of a link's rate, by the subflow model of Jellyfish eq. (1). A message has one subflow per
/// path. The rate of a subflow is 1 divided by the maximum number of subflows on any link of its path, including the links of the
/// endpoints. The rate of a message is the sum over its subflows.
///
/// A message within one switch has one subflow, which uses only the links of its endpoints.
///
/// # Errors
/// Fails if `routing` is for another number of switches, if `workload` is for another number of endpoints, if a message has an endpoint
/// that the fabric does not have, or if a pair has no path.
pub fn subflow_rates(fabric: &Fabric, routing: &Routing, workload: &Workload) -> Result<Vec<f64>, Error> {
    if routing.num_switches() != fabric.num_switches() {
        let problem = format!("the routing is for {} switches", routing.num_switches());
        return Err(Error::input(problem, format!("{} switches, as {} has", fabric.num_switches(), fabric.spec())));
    }
    if let Some(problem) = workload.misfit(fabric) {
        return Err(Error::input(problem, MADE_FOR_THIS));
    }
    let (endpoints, channels) = (fabric.num_endpoints(), fabric.num_channels());
    // Numbering of links: first the channels, then the links from endpoints, then the links to endpoints.
    let mut uses = vec![0u32; channels + 2 * endpoints];
    let mut subflows = Vec::with_capacity(workload.len());
    for message in 0..workload.len() {
        let (from, to) = (workload.source[message] as usize, workload.destination[message] as usize);
        if from.max(to) >= endpoints {
            let problem = format!("message {message} uses endpoint {}", from.max(to));
            return Err(Error::input(problem, format!("0 to {}", endpoints.saturating_sub(1))));
        }
        let (source, destination) = (fabric.endpoint_switch()[from], fabric.endpoint_switch()[to]);
        let paths = if source == destination { vec![Vec::new()] } else { routing.paths(fabric, source, destination) };
        if paths.is_empty() {
            let [from, to] = [source, destination].map(|switch| fabric.called(switch));
            let problem = format!("{} has no path from switch {from} to {to}", routing.spec());
            return Err(Error::input(problem, "a routing with a path for every pair of the traffic"));
        }
        for path in &paths {
            uses[channels + from] += 1;
            uses[channels + endpoints + to] += 1;
            path.iter().for_each(|&channel| uses[channel as usize] += 1);
        }
        subflows.push(paths);
    }
    let rate = |(message, paths): (usize, &Vec<Vec<u32>>)| {
        let (from, to) = (workload.source[message] as usize, workload.destination[message] as usize);
        let ends = uses[channels + from].max(uses[channels + endpoints + to]);
        paths
            .iter()
            .map(|path| 1.0 / f64::from(path.iter().map(|&channel| uses[channel as usize]).fold(ends, u32::max)))
            .sum()
    };
    Ok(subflows.iter().enumerate().map(rate).collect())
}

#[cfg(test)]
mod tests;
