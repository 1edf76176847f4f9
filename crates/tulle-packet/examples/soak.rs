//! Soak test: simulates random small cases, checks each one, and prints every failure with the arguments that repeat it.
//!
//! `cargo run --release -p tulle-packet --example soak -- COUNT SEED [FIRST]` simulates COUNT random cases of the seed SEED, starting with
//! number FIRST (default 0). `soak 1 SEED CASE` repeats one case. The exit status is 1 if a case fails. A case that takes more than two
//! minutes counts as hanging, and the program ends.

#[path = "../tests/all/support/case.rs"]
mod case;
#[path = "../tests/all/support/verdict.rs"]
mod verdict;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use case::Case;

/// The number of the case that is being simulated.
static CURRENT: AtomicU64 = AtomicU64::new(0);

fn main() {
    let arguments: Vec<Option<u64>> = std::env::args().skip(1).map(|argument| argument.parse().ok()).collect();
    let (count, seed, first) = match arguments[..] {
        [Some(count), Some(seed)] => (count, seed, 0),
        [Some(count), Some(seed), Some(first)] => (count, seed, first),
        _ => {
            eprintln!("needs numbers: COUNT SEED [FIRST]");
            std::process::exit(2);
        }
    };
    std::thread::spawn(move || watch(seed));
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    let (mut failures, mut finished, mut cut_off, mut deadlocks, mut events, mut slowest) =
        (0u64, 0, 0, 0u64, 0, (0, 0));
    for number in first..first + count {
        CURRENT.store(number, Ordering::Relaxed);
        let begin = Instant::now();
        let mut text = format!("case {number} cannot be made");
        let verdict = catch_unwind(AssertUnwindSafe(|| {
            let case = Case::new(seed, number);
            text = case.to_string();
            note(&mut seen, &case);
            verdict::verify(&case)
        }));
        match verdict {
            Ok(Ok(outcome)) => {
                finished += outcome.flows.finished();
                cut_off += outcome.cut_off.len();
                deadlocks += u64::from(outcome.deadlock.is_some());
                events += outcome.counters.events;
            }
            failed => {
                let problem = failed.map_or_else(|_| "crashes".to_owned(), |verdict| verdict.unwrap_err());
                println!("soak 1 {seed} {number}: {problem}\n    {text}");
                failures += 1;
            }
        }
        slowest = slowest.max((begin.elapsed().as_millis(), number));
    }
    println!(
        "{count} cases, {failures} failures; {finished} flows finished, {cut_off} disconnected, {deadlocks} deadlocks"
    );
    println!("{events} events; the slowest case is {} with {} ms", slowest.1, slowest.0);
    let seen: Vec<String> = seen.iter().map(|(name, cases)| format!("{name} {cases}")).collect();
    println!("{}", seen.join(", "));
    std::process::exit(i32::from(failures > 0));
}

/// Counts the plug-ins of `case`, by the names at the start of their specs.
fn note(seen: &mut BTreeMap<String, u64>, case: &Case) {
    let config = &case.config;
    let faults = config.faults.iter().map(String::as_str);
    let specs = [case.fabric.spec(), case.routing.spec(), &case.workload.spec].into_iter();
    for spec in specs.chain([config.queue.as_str(), &config.nic, &config.transport, &config.selector]).chain(faults) {
        let name = spec.split(':').next().unwrap_or(spec);
        *seen.entry(name.to_owned()).or_default() += 1;
    }
}

/// Ends the program with an error if one case takes too long.
fn watch(seed: u64) {
    let (mut last, mut since) = (u64::MAX, Instant::now());
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let current = CURRENT.load(Ordering::Relaxed);
        if current != last {
            (last, since) = (current, Instant::now());
        } else if since.elapsed() > Duration::from_secs(120) {
            println!("soak 1 {seed} {current}: hangs");
            std::process::exit(1);
        }
    }
}
