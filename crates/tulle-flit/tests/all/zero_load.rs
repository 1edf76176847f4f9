//! Tests that the latency without queueing equals the closed form exactly, for every topology family that reads no
//! files, and for many router models and link latencies.

use crate::support::{fabric, pair, run};
use tulle_fabric::distances::Distances;
use tulle_flit::Config;
use tulle_spec::{Info, Kind};

/// Returns the latency in cycles of a packet over `hops` hops without queueing: endpoint links, routers, channels, and
/// the flits after the first.
fn closed_form(config: &Config, per_router: u32, hops: u32) -> u64 {
    let routers = hops + 1;
    let ends = 1 + 2 * config.endpoint_latency;
    u64::from(ends + per_router * routers + config.link_latency * hops + config.packet - 1)
}

#[test]
fn every_family_meets_the_closed_form() {
    let reads_files = |info: &Info| info.parameters.iter().any(|parameter| matches!(parameter.kind, Kind::Path(_)));
    for entry in tulle_topologies::families().iter().filter(|entry| !reads_files(entry.info)) {
        let spec = entry.info.examples[0];
        let fabric = fabric(spec);
        let routing = tulle_routing::build(&fabric, "minimal", 1).unwrap();
        let distances = Distances::of(&fabric);
        let config = Config {
            router: "input-queued:vcs=8".to_owned(),
            load: 0.01,
            warmup: 0,
            window: 2000,
            seed: 3,
            ..Config::default()
        };
        let endpoints = fabric.num_endpoints() as u32;
        for to in [1, endpoints / 3 + 1, endpoints - 1] {
            let switch = |endpoint: u32| fabric.endpoint_switch()[endpoint as usize];
            let hops = u32::from(distances.row(switch(0))[switch(to) as usize]);
            let outcome = run(&fabric, &routing, &pair(&fabric, 0, to), &config).unwrap();
            assert!(outcome.complete && outcome.delivered > 0, "{spec}");
            assert_eq!(outcome.percentiles, Some([closed_form(&config, 2, hops); 4]), "{spec} to {to}");
            assert_eq!((outcome.hops, outcome.minimal), (f64::from(hops), 1.0), "{spec}");
        }
    }
}

#[test]
fn every_pipeline_meets_the_closed_form() {
    let fabric = fabric("mesh:shape=4");
    let routing = tulle_routing::build(&fabric, "minimal", 1).unwrap();
    for (router, per_router) in [
        ("input-queued:vcs=4", 2),
        ("input-queued:vcs=4,allocator=islip", 2),
        ("input-queued:vcs=4,speedup=1", 3),
        ("input-queued:vcs=4,speedup=1,delay=1", 4),
        ("input-queued:vcs=4,speedup=3", 1),
        ("input-queued:vcs=4,delay=7", 9),
        ("input-queued:vcs=4,inject=random", 2),
        // The last cycle of the routing delay takes one allocation step: a cycle with speedup 1, half a cycle with
        // speedup 2.
        ("input-queued:vcs=4,speedup=1,route=1", 4),
        ("input-queued:vcs=4,speedup=1,route=3,delay=2", 8),
        ("input-queued:vcs=4,route=1", 2),
        ("input-queued:vcs=4,route=4", 5),
        ("input-queued:vcs=4,speedup=4,route=2", 2),
    ] {
        for (latency, endpoint_latency, packet) in
            [(10, 1, 1), (0, 0, 1), (1, 5, 3), (37, 1, 8), (13, 2, 1), (14, 0, 2)]
        {
            let base = Config {
                router: router.to_owned(),
                link_latency: latency,
                endpoint_latency,
                packet,
                ..Config::default()
            };
            let config = Config { load: 0.01, warmup: 0, window: 4000, seed: 5, ..base };
            let outcome = run(&fabric, &routing, &pair(&fabric, 0, 3), &config).unwrap();
            assert!(outcome.complete && outcome.delivered > 0);
            assert_eq!(
                outcome.percentiles.unwrap()[0],
                closed_form(&config, per_router, 3),
                "{router} {latency} {packet}"
            );
        }
    }
}

#[test]
fn channel_classes_have_their_latencies() {
    let fabric = fabric("dragonfly:p=2");
    let routing = tulle_routing::build(&fabric, "minimal", 1).unwrap();
    let config = Config {
        link_latency: 3,
        class_latency: vec![("global".to_owned(), 40)],
        load: 0.01,
        warmup: 0,
        window: 3000,
        ..Config::default()
    };
    let last = fabric.num_endpoints() as u32 - 1;
    let outcome = run(&fabric, &routing, &pair(&fabric, 0, last), &config).unwrap();
    let hops = outcome.hops as u64;
    assert_eq!(outcome.percentiles.unwrap()[0], 3 + 2 * (hops + 1) + 40 + 3 * (hops - 1));
}

#[test]
fn virtual_cut_through_meets_the_closed_form() {
    let fabric = fabric("mesh:shape=4");
    let routing = tulle_routing::build(&fabric, "minimal", 1).unwrap();
    for (router, delay) in [
        ("virtual-cut-through", 0),
        ("virtual-cut-through:vcs=3,buffer=8,output=8,delay=7,inject=random", 7),
        ("virtual-cut-through:vcs=3,buffer=8,output=8,delay=7,crossbar=1", 7),
        ("diameter-two", 5),
    ] {
        for (latency, endpoint_latency, packet) in
            [(10, 1, 1), (1, 0, 1), (1, 5, 3), (37, 1, 8), (13, 2, 1), (14, 0, 2)]
        {
            let base = Config {
                router: router.to_owned(),
                link_latency: latency,
                endpoint_latency,
                packet,
                ..Config::default()
            };
            let config = Config { load: 0.01, warmup: 0, window: 4000, seed: 5, ..base };
            let outcome = run(&fabric, &routing, &pair(&fabric, 0, 3), &config).unwrap();
            assert!(outcome.complete && outcome.delivered > 0);
            let expected = 2 * endpoint_latency + 4 * delay + 3 * latency + packet - 1;
            assert_eq!(outcome.percentiles.unwrap()[0], u64::from(expected), "{router} {latency} {packet}");
        }
    }
}

/// If the cycle length is given, the latency of a cable comes from the fabric, rounded up to whole cycles.
#[test]
fn cables_use_the_latencies_of_the_fabric() {
    use tulle_fabric::{FabricBuilder, Link};
    for case in 0..40u64 {
        let random = |number: u64, below: u64| tulle_base::random::mix(case << 8 | number) % below;
        // Keep latencies so small that the histogram does not round them.
        let (cycle, known) = (1000 + random(0, 9000), [1, 2, 3, 4].map(|number| random(number, 200_000)));
        let mut builder = FabricBuilder::new(4);
        for (cable, &latency) in known[..3].iter().enumerate() {
            builder.cable(cable as u32, cable as u32 + 1);
            let link = Link { latency: (cable != 1).then_some(latency), ..Link::default() };
            builder.link(cable, [link.clone(), link]);
        }
        builder.endpoints_each(1);
        for endpoint in 0..4 {
            builder.endpoint_link(endpoint, Link { latency: Some(known[3]), ..Link::default() });
        }
        let fabric = builder.finish("edges", tulle_spec::Parameters::new()).unwrap();
        let routing = tulle_routing::build(&fabric, "minimal", 1).unwrap();
        let base = Config { router: "input-queued:vcs=4".to_owned(), cycle_ps: Some(cycle), ..Config::default() };
        let config = Config { load: 0.01, warmup: 0, window: 4000, seed: 5, ..base };
        let outcome = run(&fabric, &routing, &pair(&fabric, 0, 3), &config);
        let cycles = known.map(|latency| latency.div_ceil(cycle));
        let outcome = outcome.unwrap();
        let cables = cycles[0] + u64::from(config.link_latency) + cycles[2];
        assert_eq!(outcome.percentiles.unwrap()[0], 1 + 2 * cycles[3] + 2 * 4 + cables, "case {case}");
        let without = Config { cycle_ps: None, ..config.clone() };
        let outcome = run(&fabric, &routing, &pair(&fabric, 0, 3), &without).unwrap();
        assert_eq!(outcome.percentiles.unwrap()[0], closed_form(&without, 2, 3));
        assert_eq!(outcome.warnings, ["the link latencies of the fabric are ignored without cycle_ps="]);
        let error = |cycle| {
            let config = Config { cycle_ps: Some(cycle), ..config.clone() };
            run(&fabric, &routing, &pair(&fabric, 0, 3), &config).unwrap_err().to_string()
        };
        assert!(error(0).contains("cycle_ps=0 is out of range; legal: 1 to 1000000000000"), "{}", error(0));
        if known[0] > 10_000 {
            assert!(error(1).ends_with("cycles of 1 ps; legal: 0 to 10000 cycles"), "{}", error(1));
        }
    }
}
