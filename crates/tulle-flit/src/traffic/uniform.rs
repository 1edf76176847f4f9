//! Uniform: every packet goes to a random endpoint.

use tulle_spec::plugin;

use super::kinds::{Kind, TrafficPlugin};

plugin! {
    #[derive(Debug)]
    pub(crate) struct Uniform {
        /// allow packets from an endpoint to itself; they cross its switch
        pub to_self "self": bool = flag(), default "yes";
    }
    name: "uniform",
    summary: "every packet goes to a random endpoint",
    paper: "Kathareios et al. (SC15) §4.3 (global uniform); Multi-Path Routing in the Jellyfish Network §IV \
        (random-uniform)",
    limitations: "All packets have the same size and are created by a Bernoulli process. For messages of different sizes \
        use the packet simulator.",
    examples: ["uniform", "uniform:self=no"],
    rejects: [("uniform:self=maybe", "self=maybe is not a choice"), ("uniform:load=1", "unknown parameter 'load=1'")],
}

impl TrafficPlugin for Uniform {
    fn kind(&self) -> Kind {
        Kind::Uniform { to_self: self.to_self }
    }
}
