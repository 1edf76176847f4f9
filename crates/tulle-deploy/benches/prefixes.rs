//! Benchmarks prefix entries of 200 switches with 4 layers (159,200 entries): computing the entries, following every path, and finding the
//! changes after a failure.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tulle_deadlock::reroute::reroute;
use tulle_deploy::ethernet::{Entries, changes};

fn prefixes(criterion: &mut Criterion) {
    let fabric = tulle_topologies::build("jellyfish:switches=200,degree=11,p=1", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "random:layers=4,rho=0.7", 0).unwrap();
    let entries = Entries::of(&fabric, &routing).unwrap();
    let damaged = fabric.without(&"links=1".parse().unwrap(), 0).unwrap();
    let rerouted = reroute(&fabric, &routing, None, &damaged).unwrap().routing;
    let after = Entries::of(&damaged, &rerouted).unwrap();
    let switches: Vec<u32> = (0..200).collect();
    let count = (0..200).map(|switch| entries.count(switch) as u64).sum();

    let mut group = criterion.benchmark_group("200 switches, 4 layers");
    group.sample_size(20).throughput(Throughput::Elements(count));
    group.bench_function("entries", |bencher| bencher.iter(|| black_box(Entries::of(&fabric, &routing).unwrap())));
    group.bench_function("walk", |bencher| bencher.iter(|| black_box(entries.walk(&fabric).unwrap())));
    group.bench_function("changes", |bencher| bencher.iter(|| black_box(changes(&entries, &after, &switches))));
    group.finish();
}

criterion_group!(benches, prefixes);
criterion_main!(benches);
