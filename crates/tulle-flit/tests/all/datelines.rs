//! Tests of policy `datelines` on tori and rings: which configurations it accepts, its throughput, and when it replaces policy `hops`.

use crate::support::{close, fabric, run, uniform};
use tulle_flit::{Config, Outcome, Traffic};

/// Virtual channels, offered load, mean latency in cycles.
const BOOKSIM_LATENCY: [(u32, f64, f64); 4] = [(2, 0.1, 30.85), (2, 0.14, 32.20), (4, 0.2, 30.54), (4, 0.27, 31.56)];
/// Virtual channels, accepted load at offered load 1.
const BOOKSIM_ACCEPTED: [(u32, f64); 2] = [(2, 0.1721), (4, 0.3364)];

fn config(policy: &str, vcs: u32) -> Config {
    Config {
        selector: "dimension-order".to_owned(),
        policy: policy.to_owned(),
        router: format!("input-queued:vcs={vcs}"),
        link_latency: 1,
        ..Config::default()
    }
}

fn refused(on: &str, config: &Config) -> String {
    let fabric = fabric(on);
    let routing = tulle_routing::build(&fabric, "minimal", 1).unwrap();
    let traffic = Traffic::new(&fabric, "uniform", 0).unwrap();
    let error = run(&fabric, &routing, &traffic, config).unwrap_err().to_string();
    assert!(!error.contains('\n'), "{error}");
    error
}

#[test]
fn two_virtual_channels_are_enough_on_every_torus() {
    for on in [
        "torus:shape=3",
        "torus:shape=4",
        "torus:shape=9",
        "torus:shape=5x4",
        "torus:shape=3x2x5",
        "torus:shape=3x3x3x3",
    ] {
        for policy in ["datelines", "datelines:from=dateline"] {
            for (vcs, packet) in [(2, 1), (3, 5), (4, 2)] {
                let full = Config { load: 1.0, drain: 0, window: 3000, packet, ..config(policy, vcs) };
                let outcome = uniform(&fabric(on), "minimal", &full);
                assert_eq!((outcome.deadlock, outcome.warnings), (None, Vec::new()), "{on} {policy} {vcs}");
                assert!(outcome.accepted > 0.1, "{on} {policy} {vcs}: {}", outcome.accepted);
            }
        }
    }
    // On a single ring, the selector minimal is safe too.
    let ring = Config { selector: "minimal".to_owned(), load: 0.1, ..config("datelines", 2) };
    assert!(uniform(&fabric("torus:shape=8"), "minimal", &ring).complete);
}

#[test]
fn other_networks_and_selectors_are_refused() {
    let with = |selector: &str| Config { selector: selector.to_owned(), ..config("datelines", 2) };
    for (on, selector, expected) in [
        ("torus:shape=4x4", "minimal", "can deadlock: (0,0)→"),
        ("torus:shape=4x4", "valiant", "can deadlock: "),
        (
            "mesh:shape=4x4",
            "dimension-order",
            "mesh:shape=4x4,p=1, which has no rings along its coordinates; legal: torus; or",
        ),
        (
            "hyperx:shape=4x4,p=1",
            "dimension-order",
            "where the cable (0,0)--(0,2) belongs to no ring of any dimension; legal: torus",
        ),
        (
            "twisted-torus:shape=4x4",
            "minimal",
            "where the cable (0,0)--(2,3) belongs to no ring of any dimension; legal: torus",
        ),
        (
            "clique:degree=3",
            "minimal",
            "clique:degree=3,p=3, which has no coordinates; legal: torus; or another policy",
        ),
    ] {
        let error = refused(on, &with(selector));
        assert!(error.contains(expected), "{error} lacks {expected}");
        assert!(error.contains("policy 'datelines"), "{error}");
    }
    assert_eq!(
        refused("torus:shape=4x4", &config("datelines", 1)),
        "policy 'datelines:from=ring' needs 2 virtual channels, one for packets that cross the dateline of a ring and one for other packets, \
         but a port has 1; legal: vcs=2 or more (at most 16); or another policy"
    );
}

#[test]
fn it_replaces_the_default_only_if_that_does_not_fit() {
    let torus = fabric("torus:shape=10x10");
    let outcome =
        |policy: &str, vcs| uniform(&torus, "minimal", &Config { load: 0.2, packet: 5, ..config(policy, vcs) });
    let chosen = outcome("hops", 3);
    assert_eq!((chosen.policy.as_str(), chosen.complete), ("datelines:from=ring", true));
    assert_eq!(
        chosen.warnings,
        [
            "policy 'hops:spare=shared' needs a virtual channel per hop, 10 in total, but a port has 3: policy 'datelines:from=ring' replaces it"
        ]
    );
    // Apart from the warning, the outcome equals that of a run with policy `datelines`.
    assert_eq!(format!("{:?}", Outcome { warnings: Vec::new(), ..chosen }), format!("{:?}", outcome("datelines", 3)));
    let fits = outcome("hops", 10);
    assert_eq!((fits.policy.as_str(), fits.warnings.len()), ("hops:spare=shared", 0));
    // The policy is not replaced in three cases: `spare=idle` is not the default policy, one virtual channel is too few for `datelines`,
    // and selector `minimal` can deadlock with `datelines`.
    let error = refused("torus:shape=10x10", &config("hops:spare=idle", 3));
    assert!(error.starts_with("policy 'hops:spare=idle' needs 10 virtual channels"), "{error}");
    let error = refused("torus:shape=10x10", &config("hops", 1));
    assert!(error.starts_with("policy 'hops:spare=shared' needs 10 virtual channels"), "{error}");
    let error = refused("torus:shape=10x10", &Config { selector: "minimal".to_owned(), ..config("hops", 3) });
    assert!(error.starts_with("policy 'hops:spare=shared' needs 10 virtual channels"), "{error}");
}

#[test]
fn latency_and_throughput_are_those_of_booksim2() {
    // BookSim2 (commit 28f43299) with `topology = torus; k = 9; n = 2; routing_function = dim_order; use_noc_latency = 0`, the default
    // router, single-flit packets, uniform traffic: means over two seeds, 6,000 cycles after a warm-up of 2,000. An odd ring has no two
    // directions of equal length, between which BookSim2 chooses at random.
    let torus = fabric("torus:shape=9x9");
    let outcome = |vcs, load| {
        let router = format!("input-queued:vcs={vcs},buffer=8,speedup=1,route=1,credit=0,allocator=islip");
        let drain = if load == 1.0 { 0 } else { 100_000 };
        let config = Config { router, load, warmup: 2000, window: 6000, drain, ..config("datelines", vcs) };
        uniform(&torus, "minimal", &config)
    };
    for (vcs, load, latency) in BOOKSIM_LATENCY {
        close(outcome(vcs, load).latency, latency, 0.01);
    }
    for (vcs, accepted) in BOOKSIM_ACCEPTED {
        close(outcome(vcs, 1.0).accepted, accepted, 0.02);
    }
}

#[test]
fn channel_loads_and_saturation_are_those_of_the_closed_form() {
    // On an odd ring of k switches, a packet moves (k² − 1)/(4k) hops on average, and half of the packets move in each direction. So a
    // channel carries (k² − 1)/(8k) times the load, and a torus accepts at most a load of 8k/(k² − 1): 0.9 for k = 9. The bound for k = 5 is
    // the link to the endpoint.
    for (k, vcs, share) in [(5, 2, 0.97), (9, 16, 0.95)] {
        let torus = fabric(&format!("torus:shape={k}x{k}"));
        let per_channel = f64::from(k * k - 1) / f64::from(8 * k);
        let light = uniform(&torus, "minimal", &Config { load: 0.3, window: 20_000, ..config("datelines", 2) });
        close(light.hops, 4.0 * per_channel, 0.01);
        light.channel_load.iter().for_each(|&load| close(load, 0.3 * per_channel, 0.08));
        let full = Config { load: 1.0, drain: 0, ..config("datelines", vcs) };
        let accepted = uniform(&torus, "minimal", &full).accepted;
        let bound = (1.0 / per_channel).min(1.0);
        assert!(accepted > share * bound && accepted <= bound, "{k}: {accepted} of {bound}");
    }
}
