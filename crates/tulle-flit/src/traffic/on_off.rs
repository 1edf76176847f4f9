//! Endpoints that send in bursts.

use tulle_spec::plugin;

use super::kinds::{Kind, TrafficPlugin};

plugin! {
    #[derive(Debug)]
    pub(crate) struct OnOff(arguments) {
        /// mean length of a burst in cycles
        pub length: u32 = integer(1, 1_000_000), default "100";
        /// traffic that determines the destinations; in quotes if it contains commas
        pub of: String = spec("traffic"), default "uniform";
        kind: Kind => {
            let (kind, spec) = Kind::read(&of)?;
            of = spec;
            kind
        };
    }
    check {
        if let Kind::Bursts { .. } = kind {
            return Err(arguments.bad("of", "bursts", "is not allowed inside bursts", "legal: another traffic"));
        }
    }
    name: "bursts",
    summary: "endpoints send in bursts (on-off Markov sources) to the destinations of another traffic pattern",
    paper: "Dally, Towles: Principles and practices of interconnection networks, §24.2.2 (Markov-modulated processes)",
    limitations: "In a burst, an endpoint creates packets by a Bernoulli process, on average one flit per cycle. Between \
        bursts it creates none. Burst lengths and pause lengths are geometrically distributed. A pause has at least one \
        cycle, so at loads λ above length/(length + 1) bursts are longer: λ/(1 − λ) cycles on average.",
    examples: ["bursts", "bursts:length=20", "bursts:length=50,of=\"hot-spot:share=0.05\""],
    rejects: [
        ("bursts:length=0", "length=0 is out of range; legal: 1 to 1000000"),
        ("bursts:of=bursts", "of=bursts is not allowed inside bursts"),
    ],
}

impl TrafficPlugin for OnOff {
    fn kind(&self) -> Kind {
        Kind::Bursts { length: self.length, of: Box::new(self.kind.clone()) }
    }
}
