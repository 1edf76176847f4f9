//! Faults in time, as text: which links and switches fail, how, and from when until when.
//!
//! A fault reads `down:links=ids:12,at=50us,until=1ms`; which parts fail is said in the words of [`tulle_fabric::Faults`].

use std::sync::LazyLock;

use tulle_fabric::Faults;
use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError, find};

use crate::units::{self, SECOND};
use crate::{Config, Error, NEVER};

/// A registered kind of fault.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What it says of itself.
    pub info: &'static Info,
    read: fn(&Arguments) -> Result<FaultKind, SpecError>,
}

/// A fault as read; what fails is looked up in a fabric later.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    name: &'static str,
    pub(crate) what: Faults,
    pub(crate) at: u64,
    /// [`NEVER`] where the parts stay as they are.
    pub(crate) until: u64,
    pub(crate) kind: FaultKind,
}

/// How parts fail.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum FaultKind {
    /// They carry nothing; endpoints know after so many picoseconds.
    Down { detect: u64 },
    /// They lose this share of the packets, and nobody is told.
    Drop { loss: f64 },
}

const LINKS: Parameter = Parameter::prose(
    "links",
    "a share 5%, a count 3, ids as ids:7+19, or names as leaf1/3",
    "none",
    "cables that fail, in both directions; a cable has the id of the lower of its channels",
);
const SWITCHES: Parameter = Parameter::prose(
    "switches",
    "a share 5%, a count 3, ids as ids:7+19, or names as leaf1/3",
    "none",
    "switches that fail: all their links, those of endpoints included",
);
const AT: Parameter = Parameter::prose("at", "0 to 1000000s", "0", "when they fail");
const UNTIL: Parameter = Parameter::prose("until", "a time after at", "for good", "when they work again");

const DOWN: Info = Info {
    name: "down",
    summary: "links or switches go down, and endpoints come to know",
    parameters: &[
        LINKS,
        SWITCHES,
        AT,
        UNTIL,
        Parameter::prose(
            "detect",
            "0 to 1000000s",
            "100us",
            "time until all endpoints know that they are down, and later that they are up again",
        ),
    ],
    nested: false,
    paper: "FatPaths §V-G (flows move to other layers); the delay is ours, the paper refers to other mechanisms",
    limitations: "All endpoints learn of it at once; switches send on to links that are down. What is up again before the delay \
                  is over is never known to have been down.",
    examples: &["down:links=ids:0,at=50us,until=1ms", "down:switches=1,at=10us,until=300us,detect=0", "down:links=5%"],
    rejects: &[
        ("down:at=50us", "down: needs links= or switches=; for example down:links=ids:0,at=50us,until=1ms"),
        ("down:links=1,at=50us,until=50us", "down: at=50us, until=50us is no time at all; legal: until after at"),
        ("down:links=1,at=50", "at=50 has no unit; did you mean 50us or 50ns?"),
        ("down:links=ids:1000000", "links=ids:1000000 does not exist"),
        ("down:switches=ids:1000000", "switches=ids:1000000 does not exist"),
        ("down:links=200%", "links=200% is out of range"),
        ("down:links=1,loss=1%", "unknown parameter 'loss=1%'"),
    ],
};

const DROP: Info = Info {
    name: "drop",
    summary: "links or switches lose packets silently",
    parameters: &[
        LINKS,
        SWITCHES,
        AT,
        UNTIL,
        Parameter::prose(
            "loss",
            "above 0 and at most 1",
            "100%",
            "share of the packets that each link loses; above 50% it must end, or the run be cut off",
        ),
    ],
    nested: false,
    paper: "gray failures: Guo et al., Pingmesh, SIGCOMM 2015 §5 (silent drops, black holes)",
    limitations: "Nobody is told; flows leave only as their transport or a pause makes them.",
    examples: &["drop:links=ids:0,at=50us,until=1ms", "drop:switches=1,loss=1%"],
    rejects: &[
        ("drop:links=1,until=1ms,loss=0", "loss=0 is out of range"),
        (
            "drop:links=1",
            "drop: loss=1 without until= may never end; legal: until=, loss= of at most 50%, or a time to cut",
        ),
        ("drop:links=1,until=1ms,detect=1us", "unknown parameter 'detect=1us'"),
    ],
};

static FAULTS: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    vec![
        Entry {
            info: &DOWN,
            read: |arguments| {
                let detect = units::read_duration(arguments, "detect", 0..=LATEST)?;
                Ok(FaultKind::Down { detect: detect.unwrap_or(100 * units::MICROSECOND) })
            },
        },
        Entry {
            info: &DROP,
            read: |arguments| Ok(FaultKind::Drop { loss: arguments.fraction("loss", false)?.unwrap_or(1.0) }),
        },
    ]
});

/// Times of faults, so that sums stay far below the end of 64 bits.
const LATEST: u64 = 1_000_000 * SECOND;

/// All registered kinds of faults.
pub fn faults() -> &'static [Entry] {
    &FAULTS
}

impl Fault {
    fn read(spec: &str) -> Result<Self, Error> {
        let entry = find("fault", Arguments::name(spec)?, faults(), |entry| entry.info)?;
        let arguments = Arguments::parse(entry.info, spec)?;
        let words: Vec<String> = ["links", "switches"]
            .into_iter()
            .filter_map(|name| arguments.text(name).map(|text| format!("{name}=\"{}\"", text.replace('"', "\"\""))))
            .collect();
        if words.is_empty() {
            return Err(SpecError::Missing {
                name: entry.info.name,
                parameter: "links= or switches".to_owned(),
                example: entry.info.examples[0].to_owned(),
            }
            .into());
        }
        let what = words.join(",").parse().map_err(Error::from)?;
        let at = units::read_duration(&arguments, "at", 0..=LATEST)?.unwrap_or(0);
        let until = units::read_duration(&arguments, "until", 0..=LATEST)?.unwrap_or(NEVER);
        if until <= at {
            let values = format!("at={}, until={}", units::duration(at), units::duration(until));
            return Err(arguments.clash(values, "is no time at all", "legal: until after at").into());
        }
        Ok(Self { name: entry.info.name, what, at, until, kind: (entry.read)(&arguments)? })
    }

    /// Itself as text, with every parameter that has a value.
    pub(crate) fn spec(&self) -> String {
        let mut parameters = Parameters::new();
        for (name, amount) in [("links", &self.what.links), ("switches", &self.what.switches)] {
            if let Some(amount) = amount {
                parameters = parameters.word(name, amount.to_string());
            }
        }
        parameters = parameters.word("at", units::duration(self.at));
        if self.until != NEVER {
            parameters = parameters.word("until", units::duration(self.until));
        }
        match self.kind {
            FaultKind::Down { detect } => parameters.word("detect", units::duration(detect)),
            FaultKind::Drop { loss } => parameters.real("loss", loss),
        }
        .spec(self.name)
    }
}

/// The faults that `config` lists.
///
/// # Errors
/// One that cannot be read, or that might keep a run from ever ending.
pub(crate) fn read(config: &Config) -> Result<Vec<Fault>, Error> {
    let all: Vec<Fault> = config.faults.iter().map(|spec| Fault::read(spec)).collect::<Result<_, _>>()?;
    for fault in &all {
        if let FaultKind::Drop { loss } = fault.kind
            && loss > 0.5
            && fault.until == NEVER
            && config.until.is_none()
        {
            return Err(SpecError::Combination {
                name: fault.name.to_owned(),
                values: format!("loss={loss} without until="),
                problem: "may never end".to_owned(),
                legal: "legal: until=, loss= of at most 50%, or a time to cut the run off".to_owned(),
            }
            .into());
        }
    }
    Ok(all)
}
