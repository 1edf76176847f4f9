//! Measures the time until multiplicative weights narrow the throughput bounds to a given gap. Run `cargo bench -p
//! tulle-analysis --bench throughput`, with `RAYON_NUM_THREADS=1` for one core. `benches/throughput.py` measures linear
//! programs.

use std::ops::ControlFlow;

use criterion::{Criterion, criterion_group, criterion_main};
use tulle_analysis::Demands;
use tulle_analysis::throughput::{Capacities, PathFlow, over_fabric, over_paths};
use tulle_topologies::build as fabric;

/// Problems whose flow may use any path: the fabric, the traffic, and the relative gap between the bounds at which the measurement ends.
const FREE: [(&str, &str, f64); 3] = [
    ("slimfly:q=19", "all-to-all", 0.01),
    ("jellyfish:switches=722,degree=29,p=15", "all-to-all", 0.01),
    // A permutation, which is harder.
    ("slimfly:q=19", "longest-matching:of=switches", 0.15),
];

fn weights(c: &mut Criterion) {
    let mut group = c.benchmark_group("throughput");
    group.sample_size(10);
    for (spec, traffic, gap) in FREE {
        let fabric = fabric(spec, 1).expect("the spec is legal");
        let demands = Demands::build(&fabric, traffic, 1).expect("the traffic fits");
        group.bench_function(format!("{spec} {traffic} to {gap}"), |bench| {
            bench.iter(|| {
                let unit = Capacities::unit(&fabric);
                let found = over_fabric(&fabric, &demands, unit, gap, &mut |_| ControlFlow::Continue(()));
                assert!(!found.expect("connected").stopped);
            });
        });
    }
    let clos = fabric("flattenedclos:switches=144,ports=32,layers=4,p=8", 1).expect("the spec is legal");
    let routing = tulle_routing::build(&clos, "virtual-updown", 1).expect("the routing fits");
    let demands = Demands::build(&clos, "all-to-all", 1).expect("the traffic fits");
    group.bench_function("Flattened Clos, N = 144, virtual up-down, all-to-all to 0.01", |bench| {
        bench.iter(|| {
            let flow = PathFlow::new(&clos, &routing, &demands, Capacities::unit(&clos)).expect("paths");
            assert!(!over_paths(&flow, 0.01, &mut |_| ControlFlow::Continue(())).stopped);
        });
    });
    group.finish();
}

criterion_group!(benches, weights);
criterion_main!(benches);
