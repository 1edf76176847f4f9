//! Endpoints that send in bursts.

use tulle_spec::plugin;

use super::kinds::{Destinations, Kind};

plugin! {
    #[derive(Debug)]
    pub(crate) struct OnOff(arguments) {
        /// mean cycles of a burst
        pub length: u32 = integer(1, 1_000_000), default "100";
        /// where packets go; in quotes where it has commas
        pub of: String = spec("traffic"), default "uniform";
        kind: Kind => {
            let (kind, spec) = Kind::read(&of)?;
            of = spec;
            kind
        };
    }
    check {
        if let Kind::Bursts { .. } = kind {
            return Err(arguments.bad("of", "bursts", "is itself one of bursts", "legal: another traffic"));
        }
    }
    name: "bursts",
    summary: "endpoints that send in bursts: on-off Markov sources over the destinations of another traffic",
    paper: "Dally, Towles: Principles and practices of interconnection networks, §24.2.2 (Markov-modulated processes)",
    limitations: "In a burst an endpoint creates a flit per cycle in the mean, its packets by a Bernoulli process; \
        between bursts none. Lengths of bursts and pauses are geometric. A pause has at least a cycle: at loads λ \
        above length/(length + 1) bursts are longer, λ/(1 − λ) cycles in the mean.",
    examples: ["bursts", "bursts:length=20", "bursts:length=50,of=\"hot-spot:share=0.05\""],
    rejects: [
        ("bursts:length=0", "length=0 is out of range; legal: 1 to 1000000"),
        ("bursts:of=bursts", "of=bursts is itself one of bursts"),
    ],
}

impl Destinations for OnOff {
    fn kind(&self) -> Kind {
        Kind::Bursts { length: self.length, of: Box::new(self.kind.clone()) }
    }
}
