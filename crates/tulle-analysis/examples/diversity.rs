//! Prints disjoint paths and interference of one fabric, and the time that each takes: `cargo run --release -p
//! tulle-analysis --example diversity -- SPEC HOPS [PAIRS]`.

use std::time::Instant;

use tulle_analysis::{Limit, Mode, ShortestPaths, disjoint_paths, disjoint_paths_of_all, interference, sample};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [spec, hops, rest @ ..] = &arguments[..] else { return Err("needs SPEC HOPS [PAIRS]".into()) };
    let (hops, number) = (hops.parse()?, rest.first().map_or(Ok(10_000), |number| number.parse())?);
    let fabric = tulle_topologies::build(spec, 0)?;
    let radix = fabric.network_radix() as f64;
    let show = |what: &str, mut values: Vec<f64>, tail: f64, started: Instant| {
        let seconds = started.elapsed().as_secs_f64();
        values.sort_by(f64::total_cmp);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let at = values[((values.len() as f64 * tail).ceil() as usize).clamp(1, values.len()) - 1];
        let percent = |value: f64| 100.0 * value / radix;
        println!("{what:<24} mean {:6.2}%  tail {:6.2}%  {seconds:8.3} s", percent(mean), percent(at));
    };
    let started = Instant::now();
    let paths = ShortestPaths::of(&fabric);
    println!(
        "{:<24} {} switches  {:.4} s",
        "lengths and counts",
        paths.num_switches(),
        started.elapsed().as_secs_f64()
    );
    let pairs = sample::pairs(&fabric, number, 0)?;
    let quadruples = sample::quadruples(&fabric, number, 0)?;
    for mode in [Mode::Greedy, Mode::Exact] {
        let started = Instant::now();
        let counts = disjoint_paths(&fabric, &pairs, hops, mode)?;
        show(&format!("{mode:?} paths"), counts.iter().map(|count| f64::from(count.paths)).collect(), 0.01, started);
        let open = counts.iter().filter(|count| count.most != count.paths).count();
        if mode == Mode::Exact {
            let cut = counts.iter().filter(|count| count.cut != count.paths).count();
            println!(
                "pairs without an exact count: {open}; pairs with fewer paths than cables in the smallest cut found: {cut}"
            );
        }
        let started = Instant::now();
        let values = interference(&fabric, &quadruples, hops, mode)?;
        show(&format!("{mode:?} interference"), values.iter().map(|&value| f64::from(value)).collect(), 0.999, started);
    }
    if hops <= 3 {
        let started = Instant::now();
        let counts = disjoint_paths_of_all(&fabric, Limit::Hops(hops), Mode::Exact)?;
        show("exact paths of all pairs", counts.iter().map(|count| f64::from(count.paths)).collect(), 0.01, started);
    }
    Ok(())
}
