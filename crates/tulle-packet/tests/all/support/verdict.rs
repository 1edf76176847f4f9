//! The invariants of a random simulation: it ends, every lost packet is counted, and every unfinished flow is explained.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use tulle_packet::{Config, NEVER, Outcome, Progress, simulate, simulate_with_plan};

use super::case::Case;

/// A run with more events than this counts as hanging. Ten thousand packets need a few million events.
const MAX_EVENTS: u64 = 60_000_000;
/// A run with a longer simulated time than this, in picoseconds, counts as hanging. If timeouts double up to a minute, a run takes a few
/// hundred seconds.
const LATEST: u64 = 20_000_000_000_000_000;

/// Runs `case` and checks its invariants.
///
/// # Errors
/// Returns the violated invariant, in one line.
pub fn verify(case: &Case) -> Result<Outcome, String> {
    let outcome = run(case, &case.config)?;
    check(case, &outcome)?;
    // One in four cases, and every case with two threads, also runs on one thread and with a time limit.
    if case.number.is_multiple_of(4) || case.config.threads != Some(1) {
        if run(case, &Config { threads: Some(1), ..case.config.clone() })? != outcome {
            return Err("a second run gives different results".to_owned());
        }
        let until = outcome.end / 2;
        let half = run(case, &Config { until: Some(until), ..case.config.clone() })?;
        check_counters(case, &half)?;
        let expected = |&finish: &u64| if finish <= until { finish } else { NEVER };
        if !half.flows.finish.iter().copied().eq(outcome.flows.finish.iter().map(expected)) {
            return Err(format!("a run until {until} ps gives different results"));
        }
    }
    Ok(outcome)
}

fn run(case: &Case, config: &Config) -> Result<Outcome, String> {
    let mut hangs = None;
    let observe = &mut |progress: &Progress| {
        if progress.events > MAX_EVENTS || progress.now > LATEST {
            hangs = Some(*progress);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    let Case { fabric, routing, workload, .. } = case;
    let outcome = match &case.plan {
        None => simulate(fabric, routing, workload, config, observe),
        Some(plan) => simulate_with_plan(fabric, routing, plan, workload, config, observe),
    }
    .map_err(|error| format!("refused: {error}"))?;
    match hangs {
        Some(progress) => Err(format!("hangs: {progress:?}, {:?}", outcome.counters)),
        None => Ok(outcome),
    }
}

fn check_counters(case: &Case, outcome: &Outcome) -> Result<(), String> {
    let (flows, counters) = (&outcome.flows, &outcome.counters);
    let capacity = u128::from(case.config.rate) * u128::from(outcome.links.end);
    if let Some(&bytes) = outcome.links.bytes.iter().find(|&&bytes| u128::from(bytes) * 8_000_000_000_000 > capacity) {
        return Err(format!("a link carries {bytes} bytes in {} ps", outcome.links.end));
    }
    if !counters.balance() {
        return Err(format!("packets are not conserved: {counters:?}"));
    }
    let sum = |column: &[u32]| column.iter().copied().map(u64::from).sum::<u64>();
    if counters.retransmitted != sum(&flows.retransmits) || counters.timeouts != sum(&flows.timeouts) {
        return Err(format!("flows and counters differ: {counters:?}"));
    }
    let takes_time = case.config.software > 0 || case.config.gap > 0;
    for flow in 0..flows.len() {
        let (start, delivered, finish) = (flows.start[flow], flows.delivered[flow], flows.finish[flow]);
        let ordered = (start < delivered || start == NEVER && delivered == NEVER)
            && (delivered < finish || (finish == NEVER || takes_time) && delivered <= finish);
        let (bytes, arrived) = (flows.bytes[flow], flows.bytes_delivered[flow]);
        let is_in_software = takes_time && arrived == bytes && delivered == NEVER;
        if arrived > bytes || (arrived == bytes) != (delivered != NEVER) && !is_in_software {
            return Err(format!("flow {flow}: {arrived} of {bytes} bytes have arrived, delivered at {delivered} ps"));
        }
        let due = start >= case.workload.start[flow];
        if !ordered || !due {
            return Err(format!("flow {flow}: start {start}, delivered {delivered}, finish {finish} ps"));
        }
        for &on in waits(case, flow) {
            let ended = outcome.flows.delivered.get(on as usize).copied();
            if start != NEVER && ended.is_some_and(|ended| ended > start) {
                return Err(format!("flow {flow} starts at {start} ps, before a step that it depends on has ended"));
            }
        }
    }
    Ok(())
}

fn check(case: &Case, outcome: &Outcome) -> Result<(), String> {
    check_counters(case, outcome)?;
    let (flows, counters, workload) = (&outcome.flows, &outcome.counters, &case.workload);
    let payload = u64::from(case.config.mtu) - 64;
    let lossless = case.config.queue.starts_with("pfc");
    if lossless && !case.config.queue.contains("headroom") && counters.data_dropped + counters.control_dropped > 0 {
        return Err(format!("a lossless queue drops packets: {counters:?}"));
    }
    if outcome.complete != (flows.finished() == workload.len()) {
        return Err("the field `complete` does not match the number of finished flows".to_owned());
    }
    // All flows can finish despite a deadlock, if the packets that are still in the network are duplicates. The counts are therefore
    // checked only without a deadlock.
    if outcome.complete && outcome.deadlock.is_none() {
        let needed: u64 = workload.bytes.iter().map(|bytes| bytes.div_ceil(payload)).sum();
        if counters.data_in_flight + counters.control_in_flight > 0
            || counters.data_sent != needed + counters.retransmitted
        {
            return Err(format!("{needed} packets are needed: {counters:?}"));
        }
    }
    if let (Some(deadlock), Some(plan)) = (&outcome.deadlock, &case.plan) {
        return Err(format!("a deadlock despite the lanes of {}: {deadlock}", plan.spec()));
    }
    if outcome.deadlock.is_some() {
        return if lossless { Ok(()) } else { Err("a deadlock without pauses".to_owned()) };
    }
    let ends = |fault: &str| fault.starts_with("drop") || fault.contains("until=");
    if !outcome.cut_off.is_empty() && case.config.faults.iter().all(|fault| ends(fault)) {
        return Err(format!("flows {:?} are permanently disconnected, but every fault ends", outcome.cut_off));
    }
    // Only disconnected flows, and flows that depend on them, may be unfinished.
    let mut excused: BTreeSet<u32> = outcome.cut_off.iter().copied().collect();
    if let Some(flow) = excused.iter().find(|&&flow| flows.finish[flow as usize] != NEVER) {
        return Err(format!("flow {flow} is permanently disconnected, but finishes"));
    }
    loop {
        let before = excused.len();
        for step in 0..workload.num_steps() {
            let held = |&on: &u32| {
                excused.contains(&on) && flows.delivered.get(on as usize).is_none_or(|&delivered| delivered == NEVER)
            };
            if waits(case, step).iter().any(held) {
                excused.insert(step as u32);
            }
        }
        if excused.len() == before {
            break;
        }
    }
    let stuck = |&flow: &usize| flows.finish[flow] == NEVER && !excused.contains(&(flow as u32));
    match (0..flows.len()).find(stuck) {
        Some(flow) => Err(format!("flow {flow} does not finish, but is not permanently disconnected: {counters:?}")),
        None => Ok(()),
    }
}

/// Returns the steps on which `step` depends.
fn waits(case: &Case, step: usize) -> &[u32] {
    let dependencies = &case.workload.dependencies;
    if dependencies.is_empty() { &[] } else { dependencies.of(step) }
}
