use super::*;
use crate::SaturationRule;
use crate::saturation_rule::SATURATED;

/// Calls `test` with a network of two switches with four endpoints each. All endpoints send over the one link to the other switch, so each
/// endpoint gets a quarter of the link rate.
fn with_shared_link<T>(test: impl FnOnce(&Fabric, &Routing, &Traffic, Config) -> T) -> T {
    let fabric = tulle_topologies::build("clique:degree=1,p=4", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let traffic = Traffic::new(&fabric, "off-diagonal:offset=4", 0).unwrap();
    let config = Config { router: "input-queued:vcs=2".to_owned(), ..Config::default() };
    test(&fabric, &routing, &traffic, config)
}

fn go(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn a_shared_link_saturates_at_its_share() {
    with_shared_link(|fabric, routing, traffic, config| {
        let found = saturation(fabric, routing, traffic, &config, 0.01, &mut go).unwrap();
        assert!((found.accepted - 0.25).abs() < 0.005, "{found:?}");
        assert!((0.0..0.06).contains(&(found.by_latency - found.accepted)), "{found:?}");
        assert!(found.runs < 10);
        let error = saturation(fabric, routing, traffic, &config, 0.0, &mut go).unwrap_err().to_string();
        assert_eq!(error, "precision=0 is out of range; legal: above 0 and at most 1");
    });
}

#[test]
fn rules_find_the_loads_of_a_fluid_model() {
    // At load λ the queue of a source grows by λ − 1/4 flits per cycle. So a packet created in cycle c waits c·(4λ − 1) cycles. A packet
    // that arrives in cycle t has waited t·(1 − 1/(4λ)) cycles. The window has the cycles 500 to 5499. Rule `arrivals`: the mean of the
    // last sample, t = 5250, is 500 for λ = 0.276. Rule `booksim`: the mean over all packets of the window, c = 3000 on average, is 500 for
    // λ = 0.292. The minimal latency is 18 cycles and buffers add to it, so the saturation loads are a little lower.
    let by = |rule| {
        with_shared_link(|fabric, routing, traffic, config| {
            let config = Config { saturation: rule, ..config };
            saturation(fabric, routing, traffic, &config, 0.002, &mut go).unwrap()
        })
    };
    let (arrivals, booksim) = (by(SaturationRule::Arrivals), by(SaturationRule::Booksim));
    assert!((0.270..=0.278).contains(&arrivals.by_latency), "{arrivals:?}");
    assert!((0.286..=0.294).contains(&booksim.by_latency), "{booksim:?}");
    assert_eq!(arrivals.accepted, booksim.accepted);
}

#[test]
fn a_network_in_which_nothing_arrives_in_time_is_saturated() {
    with_shared_link(|fabric, routing, traffic, config| {
        let run = |load, warmup, window| {
            let config = Config { load, warmup, window, ..config.clone() };
            let outcome = simulate_until(Goal::Window, fabric, routing, traffic, &config, &mut go).unwrap();
            (outcome.stalled, outcome.exceeds_500_cycles())
        };
        // The queues of the sources grow by 0.75 flits per cycle in the warm-up, so packets of the window wait for longer than the window.
        assert_eq!(run(1.0, 2000, 1000), (true, true));
        assert_eq!(run(1.0, 500, 5000), (false, true));
        assert_eq!(run(0.001, 500, 1000), (false, false));
        // In a window of 500 cycles, no packet can be older than 500 cycles.
        assert_eq!(run(1.0, 2000, 500), (false, false));
        let short = Config { warmup: 2000, window: 1000, ..config.clone() };
        let found = saturation(fabric, routing, traffic, &short, 0.05, &mut go).unwrap();
        assert!((0.2..=0.45).contains(&found.by_latency), "{found:?}");
    });
}

#[test]
fn runs_end_with_the_first_saturated_sample() {
    with_shared_link(|fabric, routing, traffic, config| {
        let mut saw = Vec::new();
        for load in [0.2, 0.26, 0.3, 0.6] {
            let config = Config { load, drain: 0, ..config.clone() };
            let run = |goal| simulate_until(goal, fabric, routing, traffic, &config, &mut go).unwrap();
            let (whole, cut) = (run(Goal::Window), run(Goal::Saturation { whole_window: false }));
            let saturated = whole.exceeds_500_cycles();
            assert_eq!(cut.exceeds_500_cycles(), saturated, "{load}");
            match whole.samples.iter().position(|&latency| latency > SATURATED) {
                None => assert_eq!((cut.cycles, cut.samples), (whole.cycles, whole.samples), "{load}"),
                Some(first) => {
                    let end = 500 + 500 * (first as u64 + 1);
                    assert!((end..end + 12).contains(&cut.cycles), "{load}: {} {end}", cut.cycles);
                    assert_eq!(cut.samples[first], whole.samples[first], "{load}");
                }
            }
            saw.push(saturated);
        }
        assert_eq!(saw, [false, false, true, true]);
    });
}

#[test]
fn by_booksim2_runs_end_with_the_first_mean_above_500_cycles() {
    with_shared_link(|fabric, routing, traffic, config| {
        let mut ends = Vec::new();
        // The link carries one flit per cycle. By BookSim2's rule, three of these loads saturate it. At the lowest of them, 0.3, the mean
        // first exceeds 500 cycles while the network drains.
        for load in [0.2, 0.28, 0.3, 0.6, 1.0] {
            let config = Config { load, saturation: SaturationRule::Booksim, ..config.clone() };
            let run = |goal| simulate_until(goal, fabric, routing, traffic, &config, &mut go).unwrap();
            let whole = run(Goal::Window);
            assert!(whole.complete);
            let cut = run(Goal::Saturation { whole_window: false });
            match whole.latency_checks.iter().position(|&latency| latency > SATURATED) {
                None => assert_eq!((&cut.latency_checks, cut.cycles), (&whole.latency_checks, whole.cycles), "{load}"),
                Some(first) => {
                    assert_eq!(cut.latency_checks, whole.latency_checks[..=first], "{load}");
                    let end = if first < 10 { 1000 + 500 * first } else { 5500 + 1000 * (first - 9) } as u64;
                    assert!((end..end + 12).contains(&cut.cycles), "{load}: {} {end}", cut.cycles);
                    let whole_window = run(Goal::Saturation { whole_window: true });
                    assert_eq!(whole_window.accepted, whole.accepted);
                    assert!((end.max(5500)..end.max(5500) + 12).contains(&whole_window.cycles), "{load}");
                }
            }
            assert_eq!(cut.exceeds_500_cycles(), whole.exceeds_500_cycles());
            ends.push((whole.latency_checks.len(), whole.exceeds_500_cycles()));
            // The rule does not change the simulated packets. Only the end of a run may differ, because a run may wait for packets that
            // were queued when the window began.
            let arrivals = Config { saturation: SaturationRule::Arrivals, ..config.clone() };
            let other = simulate_until(Goal::Window, fabric, routing, traffic, &arrivals, &mut go).unwrap();
            assert_eq!(
                (other.latency, other.accepted, other.percentiles),
                (whole.latency, whole.accepted, whole.percentiles)
            );
        }
        assert_eq!(ends.iter().map(|end| end.1).collect::<Vec<_>>(), [false, false, true, true, true], "{ends:?}");
    });
}

#[test]
fn packets_of_several_flits_count_once_they_arrive() {
    // At load 0.1 about 20 flits are in flight, and 1000 packets have arrived. The flits in flight have on average half of their final age,
    // but they are few. The mean is therefore close to the mean latency of packets, both for a router that sends packets whole and for one
    // that sends them flit by flit.
    for router in ["input-queued:vcs=2", "virtual-cut-through:vcs=2"] {
        with_shared_link(|fabric, routing, traffic, config| {
            let (router, saturation) = (router.to_owned(), SaturationRule::Booksim);
            let config = Config { router, saturation, load: 0.1, packet: 4, ..config };
            let found = simulate_until(Goal::Window, fabric, routing, traffic, &config, &mut go).unwrap();
            let last = found.latency_checks[9];
            assert!((0.96..=1.01).contains(&(last / found.latency)), "{last} {}", found.latency);
            // The network drains in less than 1000 cycles, so there is no check after the window.
            assert_eq!(found.latency_checks.len(), 10);
        });
    }
}
