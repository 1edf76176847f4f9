//! Measures path sets: `cargo run --release --example path_sets -- SEED FABRIC ROUTING…` prints a line per routing.

use std::time::Instant;

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
        let Some(paths) = routing.path_set() else { return Err(format!("{} has tables", routing.spec()).into()) };
        let s = tulle_routing::path_statistics(&fabric, paths);
        println!(
            "{} | {seconds:.3} | {:.3}, {} | {:.4}, {:.4}, {:.4}, {} | {:.2} | {} | {:.1}, {:.1}",
            routing.spec(),
            s.paths_mean,
            s.paths_min,
            s.hops_mean,
            s.pair_hops_mean,
            s.shortest_mean,
            s.hops_max,
            100.0 * s.disjoint_share,
            s.sharing_max,
            s.channel_mean,
            s.channel_deviation,
        );
    }
    Ok(())
}
