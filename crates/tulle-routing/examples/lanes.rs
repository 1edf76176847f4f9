//! Virtual lanes that each deadlock scheme needs: `lanes FABRIC ROUTING SCHEME...`
use std::time::Instant;
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let fabric = tulle_fabric::build(&arguments[0], 1)?;
    let start = Instant::now();
    let routing = tulle_routing::build(&fabric, &arguments[1], 1)?;
    println!("route {:.3} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let acyclic = tulle_routing::deadlock::acyclic(&fabric, &routing)?;
    let verdict = match &acyclic {
        Ok(_) => "acyclic".to_owned(),
        Err(cycle) => cycle.name(&fabric),
    };
    println!("one channel: {:.3} s {verdict}", start.elapsed().as_secs_f64());
    for scheme in &arguments[2..] {
        let start = Instant::now();
        match tulle_routing::deadlock::deadlock_free(&fabric, &routing, scheme) {
            Ok((plan, repaired)) => println!(
                "{scheme}: needs {} VCs, has {}, {} SLs, top rank {}, repaired {}, {:.3} s",
                plan.needed_vcs(),
                plan.num_vcs(),
                plan.num_sls(),
                plan.certificate().ranks().iter().max().unwrap(),
                repaired.is_some(),
                start.elapsed().as_secs_f64()
            ),
            Err(error) => println!("{scheme}: {error} {:.3} s", start.elapsed().as_secs_f64()),
        }
    }
    Ok(())
}
