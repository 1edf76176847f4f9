//! Measures the computation of path sets over all pairs. Run it on one core with `RAYON_NUM_THREADS=1 cargo bench -p tulle-routing --bench
//! paths`.

use criterion::{Criterion, criterion_group, criterion_main};

fn all_pairs(c: &mut Criterion) {
    let cases = [
        ("jellyfish:switches=720,degree=19,p=5", &["ksp:k=8", "rksp:k=8", "edksp:k=8", "redksp:k=8", "llskr"][..]),
        ("flattenedclos:switches=500,ports=64,layers=3,p=24", &["virtual-updown"]),
        ("flattenedclos:switches=200,ports=32,layers=4,p=14", &["virtual-updown", "edst-paths"]),
    ];
    for (spec, routings) in cases {
        let fabric = tulle_topologies::build(spec, 1).expect("the spec is legal");
        let mut group = c.benchmark_group(fabric.spec());
        group.sample_size(10);
        for routing in routings {
            group.bench_function(*routing, |bench| {
                bench.iter(|| tulle_routing::build(&fabric, routing, 1).expect("the fabric can be routed"));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, all_pairs);
criterion_main!(benches);
