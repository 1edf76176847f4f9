//! Layers that divide the cables into every destination among themselves (ours).

mod classes;
mod forest;
mod ground;
mod limit;
mod score;
mod search;
mod trees;

use rand::seq::SliceRandom;
use rayon::prelude::*;
use tulle_fabric::Fabric;
use tulle_fabric::random::stream;
use tulle_fabric::spec::{Arguments, Info, Parameter, Parameters, SpecError};

use self::forest::Forest;
use self::ground::Ground;
use self::limit::HopLimit;
use self::search::Search;
use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::schemes::Scheme;
use crate::{Error, Routes, Table, TableBuilder};

/// What this scheme says of itself.
pub const INFO: Info = Info {
    name: "gateway",
    summary: "layers that enter every destination through different cables, improved by local search",
    parameters: &[
        Parameter { name: "layers", legal: "1 to 16", default: "4", help: "layers n, the minimal one included" },
        Parameter {
            name: "limit",
            legal: "hops from 1 to 254, minimal+1 to minimal+9, or auto",
            default: "auto",
            help: "most hops of a path; a pair farther apart takes its distance",
        },
        Parameter { name: "sweeps", legal: "0 to 1000", default: "4", help: "rounds of local search over all destinations" },
    ],
    nested: false,
    paper: "ours; the aim of three disjoint almost-minimal paths is that of deployment §4.2",
    limitations: "A heuristic: no bound on how far from the best it stays. Tables alone are not free of deadlock.",
    examples: &["gateway", "gateway:layers=1", "gateway:layers=3,limit=minimal+1,sweeps=1"],
    rejects: &[
        ("gateway:layers=0", "layers=0 is out of range; legal: 1 to 16"),
        ("gateway:layers=17", "layers=17 is out of range; legal: 1 to 16"),
        ("gateway:limit=0", "limit=0 is not a hop limit"),
        ("gateway:limit=minimal+x", "limit=minimal+x is not a hop limit"),
        ("gateway:sweeps=-1", "sweeps=-1 is not a whole number"),
    ],
};

struct Gateway {
    layers: u8,
    limit: Option<HopLimit>,
    sweeps: u16,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Scheme>, SpecError> {
    let limit = match arguments.text("limit") {
        None | Some("auto") => None,
        Some(text) => Some(HopLimit::read(text).ok_or_else(|| {
            arguments.bad("limit", text, "is not a hop limit", "legal: 1 to 254, minimal+1 to minimal+9, or auto")
        })?),
    };
    Ok(Box::new(Gateway {
        layers: arguments.integer("layers", 1..=16)?.unwrap_or(4) as u8,
        limit,
        sweeps: arguments.integer("sweeps", 0..=1000)?.unwrap_or(4) as u16,
    }))
}

impl Scheme for Gateway {
    fn parameters(&self) -> Parameters {
        let limit = self.limit.map_or_else(|| "auto".to_owned(), |limit| limit.to_string());
        Parameters::new().integer("layers", self.layers).word("limit", limit).integer("sweeps", self.sweeps)
    }

    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error> {
        let distances = connected_distances(&INFO, fabric, &LayerLinks::all(fabric))?;
        let ground = Ground::new(fabric, distances, self.limit, usize::from(self.layers));
        let mut work = Work::new(&ground, seed);
        for round in 0..=self.sweeps {
            if work.round(u64::from(round)) == 0 && round > 0 {
                break;
            }
        }
        Ok(Routes::Layers(work.tables()))
    }
}

/// All destinations' trees while they are built and improved.
struct Work<'a> {
    ground: &'a Ground<'a>,
    seed: u64,
    /// Per channel, the paths over it.
    loads: Vec<i32>,
    /// Per destination the ports of its trees; empty before the first round.
    ports: Vec<Box<[u16]>>,
}

/// What one destination's turn brought.
struct Turn {
    ports: Box<[u16]>,
    /// Channels whose load changed, and by how much.
    loads: Vec<(u32, i32)>,
    changes: u64,
}

impl<'a> Work<'a> {
    fn new(ground: &'a Ground<'a>, seed: u64) -> Self {
        let channels = ground.fabric.num_channels();
        Self { ground, seed, loads: vec![0; channels], ports: vec![Box::default(); ground.switches()] }
    }

    /// Gives every destination one turn, in random order: round 0 plants its trees, later ones improve them. Returns the
    /// number of changes made.
    ///
    /// Destinations meet only in the loads. Those of one batch see the loads as they were before it, so they can take
    /// their turns in any order and on any thread; batches are small, so that loads are never far behind.
    fn round(&mut self, round: u64) -> u64 {
        let ground = self.ground;
        let mut order: Vec<u32> = (0..ground.switches() as u32).collect();
        order.shuffle(&mut stream(self.seed, "routing/gateway/order", round));
        let batch = (ground.switches()/16).clamp(1,32);
        let mut changes = 0;
        for batch in order.chunks(batch) {
            let mean_load = self.mean_load(round);
            let turns: Vec<Turn> = batch
                .par_iter()
                .map_init(
                    || (Forest::new(ground), Search::new(ground)),
                    |(forest, search), &destination| self.turn(forest, search, destination, round, mean_load),
                )
                .collect();
            for (&destination, turn) in batch.iter().zip(turns) {
                self.ports[destination as usize] = turn.ports;
                for (channel, more) in turn.loads {
                    self.loads[channel as usize] += more;
                }
                changes += turn.changes;
            }
        }
        changes
    }

    fn turn(&self, forest: &mut Forest, search: &mut Search, destination: u32, round: u64, mean_load: f64) -> Turn {
        let index = round * self.ground.switches() as u64 + u64::from(destination);
        let mut rng = stream(self.seed, "routing/gateway/destination", index);
        let mut changes = 0;
        if round == 0 {
            forest.clear(self.ground, destination, &self.loads);
            trees::plant(self.ground, forest, &mut search.marks, mean_load, &mut rng);
        } else {
            forest.restore(self.ground, destination, &self.ports[destination as usize], &self.loads);
            let balance: f64 = if (round as f64)<=search::knob("GW_PHASE",0.) {0.} else {search::knob("GW_BETA",0.05)};
            changes = search.sweep(self.ground, forest, mean_load, balance, &mut rng);
        }
        let both = forest.loads.iter().zip(&self.loads).zip(0..);
        Turn {
            ports: forest.ports(self.ground),
            loads: both.filter(|((after, before), _)| after != before).map(|((a, b), channel)| (channel, a - b)).collect(),
            changes,
        }
    }

    /// The mean load of a channel; before there are trees, a guess: every path one hop above minimal.
    fn mean_load(&self, round: u64) -> f64 {
        let ground = self.ground;
        let hops: i64 = if round > 0 {
            self.loads.iter().map(|&load| i64::from(load)).sum()
        } else {
            let counted = || (0..ground.switches() as u32).filter(|&switch| ground.counted[switch as usize]);
            let hops = |d: u32| counted().map(|s| i64::from(ground.distances.row(d)[s as usize])).sum::<i64>();
            ground.layers as i64 * counted().map(hops).sum::<i64>()
        };
        (hops as f64 / self.loads.len() as f64).max(1.0)
    }

    fn tables(&self) -> Vec<Table> {
        let switches = self.ground.switches();
        let table = |layer: usize| {
            let mut builder = TableBuilder::new(self.ground.fabric);
            builder.rows().for_each(|row| {
                for (group, ports) in row.groups.iter_mut().zip(&self.ports) {
                    *group = ports[layer * switches + row.switch as usize];
                }
            });
            builder.finish()
        };
        (0..self.ground.layers).map(table).collect()
    }
}
