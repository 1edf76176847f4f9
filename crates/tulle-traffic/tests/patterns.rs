//! Every registered pattern on small fabrics: legal messages, determinism, and what each promises.

use std::collections::HashSet;

use tulle_fabric::{Fabric, build as fabric};
use tulle_traffic::{Workload, build, patterns};

fn load(fabric: &Fabric, spec: &str, seed: u64) -> Workload {
    build(fabric, spec, seed).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

#[test]
fn messages_are_legal_and_reproducible() {
    for fabric in ["clique:degree=6", "clique:degree=1,p=1"].map(|spec| fabric(spec, 0).unwrap()) {
        for pattern in patterns() {
            for spec in pattern.info.examples {
                let load = load(&fabric, spec, 5);
                assert!(load.source.iter().zip(&load.destination).all(|(source, destination)| source != destination));
                assert!(load.source.iter().chain(&load.destination).all(|&e| (e as usize) < fabric.num_endpoints()));
                assert!(load.bytes.iter().all(|&bytes| bytes > 0));
                assert!(load.start.is_sorted());
                assert_eq!(load, build(&fabric, spec, 5).unwrap());
                assert_eq!(load, build(&fabric, &load.spec, 5).unwrap(), "the canonical spec reads back");
            }
        }
    }
}

#[test]
fn a_permutation_uses_every_endpoint_once() {
    let fabric = fabric("clique:degree=9", 0).unwrap();
    for spec in ["permutation", "skewed", "skewed:mapping=random", "skewed:offset=7"] {
        let load = load(&fabric, spec, 1);
        for column in [&load.source, &load.destination] {
            assert_eq!(column.iter().collect::<HashSet<_>>().len(), fabric.num_endpoints(), "{spec}");
        }
    }
    assert_ne!(load(&fabric, "permutation", 1).destination, load(&fabric, "permutation", 2).destination);
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
    // 90 endpoints, 1000 expected each; a Poisson count of mean 90000 has a standard deviation of 300.
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
    assert!((500.0..2000.0).contains(&variance), "a Poisson count varies as its mean: {variance}");
    let mean = load.total_bytes() as f64 / load.len() as f64;
    assert!((mean - 1e6).abs() < 5e4, "{mean}");
    assert!(*load.start.last().unwrap() < 10_000_000_000);
}

#[test]
fn rejects_are_one_line_errors() {
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
