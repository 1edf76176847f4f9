//! Builds the fabrics of the given specs. For each fabric it prints the sizes and the time to build. With `--diameter` it also prints the
//! diameter over switches with endpoints.
//!
//! Example: `cargo run --release -p tulle-topologies --example measure -- slimfly:q=89 dragonfly:p=8`

use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (flags, specs): (Vec<_>, Vec<_>) = arguments.iter().partition(|argument| *argument == "--diameter");
    for spec in specs {
        if let Err(error) = measure(spec, !flags.is_empty()) {
            eprintln!("{error}");
            std::process::exit(2);
        }
    }
}

fn measure(spec: &str, diameter: bool) -> Result<(), tulle_fabric::Error> {
    let start = Instant::now();
    let fabric = tulle_topologies::build(spec, 0)?;
    let built = start.elapsed().as_secs_f64();
    println!(
        "{}: {} switches, {} endpoints, {} cables, network radix {}, built in {built:.3} s",
        fabric.spec(),
        fabric.num_switches(),
        fabric.num_endpoints(),
        fabric.num_cables(),
        fabric.network_radix(),
    );
    if diameter {
        let start = Instant::now();
        let found = tulle_fabric::distances::histogram(&fabric).diameter();
        let text = found.map_or("none".to_owned(), |hops| hops.to_string());
        println!("    diameter {text}, found in {:.3} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}
