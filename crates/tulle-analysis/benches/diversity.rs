//! Benchmark of lengths and counts of shortest paths, of disjoint paths and of interference. Run `cargo bench -p
//! tulle-analysis --bench diversity`, with `RAYON_NUM_THREADS=1` for one core.

use criterion::{Criterion, criterion_group, criterion_main};
use tulle_analysis::{
    FlowTree, Limit, Mode, ShortestPaths, disjoint_paths, disjoint_paths_of_all, interference, sample,
};

fn all_pairs(c: &mut Criterion) {
    for spec in ["slimfly:q=19", "slimfly:q=43"] {
        let fabric = tulle_topologies::build(spec, 0).expect("the spec is legal");
        let mut group = c.benchmark_group(spec);
        group.sample_size(10);
        group.bench_function("lengths and counts", |bench| bench.iter(|| ShortestPaths::of(&fabric)));
        group.bench_function("exact, up to 3 hops, all pairs", |bench| {
            bench.iter(|| disjoint_paths_of_all(&fabric, Limit::Hops(3), Mode::Exact).expect("connected"));
        });
        group.finish();
    }
    let fabric = tulle_topologies::build("slimfly:q=19", 0).expect("the spec is legal");
    c.benchmark_group("slimfly:q=19").sample_size(10).bench_function("equivalent-flow tree", |bench| {
        bench.iter(|| FlowTree::of(&fabric).expect("connected"));
    });
}

/// Counts paths for 1000 pairs, and interference for 1000 quadruples, on fabrics of FatPaths Table IV.
fn samples(c: &mut Criterion) {
    for (spec, hops) in [("slimfly:q=19,p=14", 3), ("dragonfly:p=8", 4), ("jellyfish-like:dragonfly:p=8", 4)] {
        let fabric = tulle_topologies::build(spec, 0).expect("the spec is legal");
        let pairs = sample::pairs(&fabric, 1000, 0).expect("enough switches");
        let quadruples = sample::quadruples(&fabric, 1000, 0).expect("enough switches");
        let mut group = c.benchmark_group(format!("{spec}, up to {hops} hops, 1000 samples"));
        group.sample_size(10);
        for mode in [Mode::Greedy, Mode::Exact] {
            group.bench_function(format!("{mode:?} paths"), |bench| {
                bench.iter(|| disjoint_paths(&fabric, &pairs, hops, mode).expect("legal pairs"));
            });
            group.bench_function(format!("{mode:?} interference"), |bench| {
                bench.iter(|| interference(&fabric, &quadruples, hops, mode).expect("legal quadruples"));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, all_pairs, samples);
criterion_main!(benches);
