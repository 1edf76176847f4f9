//! The policy `hops` with more, and with fewer, virtual channels than the longest route has hops; Valiant's options.

mod support;

use support::{close, fabric, pair, run, uniform};
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
fn ways_around_failed_links_share_the_last_virtual_channel() {
    let whole = fabric("dragonfly:p=2");
    for seed in [1, 2, 3] {
        // Some routes now have four hops, with an intermediate switch eight.
        let failed = whole.without(&"links=2%".parse().unwrap(), seed).unwrap();
        let accepted = |selector, vcs| {
            let outcome = uniform(&failed, "minimal", &config(selector, vcs));
            assert_eq!(outcome.deadlock, None);
            outcome.accepted
        };
        // Buffers of 4 flits: a virtual channel carries 4 in 26 cycles.
        assert!(accepted("minimal", 3) > 0.05 && accepted("valiant", 6) > 0.05, "{seed}");
    }
    // Where those that would share wait for each other in a circle, the policy says which.
    let ring = fabric("torus:shape=6");
    let routing = tulle_routing::build(&ring, "minimal", 1).unwrap();
    let error = run(&ring, &routing, &pair(&ring, 0, 3), &config("minimal", 1)).unwrap_err().to_string();
    assert!(
        error.contains("needs 3 virtual channels") && error.contains("and a port has 1, of which the last cannot"),
        "{error}"
    );
    assert!(error.ends_with("legal: vcs=3 or more (at most 16); or another policy"), "{error}");
}

#[test]
fn idle_virtual_channels_are_not_used() {
    // One hop on one of four virtual channels of one flit each: a flit per credit loop of 26 cycles; on all four, four.
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
fn valiant_draws_and_ends_as_its_options_say() {
    // On a path of three switches from 0 to 1: by way of 2 it is three hops, else one; 1 is passed on the way to 2.
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
