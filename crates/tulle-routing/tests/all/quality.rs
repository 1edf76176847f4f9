//! Tests the metrics of routings on small cases whose values were counted by hand, for tables and for path sets.

use tulle_fabric::Fabric;
use tulle_routing::quality::{PairPaths, Quality, Sharing};
use tulle_routing::{Routes, Routing, SourcePaths, hop_counts};

/// Returns four switches in a ring, 0–1–2–3, with one endpoint each.
fn ring() -> Fabric {
    let mut builder = tulle_fabric::FabricBuilder::new(4);
    for switch in 0..4 {
        builder.cable(switch, (switch + 1) % 4);
    }
    builder.endpoints_each(1);
    builder.finish("ring", Default::default()).unwrap()
}

/// Returns a path set. `walks` lists the paths of each ordered pair; each path is a list of switches.
fn path_set(fabric: &Fabric, walks: impl Fn(u32, u32) -> Vec<Vec<u32>>) -> Routing {
    let switches = fabric.num_switches() as u32;
    let sources = (0..switches).map(|source| {
        let mut paths = SourcePaths::default();
        for destination in 0..switches {
            let port = |pair: &[u32]| fabric.neighbours(pair[0]).binary_search(&pair[1]).unwrap() as u16;
            let ports: Vec<Vec<u16>> =
                walks(source, destination).iter().map(|walk| walk.windows(2).map(port).collect()).collect();
            paths.destination(ports.iter().map(Vec::as_slice));
        }
        paths
    });
    Routing::new("walks".to_owned(), Routes::Paths(SourcePaths::join(sources.collect())))
}

#[test]
fn path_sets_count_by_hand() {
    let ring = ring();
    // From switch 0 to switch 2, the path set has both paths around the ring, one of them twice. From switch 0 to switch 1, it has only the
    // direct cable. No other pair has paths.
    let routing = path_set(&ring, |source, destination| match (source, destination) {
        (0, 2) => vec![vec![0, 1, 2], vec![0, 3, 2], vec![0, 1, 2]],
        (0, 1) => vec![vec![0, 1]],
        _ => vec![],
    });
    let quality = Quality::of(&ring, &routing, Sharing::Channel);
    assert_eq!(quality.pairs, 12);
    assert_eq!(quality.paths, [10, 1, 0, 1]);
    assert_eq!(quality.hops, [0, 1, 3]);
    assert_eq!(quality.mean_hops, [(1.0, 1), (2.0, 1)]);
    assert_eq!(quality.longest, [10, 1, 1]);
    assert_eq!((&quality.greedy[..], &quality.exact[..]), (&[10, 1, 1][..], &[10, 1, 1][..]));
    assert_eq!(quality.most_shared, [10, 1, 1]);
    assert_eq!(quality.paths_over.iter().sum::<u64>(), 7);
    assert_eq!(
        quality.paths_over[ring.channels_of(0).start],
        3,
        "two paths of the pair (0, 2) and one path of the pair (0, 1) use this channel"
    );
    assert_eq!(quality.average_hops(), 7.0 / 4.0);
    assert_eq!(quality.share(&quality.exact, 2), 1.0 / 12.0);
    let (mean, deviation) = quality.load();
    // There are eight channels. The two channels over switch 1 carry 3 and 2 paths, and the two channels over switch 3 carry 1 path each.
    assert_eq!(mean, 7.0 / 8.0);
    assert!((deviation.powi(2) - (15.0 / 8.0 - 49.0 / 64.0)).abs() < 1e-12);
}

#[test]
fn order_and_direction_matter() {
    let clique = tulle_topologies::build("clique:degree=3", 0).unwrap();
    // The first path is long and shares a link with each of the other two paths.
    let order = path_set(&clique, |source, destination| match (source, destination) {
        (0, 3) => vec![vec![0, 1, 2, 3], vec![0, 1, 3], vec![0, 2, 3]],
        _ => vec![],
    });
    let quality = Quality::of(&clique, &order, Sharing::Channel);
    assert_eq!((quality.greedy, quality.exact), (vec![11, 1], vec![11, 0, 1]));
    // Two paths cross a cable in opposite directions: they share the cable, but no channel.
    let opposite = path_set(&clique, |source, destination| match (source, destination) {
        (0, 3) => vec![vec![0, 1, 2, 3], vec![0, 2, 1, 3]],
        _ => vec![],
    });
    assert_eq!(Quality::of(&clique, &opposite, Sharing::Channel).exact, [11, 0, 1]);
    assert_eq!(Quality::of(&clique, &opposite, Sharing::Cable).exact, [11, 1]);
}

#[test]
fn tables_agree_with_their_walks() {
    let fabric = tulle_topologies::build("slimfly:q=5", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "random:layers=3,rho=0.6", 4).unwrap();
    let quality = Quality::of(&fabric, &routing, Sharing::Channel);
    let mut hops = vec![0; quality.hops.len()];
    for table in routing.layers() {
        hop_counts(&fabric, table).pairs.iter().enumerate().for_each(|(at, pairs)| hops[at] += pairs);
    }
    assert_eq!(quality.hops, hops);
    assert_eq!(quality.paths, [0, 0, 0, 50 * 49]);
    let total: u64 = hops.iter().enumerate().map(|(hops, paths)| hops as u64 * paths).sum();
    assert_eq!(quality.paths_over.iter().sum::<u64>(), total);
    let mut paths = PairPaths::new();
    for (source, destination) in [(0, 1), (7, 49), (3, 3)] {
        paths.fill(&fabric, &routing, source, destination);
        let expected = routing.paths(&fabric, source, destination);
        let expected = if source == destination { vec![] } else { expected };
        assert_eq!(paths.iter().map(<[u32]>::to_vec).collect::<Vec<_>>(), expected);
    }
    // The number of threads must not change the metrics.
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(one.install(|| Quality::of(&fabric, &routing, Sharing::Channel)), quality);
}

/// The code follows all paths of a table toward one switch together. Check that the metrics are the same as when the paths of each pair are
/// followed separately. The tables include groups of several ports.
#[test]
fn paths_of_pairs_add_up() {
    for (fabric, spec) in
        [("hyperx:shape=4x4", "minimal"), ("slimfly:q=5", "random:layers=3,rho=0.6"), ("oft:k=3", "minimal")]
    {
        let fabric = tulle_topologies::build(fabric, 0).unwrap();
        let routing = tulle_routing::build(&fabric, spec, 4).unwrap();
        let edge = fabric.endpoint_switches();
        let (mut paths, mut over, mut shortest) = (PairPaths::new(), vec![0; fabric.num_channels()], Vec::new());
        for (&source, &destination) in edge.iter().flat_map(|source| edge.iter().map(move |other| (source, other))) {
            paths.fill(&fabric, &routing, source, destination);
            paths.iter().flatten().for_each(|&channel| over[channel as usize] += 1);
            shortest.extend(paths.iter().map(<[u32]>::len).min());
        }
        let quality = Quality::of(&fabric, &routing, Sharing::Channel);
        assert_eq!(quality.paths_over, over);
        assert_eq!(quality.average_shortest(), shortest.iter().sum::<usize>() as f64 / shortest.len() as f64);
    }
}
