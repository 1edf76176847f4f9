//! Every destination's turns: its trees are planted and searched once, then balanced round by round.

use std::sync::Mutex;

use rand::seq::SliceRandom;
use rayon::prelude::*;
use tulle_fabric::task;
use tulle_spec::random::{Xoshiro256PlusPlus, stream};

use super::context::Context;
use super::forest::Forest;
use super::search::{Objective, Search};
use super::trees::plant;
use crate::Table;
use crate::columns::Columns;

/// How many batches a round has at least. Loads that are out of date make the destinations of a batch crowd together on the
/// same channels, which matters once they are to be balanced; larger batches keep more threads busy.
const BATCHES_TO_PLANT: usize = 32;
const BATCHES_TO_BALANCE: usize = 96;

/// Rounds that lower the imbalance by no more than this share bring little.
const LITTLE: f64 = 0.02;

/// All destinations' trees while they are built and improved.
///
/// Destinations meet in the loads of the channels and nowhere else. Those of one batch see the loads as they were before
/// it, so they can take their turns in any order and on any thread. Batches depend on the number of switches only.
pub(super) struct Rounds<'a> {
    context: &'a Context<'a>,
    seed: u64,
    /// Rounds done.
    done: u64,
    /// Per channel, the paths between counted switches over it.
    loads: Vec<i32>,
    /// Per layer, the ports toward every destination.
    layers: Vec<Columns>,
    /// Per destination, the hops that its trees had when planted.
    planted: Vec<u64>,
    /// Rooms to work in, one per thread that asked.
    workspaces: Mutex<Vec<Workspace>>,
}

/// The working memory of a thread for a turn.
struct Workspace {
    forest: Forest,
    search: Search,
}

/// The result of one destination's turn.
struct Turn {
    /// Per layer and switch the port taken.
    ports: Box<[u16]>,
    planted: u64,
    /// The channels whose load changed, and by how much.
    loads: Vec<(u32, i32)>,
}

impl<'a> Rounds<'a> {
    pub fn new(context: &'a Context<'a>, seed: u64) -> Self {
        let switches = context.switches();
        Self {
            context,
            seed,
            done: 0,
            loads: vec![0; context.fabric.num_channels()],
            layers: vec![Columns::new(switches); context.layers],
            planted: vec![0; switches],
            workspaces: Mutex::default(),
        }
    }

    /// Plants all trees, each destination's searched for disjoint paths in up to `sweeps` sweeps.
    pub fn plant(&mut self, sweeps: u16) {
        // Before there are loads to tell: as many hops as shortest paths have.
        let context = self.context;
        let counted = || (0..context.switches() as u32).filter(|&switch| context.counts(switch));
        let hops = |to: u32| counted().map(|from| u64::from(context.distance(to, from))).sum::<u64>();
        let mean = self.mean(context.layers as u64 * counted().map(hops).sum::<u64>());
        self.round(BATCHES_TO_PLANT, |work, workspace, destination, rng| {
            let Workspace { forest, search } = workspace;
            forest.clear(context, destination, &work.loads);
            plant(context, forest, &mut search.marks, mean, rng);
            let planted = forest.counted_hops(context);
            if forest.counted && context.layers > 1 {
                search.begin(context, forest, planted);
                (0..sweeps).for_each(|_| search.sweep(context, forest, Objective::Disjoint, true, rng));
            }
            planted
        });
    }

    /// Balances the loads of the channels in up to `rounds` rounds: drifting in the first half of them, then not; either
    /// until a round brings little.
    pub fn balance(&mut self, rounds: u16) {
        let context = self.context;
        for (rounds, drift) in [(rounds / 2, true), (rounds.div_ceil(2), false)] {
            let mut before = self.imbalance();
            for _ in 0..rounds {
                let mean = self.mean_load();
                self.round(BATCHES_TO_BALANCE, |work, workspace, destination, rng| {
                    let Workspace { forest, search } = workspace;
                    let planted = work.planted[destination as usize];
                    forest.restore(context, destination, &work.layers, &work.loads);
                    if forest.counted {
                        search.begin(context, forest, planted);
                        search.sweep(context, forest, Objective::Balance { mean }, drift, rng);
                    }
                    planted
                });
                let after = self.imbalance();
                if after > (1.0 - LITTLE) * before {
                    break;
                }
                before = after;
            }
        }
    }

    /// The mean load of a channel; at least 1, so that it can be divided by.
    fn mean_load(&self) -> f64 {
        self.mean(self.loads.iter().map(|&load| load as u64).sum())
    }

    /// Σ (load − mean)² over the channels.
    fn imbalance(&self) -> f64 {
        let mean = self.mean_load();
        self.loads.iter().map(|&load| (f64::from(load) - mean).powi(2)).sum()
    }

    /// Gives every destination a turn, in random order and at least so many
    /// batches; `turn` returns the hops planted.
    fn round<F>(&mut self, batches: usize, turn: F)
    where
        F: Fn(&Self, &mut Workspace, u32, &mut Xoshiro256PlusPlus) -> u64 + Sync,
    {
        let switches = self.context.switches();
        let mut order: Vec<u32> = (0..switches as u32).collect();
        order.shuffle(&mut stream(self.seed, "routing/gateway/order", self.done));
        for batch in order.chunks((switches / batches).max(1)) {
            let turns: Vec<Turn> = batch.par_iter().map(|&destination| self.turn(destination, &turn)).collect();
            for (&destination, turn) in batch.iter().zip(turns) {
                for (layer, ports) in self.layers.iter_mut().zip(turn.ports.chunks(switches)) {
                    layer.column_mut(destination).copy_from_slice(ports);
                }
                for (channel, more) in turn.loads {
                    self.loads[channel as usize] += more;
                }
                self.planted[destination as usize] = turn.planted;
            }
        }
        self.done += 1;
    }

    fn turn<F>(&self, destination: u32, turn: &F) -> Turn
    where
        F: Fn(&Self, &mut Workspace, u32, &mut Xoshiro256PlusPlus) -> u64,
    {
        task::check();
        let spare = self.workspaces.lock().expect("no turn panics").pop();
        let mut workspace =
            spare.unwrap_or_else(|| Workspace { forest: Forest::new(self.context), search: Search::new(self.context) });
        let index = self.done * self.context.switches() as u64 + u64::from(destination);
        let mut rng = stream(self.seed, "routing/gateway/destination", index);
        let planted = turn(self, &mut workspace, destination, &mut rng);
        let forest = &workspace.forest;
        let both = forest.loads.iter().zip(&self.loads).zip(0..);
        let result = Turn {
            ports: forest.ports(self.context),
            planted,
            loads: both
                .filter(|((now, before), _)| now != before)
                .map(|((now, before), c)| (c, now - before))
                .collect(),
        };
        self.workspaces.lock().expect("no turn panics").push(workspace);
        result
    }

    /// The mean load of a channel where paths have `hops` hops in all; at least 1, so that it can be divided by.
    fn mean(&self, hops: u64) -> f64 {
        (hops as f64 / self.loads.len() as f64).max(1.0)
    }

    /// The layers' tables.
    pub fn tables(&self) -> Vec<Table> {
        self.layers.iter().map(|columns| columns.table(self.context.fabric)).collect()
    }
}
