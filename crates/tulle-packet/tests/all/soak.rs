//! A short soak test: some of the random small simulations of `examples/soak.rs`.

use crate::case::Case;

/// To repeat one case, run `cargo run --release -p tulle-packet --example soak -- 1 SEED CASE`.
#[test]
fn random_small_simulations_hold() {
    const SEED: u64 = 20;
    let (mut finished, mut cut_off, mut lost, mut waited, mut planned) = (0, 0, 0, 0, 0);
    for number in 0..150 {
        let case = Case::new(SEED, number);
        let outcome =
            crate::verdict::verify(&case).unwrap_or_else(|problem| panic!("soak 1 {SEED} {number}: {problem}\n{case}"));
        finished += outcome.flows.finished();
        cut_off += outcome.cut_off.len();
        lost += outcome.counters.data_lost;
        waited += usize::from(!case.workload.dependencies.is_empty());
        planned += usize::from(outcome.num_lanes > 1 && outcome.counters.pauses > 0);
    }
    // The random cases must cover finished flows, disconnected flows, lost packets, dependencies, and pauses of virtual lanes.
    assert!(finished > 1000 && cut_off > 10 && lost > 100 && waited > 20, "{finished} {cut_off} {lost} {waited}");
    assert!(planned > 5, "{planned}");
}
