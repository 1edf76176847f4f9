//! Tests of throughput and latency under load, compared with theory and with BookSim2.

use crate::support::{close, fabric, run, uniform};
use tulle_fabric::FabricBuilder;
use tulle_flit::{Config, Traffic};

/// Returns a fabric of one switch with `endpoints` endpoints.
fn one_switch(endpoints: usize) -> tulle_fabric::Fabric {
    let mut builder = FabricBuilder::new(1);
    builder.endpoints(0, endpoints);
    builder.finish("file", Default::default()).unwrap()
}

fn full(router: &str) -> Config {
    Config { router: router.to_owned(), load: 1.0, window: 4000, drain: 0, ..Config::default() }
}

#[test]
fn first_in_first_out_inputs_saturate_at_2_minus_root_2() {
    // The expected saturation of an input-queued switch is from Karol, Hluchyj, Morgan: Input versus output queueing on a space-division
    // packet switch, IEEE ToC 1987. With one VC every input is one queue. With two allocation steps per cycle, every output can accept a
    // flit in each cycle.
    let fabric = one_switch(64);
    let outcome = uniform(&fabric, "minimal", &full("input-queued:vcs=1,buffer=64"));
    close(outcome.accepted, 2.0 - 2f64.sqrt(), 0.02);
    let outcome = uniform(&fabric, "minimal", &full("input-queued:vcs=1,buffer=64,allocator=islip"));
    close(outcome.accepted, 2.0 - 2f64.sqrt(), 0.02);
    // With several VCs, flits can pass each other, so the throughput is higher.
    let outcome = uniform(&fabric, "minimal", &full("input-queued:vcs=4,buffer=64"));
    assert!(outcome.accepted > 0.75, "{}", outcome.accepted);
}

#[test]
fn a_crossbar_limits_ports() {
    // One switch has N = 64 endpoints, and its buffers are larger than the traffic of the whole test. So only the crossbar limits the
    // throughput: outputs send every packet that they get.
    let fabric = one_switch(64);
    let accepted = |crossbar: &str, packet: u32| {
        let router = format!("virtual-cut-through:buffer=8000,output=8000,inject=random,{crossbar}");
        uniform(&fabric, "minimal", &Config { packet, window: 1200, ..full(&router) }).accepted
    };
    // With one queue per input and outputs that accept one packet at a time, the throughput is 2 − √2 (Karol, Hluchyj,
    // Morgan).
    close(accepted("vcs=1,crossbar=1", 1), 2.0 - 2f64.sqrt(), 0.02);
    // With virtual output queues no packet waits behind a packet for another port, and a maximal matching loses little throughput.
    assert!(accepted("vcs=1,crossbar=1,queues=voq", 1) > 0.95);
    assert!(accepted("vcs=2,crossbar=1,queues=voq", 4) > 0.9);
    // Packets of the four VCs can overtake each other. A crossbar of speedup 1 still moves one packet of an input at a
    // time.
    let (limited, twice, free) =
        (accepted("vcs=4,crossbar=1", 1), accepted("vcs=4,crossbar=2", 1), accepted("vcs=4", 1));
    assert!(
        limited > 0.7 && limited < 0.87 && twice > limited + 0.1 && twice <= free + 0.01,
        "{limited} {twice} {free}"
    );
}

#[test]
fn transit_first_sustains_half_the_load_on_indirect_routes() {
    // With selector `valiant`, every packet crosses four channels of the OFT. Minimal routes have two. If endpoints compete equally with
    // transit packets for the crossbar, they fill the network with packets that have not reached their intermediate switch.
    let fabric = fabric("oft:k=4");
    let accepted = |transit: &str| {
        let queues = "vcs=2,buffer=195,output=195,delay=5,inject=random,crossbar=1,queues=voq";
        let router = format!("virtual-cut-through:{queues},transit={transit}");
        let (selector, policy) = ("valiant".to_owned(), "phases".to_owned());
        uniform(&fabric, "minimal", &Config { link_latency: 2, selector, policy, window: 2000, ..full(&router) })
            .accepted
    };
    let (first, equal) = (accepted("first"), accepted("equal"));
    assert!((0.47..0.53).contains(&first) && equal < first - 0.02, "{first} {equal}");
}

#[test]
fn a_threshold_makes_up_for_a_missing_penalty() {
    // Kathareios et al. (SC15) §4.3.2: with the threshold, the other parameters have no influence on uniform traffic. The threshold
    // compares a queue length with a buffer capacity; both include the virtual output queues.
    let fabric = fabric("oft:k=4");
    let accepted = |selector: &str| {
        let (selector, policy) = (selector.to_owned(), "phases".to_owned());
        let config = Config { link_latency: 2, selector, policy, window: 2000, ..full("diameter-two:vcs=2") };
        uniform(&fabric, "minimal", &config).accepted
    };
    let minimal = accepted("minimal");
    let generic = accepted("ugal:cost=constant,c=1,candidates=4,queue=output");
    let threshold = accepted("ugal:cost=constant,c=1,candidates=4,threshold=10%,queue=output");
    assert!(minimal > 0.94 && generic < 0.9 * minimal && threshold > 0.99 * minimal, "{minimal} {generic} {threshold}");
}

#[test]
fn booksim2_agrees() {
    // Reference values are measured with BookSim2 (seed 1, 5000 cycles): latency at a load, and accepted load at
    // offered load 1. Packets have one flit; there are two VCs of 32 flits, one VC per hop, and random minimal routing.
    for (spec, load, latency, accepted) in [
        ("slimfly:q=5,p=4", 0.5, 28.293, 0.9178),
        ("hyperx:shape=8x8,p=4", 0.5, 26.779, 0.9798),
        ("oft:k=6", 0.5, 31.610, 0.5984),
    ] {
        let fabric = fabric(spec);
        let config = Config { router: "input-queued:vcs=2".to_owned(), load, window: 1500, ..Config::default() };
        let outcome = uniform(&fabric, "minimal", &config);
        assert!(outcome.complete);
        close(outcome.latency, latency, 0.01);
        close(outcome.accepted, load, 0.02);
        close(
            uniform(&fabric, "minimal", &Config { window: 1500, ..full("input-queued:vcs=2") }).accepted,
            accepted,
            0.02,
        );
    }
}

#[test]
fn booksim2_agrees_with_a_routing_delay() {
    // An 8×8 mesh with BookSim2's defaults except for sizes: dimension order, routing_delay 1, iSLIP, no speedup, 2 VCs
    // of 8 flits, round-robin injection (seed 1, 2500 cycles).
    let fabric = fabric("mesh:shape=8x8,p=1");
    let with = |delay: &str, load| Config {
        router: format!("input-queued:vcs=2,buffer=8,speedup=1,credit=0,allocator=islip,{delay}"),
        selector: "dimension-order".to_owned(),
        policy: "free".to_owned(),
        link_latency: 1,
        load,
        ..Config::default()
    };
    close(uniform(&fabric, "minimal", &with("route=1", 0.2)).latency, 36.80, 0.015);
    let full = |delay: &str| uniform(&fabric, "minimal", &Config { drain: 0, ..with(delay, 1.0) }).accepted;
    close(full("route=1"), 0.2905, 0.015);
    // Without a routing delay, or with a pipelined routing delay of one cycle, the throughput is higher than with
    // `route=1`.
    assert!(full("delay=1") > 0.33 && full("route=0") > 0.35, "{} {}", full("delay=1"), full("route=0"));
}

#[test]
fn a_shift_saturates_with_its_links() {
    // Kathareios et al. (SC15) §4.2: with the shift by k on an OFT, k endpoints share one link.
    let fabric = fabric("oft:k=4");
    let routing = tulle_routing::build(&fabric, "minimal", 1).unwrap();
    let traffic = Traffic::new(&fabric, "worst-case", 1).unwrap();
    let outcome = run(&fabric, &routing, &traffic, &full("input-queued:vcs=2")).unwrap();
    close(outcome.accepted, 0.25, 0.05);
    let valiant = Config { selector: "valiant".to_owned(), ..full("input-queued:vcs=8,buffer=16") };
    let spread = run(&fabric, &routing, &traffic, &valiant).unwrap();
    assert!(spread.accepted > 0.4 && spread.minimal < 0.01, "{}", spread.accepted);
    let ugal = Config { selector: "ugal:candidates=4".to_owned(), ..valiant };
    let adaptive = run(&fabric, &routing, &traffic, &ugal).unwrap();
    assert!(adaptive.accepted > 0.9 * spread.accepted && adaptive.minimal > 0.05, "{}", adaptive.accepted);
    let global = Config { selector: "ugal-g:candidates=4".to_owned(), ..ugal.clone() };
    let global = run(&fabric, &routing, &traffic, &global).unwrap();
    assert!(global.accepted > 0.9 * adaptive.accepted, "{}", global.accepted);
    let calm = Config { load: 0.1, ..ugal };
    let calm = uniform(&fabric, "minimal", &Config { drain: 5000, ..calm });
    assert!(calm.complete && calm.minimal > 0.75, "{}", calm.minimal);
}

#[test]
fn packets_of_many_flits_arrive_whole() {
    let fabric = fabric("hyperx:shape=4x4,p=2");
    for packet in [2, 5, 40] {
        let config = Config {
            packet,
            load: 0.3,
            window: 3000,
            router: "input-queued:vcs=2,buffer=8".to_owned(),
            ..Config::default()
        };
        let outcome = uniform(&fabric, "minimal", &config);
        assert!(outcome.complete && outcome.deadlock.is_none(), "{packet}");
        close(outcome.accepted, 0.3, 0.1);
        assert!(outcome.latency > f64::from(packet));
    }
}

#[test]
fn caminos_agrees() {
    // Reference values are measured with CAMINOS 0.6.3 (seed 1, 2500 cycles): packets of one flit, buffers of 32 flits,
    // one VC per hop, uniform traffic without messages from an endpoint to itself.
    let fabric = fabric("slimfly:q=5,p=4");
    let config =
        Config { router: "virtual-cut-through:vcs=2".to_owned(), load: 0.5, window: 1500, ..Config::default() };
    close(uniform(&fabric, "minimal", &config).latency, 21.918, 0.02);
    let outcome = uniform(&fabric, "minimal", &Config { load: 1.0, drain: 0, ..config });
    close(outcome.accepted, 0.928, 0.03);
}

#[test]
fn the_diameter_two_switch_saturates_as_in_the_paper() {
    // Kathareios et al. (SC15) Fig. 6: minimal routing accepts 0.96 to 0.98 of uniform traffic, and 1/h (MLFM) or 1/k (OFT) of worst-case
    // traffic. This test uses small fabrics, and one VC as in the paper.
    for (spec, worst) in [("oft:k=6", 1.0 / 6.0), ("mlfm:h=6", 1.0 / 6.0)] {
        let fabric = fabric(spec);
        let config =
            Config { link_latency: 2, endpoint_latency: 2, policy: "free".to_owned(), ..full("diameter-two:vcs=1") };
        let outcome = uniform(&fabric, "minimal", &config);
        assert!((0.94..=1.0).contains(&outcome.accepted), "{spec} {}", outcome.accepted);
        let routing = tulle_routing::build(&fabric, "minimal", 1).unwrap();
        let traffic = Traffic::new(&fabric, "worst-case", 1).unwrap();
        close(run(&fabric, &routing, &traffic, &config).unwrap().accepted, worst, 0.05);
    }
}
