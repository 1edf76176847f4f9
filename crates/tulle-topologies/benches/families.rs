//! Benchmarks that build every family with about 4,000 switches and compute the distances in some of the fabrics.
//!
//! To run all benchmarks: `cargo bench -p tulle-topologies`. To run some of them, add a part of their names: `cargo bench -p
//! tulle-topologies -- build/jellyfish`.

use std::path::Path;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use tulle_fabric::distances;
use tulle_topologies::{build, families};

/// One spec per family that needs no file, each with about 4,000 switches. A star has only one switch.
const SPECS: &[&str] = &[
    "clique:degree=3999,p=1",
    "jellyfish:switches=4000,degree=60",
    "jellyfish-like:slimfly:q=43",
    "xpander:degree=62",
    "fattree:levels=3,radix=56",
    "clos:hosts=60000,switches=4000,radix=64",
    "flattenedclos:switches=4000,ports=60",
    "slimfly:q=43",
    "polarfly:q=61",
    "polarfly-extended:q=61",
    "polarstar:q=19,d=4",
    "bundlefly:q=9,r=25",
    "spectralfly:k=24,q=19",
    "oft:k=38",
    "mlfm:h=50",
    "sspt:r1=38,r2=38",
    "dragonfly:p=10",
    "megafly:leaves=12",
    "hyperx:shape=16x16x16",
    "torus:shape=16x16x16",
    "mesh:shape=16x16x16",
    "twisted-torus:shape=16x16x16",
    "hammingmesh:board=4x4,boards=16x16",
    "circulant:switches=4000",
    "debruijn:d=8,n=4",
    "kautz:d=15,n=3",
    "hypercube:dimensions=12",
    "star:endpoints=60000",
];

/// Writes the global cables of a Dragonfly with `h` global cables per switch and `a` switches per group, one between every two groups.
fn write_map(path: &Path, a: usize, h: usize) {
    let groups = a * h + 1;
    let pairs = (0..groups).flat_map(|first| (first + 1..groups).map(move |second| (first, second)));
    let rows: String =
        pairs.map(|(first, second)| format!("{first},{},{second},{}\n", (second - 1) / h, first / h)).collect();
    std::fs::write(path, format!("group,switch,to_group,to_switch\n{rows}")).expect("a folder of our own");
}

/// Returns all specs of `SPECS`, and specs of the families that read files: `file` (a Jellyfish fabric) and `dragonfly-map`.
fn specs() -> Vec<String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let jellyfish = build("jellyfish:switches=4000,degree=60", 1).expect("a legal spec");
    let written = tulle_formats::write(&jellyfish, &folder.join("jellyfish.csv"), None).expect("a folder of our own");
    let [edges, nodes] = [0, 1].map(|at: usize| written[at].display());
    let map = folder.join("dragonfly.map.csv");
    write_map(&map, 20, 10);
    let specs: Vec<String> = SPECS
        .iter()
        .map(|&spec| spec.to_owned())
        .chain([
            format!("file:edges=\"{edges}\",nodes=\"{nodes}\""),
            format!("dragonfly-map:a=20,map=\"{}\"", map.display()),
        ])
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
