//! Router models: one file and one registry line each.
//!
//! A model is its figures ([`Model`](model::Model)) and its switching ([`Switching`](switching::Switching)): queues, allocation and
//! the way through the switch. What is alike in all models is the [`skeleton`] around it; [`launch`] brings the two together.

mod check;
pub(crate) mod context;
pub(crate) mod launch;
mod layout;
pub(crate) mod model;
#[cfg(test)]
mod rig;
pub(crate) mod skeleton;
mod switch;
pub(crate) mod switching;
mod word;

use tulle_spec::{Info, Registered, SpecError, parameters, registry};

use launch::Start;

registry! {
    /// All router models, in the order of `tulle list routers`.
    pub(crate) static ROUTERS: Routers("router") -> SpecError = Box<dyn Builds>;
    mod input_queued: InputQueued;
    mod virtual_cut_through: VirtualCutThrough;
    mod diameter_two: DiameterTwo;
    #[cfg(test)]
    mod toy: Toy;
}

/// A router model as a plug-in.
pub(crate) trait Builds: Registered {
    /// The model, its parameters resolved: this one, or another with figures of its own.
    fn model(&self) -> Box<dyn Start>;
}

parameters! {
    /// The parameters that every model has.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(crate) struct Lanes {
        /// virtual channels per port
        pub vcs: u8 = integer(1, 16), default "4";
    }
}

/// The declarations of all registered router models.
pub fn routers() -> Vec<&'static Info> {
    ROUTERS.infos()
}

/// The router model that `spec` gives.
pub(crate) fn read(spec: &str) -> Result<Box<dyn Start>, SpecError> {
    Ok(ROUTERS.read(spec, &())?.1.model())
}

/// `spec` with every parameter resolved.
pub(crate) fn canonical(spec: &str) -> Result<String, SpecError> {
    Ok(ROUTERS.read(spec, &())?.1.spec())
}
