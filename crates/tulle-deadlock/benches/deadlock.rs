//! Benchmarks of deadlock proofs on Slim Fly q = 19, and of schemes with one virtual channel per path on q = 9.
//!
//! To run them: `cargo bench -p tulle-deadlock`. Set `RAYON_NUM_THREADS=1` to measure one core.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use tulle_deadlock::reroute;
use tulle_deadlock::{acyclic, assign_vcs};

fn proofs(criterion: &mut Criterion) {
    let fabric = tulle_topologies::build("slimfly:q=19", 0).unwrap();
    let mut group = criterion.benchmark_group("slimfly:q=19");
    group.sample_size(10).warm_up_time(Duration::from_millis(1));
    let random = tulle_routing::build(&fabric, "random:layers=9", 1).unwrap();
    // Measures how long it takes to build the channel-dependency graph of all nine layers, and to find a cycle in it. (The layers of this
    // routing have a cycle.)
    group.bench_function("random:layers=9 acyclic", |bencher| {
        bencher.iter(|| acyclic(black_box(&fabric), &random).unwrap().unwrap_err());
    });
    // Measures the whole run: assign virtual channels, verify them, build the certificate, and check it.
    group.bench_function("random:layers=9 hops", |bencher| {
        bencher.iter(|| assign_vcs(black_box(&fabric), &random, "hops").unwrap());
    });
    let short = tulle_routing::build(&fabric, "almost-minimal:layers=4", 1).unwrap();
    for scheme in ["hops", "colouring"] {
        group.bench_function(format!("almost-minimal:layers=4 {scheme}"), |bencher| {
            bencher.iter(|| assign_vcs(black_box(&fabric), &short, scheme).unwrap());
        });
    }
    let damaged = fabric.without(&"links=1".parse().unwrap(), 0).unwrap();
    group.bench_function("random:layers=9 reroute", |bencher| {
        bencher.iter(|| reroute::reroute(&fabric, &random, None, &damaged).unwrap());
    });
    group.finish();
}

/// Benchmarks the schemes that search for cycles while they assign paths to virtual channels.
fn searches(criterion: &mut Criterion) {
    let fabric = tulle_topologies::build("slimfly:q=9", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "almost-minimal:layers=4", 1).unwrap();
    let mut group = criterion.benchmark_group("slimfly:q=9");
    group.sample_size(10).warm_up_time(Duration::from_millis(1));
    for scheme in ["dfsssp", "lash"] {
        group.bench_function(format!("almost-minimal:layers=4 {scheme}"), |bencher| {
            bencher.iter(|| assign_vcs(black_box(&fabric), &routing, scheme).unwrap());
        });
    }
    group.finish();
}

criterion_group!(benches, proofs, searches);
criterion_main!(benches);
