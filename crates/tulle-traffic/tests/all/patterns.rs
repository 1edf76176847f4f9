//! Tests of every registered pattern on small fabrics: messages are legal and deterministic, and each pattern has its
//! defining properties.

use std::collections::HashSet;

use std::sync::Once;

use tulle_fabric::Fabric;
use tulle_topologies::build as fabric;
use tulle_traffic::{Error, Workload, build, patterns};

/// Enters the folder tests/data, because the examples of patterns name files in it.
pub fn enter_data_folder() {
    static ENTER: Once = Once::new();
    ENTER.call_once(|| std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data")).unwrap());
}

fn load(fabric: &Fabric, spec: &str, seed: u64) -> Workload {
    build(fabric, spec, seed).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

#[test]
fn messages_are_legal_and_reproducible() {
    enter_data_folder();
    let fabrics = ["clique:degree=6", "clique:degree=1,p=1", "slimfly:q=3,p=4"].map(|spec| fabric(spec, 0).unwrap());
    for pattern in patterns() {
        for spec in pattern.info.examples {
            let fits = fabrics.iter().filter(|fabric| check(fabric, spec)).count();
            assert!(fits > 0, "{spec} fits no fabric");
        }
    }
}

/// Checks the workload of an example. Returns false if the pattern does not fit the fabric.
fn check(fabric: &Fabric, spec: &str) -> bool {
    let load = match build(fabric, spec, 5) {
        Err(Error::Fabric { .. }) => return false,
        load => load.unwrap_or_else(|error| panic!("{spec}: {error}")),
    };
    let to_oneself = load.source.iter().zip(&load.destination).any(|(source, destination)| source == destination);
    assert_eq!(to_oneself, spec.contains("self=yes"), "{spec}");
    assert!(load.source.iter().chain(&load.destination).all(|&e| (e as usize) < fabric.num_endpoints()), "{spec}");
    assert!(load.bytes.iter().all(|&bytes| bytes > 0), "{spec}");
    let columns = [load.destination.len(), load.bytes.len(), load.start.len()];
    assert_eq!(columns, [load.len(); 3], "{spec}");
    assert_eq!(load.dependencies.num_steps().unwrap_or(load.num_steps()), load.num_steps(), "{spec}");
    assert_eq!(load.dependencies.in_a_cycle(), None, "{spec}");
    assert_eq!(load, build(fabric, spec, 5).unwrap());
    assert_eq!(load, build(fabric, &load.spec, 5).unwrap(), "the canonical spec gives the same workload");
    true
}

#[test]
fn a_permutation_uses_every_endpoint_once() {
    let fabric = fabric("clique:degree=9", 0).unwrap();
    for spec in [
        "permutation",
        "skewed",
        "skewed:mapping=random",
        "skewed:offset=7",
        "off-diagonal:offset=89",
        "off-diagonal:mapping=random",
        "bisection:mapping=random",
    ] {
        let load = load(&fabric, spec, 1);
        for column in [&load.source, &load.destination] {
            assert_eq!(column.iter().collect::<HashSet<_>>().len(), fabric.num_endpoints(), "{spec}");
        }
    }
    let four = load(&fabric, "permutation:count=4", 1);
    assert_eq!(four.len(), 4 * 90);
    for endpoint in 0..90 {
        assert_eq!(four.destination.iter().filter(|&&to| to == endpoint).count(), 4);
    }
    let power = tulle_topologies::build("clique:degree=7,p=8", 0).unwrap();
    let shuffle = load(&power, "shuffle:bits=2,mapping=random", 1);
    // The shuffle maps the ranks 000000 and 111111, and the two ranks with alternating bits, to themselves.
    assert_eq!(shuffle.len(), 64 - 4);
    assert_eq!(shuffle.destination.iter().collect::<HashSet<_>>().len(), 60);
    assert_ne!(load(&fabric, "permutation", 1).destination, load(&fabric, "permutation", 2).destination);
}

#[test]
fn random_destinations_are_different_others_drawn_evenly() {
    let fabric = fabric("clique:degree=9", 0).unwrap();
    let drawn = load(&fabric, "random:destinations=30", 1);
    let pairs: HashSet<_> = drawn.source.iter().zip(&drawn.destination).collect();
    assert_eq!((drawn.len(), pairs.len()), (90 * 30, 90 * 30));
    for endpoint in 0..90 {
        assert_eq!(drawn.source.iter().filter(|&&from| from == endpoint).count(), 30);
        // The number of messages to an endpoint is binomial with mean 30 and standard deviation 4.5.
        let received = drawn.destination.iter().filter(|&&to| to == endpoint).count();
        assert!(received.abs_diff(30) < 23, "{received}");
    }
    let all = load(&fabric, "random:destinations=89", 1);
    assert_eq!(all.source.iter().zip(&all.destination).collect::<HashSet<_>>().len(), 90 * 89);
    let switches = load(&fabric, "random:destinations=2,of=switches", 1);
    for source in 0..10 {
        let place = |endpoint: u32| fabric.endpoint_switch()[endpoint as usize];
        let messages = switches.source.iter().zip(&switches.destination).filter(|&(&from, _)| place(from) == source);
        let to: Vec<u32> = messages.map(|(_, &to)| place(to)).collect();
        assert_eq!(to.len(), 18);
        assert_eq!(to.iter().collect::<HashSet<_>>().len(), 2);
    }
    for destinations in [1, 30, 89] {
        let even = load(&fabric, &format!("random:destinations={destinations},receive=even"), 1);
        let pairs: HashSet<_> = even.source.iter().zip(&even.destination).collect();
        assert_eq!(pairs.len(), 90 * destinations);
        assert!(pairs.iter().all(|(from, to)| from != to));
        for endpoint in 0..90 {
            assert_eq!(even.source.iter().filter(|&&from| from == endpoint).count(), destinations);
            assert_eq!(even.destination.iter().filter(|&&to| to == endpoint).count(), destinations);
        }
    }
    let error = build(&fabric, "random:destinations=10,of=switches", 1).unwrap_err().to_string();
    assert!(error.contains("destinations=10 is too large for 10 switches of clique:degree=9"), "{error}");
}

#[test]
fn names_used_in_papers_get_a_hint() {
    let fabric = fabric("clique:degree=9", 0).unwrap();
    for (paper, ours) in [("near-worst", "longest-matching:of=switches"), ("shift:n=1", "off-diagonal:offset=N")] {
        let error = build(&fabric, paper, 1).unwrap_err().to_string();
        assert!(error.ends_with(&format!("did you mean {ours}?")), "{error}");
    }
}

#[test]
fn skewed_traffic_collides_p_times_and_random_mapping_does_not() {
    let fabric = fabric("clique:degree=19,p=10", 0).unwrap();
    let most = |spec: &str| {
        let load = load(&fabric, spec, 1);
        let mut pairs = std::collections::HashMap::new();
        for (&source, &destination) in load.source.iter().zip(&load.destination) {
            let pair = (fabric.endpoint_switch()[source as usize], fabric.endpoint_switch()[destination as usize]);
            *pairs.entry(pair).or_insert(0) += 1;
        }
        pairs.into_values().max().unwrap()
    };
    assert_eq!(most("skewed"), 10);
    assert!(most("skewed:mapping=random") <= 5);
}

#[test]
fn uniform_arrivals_are_poisson_and_cover_all_destinations() {
    let fabric = fabric("clique:degree=9", 0).unwrap();
    let load = load(&fabric, "uniform:arrivals=100000,duration=10ms,sizes=websearch", 1);
    // There are 90 endpoints with 1000 expected messages each. A Poisson count with mean 90,000 has a standard
    // deviation of 300.
    assert!(load.len().abs_diff(90_000) < 1500, "{}", load.len());
    let mut sent = vec![0usize; 90];
    let mut received = vec![0usize; 90];
    for (&source, &destination) in load.source.iter().zip(&load.destination) {
        sent[source as usize] += 1;
        received[destination as usize] += 1;
    }
    for count in sent.iter().chain(&received) {
        assert!(count.abs_diff(1000) < 200, "{count}");
    }
    let variance = sent.iter().map(|&count| (count as f64 - 1000.0).powi(2)).sum::<f64>() / 90.0;
    assert!((500.0..2000.0).contains(&variance), "the variance of a Poisson count is its mean: {variance}");
    let mean = load.total_bytes() as f64 / load.len() as f64;
    assert!((mean - 1e6).abs() < 5e4, "{mean}");
    assert!(*load.start.last().unwrap() < 10_000_000_000);
}

#[test]
fn arrivals_and_sizes_fit_every_pattern_of_pairs() {
    let fabric = fabric("clique:degree=9", 0).unwrap();
    let skewed = load(&fabric, "skewed:offset=7,arrivals=100000,duration=10ms,sizes=websearch", 1);
    assert!(skewed.len().abs_diff(90_000) < 1500 && skewed.start.is_sorted(), "{}", skewed.len());
    assert!(skewed.source.iter().zip(&skewed.destination).all(|(from, to)| (from + 7) % 90 == *to));
    assert!((skewed.total_bytes() as f64 / skewed.len() as f64 - 1e6).abs() < 5e4);
    // Each arrival goes to a random destination of the sender; all destinations are equally likely.
    let four = load(&fabric, "permutation:count=4,arrivals=100000,duration=10ms", 1);
    let mut counts = std::collections::HashMap::new();
    four.source.iter().zip(&four.destination).for_each(|pair| *counts.entry(pair).or_insert(0) += 1);
    assert!(counts.len() <= 360 && counts.values().all(|&count| count > 150), "{:?}", counts.values().min());
}

#[test]
fn sizes_follow_the_distribution_of_a_file() {
    enter_data_folder();
    let fabric = fabric("clique:degree=9", 0).unwrap();
    for spec in ["uniform:arrivals=100000,duration=1ms", "permutation:count=90", "skewed:arrivals=100000,duration=1ms"]
    {
        let load = load(&fabric, &format!("{spec},cdf=sizes.csv"), 1);
        // sizes.csv has a half of the messages between 1 and 10 KB, and a fifth between 100 KB and 1 MB. There are 8,000 to 9,000 messages.
        // Their mean is 129,250 bytes with a standard deviation of 2,600 bytes.
        let share = |most| load.bytes.iter().filter(|&&bytes| bytes <= most).count() as f64 / load.len() as f64;
        assert!((share(10_000) - 0.5).abs() < 0.03 && (share(100_000) - 0.8).abs() < 0.03, "{spec}");
        assert!((load.total_bytes() as f64 / load.len() as f64 - 129_250.0).abs() < 13_000.0, "{spec}");
        assert!(load.bytes.iter().all(|bytes| (1000..=1_000_000).contains(bytes)), "{spec}");
        assert!(load.spec.contains("cdf=sizes.csv") && !load.spec.contains("bytes="), "{}", load.spec);
    }
}

#[test]
fn incast_fans_in() {
    let fabric = fabric("clique:degree=9", 0).unwrap();
    let load = load(&fabric, "incast:senders=20,receivers=3", 1);
    let receivers: HashSet<_> = load.destination.iter().collect();
    assert_eq!((load.len(), receivers.len()), (60, 3));
    for receiver in receivers {
        let senders: HashSet<_> =
            load.source.iter().zip(&load.destination).filter(|(_, to)| *to == receiver).map(|(from, _)| from).collect();
        assert_eq!(senders.len(), 20);
    }
}

#[test]
fn stencils_send_to_all_neighbours() {
    let fabric = fabric("clique:degree=9", 0).unwrap();
    for (spec, neighbours) in [
        ("stencil", 4),
        ("stencil:diagonals=yes", 8),
        ("stencil:shape=3x5x6", 6),
        ("stencil:shape=3x5x6,diagonals=yes", 26),
        ("stencil:stride=42", 4),
    ] {
        let load = load(&fabric, spec, 1);
        let pairs: HashSet<_> = load.source.iter().zip(&load.destination).collect();
        assert_eq!((load.len(), pairs.len()), (90 * neighbours, 90 * neighbours), "{spec}");
        // Neighbours send to each other.
        assert!(pairs.iter().all(|(from, to)| pairs.contains(&(to, from))), "{spec}");
    }
}

#[test]
fn bisections_pair_opposite_halves() {
    let fabric = fabric("clique:degree=9", 0).unwrap();
    let load = load(&fabric, "bisection:rounds=3", 1);
    assert_eq!(load.len(), 3 * 90);
    let round = |number: usize| {
        let rows = number * 90..(number + 1) * 90;
        let pairs: HashSet<_> = load.source[rows.clone()].iter().zip(&load.destination[rows]).collect();
        assert!(pairs.iter().all(|(from, to)| pairs.contains(&(to, from))));
        pairs
    };
    assert_eq!(round(0).len(), 90);
    assert_ne!(round(0), round(1));
    // The second bisection waits for all messages of the first.
    let join = load.dependencies.of(90);
    assert_eq!(load.dependencies.of(join[0] as usize), (0..90).collect::<Vec<_>>());
}

#[test]
fn placements_come_from_files() {
    let fabric = fabric("clique:degree=9", 0).unwrap();
    let folder = std::env::temp_dir().join(format!("tulle-places-{}", std::process::id()));
    std::fs::write(&folder, "9 # the last switch\n4\n5\n").unwrap();
    let load = load(&fabric, &format!("off-diagonal:places={}", folder.display()), 1);
    let far = build(&fabric, &format!("off-diagonal:ranks=4,places={}", folder.display()), 1).unwrap_err().to_string();
    std::fs::remove_file(&folder).unwrap();
    assert_eq!((load.source, load.destination), (vec![9, 4, 5], vec![4, 5, 9]));
    assert!(far.contains("ranks=4 is out of range") && far.contains("legal: 2 to 3"), "{far}");
    assert!(build(&fabric, "off-diagonal:places=absent.txt", 1).unwrap_err().to_string().starts_with("absent.txt: "));
    assert!(
        build(&fabric, "skewed:places=a,mapping=random", 1).unwrap_err().to_string().contains("exclude each other")
    );
}

#[test]
fn rejects_are_one_line_errors() {
    enter_data_folder();
    let clique = fabric("clique:degree=6", 0).unwrap();
    for pattern in patterns() {
        for (spec, fragment) in pattern.info.rejects {
            let error = build(&clique, spec, 0).unwrap_err().to_string();
            assert!(error.contains(fragment) && !error.contains('\n'), "{spec}: {error}");
        }
    }
    let error = build(&clique, "skewed:offset=42", 0).unwrap_err().to_string();
    assert!(error.contains("offset=42") && error.contains("legal: 1 to 41"), "{error}");
    let lonely = fabric("clique:degree=1,p=0", 0).unwrap();
    let error = build(&lonely, "permutation", 0).unwrap_err().to_string();
    assert!(error.contains("has 0 endpoints") && error.contains("at least 2"), "{error}");
}

#[test]
fn all_to_all_can_omit_pairs_on_one_switch() {
    let fabric = fabric("clique:degree=3,p=4", 0).unwrap();
    let load = load(&fabric, "all-to-all:within=no", 0);
    let pairs: HashSet<_> = load.source.iter().zip(&load.destination).collect();
    assert_eq!((load.len(), pairs.len()), (16 * 12, 16 * 12));
    let switch = |endpoint: u32| fabric.endpoint_switch()[endpoint as usize];
    assert!(load.source.iter().zip(&load.destination).all(|(&from, &to)| switch(from) != switch(to)));
    let error = build(&fabric, "all-to-all:within=no,ranks=4", 0).unwrap_err().to_string();
    assert_eq!(error, "all-to-all: within=no: all 4 ranks are on one switch; legal: ranks on two switches or more");
}
