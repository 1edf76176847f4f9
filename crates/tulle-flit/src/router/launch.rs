//! From a router model to its run: the one place where the type of all routers is chosen.

use std::ops::ControlFlow;

use tulle_base::memory::Need;

use super::context::Run;
use super::model::Model;
use super::skeleton::Router;
use super::switching::Switching;
// circle: a model starts the run of its routers, which drives them.
use crate::run::{End, Goal, drive};
use crate::wires::Line;
use crate::{Config, Error, Progress};

/// A router model that can be run.
pub(crate) trait Start: Model {
    /// Runs `launch` with routers of the least size that the largest switch needs, by [`Launch::run`].
    ///
    /// # Errors
    /// As of [`Launch::run`].
    fn start(&self, launch: Launch) -> Result<End, Error>;
}

/// A run but for its routers.
pub(crate) struct Launch<'r, 'a> {
    pub run: &'r mut Run<'a>,
    pub config: &'r Config,
    pub goal: Goal<'r>,
    pub observe: &'r mut dyn FnMut(&Progress) -> ControlFlow<()>,
}

impl Launch<'_, '_> {
    /// The most ports of a switch, endpoints included.
    pub fn radix(&self) -> usize {
        self.run.fabric.radix()
    }

    /// Whether a switch has more ports than a word has bits: [`PORT_WORDS`](super::model::PORT_WORDS) words are enough.
    pub fn is_wide(&self) -> bool {
        self.radix() > 64
    }

    /// Runs it with switching `S` of `model`; so the whole run is compiled for that alone.
    ///
    /// # Errors
    /// Routers and wires for which the memory is not there. Flits in flight, which come and go, do not count.
    pub fn run<S: Switching<P>, const P: usize>(self, model: &S::Model) -> Result<End, Error> {
        let fabric = self.run.fabric;
        let (switches, channels) = (fabric.num_switches() as u32, fabric.num_channels() as u64);
        let of_router = |switch: u32| {
            let ports = fabric.degree(switch) + fabric.endpoints_of(switch).len();
            S::need(model, ports as u64).get()
        };
        Need::default()
            .bytes((0..switches).map(of_router).sum())
            .of::<Router<S, P>>(switches.into())
            .of::<[Line; 2]>(channels)
            .require(|| format!("the state of {switches} routers and {channels} channels"))?;
        let routers = (0..switches).map(|switch| Router::<S, P>::new(model, self.run, switch)).collect();
        drive(self.run, routers, self.config, self.goal, self.observe)
    }
}
