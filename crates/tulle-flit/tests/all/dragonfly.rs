//! Tests on dragonflies: comparison with the native dragonflies of BookSim2 and CAMINOS, VC classes by crossed cables,
//! and progressive adaptive routing.

use crate::support::{close, fabric, pair, run};
use tulle_flit::{Config, Outcome, Traffic};

/// Local cables take 10 cycles, global cables 100 cycles.
fn config(router: &str, policy: &str) -> Config {
    Config {
        router: router.to_owned(),
        policy: policy.to_owned(),
        class_latency: vec![("global".to_owned(), 100)],
        window: 2500,
        seed: 1,
        ..Config::default()
    }
}

fn outcome(spec: &str, routing: &str, traffic: &str, config: &Config) -> Outcome {
    let fabric = fabric(spec);
    let routing = tulle_routing::build(&fabric, routing, 1).unwrap();
    run(&fabric, &routing, &Traffic::new(&fabric, traffic, 1).unwrap(), config).unwrap()
}

#[test]
fn booksim2_agrees_on_its_own_dragonfly() {
    // BookSim2's topology `dragonflynew` with its parameter k = 2: routes cross local, global and local cables. Packets
    // use VC 0 before the global cable, then VC 1, also toward endpoints.
    let config = config("input-queued:vcs=2,buffer=256,inject=random", "crossings");
    let at = |load| outcome("dragonfly:p=2", "hierarchical", "uniform", &Config { load, ..config.clone() });
    close(at(0.1).latency, 112.605, 0.015);
    let half = at(0.5);
    close(half.latency, 114.264, 0.01);
    close(half.hops, 2.306, 0.01);
    let full = Config { load: 1.0, drain: 0, ..config.clone() };
    close(outcome("dragonfly:p=2", "hierarchical", "uniform", &full).accepted, 0.8448, 0.015);
}

#[test]
fn caminos_agrees_on_its_palm_tree() {
    let config = config("virtual-cut-through:vcs=3,buffer=256", "hops");
    let palm = "dragonfly:p=2,arrangement=palm-tree";
    let at = |spec: &str, load| outcome(spec, "minimal", "uniform:self=no", &Config { load, ..config.clone() });
    close(at(palm, 0.1).latency, 126.947, 0.015);
    close(at(palm, 0.5).latency, 128.666, 0.01);
    let full = Config { load: 1.0, drain: 0, ..config.clone() };
    close(outcome(palm, "minimal", "uniform:self=no", &full).accepted, 0.7761, 0.015);
    // With the absolute arrangement of global cables, more pairs have a route over two global cables that is shorter
    // than their route over one global cable. So the mean latency is lower than with the palm-tree arrangement.
    assert!(at("dragonfly:p=2", 0.1).latency < 0.97 * 126.947);
}

#[test]
fn insufficient_crossings_are_refused() {
    let refused = |routing: &str, selector: &str, policy: &str, vcs: u32| {
        let fabric = fabric("dragonfly:p=2");
        let routing = tulle_routing::build(&fabric, routing, 1).unwrap();
        let config = Config {
            selector: selector.to_owned(),
            window: 100,
            load: 0.1,
            ..config(&format!("input-queued:vcs={vcs}"), policy)
        };
        let traffic = Traffic::new(&fabric, "uniform", 1).unwrap();
        run(&fabric, &routing, &traffic, &config).err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert_eq!(refused("hierarchical", "minimal", "crossings", 2), "");
    assert_eq!(refused("hierarchical", "ugal:via=group", "crossings", 3), "");
    assert_eq!(refused("hierarchical", "par:via=group", "crossings", 4), "");
    assert_eq!(refused("hierarchical", "par", "hops", 7), "");
    for (routing, selector, policy, vcs, fragment) in [
        ("hierarchical", "minimal", "crossings", 1, "needs 2 virtual channels, one more than the number of cables"),
        ("minimal", "minimal", "crossings", 2, "needs 3 virtual channels"),
        ("hierarchical", "valiant", "crossings", 3, "can deadlock: "),
        ("hierarchical", "ugal:via=group", "crossings", 2, "needs 3 virtual channels"),
        // A packet that may be diverted has an extra class for its first hop.
        ("hierarchical", "par:via=group", "crossings", 3, "needs 4 virtual channels"),
        ("hierarchical", "par", "hops", 2, "needs 7 virtual channels"),
        ("hierarchical", "par:via=group", "free", 4, "can deadlock: "),
        ("hierarchical", "minimal", "crossings:classes=optical", 2, "'optical' is not a channel class of dragonfly"),
    ] {
        let error = refused(routing, selector, policy, vcs);
        assert!(error.contains(fragment) && !error.contains('\n'), "{selector} {policy}: {error}");
    }
    let other = fabric("slimfly:q=5");
    let routing = tulle_routing::build(&other, "minimal", 1).unwrap();
    let config = Config { selector: "par".to_owned(), ..Config::default() };
    let error = run(&other, &routing, &Traffic::new(&other, "uniform", 1).unwrap(), &config).unwrap_err().to_string();
    assert!(error.contains("selector 'par:") && error.contains("which has no groups; legal: dragonfly"), "{error}");
}

#[test]
fn par_avoids_queues_that_the_source_cannot_see() {
    // All packets of a group go to the next group. All minimal routes share one cable, so each of the 8 endpoints of a group gets an eighth
    // of the cable's rate. A switch without that cable sees only the queues of its local cables, which are not congested. So UGAL chooses
    // the minimal route. PAR decides again at the switch that has the global cable.
    let adverse = |selector: &str, vcs: u32, packet: u32| {
        let base = config(&format!("input-queued:vcs={vcs},buffer=256"), "crossings");
        let selector = selector.to_owned();
        let config = Config { selector, load: 0.4, packet, warmup: 2000, ..base };
        outcome("dragonfly:p=2", "hierarchical", "off-diagonal:offset=8", &config)
    };
    close(adverse("minimal", 2, 1).accepted, 0.125, 0.02);
    let (ugal, par) = (adverse("ugal:via=group", 4, 1), adverse("par:via=group", 4, 1));
    assert!(par.complete && par.latency < 0.85 * ugal.latency, "{} against {}", par.latency, ugal.latency);
    assert!(
        par.percentiles.unwrap()[2] < ugal.percentiles.unwrap()[2] / 2 && par.minimal < ugal.minimal,
        "{par:?} against {ugal:?}"
    );
    // If a packet has several flits, its last flit also reports that the packet was diverted.
    let long = adverse("par:via=group", 4, 3);
    close(long.minimal, par.minimal, 0.1);
}

#[test]
fn small_buffers_at_full_load_do_not_deadlock() {
    for router in ["input-queued:vcs=4,buffer=2", "virtual-cut-through:vcs=4,buffer=2,output=1"] {
        for routing in ["hierarchical", "minimal"] {
            let selector = if routing == "minimal" { "minimal" } else { "par:via=group,candidates=2" };
            let config = Config {
                selector: selector.to_owned(),
                class_latency: Vec::new(),
                link_latency: 2,
                load: 1.0,
                window: 9000,
                drain: 0,
                ..config(router, "crossings")
            };
            // A packet starts in VC class 0 if its first cable is local, and in class 1 if it is global. With routing `minimal`, it may
            // cross two global cables. Neither the different start classes nor two global cables on one path may cause a deadlock.
            let found = outcome("dragonfly:p=2", routing, "uniform", &config);
            assert_eq!(found.deadlock, None, "{router} {routing}");
            assert!(found.accepted > 0.05, "{router} {routing}: {}", found.accepted);
        }
    }
}

#[test]
fn par_without_a_second_decision_equals_ugal() {
    // The spines of a megafly carry no endpoints.
    let run = |selector: &str| {
        let config = Config {
            selector: selector.to_owned(),
            load: 0.6,
            window: 600,
            may_deadlock: true,
            ..config("input-queued:vcs=4,buffer=256", "free")
        };
        outcome("megafly:leaves=2", "hierarchical", "uniform", &config)
    };
    let [ugal, par] = ["ugal", "par"].map(run);
    assert_eq!((ugal.latency, ugal.minimal, &ugal.channel_load), (par.latency, par.minimal, &par.channel_load));
    assert!(par.minimal < 1.0);
}

#[test]
fn routes_through_groups_stop_at_the_border_and_not_within_one_group() {
    let fabric = fabric("dragonfly:p=2");
    let routing = tulle_routing::build(&fabric, "hierarchical", 1).unwrap();
    let by_group = |traffic: &Traffic| {
        let base = config("input-queued:vcs=3,buffer=256", "crossings");
        let config = Config { selector: "ugal:via=group".to_owned(), load: 0.9, ..base };
        run(&fabric, &routing, traffic, &config).unwrap()
    };
    // Within a group, packets take the minimal route regardless of queues.
    let within = by_group(&pair(&fabric, 0, 3));
    assert_eq!((within.minimal, within.hops), (1.0, 1.0));
    // Routes to another group cross at most local, global, local, global and local cables. Routes through an
    // intermediate switch would have up to six hops.
    let between = by_group(&pair(&fabric, 0, 71));
    assert!(between.minimal < 1.0 && between.hops <= 5.0, "{} {}", between.minimal, between.hops);
}
