//! Probability that random fabrics have a cyclic buffer dependency (CBD) under shortest paths (Flattened Clos (NSDI23) §2.2.1.1, Fig. 3).

use rand::RngExt;
use rand::seq::index;
use rayon::prelude::*;
use tulle_base::memory;
use tulle_base::random::{Xoshiro256PlusPlus, mix, stream};
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_routing::{Error, Routing};

use super::assignment::Assignment;
use super::dependencies::Dependencies;
use super::routes::senders;
use super::turns::Turns;
use super::{Cycle, collect, order};

/// Selects which pairs of switches with endpoints exchange traffic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pairs {
    /// Every pair sends.
    All,
    /// Each switch sends to this fraction (0 to 1) of the other switches, rounded to the nearest count. The destinations are chosen
    /// uniformly at random.
    Random(f64),
}

/// Selects which shortest paths packets use. The paper's term "shortest-path routing (ECMP)" allows both readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShortestPaths {
    /// All of them, as ECMP spreads flows.
    All,
    /// Each pair uses one path. Each next hop is chosen at random among the equal-cost next hops.
    One,
}

/// The number of random fabrics, and how many of them have a cyclic buffer dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CbdCount {
    /// The number of random fabrics.
    pub trials: u64,
    /// The number of these fabrics that have a cycle.
    pub cyclic: u64,
}

impl CbdCount {
    /// Returns the fraction of fabrics with a cycle. Its standard error is √(p(1 − p) / trials), where p is this fraction.
    pub fn probability(&self) -> f64 {
        self.cyclic as f64 / self.trials.max(1) as f64
    }
}

/// Builds `trials` random fabrics, each with its own random traffic, and counts the fabrics with a cyclic buffer dependency.
///
/// Trial `i` does not depend on the value of `trials`. Its fabric is `draw(mix(seed ^ mix(i)))`.
///
/// # Errors
/// Fails if a fabric cannot be generated or is not connected, or if the fraction of pairs is outside [0, 1].
pub fn cbd_probability(
    draw: impl Fn(u64) -> Result<Fabric, tulle_fabric::Error> + Sync,
    pairs: Pairs,
    paths: ShortestPaths,
    trials: u64,
    seed: u64,
) -> Result<CbdCount, Error> {
    task::begin(trials as usize);
    let cyclic = |trial: u64| -> Result<bool, Error> {
        task::step();
        let fabric = draw(mix(seed ^ mix(trial)))?;
        Ok(cbd(&fabric, pairs, paths, &mut stream(seed, "deadlock/cbd", trial))?.is_some())
    };
    let found: Vec<Result<bool, Error>> = (0..trials).into_par_iter().map(cyclic).collect();
    let mut count = CbdCount { trials, cyclic: 0 };
    for found in found {
        count.cyclic += u64::from(found?);
    }
    Ok(count)
}

/// Returns a cyclic buffer dependency of `fabric` under shortest paths, or `None` if there is none. `pairs` selects the sending pairs;
/// random choices come from `rng`.
///
/// # Errors
/// Fails if the fabric is not connected, or if the fraction of pairs is outside [0, 1].
pub fn cbd(
    fabric: &Fabric,
    pairs: Pairs,
    paths: ShortestPaths,
    rng: &mut Xoshiro256PlusPlus,
) -> Result<Option<Cycle>, Error> {
    let routing = tulle_routing::build(fabric, "minimal", 0)?;
    let turns = Turns::of(fabric);
    let switches = fabric.num_switches();
    let mut sends = memory::matrix("pairs that send", pairs == Pairs::All, switches, switches);
    if let Pairs::Random(share) = pairs {
        if !(0.0..=1.0).contains(&share) {
            return Err(Error::Deadlock {
                scheme: "cbd".to_owned(),
                problem: format!("a fraction {share} of pairs is out of range"),
                legal: "legal: 0 to 1".to_owned(),
            });
        }
        let edge = senders(fabric);
        for (at, &source) in edge.iter().enumerate() {
            let others = edge.len() - 1;
            let count = ((share * others as f64).round() as usize).min(others);
            for other in index::sample(rng, others, count) {
                // `others` counts the switches without the sender. So indices from `at`, the sender's index, on are shifted by one.
                let destination = edge[other + usize::from(other >= at)];
                sends[source as usize * switches + destination as usize] = true;
            }
        }
    }
    let sends = |source: u32, destination: u32| sends[source as usize * switches + destination as usize];
    let graph = match paths {
        ShortestPaths::All => {
            let wanted = |route: super::routes::Route| sends(route.source, route.destination);
            collect::of_routes(fabric, &turns, &routing, &Assignment::of(&routing), wanted)?
        }
        ShortestPaths::One => one_path_each(fabric, &turns, &routing, sends, rng),
    };
    Ok(order::ranks(&graph).err())
}

/// Returns the dependencies of one path per sending pair. Each next hop is chosen at random from the equal-cost next hops in the only table
/// of `routing`.
fn one_path_each<'a>(
    fabric: &Fabric,
    turns: &'a Turns,
    routing: &Routing,
    sends: impl Fn(u32, u32) -> bool,
    rng: &mut Xoshiro256PlusPlus,
) -> Dependencies<'a> {
    let table = &routing.layers()[0];
    let mut graph = Dependencies::new(turns, 1);
    let edge = senders(fabric);
    for &source in &edge {
        for &destination in edge.iter().filter(|&&destination| destination != source && sends(source, destination)) {
            let (mut switch, mut before) = (source, None);
            while switch != destination {
                let ports = table.next(switch, destination);
                let port = ports[rng.random_range(0..ports.len() as u32) as usize];
                let channel = fabric.offsets()[switch as usize] + u32::from(port);
                if let Some(before) = before.replace(channel) {
                    graph.insert(before, 0, channel, 0);
                }
                switch = fabric.targets()[channel as usize];
            }
        }
    }
    graph
}

#[cfg(test)]
mod tests {
    use super::*;
    use tulle_topologies::build;

    fn jellyfish(switches: u32, pairs: Pairs, paths: ShortestPaths) -> f64 {
        let spec = format!("jellyfish:switches={switches},degree=5");
        cbd_probability(|seed| build(&spec, seed), pairs, paths, 100, 1).unwrap().probability()
    }

    #[test]
    fn jellyfish_of_five_ports_as_in_the_paper() {
        // The expected values are from Flattened Clos (NSDI23), Fig. 3 (a): the number of switches at which each curve reaches probability
        // 1, for both readings of "shortest-path routing".
        use {Pairs::*, ShortestPaths as Paths};
        for (pairs, paths, below, reached) in [
            (All, Paths::One, 8, 14),
            (Random(0.3), Paths::All, 12, 18),
            (Random(0.3), Paths::One, 18, 28),
            (Random(0.2), Paths::All, 14, 20),
            (Random(0.2), Paths::One, 20, 40),
            (Random(0.1), Paths::All, 18, 28),
            (Random(0.1), Paths::One, 28, 50),
        ] {
            let (early, late) = (jellyfish(below, pairs, paths), jellyfish(reached, pairs, paths));
            assert!(
                early < 0.75 && late > 0.97,
                "{pairs:?} {paths:?}: probability {early} at {below} switches, {late} at {reached}"
            );
        }
        assert_eq!(jellyfish(8, All, Paths::All), 1.0);
    }

    #[test]
    fn trees_have_none_and_shares_are_checked() {
        let tree =
            cbd_probability(|seed| build("fattree:levels=3,radix=4", seed), Pairs::All, ShortestPaths::All, 3, 0)
                .unwrap();
        assert_eq!(tree, CbdCount { trials: 3, cyclic: 0 });
        for share in [-0.1, 1.5, f64::NAN] {
            let error =
                cbd_probability(|seed| build("star:endpoints=2", seed), Pairs::Random(share), ShortestPaths::One, 1, 0)
                    .unwrap_err();
            assert!(error.to_string().contains("of pairs is out of range; legal: 0 to 1"), "{error}");
        }
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let count = || {
            let draw = |seed| build("jellyfish:switches=20,degree=5", seed);
            cbd_probability(draw, Pairs::Random(0.2), ShortestPaths::One, 40, 7).unwrap()
        };
        assert_eq!(one.install(count), count());
    }
}
