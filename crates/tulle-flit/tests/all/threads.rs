//! Tests that the outcome is the same, bit for bit, for any number of threads.

use crate::support::{fabric, run};
use tulle_flit::{Config, Outcome, SaturationRule, Traffic};

/// Compares the outcomes as text, because NaN samples are equal as text.
fn same(a: &Outcome, b: &Outcome) {
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
}

#[test]
fn outcomes_do_not_depend_on_threads() {
    for (spec, routing, traffic, selector, router) in [
        ("slimfly:q=5", "minimal", "uniform", "minimal", "input-queued:vcs=2"),
        ("jellyfish:switches=30,degree=5,p=3", "ksp:k=4", "permutation", "ksp-adaptive", "input-queued:vcs=8"),
        ("oft:k=4", "minimal", "worst-case", "ugal:candidates=2", "input-queued:vcs=4,allocator=islip"),
        (
            "hyperx:shape=4x4,p=3",
            "minimal",
            "uniform",
            "ugal:queue=output",
            "virtual-cut-through:vcs=4,buffer=8,output=4",
        ),
        // With two VCs, policy `datelines` replaces `hops`.
        ("torus:shape=6x5,p=2", "minimal", "uniform", "dimension-order", "input-queued:vcs=2,buffer=8"),
        ("oft:k=4", "minimal", "worst-case", "ugal-g:candidates=2", "virtual-cut-through:vcs=4"),
        ("mlfm:h=3", "minimal", "worst-case", "ugal:queue=output", "diameter-two:vcs=4"),
        ("hyperx:shape=4x4,p=3", "minimal", "uniform", "valiant", "virtual-cut-through:vcs=4,buffer=8,crossbar=2"),
        ("dragonfly:p=2", "minimal", "uniform:self=no", "valiant", "input-queued:vcs=6,buffer=8"),
        ("dragonfly:p=2", "hierarchical", "off-diagonal:offset=8", "par:via=group", "input-queued:vcs=7,buffer=16"),
        ("slimfly:q=5", "spread:layers=4", "worst-case", "ksp-ugal:candidates=2,bias=4", "input-queued:vcs=8"),
        ("slimfly:q=5", "spread:layers=4", "uniform", "ksp-adaptive", "virtual-cut-through:vcs=8,buffer=8"),
        ("oft:k=4", "spread:layers=4", "worst-case", "ugal:via=layer,candidates=2,queue=class", "input-queued:vcs=8"),
        ("slimfly:q=5", "spread:layers=4", "worst-case", "par:via=layer,candidates=2", "input-queued:vcs=8,buffer=8"),
        (
            "dragonfly:p=2",
            "hierarchical",
            "off-diagonal:offset=8",
            "par",
            "virtual-cut-through:vcs=7,crossbar=1,queues=voq",
        ),
        ("dragonfly:p=2", "minimal", "off-diagonal:offset=8", "recycle:bias=20", "input-queued:vcs=6,buffer=16"),
        (
            "slimfly:q=5",
            "minimal",
            "worst-case",
            "recycle:bias=4,candidates=2,buffer=3",
            "virtual-cut-through:vcs=8,buffer=8",
        ),
    ] {
        let fabric = fabric(spec);
        let routing = tulle_routing::build(&fabric, routing, 1).unwrap();
        let traffic = Traffic::new(&fabric, traffic, 1).unwrap();
        let config = |threads| Config {
            router: router.to_owned(),
            selector: selector.to_owned(),
            load: 0.6,
            window: 300,
            drain: 3000,
            saturation: SaturationRule::Booksim,
            threads,
            ..Config::default()
        };
        let one = run(&fabric, &routing, &traffic, &config(1)).unwrap();
        assert!(one.delivered > 0);
        for threads in [2, 3, 7] {
            same(&one, &run(&fabric, &routing, &traffic, &config(threads)).unwrap());
        }
        let other = run(&fabric, &routing, &traffic, &Config { seed: 1, ..config(1) }).unwrap();
        assert_ne!(one.latency, other.latency);
    }
}
