//! Prints how fast multiplicative weights narrow the bounds of a throughput: `measure FABRIC TRAFFIC GAP [ROUTING]`.

use std::ops::ControlFlow;
use std::time::Instant;

use tulle_analysis::Demands;
use tulle_analysis::throughput::{Capacities, PathFlow, Progress, over_fabric, over_paths};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let fabric = tulle_topologies::build(&words[0], 1)?;
    let demands = Demands::build(&fabric, &words[1], 1)?;
    let gap: f64 = words[2].parse()?;
    let started = Instant::now();
    let mut observe = |progress: &Progress| {
        println!(
            "{:3} {:.5} {:.5} {:.4} after {:.2} s",
            progress.rounds,
            progress.bracket.lower,
            progress.bracket.upper,
            progress.bracket.upper / progress.bracket.lower - 1.0,
            started.elapsed().as_secs_f64()
        );
        ControlFlow::Continue(())
    };
    let found = match words.get(3) {
        None => over_fabric(&fabric, &demands, Capacities::unit(&fabric), gap, &mut observe)?,
        Some(spec) => {
            let routing = tulle_routing::build(&fabric, spec, 1)?;
            let flow = PathFlow::new(&fabric, &routing, &demands, Capacities::unit(&fabric))?;
            println!("{} paths after {:.2} s", flow.first_hop().len() - 1, started.elapsed().as_secs_f64());
            over_paths(&flow, gap, &mut observe)
        }
    };
    println!("{found:?} after {:.2} s", started.elapsed().as_secs_f64());
    Ok(())
}
