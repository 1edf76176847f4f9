//! Router models. Each model has one file and one line in the registry.
//!
//! A model consists of its parameters and timing ([`Model`](model::Model)) and of its switching
//! ([`Switching`](switching::Switching)): queues, allocation and crossbar. The router [`core`] is common to all models;
//! [`dispatch`] combines core and model.

mod ack_calendar;
mod check;
pub(crate) mod context;
pub(crate) mod core;
pub(crate) mod dispatch;
pub(crate) mod feedback;
mod handle;
mod layout;
pub(crate) mod model;
pub(crate) mod switch;
pub(crate) mod switching;
#[cfg(test)]
mod test_harness;

use tulle_spec::{Info, Registered, SpecError, parameters, registry};

use dispatch::RunnableModel;

registry! {
    /// All router models, in the order of `tulle list routers`.
    pub(crate) static ROUTERS: Routers("router") -> SpecError = Box<dyn RouterPlugin>;
    mod input_queued: InputQueued;
    mod virtual_cut_through: VirtualCutThrough;
    mod diameter_two: DiameterTwo;
    #[cfg(test)]
    mod toy: Toy;
}

/// A router model as a plug-in.
pub(crate) trait RouterPlugin: Registered {
    /// Returns the model with its parameters resolved. A preset, for example `diameter-two`, returns the model that it is based on, with
    /// the parameters of the preset.
    fn model(&self) -> Box<dyn RunnableModel>;
}

parameters! {
    /// The parameters that all models share.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(crate) struct CommonParameters {
        /// virtual channels per port
        pub vcs: u8 = integer(1, 16), default "4";
    }
}

/// Returns the [`Info`] of every registered router model.
pub fn routers() -> Vec<&'static Info> {
    ROUTERS.infos()
}

/// Parses the router model `spec`.
pub(crate) fn read(spec: &str) -> Result<Box<dyn RunnableModel>, SpecError> {
    Ok(ROUTERS.read(spec, &())?.1.model())
}

/// Returns the canonical form of `spec`, which states every parameter.
pub(crate) fn canonical(spec: &str) -> Result<String, SpecError> {
    Ok(ROUTERS.read(spec, &())?.1.spec())
}
