//! Benchmarks that build every family with about 4,000 switches and compute the distances in some of the fabrics.
//!
//! To run all benchmarks: `cargo bench -p tulle-topologies`. To run some of them, add a part of their names: `cargo bench -p
//! tulle-topologies -- build/jellyfish`.

use std::path::Path;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use tulle_fabric::distances;
use tulle_topologies::{build, families};

/// One spec per family, each with about 4,000 switches. A star has only one switch.
const SPECS: [&str; 19] = [
    "clique:degree=3999,p=1",
    "jellyfish:switches=4000,degree=60",
    "jellyfish-like:slimfly:q=43",
    "xpander:degree=62",
    "fattree:levels=3,radix=56",
    "clos:hosts=60000,switches=4000,radix=64",
    "flattenedclos:switches=4000,ports=60",
    "slimfly:q=43",
    "polarfly:q=61",
    "oft:k=38",
    "mlfm:h=50",
    "sspt:r1=38,r2=38",
    "dragonfly:p=10",
    "megafly:leaves=12",
    "hyperx:shape=16x16x16",
    "torus:shape=16x16x16",
    "mesh:shape=16x16x16",
    "hypercube:dimensions=12",
    "star:endpoints=60000",
];

/// Returns all specs of `SPECS`, and a spec of family `file` that reads a Jellyfish fabric from files.
fn specs() -> Vec<String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let jellyfish = build("jellyfish:switches=4000,degree=60", 1).expect("a legal spec");
    let written = tulle_formats::write(&jellyfish, &folder.join("jellyfish.csv"), None).expect("a folder of our own");
    let [edges, nodes] = [0, 1].map(|at: usize| written[at].display());
    let specs: Vec<String> = SPECS
        .iter()
        .map(|&spec| spec.to_owned())
        .chain([format!("file:edges=\"{edges}\",nodes=\"{nodes}\"")])
        .collect();
    for entry in families() {
        let prefix = format!("{}:", entry.info.name);
        assert!(specs.iter().any(|spec| spec.starts_with(&prefix)), "{} has no spec here", entry.info.name);
    }
    specs
}

fn family(spec: &str) -> &str {
    spec.split(':').next().unwrap_or_default()
}

fn building(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("build");
    group.sample_size(10);
    for spec in specs() {
        group.bench_function(BenchmarkId::from_parameter(family(&spec)), |bencher| {
            bencher.iter(|| build(&spec, 1).expect("a legal spec"));
        });
    }
}

fn searching(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("distances");
    group.sample_size(10);
    for spec in ["jellyfish:switches=4000,degree=60", "slimfly:q=43", "dragonfly:p=10", "torus:shape=16x16x16"] {
        let fabric = build(spec, 1).expect("a legal spec");
        group.bench_function(BenchmarkId::new("histogram", family(spec)), |bencher| {
            bencher.iter(|| distances::histogram(&fabric));
        });
        group.bench_function(BenchmarkId::new("all pairs", family(spec)), |bencher| {
            bencher.iter(|| distances::Distances::of(&fabric));
        });
    }
}

criterion_group!(benches, building, searching);
criterion_main!(benches);
