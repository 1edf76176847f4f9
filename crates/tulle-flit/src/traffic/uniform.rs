//! Every packet to any endpoint.

use tulle_spec::plugin;

use super::kinds::{Destinations, Kind};

plugin! {
    #[derive(Debug)]
    pub(crate) struct Uniform {
        /// whether an endpoint sends to itself, too, over its switch
        pub to_self "self": bool = flag(), default "yes";
    }
    name: "uniform",
    summary: "every packet to an endpoint drawn at random",
    paper: "diameter-two §4.3 (global uniform); Jellyfish §IV (random-uniform)",
    limitations: "Bernoulli arrivals of packets of one size; for messages of other sizes there is the packet \
        simulator.",
    examples: ["uniform", "uniform:self=no"],
    rejects: [("uniform:self=maybe", "self=maybe is not a choice"), ("uniform:load=1", "unknown parameter 'load=1'")],
}

impl Destinations for Uniform {
    fn kind(&self) -> Kind {
        Kind::Uniform { to_self: self.to_self }
    }
}
