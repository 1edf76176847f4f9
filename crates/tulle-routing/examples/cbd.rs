//! CBD probability of Jellyfish and Xpander with 5 network ports.
use tulle_routing::deadlock::{Pairs, ShortestPaths, cbd_probability};
fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (name, pairs) in
        [("all", Pairs::All), ("30%", Pairs::Random(0.3)), ("20%", Pairs::Random(0.2)), ("10%", Pairs::Random(0.1))]
    {
        for paths in [ShortestPaths::All, ShortestPaths::One] {
            print!("jellyfish {name} {paths:?}:");
            for n in [8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 50, 60] {
                print!(
                    " {n}:{:.2}",
                    cbd_probability(&format!("jellyfish:switches={n},degree=5"), pairs, paths, 200, 1)?.probability()
                );
            }
            print!("\n xpander {name} {paths:?}:");
            for l in [2, 3, 4, 5, 6, 8, 10] {
                print!(
                    " {}:{:.2}",
                    6 * l,
                    cbd_probability(&format!("xpander:degree=5,lift={l}"), pairs, paths, 200, 1)?.probability()
                );
            }
            println!();
        }
    }
    Ok(())
}
