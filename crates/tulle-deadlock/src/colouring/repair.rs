//! Shortens paths of more than three hops.

use rayon::prelude::*;
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;
use tulle_routing::columns::{Columns, beyond};
use tulle_routing::{Error, PathSet, Routes, Routing, SourcePaths, Table, verify};
use tulle_spec::Plugin;

use super::{Colouring, HOPS};
use crate::routes::senders;

/// Returns `routing` with every path between switches with endpoints shortened to at most three hops. Its tables must have one next hop per
/// switch and destination.
///
/// # Errors
/// Fails if a pair of switches is more than three hops apart.
pub(super) fn shortened(fabric: &Fabric, routing: &Routing) -> Result<Routing, Error> {
    let distances = Distances::of(fabric);
    let routes = match routing.routes() {
        Routes::Layers(layers) => {
            let shortened = |table| {
                let (table, far) = shortened_table(fabric, &distances, table)?;
                far.map_or(Ok(table), |(source, destination)| Err(too_far(fabric, &distances, source, destination)))
            };
            Routes::Layers(layers.iter().map(shortened).collect::<Result<_, _>>()?)
        }
        Routes::Paths(paths) => Routes::Paths(shortened_paths(fabric, &distances, paths)?),
    };
    Ok(Routing::new(routing.spec().to_owned(), routes))
}

/// Returns `routing` with every path between switches with endpoints shortened to at most three hops. Paths between switches that are
/// farther apart stay unchanged. The tables must have one next hop per switch and destination.
///
/// # Errors
/// Fails if a path of a table does not lead to its destination.
pub(crate) fn shortened_where_near(fabric: &Fabric, routing: &Routing) -> Result<Routing, Error> {
    let distances = Distances::of(fabric);
    let tables = routing.layers().iter().map(|table| Ok(shortened_table(fabric, &distances, table)?.0));
    Ok(Routing::new(routing.spec().to_owned(), Routes::Layers(tables.collect::<Result<_, Error>>()?)))
}

fn too_far(fabric: &Fabric, distances: &Distances, source: u32, destination: u32) -> Error {
    Error::Deadlock {
        scheme: Colouring::INFO.name.to_owned(),
        problem: format!(
            "the shortest path from switch {} to {} has {} hops",
            fabric.label(source),
            fabric.label(destination),
            distances.row(source)[destination as usize]
        ),
        legal: format!("legal: pairs of switches with endpoints at most {HOPS} hops apart"),
    }
}

/// Returns the shortened table, and the first pair of switches that is more than three hops apart. Paths between such pairs stay unchanged.
fn shortened_table(
    fabric: &Fabric,
    distances: &Distances,
    table: &Table,
) -> Result<(Table, Option<(u32, u32)>), Error> {
    verify(fabric, table)?;
    let mut columns = Columns::of(table);
    let edge = senders(fabric);
    let mut carries = vec![false; fabric.num_switches()];
    edge.iter().for_each(|&switch| carries[switch as usize] = true);
    let far: Vec<Option<u32>> = columns
        .par_columns()
        .map(|(destination, ports)| {
            carries[destination as usize].then(|| shorten(fabric, distances, &edge, destination, ports)).flatten()
        })
        .collect();
    let far = far.into_iter().zip(0..).find_map(|(source, destination)| Some((source?, destination)));
    Ok((columns.table(fabric).with_layer_shares_of(table), far))
}

/// Changes next hops toward `destination` until all paths from switches with endpoints have at most three hops, if the fabric allows it.
/// Returns the first source that is more than three hops away.
///
/// No change makes a path longer. A switch that is four hops from the destination is rerouted to a neighbour that is two hops from the
/// destination. If there is no such neighbour, it is rerouted to a nearer one. The neighbour at two hops comes first, because the layer may
/// use non-minimal paths on purpose.
fn shorten(fabric: &Fabric, distances: &Distances, edge: &[u32], destination: u32, ports: &mut [u16]) -> Option<u32> {
    let mut hops = hops_toward(fabric, destination, ports);
    let mut far = None;
    for &source in edge {
        while usize::from(hops[source as usize]) > HOPS {
            let mut switch = source;
            while usize::from(hops[switch as usize]) > HOPS + 1 {
                switch = beyond(fabric, switch, ports[switch as usize]);
            }
            let nearer = (0..fabric.degree(switch) as u16)
                .map(|port| (hops[beyond(fabric, switch, port) as usize], std::cmp::Reverse(port)))
                .filter(|&(hops, _)| usize::from(hops) < HOPS)
                .max();
            if let Some((_, std::cmp::Reverse(port))) = nearer {
                ports[switch as usize] = port;
            } else if usize::from(distances.row(source)[destination as usize]) > HOPS {
                far = far.or(Some(source));
                break;
            } else {
                lead_straight(fabric, distances, source, destination, ports);
            }
            hops = hops_toward(fabric, destination, ports);
        }
    }
    far
}

/// Routes `source` to `destination` over a shortest path. At each switch it takes the lowest port that is on a shortest path.
fn lead_straight(fabric: &Fabric, distances: &Distances, source: u32, destination: u32, ports: &mut [u16]) {
    let distance = |switch: u32| distances.row(switch)[destination as usize];
    let mut switch = source;
    while switch != destination {
        let nearer = |&port: &u16| distance(beyond(fabric, switch, port)) + 1 == distance(switch);
        let port = (0..fabric.degree(switch) as u16).find(nearer).expect("some neighbour is nearer");
        ports[switch as usize] = port;
        switch = beyond(fabric, switch, port);
    }
}

/// Returns the number of hops from every switch to `destination`. All switches must reach the destination.
fn hops_toward(fabric: &Fabric, destination: u32, ports: &[u16]) -> Vec<u16> {
    const UNKNOWN: u16 = u16::MAX;
    let mut hops = vec![UNKNOWN; ports.len()];
    hops[destination as usize] = 0;
    let mut stack = Vec::new();
    for start in 0..ports.len() as u32 {
        let mut switch = start;
        while hops[switch as usize] == UNKNOWN {
            stack.push(switch);
            switch = beyond(fabric, switch, ports[switch as usize]);
        }
        let mut count = hops[switch as usize];
        while let Some(switch) = stack.pop() {
            count += 1;
            hops[switch as usize] = count;
        }
    }
    hops
}

fn shortened_paths(fabric: &Fabric, distances: &Distances, paths: &PathSet) -> Result<PathSet, Error> {
    let mut carries = vec![false; fabric.num_switches()];
    senders(fabric).iter().for_each(|&switch| carries[switch as usize] = true);
    let sources: Vec<Result<SourcePaths, Error>> = (0..fabric.num_switches() as u32)
        .into_par_iter()
        .map(|source| {
            let mut short = SourcePaths::default();
            for destination in 0..fabric.num_switches() as u32 {
                task::check();
                let all: Vec<&[u16]> = paths.between(source, destination).map(|path| paths.ports(path)).collect();
                let judged = carries[source as usize] && carries[destination as usize];
                if !judged || all.iter().all(|path| path.len() <= HOPS) {
                    short.destination(all);
                    continue;
                }
                let kept = with_short_ones(fabric, source, destination, &all);
                if kept.is_empty() {
                    return Err(too_far(fabric, distances, source, destination));
                }
                short.destination(kept.iter().map(|path| &path[..]));
            }
            Ok(short)
        })
        .collect();
    Ok(SourcePaths::join(sources.into_iter().collect::<Result<_, _>>()?))
}

/// Returns the paths of `all` that have at most three hops, sorted by length. Each longer path is replaced by a new path of at most three
/// hops, as long as more such paths exist.
fn with_short_ones(fabric: &Fabric, source: u32, destination: u32, all: &[&[u16]]) -> Vec<Vec<u16>> {
    let mut kept: Vec<Vec<u16>> = all.iter().filter(|path| path.len() <= HOPS).map(|path| path.to_vec()).collect();
    for hops in 1..=HOPS {
        if kept.len() < all.len() {
            add_paths(fabric, destination, hops, &mut vec![source], &mut Vec::new(), all.len(), &mut kept);
        }
    }
    kept.sort_by_key(Vec::len);
    kept
}

/// Extends the path `switches` by exactly `hops` hops to the destination, along every route that visits no switch twice. Adds these paths
/// to `kept` until `kept` has `most` paths.
fn add_paths(
    fabric: &Fabric,
    destination: u32,
    hops: usize,
    switches: &mut Vec<u32>,
    ports: &mut Vec<u16>,
    most: usize,
    kept: &mut Vec<Vec<u16>>,
) {
    let switch = *switches.last().expect("a path starts somewhere");
    for (port, &next) in fabric.neighbours(switch).iter().enumerate() {
        if kept.len() == most {
            return;
        }
        if switches.contains(&next) || (next == destination) != (hops == 1) {
            continue;
        }
        ports.push(port as u16);
        if hops > 1 {
            switches.push(next);
            add_paths(fabric, destination, hops - 1, switches, ports, most, kept);
            switches.pop();
        } else if !kept.contains(ports) {
            kept.push(ports.clone());
        }
        ports.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_paths_give_way_to_as_many_short_ones() {
        // Four fully connected switches have five simple paths of at most three hops from switch 0 to switch 1.
        let fabric = tulle_topologies::build("clique:degree=3", 0).unwrap();
        let short: [&[u16]; 5] = [&[0], &[1, 1], &[2, 1], &[1, 2, 1], &[2, 2, 1]];
        let long: &[u16] = &[1, 2, 2, 1];
        for count in 1..=6 {
            assert_eq!(with_short_ones(&fabric, 0, 1, &vec![long; count]), short[..count.min(5)], "{count}");
        }
        // Paths of at most three hops stay unchanged, and no path is added twice.
        assert_eq!(with_short_ones(&fabric, 0, 1, &[long, short[4], long]), [short[0], short[1], short[4]]);
    }

    #[test]
    fn paths_of_switches_without_endpoints_stay_long() {
        // Five switches form a line. The last switch has no endpoint and is four hops from the first.
        let mut builder = tulle_fabric::FabricBuilder::new(5);
        (0..4).for_each(|switch| builder.cable(switch, switch + 1));
        (0..4).for_each(|switch| builder.endpoints(switch, 1));
        let fabric = builder.finish("edges", Default::default()).unwrap();
        let ways: [(u32, u32, &[u16]); 3] = [(0, 4, &[0, 1, 1, 1]), (4, 0, &[0, 0, 0, 0]), (0, 3, &[0, 1, 1])];
        let sources = (0..5).map(|source| {
            let mut own = SourcePaths::default();
            for destination in 0..5 {
                let way = ways.iter().filter(|way| (way.0, way.1) == (source, destination));
                own.destination(way.map(|way| way.2));
            }
            own
        });
        let paths = SourcePaths::join(sources.collect());
        let short = shortened_paths(&fabric, &Distances::of(&fabric), &paths).unwrap();
        for (source, destination, ports) in ways {
            let found: Vec<&[u16]> = short.between(source, destination).map(|path| short.ports(path)).collect();
            assert_eq!(found, [ports], "{source} {destination}");
        }
    }
}
