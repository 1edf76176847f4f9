//! The traffics of this simulator alone, and those it takes from the workloads of tulle-traffic.

use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

const SELF: Parameter =
    Parameter::prose("self", "yes or no", "yes", "whether an endpoint sends to itself, too, over its switch");

static UNIFORM: Info = Info {
    name: "uniform",
    summary: "every packet to an endpoint drawn at random",
    parameters: &[SELF],
    nested: false,
    paper: "diameter-two §4.3 (global uniform); Jellyfish §IV (random-uniform)",
    limitations: "Bernoulli arrivals of packets of one size; for messages of other sizes there is the packet simulator.",
    examples: &["uniform", "uniform:self=no"],
    rejects: &[("uniform:self=maybe", "self=maybe is not a choice"), ("uniform:load=1", "unknown parameter 'load=1'")],
};

static HOT_SPOT: Info = Info {
    name: "hot-spot",
    summary: "a share of the packets to a few endpoints, the others to endpoints drawn at random",
    parameters: &[
        Parameter::prose("share", "above 0 and at most 1", "0.1", "of packets to hot endpoints"),
        Parameter::prose("endpoints", "1 to 1000000", "1", "hot ones, drawn under the seed"),
    ],
    nested: false,
    paper: "Pfister, Norton: Hot spot contention and combining in multistage interconnection networks, IEEE ToC 1985",
    limitations: "The hot endpoints share their packets alike and send as all others do. With N endpoints, n of them hot, share h \
                  and load λ, λ·(1 − h + h·N/n) flits a cycle are offered to each hot one: above 1 the network saturates.",
    examples: &["hot-spot", "hot-spot:share=0.05,endpoints=4"],
    rejects: &[
        ("hot-spot:share=0", "share=0 is out of range; legal: above 0 and at most 1"),
        ("hot-spot:endpoints=0", "endpoints=0 is out of range; legal: 1 to 1000000"),
    ],
};

static BURSTS: Info = Info {
    name: "bursts",
    summary: "endpoints that send in bursts: on-off Markov sources over the destinations of another traffic",
    parameters: &[
        Parameter::prose("length", "1 to 1000000", "100", "mean cycles of a burst"),
        Parameter::prose("of", "another traffic, in quotes", "uniform", "where packets go"),
    ],
    nested: false,
    paper: "Dally, Towles: Principles and practices of interconnection networks, §24.2.2 (Markov-modulated processes)",
    limitations: "In a burst an endpoint creates a flit per cycle in the mean, its packets by a Bernoulli process; between bursts none. \
                  Lengths of bursts and pauses are geometric. A pause has at least a cycle: at loads λ above \
                  length/(length + 1) bursts are longer, λ/(1 − λ) cycles in the mean.",
    examples: &["bursts", "bursts:length=20", "bursts:length=50,of=\"hot-spot:share=0.05\""],
    rejects: &[
        ("bursts:length=0", "length=0 is out of range; legal: 1 to 1000000"),
        ("bursts:of=bursts", "of=bursts is itself one of bursts"),
    ],
};

/// What the traffics of this simulator say of themselves; besides there are all of `tulle_traffic::patterns`.
pub fn traffics() -> &'static [&'static Info] {
    const ALL: &[&Info] = &[&UNIFORM, &HOT_SPOT, &BURSTS];
    ALL
}

/// A traffic, its parameters resolved.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Uniform {
        to_self: bool,
    },
    HotSpot {
        share: f64,
        endpoints: u32,
    },
    Bursts {
        length: u32,
        of: Box<Self>,
    },
    /// Of tulle-traffic, with its canonical spec.
    Workload(String),
}

impl Kind {
    /// That of `spec`.
    pub fn read(spec: &str) -> Result<Self, SpecError> {
        let name = Arguments::name(spec)?;
        if name == UNIFORM.name {
            let arguments = Arguments::parse(&UNIFORM, spec)?;
            return Ok(Self::Uniform { to_self: arguments.word("self", &["yes", "no"])? != Some("no") });
        }
        if name == HOT_SPOT.name {
            let arguments = Arguments::parse(&HOT_SPOT, spec)?;
            let share = arguments.fraction("share", false)?.unwrap_or(0.1);
            let endpoints = arguments.integer("endpoints", 1..=1_000_000)?.unwrap_or(1) as u32;
            return Ok(Self::HotSpot { share, endpoints });
        }
        if name == BURSTS.name {
            let arguments = Arguments::parse(&BURSTS, spec)?;
            let length = arguments.integer("length", 1..=1_000_000)?.unwrap_or(100) as u32;
            let of = arguments.text("of").unwrap_or(UNIFORM.name);
            if Arguments::name(of)? == BURSTS.name {
                return Err(arguments.bad("of", of, "is itself one of bursts", "legal: another traffic"));
            }
            return Ok(Self::Bursts { length, of: Box::new(Self::read(of)?) });
        }
        let (entry, pattern) = tulle_traffic::patterns::pattern(spec)?;
        Ok(Self::Workload(pattern.parameters().spec(entry.info.name)))
    }

    /// The canonical spec.
    pub fn spec(&self) -> String {
        match self {
            Self::Uniform { to_self } => {
                Parameters::new().word("self", if *to_self { "yes" } else { "no" }).spec(UNIFORM.name)
            }
            Self::HotSpot { share, endpoints } => {
                Parameters::new().real("share", *share).integer("endpoints", *endpoints).spec(HOT_SPOT.name)
            }
            Self::Bursts { length, of } => {
                Parameters::new().integer("length", *length).word("of", of.spec()).spec(BURSTS.name)
            }
            Self::Workload(spec) => spec.clone(),
        }
    }
}

/// The canonical form of `spec`: every parameter is there.
///
/// # Errors
/// An unknown name, an unknown parameter or an illegal value.
pub fn canonical_traffic(spec: &str) -> Result<String, SpecError> {
    Ok(Kind::read(spec)?.spec())
}
