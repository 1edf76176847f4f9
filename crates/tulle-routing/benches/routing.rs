//! Measures how long schemes take, most of them on Slim Fly with 722 switches (q = 19). `random` also runs on 3,698 switches (q = 43).
//! `updown` runs on a fat tree, and `spain` on a smaller Slim Fly (q = 9).
//!
//! On one core, run the benchmarks with `RAYON_NUM_THREADS=1 cargo bench -p tulle-routing --bench routing`. Their names are fabric/scheme.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use tulle_routing::quality::{Quality, Sharing};

fn schemes(criterion: &mut Criterion) {
    for (fabric, specs) in [
        (
            "slimfly:q=19",
            &[
                "minimal",
                "balanced:layers=4",
                "random:layers=9",
                "random:layers=9,acyclic=true",
                "low-overlap:layers=9",
                "almost-minimal:layers=4",
                "spread:layers=4,aim=disjoint",
                "past",
                "past:trees=weighted",
                "past:trees=valiant",
                "edst",
                "edst:seeded=bfs",
            ][..],
        ),
        ("slimfly:q=43", &["random:layers=9"]),
        ("fattree:levels=3,radix=24", &["updown", "updown:choice=all"]),
        ("slimfly:q=9", &["spain:paths=3,layers=9"]),
    ] {
        let built = tulle_topologies::build(fabric, 0).unwrap();
        let mut group = criterion.benchmark_group(fabric);
        group.sample_size(10).warm_up_time(Duration::from_millis(1));
        for spec in specs {
            group.bench_function(*spec, |bencher| {
                bencher.iter(|| tulle_routing::build(black_box(&built), spec, 1).unwrap());
            });
        }
        group.finish();
    }
}

fn quality(criterion: &mut Criterion) {
    let fabric = tulle_topologies::build("slimfly:q=19", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "random:layers=9", 1).unwrap();
    let mut group = criterion.benchmark_group("quality");
    group.sample_size(10).warm_up_time(Duration::from_millis(1));
    group.bench_function("slimfly:q=19 random:layers=9", |bencher| {
        bencher.iter(|| Quality::of(black_box(&fabric), &routing, Sharing::Channel));
    });
    group.finish();
}

criterion_group!(benches, schemes, quality);
criterion_main!(benches);
