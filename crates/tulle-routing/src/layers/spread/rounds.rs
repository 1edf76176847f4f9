//! Runs the search in rounds. In a round, the trees of every destination are improved once.

use std::sync::Mutex;

use rand::seq::SliceRandom;
use rayon::prelude::*;
use tulle_base::random::{Xoshiro256PlusPlus, stream};
use tulle_base::task;

use super::context::{Context, FEW};
use super::forest::Forest;
use crate::Table;
use crate::columns::Columns;

/// The minimum number of batches per round, for building trees and for balancing loads. The destinations of one batch run in parallel and
/// do not take each other's loads into account, so they may choose the same channels. More batches thus give better balance, but fewer
/// batches keep more threads busy.
pub(super) const BATCHES_TO_PLANT: usize = 32;
pub(super) const BATCHES_TO_BALANCE: usize = 96;

/// Returns how many of the `effort` requested rounds the search makes in a fabric of this size. The time of a round grows faster than the
/// square of the number of switches. Above [`FEW`] switches, the number of rounds therefore falls as the inverse cube of the number of
/// switches, down to one. The initial trees and the first round bring most of the gain.
pub(super) fn affordable(context: &Context, effort: u16) -> u16 {
    let size = (context.switches() as f64 / f64::from(FEW)).powi(3).max(1.0);
    ((f64::from(effort) / size).round() as u16).max(effort.min(1))
}

/// The trees of all destinations, while searches of type `S` build and improve them.
///
/// Destinations affect each other only through the loads of channels. All destinations of a batch use the loads from before the batch, so
/// they can run in any order and on any thread. The batches depend only on the number of switches, so the number of threads has no effect
/// on the result.
pub(super) struct Rounds<'a, S> {
    pub context: &'a Context<'a>,
    seed: u64,
    /// The number of finished rounds.
    done: u64,
    /// The number of finished batches, over all rounds. The loads change after each batch.
    batches: u64,
    /// Per channel, the number of paths that cross it. Only paths that the search improves are counted (see [`Context::counts`]).
    loads: Vec<i32>,
    /// Per layer, the ports of all switches toward every destination.
    layers: Vec<Columns>,
    make_search: fn(&Context) -> S,
    /// Working memory that threads reuse: a thread takes one entry for a destination, and puts it back afterwards.
    workspaces: Mutex<Vec<Workspace<S>>>,
}

/// The working memory of one thread.
pub(super) struct Workspace<S> {
    /// The number of batches that had finished when the forest copied the loads.
    batch: Option<u64>,
    pub forest: Forest,
    pub search: S,
}

/// The result of improving the trees of one destination.
struct Turn<T> {
    /// The port over which every switch forwards, by layer and switch.
    ports: Box<[u16]>,
    /// The channels whose loads changed, with the changes.
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

    /// Improves the trees of every destination once, in random order and in at least `batches` batches (or one batch per destination, if
    /// there are fewer destinations). Returns one result per destination. The first round builds the trees.
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

    /// Returns the mean load of a channel, but at least 1, because callers divide by the result.
    pub fn mean_load(&self) -> f64 {
        self.mean(self.loads.iter().map(|&load| load as u64).sum())
    }

    /// Returns Σ (load − mean)² over all channels.
    pub fn imbalance(&self) -> f64 {
        let mean = self.mean_load();
        self.loads.iter().map(|&load| (f64::from(load) - mean).powi(2)).sum()
    }

    /// Returns the mean load of a channel if all pairs used shortest paths. It serves as an estimate before the first trees exist.
    pub fn expected_load(&self) -> f64 {
        let context = self.context;
        let counted = || (0..context.switches() as u32).filter(|&switch| context.counts(switch));
        let hops = |to: u32| counted().map(|from| u64::from(context.distance(to, from))).sum::<u64>();
        self.mean(context.layers as u64 * counted().map(hops).sum::<u64>())
    }

    /// Returns the mean load of a channel if all paths together have `hops` hops. The result is at least 1, because callers divide by it.
    fn mean(&self, hops: u64) -> f64 {
        (hops as f64 / self.loads.len() as f64).max(1.0)
    }

    /// Returns the tables of all layers.
    pub fn tables(&self) -> Vec<Table> {
        self.layers.iter().map(|columns| columns.table(self.context.fabric)).collect()
    }
}
