//! Tests of policy `hops` with more and with fewer VCs than the longest route has hops, and of the options of selector
//! `valiant`.

use crate::support::{close, fabric, pair, run, uniform};
use tulle_flit::Config;

fn config(selector: &str, vcs: u32) -> Config {
    Config {
        selector: selector.to_owned(),
        router: format!("input-queued:vcs={vcs},buffer=4"),
        load: 1.0,
        window: 2000,
        drain: 0,
        ..Config::default()
    }
}

#[test]
fn detours_around_failed_links_share_the_last_virtual_channel() {
    let whole = fabric("dragonfly:p=2");
    for seed in [1, 2, 3] {
        // After 2% of the cables have failed, some routes have four hops, or eight hops with an intermediate switch.
        let failed = whole.without(&"links=2%".parse().unwrap(), seed).unwrap();
        let accepted = |selector, vcs| {
            let outcome = uniform(&failed, "minimal", &config(selector, vcs));
            assert_eq!(outcome.deadlock, None);
            outcome.accepted
        };
        // With buffers of 4 flits, a VC carries 4 flits per credit round trip of 24 cycles.
        assert!(accepted("minimal", 3) > 0.05 && accepted("valiant", 6) > 0.05, "{seed}");
    }
    // If the hops that would share the last VC can deadlock, the error describes the dependency cycle.
    let ring = fabric("torus:shape=6");
    let routing = tulle_routing::build(&ring, "minimal", 1).unwrap();
    let error = run(&ring, &routing, &pair(&ring, 0, 3), &config("minimal", 1)).unwrap_err().to_string();
    assert!(
        error.contains("needs 3 virtual channels")
            && error.contains("but a port has 1; the last virtual channel cannot"),
        "{error}"
    );
    assert!(error.ends_with("legal: vcs=3 or more (at most 16); or another policy"), "{error}");
    // No port has 20 VCs.
    let ring = fabric("torus:shape=40");
    let routing = tulle_routing::build(&ring, "minimal", 1).unwrap();
    let error = run(&ring, &routing, &pair(&ring, 0, 20), &config("minimal", 1)).unwrap_err().to_string();
    assert!(error.contains("needs 20 virtual channels") && error.ends_with("legal: another policy"), "{error}");
}

#[test]
fn idle_virtual_channels_are_not_used() {
    // If hop 1 uses one of four single-flit VCs, it carries one flit per credit round trip of 24 cycles. If hop 1 may use all four VCs, it
    // carries four flits per round trip.
    let two = fabric("clique:degree=1,p=8");
    let accepted = |policy: &str| {
        let router = "input-queued:vcs=4,buffer=1".to_owned();
        let routing = tulle_routing::build(&two, "minimal", 1).unwrap();
        let config = Config { router, policy: policy.to_owned(), ..config("minimal", 1) };
        run(&two, &routing, &pair(&two, 0, 8), &config).unwrap().accepted
    };
    let (idle, shared) = (accepted("hops:spare=idle"), accepted("hops"));
    close(shared, 4.0 * idle, 0.02);
    assert_eq!(shared, accepted("free"));
}

#[test]
fn valiant_obeys_its_options() {
    // Three switches form a line, and packets go from switch 0 to switch 1. Routes through switch 2 have three hops and
    // pass switch 1 on the way. All other routes have one hop.
    let line = fabric("mesh:shape=3,p=1");
    let routing = tulle_routing::build(&line, "minimal", 1).unwrap();
    let hops = |selector: &str| {
        let config = Config { load: 0.1, drain: 2000, window: 20_000, ..config(selector, 4) };
        let outcome = run(&line, &routing, &pair(&line, 0, 1), &config).unwrap();
        assert!(outcome.complete, "{selector}");
        outcome.hops
    };
    assert_eq!(hops("valiant"), 3.0);
    close(hops("valiant:via=any"), 5.0 / 3.0, 0.03);
    assert_eq!(hops("valiant:passing=end"), 1.0);
    assert_eq!(hops("valiant:via=any,passing=end"), 1.0);
}
