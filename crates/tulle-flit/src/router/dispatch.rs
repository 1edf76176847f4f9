//! Dispatch from a router model to its run. The concrete type of all routers is chosen only in this module.

use std::ops::ControlFlow;

use tulle_base::memory::Need;

use super::context::Run;
use super::core::Router;
use super::model::Model;
use super::switching::Switching;
use crate::acks::Known;
use crate::channel_buffer::ChannelBuffer;
// circle: `router` and `goal` import each other, because a router model passes the goal to its run, and the goal reads the routers.
use crate::goal::Goal;
// circle: `router` and `run` import each other, because a router model starts the run of its routers, and the run calls the model.
use crate::run::{End, drive};
use crate::{Config, Error, Progress};

/// A router model that can run a simulation.
pub(crate) trait RunnableModel: Model {
    /// Runs `dispatch` through [`Dispatch::run`], with the smallest router type that is large enough for the largest
    /// switch.
    ///
    /// # Errors
    /// Fails under the same conditions as [`Dispatch::run`].
    fn run(&self, dispatch: Dispatch) -> Result<End, Error>;
}

/// A run whose inputs are complete except for the router type.
pub(crate) struct Dispatch<'r, 'a> {
    pub run: &'r mut Run<'a>,
    pub config: &'r Config,
    pub goal: Goal<'r>,
    pub observe: &'r mut dyn FnMut(&Progress) -> ControlFlow<()>,
}

impl Dispatch<'_, '_> {
    /// Returns the maximum number of ports of a switch, including endpoint ports.
    pub fn radix(&self) -> usize {
        self.run.fabric.radix()
    }

    /// Returns whether a switch has more than 64 ports. Port sets then take [`PORT_WORDS`](super::model::PORT_WORDS) ×
    /// 64 bits.
    pub fn is_wide(&self) -> bool {
        self.radix() > 64
    }

    /// Runs the simulation with switching `S` of `model`. The compiler specializes the whole run for `S`.
    ///
    /// # Errors
    /// Fails if there is too little memory for routers and channel buffers. The estimate excludes flits in flight, because their number
    /// varies.
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
            .of::<[ChannelBuffer; 2]>(channels)
            .of::<Known>(if self.run.idle.is_some() { u64::from(switches).pow(2) } else { 0 })
            .require(|| format!("the state of {switches} routers and {channels} channels"))?;
        let routers = (0..switches).map(|switch| Router::<S, P>::new(model, self.run, switch)).collect();
        drive(self.run, routers, self.config, self.goal, self.observe)
    }
}
