//! Rounds, in each of which the trees of every destination are improved in turn.

use std::sync::Mutex;

use rand::seq::SliceRandom;
use rayon::prelude::*;
use tulle_base::random::{Xoshiro256PlusPlus, stream};
use tulle_base::task;

use super::context::{Context, FEW};
use super::forest::Forest;
use crate::Table;
use crate::columns::Columns;

/// Minimum number of batches in a round. The destinations of a batch see old loads and crowd onto the same channels, which matters if loads
/// are to be balanced. Larger batches keep more threads busy.
pub(super) const BATCHES_TO_PLANT: usize = 32;
pub(super) const BATCHES_TO_BALANCE: usize = 96;

/// Returns the number of rounds if `effort` rounds are requested. The time of a round grows faster than the square of the number of
/// switches. So beyond [`FEW`] switches the number of rounds falls with the cube of their number, to at least one. Planting and the first
/// round bring most of the gain.
pub(super) fn affordable(context: &Context, effort: u16) -> u16 {
    let size = (context.switches() as f64 / f64::from(FEW)).powi(3).max(1.0);
    ((f64::from(effort) / size).round() as u16).max(effort.min(1))
}

/// All destinations' trees while they are built and improved by searches of type `S`.
///
/// Destinations affect each other only through the loads of the channels. The destinations of a batch see the loads before the batch, so
/// they can run in any order and on any thread. Batches depend only on the number of switches.
pub(super) struct Rounds<'a, S> {
    pub context: &'a Context<'a>,
    seed: u64,
    /// Rounds done.
    done: u64,
    /// Number of finished batches over all rounds. Loads change after each batch.
    batches: u64,
    /// Number of paths between counted switches over each channel.
    loads: Vec<i32>,
    /// The ports toward every destination, per layer.
    layers: Vec<Columns>,
    make_search: fn(&Context) -> S,
    /// Work areas, one per thread.
    workspaces: Mutex<Vec<Workspace<S>>>,
}

/// The room of a thread for a turn.
pub(super) struct Workspace<S> {
    /// The number of the batch after which the forest copied the loads.
    batch: Option<u64>,
    pub forest: Forest,
    pub search: S,
}

/// The result of improving one destination's trees.
struct Turn<T> {
    /// The port by layer and switch.
    ports: Box<[u16]>,
    /// Channels with changed loads, and the changes.
    loads: Vec<(u32, i32)>,
    brought: T,
}

impl<'a, S: Send> Rounds<'a, S> {
    pub fn new(context: &'a Context<'a>, seed: u64, make_search: fn(&Context) -> S) -> Self {
        Self {
            context,
            seed,
            done: 0,
            batches: 0,
            loads: vec![0; context.fabric.num_channels()],
            layers: vec![Columns::new(context.switches()); context.layers],
            make_search,
            workspaces: Mutex::default(),
        }
    }

    /// Improves every destination once, in random order and in at least this many batches. Returns the results by destination. The first
    /// round plants the trees.
    pub fn round<T: Send>(
        &mut self,
        batches: usize,
        turn: impl Fn(&mut Workspace<S>, u32, &mut Xoshiro256PlusPlus) -> T + Sync,
    ) -> Vec<T> {
        let switches = self.context.switches();
        let mut order: Vec<u32> = (0..switches as u32).collect();
        order.shuffle(&mut stream(self.seed, self.context.aim.streams()[0], self.done));
        let mut brought: Vec<Option<T>> = (0..switches).map(|_| None).collect();
        for batch in order.chunks((switches / batches).max(1)) {
            let turns: Vec<Turn<T>> = batch.par_iter().map(|&destination| self.turn(destination, &turn)).collect();
            self.batches += 1;
            for (&destination, turn) in batch.iter().zip(turns) {
                for (layer, ports) in self.layers.iter_mut().zip(turn.ports.chunks(switches)) {
                    layer.column_mut(destination).copy_from_slice(ports);
                }
                for (channel, more) in turn.loads {
                    self.loads[channel as usize] += more;
                }
                brought[destination as usize] = Some(turn.brought);
            }
        }
        self.done += 1;
        brought.into_iter().map(|one| one.expect("every destination has a turn")).collect()
    }

    fn turn<T>(
        &self,
        destination: u32,
        turn: impl Fn(&mut Workspace<S>, u32, &mut Xoshiro256PlusPlus) -> T,
    ) -> Turn<T> {
        task::check();
        let spare = self.workspaces.lock().expect("no turn panics").pop();
        let mut workspace = spare.unwrap_or_else(|| Workspace {
            batch: None,
            forest: Forest::new(self.context),
            search: (self.make_search)(self.context),
        });
        let forest = &mut workspace.forest;
        if workspace.batch.replace(self.batches) != Some(self.batches) {
            forest.take_loads(&self.loads);
        }
        match self.done {
            0 => forest.clear(self.context, destination),
            _ => forest.restore(self.context, destination, &self.layers),
        }
        let index = self.done * self.context.switches() as u64 + u64::from(destination);
        let mut rng = stream(self.seed, self.context.aim.streams()[1], index);
        let brought = turn(&mut workspace, destination, &mut rng);
        let forest = &mut workspace.forest;
        let result = Turn { ports: forest.ports(self.context), loads: forest.give_back(&self.loads), brought };
        self.workspaces.lock().expect("no turn panics").push(workspace);
        result
    }

    /// Returns the mean load of a channel, at least 1, so that it can be a divisor.
    pub fn mean_load(&self) -> f64 {
        self.mean(self.loads.iter().map(|&load| load as u64).sum())
    }

    /// Σ (load − mean)² over the channels.
    pub fn imbalance(&self) -> f64 {
        let mean = self.mean_load();
        self.loads.iter().map(|&load| (f64::from(load) - mean).powi(2)).sum()
    }

    /// Returns the mean load of a channel before loads exist, from the hops of shortest paths.
    pub fn expected_load(&self) -> f64 {
        let context = self.context;
        let counted = || (0..context.switches() as u32).filter(|&switch| context.counts(switch));
        let hops = |to: u32| counted().map(|from| u64::from(context.distance(to, from))).sum::<u64>();
        self.mean(context.layers as u64 * counted().map(hops).sum::<u64>())
    }

    /// Returns the mean load of a channel for paths with `hops` hops in total, at least 1, so that it can be a divisor.
    fn mean(&self, hops: u64) -> f64 {
        (hops as f64 / self.loads.len() as f64).max(1.0)
    }

    /// The layers' tables.
    pub fn tables(&self) -> Vec<Table> {
        self.layers.iter().map(|columns| columns.table(self.context.fabric)).collect()
    }
}
