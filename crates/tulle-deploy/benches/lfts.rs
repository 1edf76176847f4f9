//! Benchmarks forwarding tables of a Slim Fly of q = 11 with 4 layers (2.2 million entries): computing, checking, writing and reading them.
//! Also benchmarks writing the SL-to-VL tables.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tulle_deadlock::assign_vcs;
use tulle_deploy::infiniband::{Deployment, Parts, read_lfts, write_lfts, write_sl2vl};

fn lfts(criterion: &mut Criterion) {
    let fabric = tulle_topologies::build("slimfly:q=11", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "random:layers=4,rho=0.8", 0).unwrap();
    let (plan, _) = assign_vcs(&fabric, &routing, "dfsssp").unwrap();
    let parts = Parts { fabric: Arc::new(fabric), routing: Arc::new(routing), plan: Arc::new(plan) };
    let deployment = Deployment::new(parts.clone(), 2, 15).unwrap();
    let guids: Vec<u64> = deployment.subnet().switches.iter().map(|address| address.node_guid).collect();
    let path = std::env::temp_dir().join(format!("tulle-lfts-{}", std::process::id()));
    let entries = deployment.tables().ports().iter().filter(|port| **port != 255).count() as u64;

    let mut group = criterion.benchmark_group("slimfly:q=11, 4 layers");
    group.sample_size(10).throughput(Throughput::Elements(entries));
    group.bench_function("tables", |bencher| {
        bencher.iter(|| black_box(Deployment::new(parts.clone(), 2, 15).unwrap()));
    });
    group.bench_function("walk", |bencher| bencher.iter(|| black_box(deployment.walk().unwrap())));
    for compact in [false, true] {
        let form = if compact { "compact" } else { "commented" };
        group.bench_function(format!("write {form}"), |bencher| {
            bencher.iter(|| write_lfts(&deployment, &path, compact).unwrap());
        });
        group.bench_function(format!("read {form}"), |bencher| {
            bencher.iter(|| black_box(read_lfts(&path, &guids).unwrap()));
        });
    }
    group.bench_function("write sl2vl", |bencher| bencher.iter(|| write_sl2vl(&deployment, &path).unwrap()));
    group.finish();
    std::fs::remove_file(path).unwrap();
}

criterion_group!(benches, lfts);
criterion_main!(benches);
