//! Tests of the traffic patterns of this simulator (mean loads and latencies), and of the warm-up that ends when
//! samples agree.

use crate::support::{fabric, run};
use tulle_flit::{Config, Traffic, canonical_traffic, traffics};

fn outcome(traffic: &str, config: Config) -> tulle_flit::Outcome {
    let fabric = fabric("slimfly:q=5");
    let routing = tulle_routing::build(&fabric, "minimal", 1).unwrap();
    run(&fabric, &routing, &Traffic::new(&fabric, traffic, 1).unwrap(), &config).unwrap()
}

#[test]
fn examples_are_legal_and_rejects_are_not() {
    for info in traffics() {
        for example in info.examples {
            let canonical = canonical_traffic(example).unwrap_or_else(|error| panic!("{example}: {error}"));
            assert_eq!(canonical_traffic(&canonical).unwrap(), canonical, "{example}");
            let built = Traffic::new(&fabric("slimfly:q=5"), example, 0).unwrap();
            assert_eq!(built.spec(), canonical);
        }
        for (reject, fragment) in info.rejects {
            let error = canonical_traffic(reject).unwrap_err().to_string();
            assert!(error.contains(fragment) && !error.contains('\n'), "{reject}: {error}");
        }
    }
}

#[test]
fn a_hot_endpoint_limits_the_load() {
    // A fraction h of the packets goes to one hot endpoint out of 200, at load λ per endpoint. The hot endpoint is offered λ·(1 − h +
    // 200·h) flits per cycle, that is λ·20.9 at h = 0.1. If this rate is below 1, all packets arrive.
    let config = |load| Config { load, drain: 0, window: 5000, ..Config::default() };
    let below = outcome("hot-spot", config(0.04));
    assert!((below.accepted / 0.04 - 1.0).abs() < 0.02, "{}", below.accepted);
    // Above a load of 1/20.9, the hot endpoint accepts 1 flit per cycle. After some time all other packets wait behind
    // packets for the hot endpoint, so 1/20.9 flits per endpoint and cycle arrive.
    let above = outcome("hot-spot", Config { warmup: 8000, ..config(0.2) });
    assert!((above.accepted * 20.9 - 1.0).abs() < 0.05, "{}", above.accepted);
}

#[test]
fn bursts_keep_the_load_and_wait_proportionally_to_their_length() {
    // Two endpoints share a cable. While both send bursts, the queue grows by one flit per cycle. So the waiting time
    // is proportional to the burst length, if bursts are long compared with the waiting time of single flits.
    let fabric = fabric("clique:degree=1,p=2");
    let routing = tulle_routing::build(&fabric, "minimal", 1).unwrap();
    let latency = |spec: &str| {
        let traffic = Traffic::new(&fabric, spec, 1).unwrap();
        let router = "input-queued:vcs=2".to_owned();
        let config = Config { router, load: 0.3, window: 300_000, ..Config::default() };
        let outcome = run(&fabric, &routing, &traffic, &config).unwrap();
        assert!((outcome.accepted / 0.3 - 1.0).abs() < 0.05, "{spec}: {}", outcome.accepted);
        outcome.latency
    };
    let smooth = latency("off-diagonal:offset=2");
    let [short, long] =
        [20, 80].map(|length| latency(&format!("bursts:length={length},of=\"off-diagonal:offset=2\"")) - smooth);
    assert!(short > 2.0, "{short}");
    assert!((3.0..5.5).contains(&(long / short)), "{short} {long}");
}

#[test]
fn warm_up_ends_when_samples_agree() {
    let config = Config { warmup_tolerance: Some(0.05), warmup: 5000, ..Config::default() };
    let light = outcome("uniform", Config { load: 0.2, ..config.clone() });
    // Samples of 500 cycles end with blocks of 11 cycles. The window starts 3 cycles after a sample, after the second
    // sample at the earliest.
    assert!((1003..2100).contains(&light.warmup), "{}", light.warmup);
    assert_eq!(light.warnings, Vec::<String>::new());
    let steady =
        outcome("uniform", Config { load: 0.2, warmup: light.warmup as u32, warmup_tolerance: None, ..config.clone() });
    assert_eq!(light, steady, "the same window");
    let two = outcome("uniform", Config { load: 0.2, threads: 2, ..config.clone() });
    assert_eq!(light, two);
    // When the queues grow from empty, latency and load do not settle within three samples.
    let over = outcome("hot-spot:share=0.5", Config { load: 0.5, warmup: 1500, drain: 0, ..config });
    assert!((1503..1520).contains(&over.warmup), "{}", over.warmup);
    assert_eq!(over.warnings.len(), 1, "{:?}", over.warnings);
    assert!(
        over.warnings[0].starts_with("warmup_tolerance=0.05: consecutive samples still differed"),
        "{:?}",
        over.warnings
    );
}
