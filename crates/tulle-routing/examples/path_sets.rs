//! Measures path sets: `cargo run --release --example path_sets -- SEED FABRIC ROUTING…` prints a line per routing.

use std::time::Instant;

use tulle_routing::quality::{Quality, Sharing};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(seed), Some(spec)) = (arguments.next(), arguments.next()) else {
        return Err("usage: path_sets SEED FABRIC ROUTING…".into());
    };
    let seed = seed.parse()?;
    let fabric = tulle_fabric::build(&spec, seed)?;
    println!("{} under seed {seed}, {} threads", fabric.spec(), rayon::current_num_threads());
    println!(
        "routing | seconds | paths mean, min | hops mean, pair mean, shortest, max | disjoint % | sharing | load, spread"
    );
    for routing in arguments {
        let start = Instant::now();
        let routing = tulle_routing::build(&fabric, &routing, seed)?;
        let seconds = start.elapsed().as_secs_f64();
        let quality = Quality::of(&fabric, &routing, Sharing::Channel);
        let (mean, deviation) = quality.load();
        println!(
            "{} | {seconds:.3} | {:.3}, {} | {:.4}, {:.4}, {:.4}, {} | {:.2} | {} | {mean:.1}, {deviation:.1}",
            routing.spec(),
            quality.average_paths(),
            quality.paths.iter().position(|&pairs| pairs > 0).unwrap_or(0),
            quality.average_hops(),
            quality.average_mean_hops(),
            quality.average_shortest(),
            quality.longest.len().saturating_sub(1),
            100.0 * quality.share(&quality.most_shared, 1) - 100.0 * quality.share(&quality.most_shared, 2),
            quality.most_shared.len().saturating_sub(1),
        );
    }
    Ok(())
}
