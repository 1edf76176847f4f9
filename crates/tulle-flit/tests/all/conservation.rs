//! Tests that random small configurations do not crash, hang or lose a flit. With the feature `conservation`, every
//! flit and credit is counted after every block of cycles. In half of the cases links are so short that a block has one
//! cycle. `PROPTEST_CASES=2000` runs more cases.

use crate::support::{fabric, run};
use proptest::prelude::*;
use tulle_flit::{Config, Traffic};

const FABRICS: [&str; 10] = [
    "slimfly:q=3",
    "hyperx:shape=2x3,p=2",
    "clique:degree=3",
    "jellyfish:switches=10,degree=3,p=2",
    "torus:shape=3x3",
    "torus:shape=5x4",
    "oft:k=3",
    "dragonfly:p=1",
    "megafly:leaves=2",
    "mesh:shape=2x3",
];

const TRAFFICS: [&str; 4] = ["uniform", "uniform:self=no", "permutation", "random:destinations=2"];

/// Combinations of routing, selector, policy and number of VCs that work on the fabrics of this test.
const WAYS: [(&str, &str, &str, u64); 27] = [
    ("minimal", "minimal", "hops", 5),
    ("minimal", "single-path", "hops", 5),
    ("minimal", "valiant", "hops", 10),
    ("minimal", "valiant:via=any,passing=end", "hops:spare=idle", 10),
    ("minimal", "single-path", "hops:spare=idle", 5),
    ("minimal", "ugal:candidates=2,queue=class", "hops", 10),
    ("minimal", "ugal:cost=constant,c=2,threshold=10%,queue=output", "hops", 10),
    ("minimal", "ugal-g", "hops", 10),
    ("minimal", "recycle:bias=2,candidates=2,buffer=4", "hops", 10),
    // The following four combinations fit only the fabrics `dragonfly` and `megafly`.
    ("hierarchical", "minimal", "crossings", 2),
    ("hierarchical", "ugal:minimal=best,via=group", "hops", 8),
    ("hierarchical", "par:candidates=2,bias=3", "hops", 9),
    ("hierarchical", "par:via=group", "crossings", 4),
    // The following two combinations fit only tori.
    ("minimal", "dimension-order", "datelines", 2),
    ("minimal", "dimension-order", "datelines:from=dateline", 2),
    ("minimal", "minimal", "plan:dfsssp", 6),
    ("ksp:k=3", "ksp-adaptive", "plan:dfsssp", 10),
    ("ksp:k=3", "ksp-ugal", "plan:lash", 10),
    ("random:layers=3,rho=0.8", "round-robin", "plan:dfsssp", 10),
    // Adaptive selectors over layers.
    ("random:layers=3,rho=0.8", "ksp-adaptive:candidates=3", "plan:dfsssp", 10),
    ("random:layers=3,rho=0.8", "ksp-ugal:candidates=2,bias=2,queue=class", "plan:dfsssp", 10),
    ("spread:layers=3,effort=1", "ksp-ugal", "hops", 10),
    ("spread:layers=3,effort=1", "ugal:via=layer,candidates=2,paths=one,queue=class", "hops", 10),
    ("spread:layers=3,effort=1", "ugal:via=layer,candidates=2,threshold=10%", "plan:hops", 10),
    ("spread:layers=3,effort=1", "ugal:via=layer,direct=shortest", "plan:colouring", 10),
    ("spread:layers=3,effort=1", "par:via=layer,candidates=2,queue=class", "hops", 12),
    ("random:layers=3,rho=0.8", "par:via=layer,minimal=best", "hops", 12),
];

fn routers() -> impl Strategy<Value = String> {
    prop_oneof![2 => input_queued(), 1 => virtual_cut_through()]
}

fn virtual_cut_through() -> impl Strategy<Value = String> {
    let crossbars = prop::sample::select(
        &["crossbar=0", "crossbar=1", "crossbar=3", "crossbar=1,queues=voq", "crossbar=2,queues=voq,transit=first"][..],
    );
    (0u64..4, 6u64..20, 6u64..20, 0u64..4, prop::bool::ANY, crossbars).prop_map(
        |(more, buffer, output, delay, first, crossbar)| {
            let inject = if first { "first" } else { "random" };
            format!("virtual-cut-through:vcs={more},buffer={buffer},output={output},delay={delay},inject={inject},{crossbar}")
        },
    )
}

fn input_queued() -> impl Strategy<Value = String> {
    let words = (prop::bool::ANY, prop::bool::ANY, prop_oneof![Just(0u64), 1u64..4]);
    let parts = (0u64..4, 1u64..10, 1u64..4, words, 0u64..5, 0u64..3);
    parts.prop_map(|(more, buffer, speedup, (islip, random, route), credit, delay)| {
        let allocator = if islip { "islip" } else { "separable" };
        let inject = if random { "random" } else { "round-robin" };
        let rest = format!("allocator={allocator},inject={inject},route={route},credit={credit},delay={delay}");
        format!("input-queued:vcs={more},buffer={buffer},speedup={speedup},{rest}")
    })
}

/// Returns the number of cases: `PROPTEST_CASES` if it is set, otherwise 48.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(48)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost(
        on in prop::sample::select(&FABRICS[..]),
        to in prop::sample::select(&TRAFFICS[..]),
        (routing, selector, policy, vcs) in prop::sample::select(&WAYS[..]),
        router in routers(),
        load in prop_oneof![0.0f64..0.01, 0.0f64..1.0],
        packet in 1u32..6,
        latencies in (prop_oneof![Just(0u32), 1u32..20], 0u32..4),
        seed in 0u64..1000,
        threads in 1usize..3,
    ) {
        let (model, rest) = router.split_once(":vcs=").unwrap();
        let (more, rest) = rest.split_once(',').unwrap();
        let vcs = (vcs + more.parse::<u64>().unwrap()).min(16);
        let fabric = fabric(on);
        let Ok(routing) = tulle_routing::build(&fabric, routing, seed) else { return Ok(()) };
        let traffic = Traffic::new(&fabric, to, seed).unwrap();
        let config = Config {
            router: format!("{model}:vcs={vcs},{rest}"),
            selector: selector.to_owned(),
            policy: policy.to_owned(),
            load,
            packet,
            link_latency: latencies.0 + u32::from(model == "virtual-cut-through"),
            endpoint_latency: latencies.1,
            warmup: 50,
            window: 200,
            drain: 3000,
            seed,
            threads,
            ..Config::default()
        };
        // A plan may need more VCs than the router has, and only tori have datelines.
        let Ok(outcome) = run(&fabric, &routing, &traffic, &config) else {
            prop_assert!(policy.starts_with("plan") || policy.starts_with("datelines") && !on.starts_with("torus"));
            return Ok(());
        };
        prop_assert_eq!(outcome.deadlock, None);
        // Over a single VC, at most one buffer of flits can be sent per credit round trip, which takes less than 60 cycles in this test. A
        // few flows may share the VC.
        let buffer: f64 = rest.strip_prefix("buffer=").unwrap().split(',').next().unwrap().parse().unwrap();
        let is_light = load < buffer / 1000.0;
        // At higher loads, some packets may not arrive in time: with buffers of one or two flits, endpoints can starve. The arbiter of each
        // link divides the link among all VCs, and the switch's own endpoints get only the part of their VCs.
        prop_assert!(outcome.complete || !is_light, "{} of {}", outcome.delivered, outcome.created);
        prop_assert!(outcome.delivered == outcome.created || !outcome.complete);
        prop_assert!(outcome.accepted <= 1.0 + 1e-9 && outcome.channel_load.iter().all(|&load| load <= 1.0));
        prop_assert!(outcome.delivered_flits <= outcome.created_flits);
    }
}
