//! Parses faults: which links and switches fail, how, and from when until when.
//!
//! A fault reads `down:links=ids:12,at=50us,until=1ms`; which parts fail is said in the words of [`tulle_fabric::Faults`].

use tulle_fabric::Faults;
use tulle_spec::{Arguments, Info, Registered, SpecError, parameters, registry};

use crate::units::SECOND;
use crate::{Config, Error, NEVER};

registry! {
    /// All kinds of faults, in the order of `tulle list faults`.
    pub(crate) static FAULTS: Kinds("fault") -> Error = Box<dyn FaultModel>;
    mod down: Down;
    mod drop: Drop;
    #[cfg(test)]
    mod toy: Toy;
}

/// A kind of fault.
pub(crate) trait FaultModel: Registered {
    /// The cables and switches that fail, and when.
    fn scope(&self) -> &FaultScope;

    /// How.
    fn kind(&self) -> FaultKind;
}

parameters! {
    /// The cables and switches that fail, and when.
    #[derive(Debug, Clone)]
    pub(crate) struct FaultScope(arguments) -> Error {
        /// cables that fail, in both directions; a cable has the id of the lower of its channels
        links: Option<String> = text(AMOUNT), or "none";
        /// switches that fail: all their links, those of endpoints included
        switches: Option<String> = text(AMOUNT), or "none";
        what: Faults => what(arguments)?;
        /// when they fail
        at: u64 = duration_of(0, LATEST), default "0";
        /// when they work again
        until: Option<u64> = duration_of(0, LATEST), note "after at", or "for good";
    }
    check {
        (links, switches) = (what.links.as_ref().map(ToString::to_string), what.switches.as_ref().map(ToString::to_string));
        if let Some(until) = until.filter(|&until| until <= at) {
            let [at, until] = [at, until].map(tulle_spec::units::write_duration);
            let values = format!("at={at}, until={until}");
            return Err(arguments.clash(values, "is no time at all", "legal: until after at").into());
        }
    }
}

const AMOUNT: &str = "a share 5%, a count 3, ids as ids:7+19, or names as leaf1/3";

/// The parts that fail.
fn what(arguments: &Arguments) -> Result<Faults, Error> {
    let quoted = |text: &str| text.replace('"', "\"\"");
    let given = ["links", "switches"].into_iter().filter_map(|name| Some((name, arguments.text(name)?)));
    let words: Vec<String> = given.map(|(name, text)| format!("{name}=\"{}\"", quoted(text))).collect();
    if words.is_empty() {
        return Err(arguments.missing("links= or switches").into());
    }
    words.join(",").parse().map_err(Error::from)
}

/// A parsed fault; the failing parts are looked up in a fabric later.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    name: &'static str,
    /// The fault as text, with every parameter that has a value.
    pub(crate) spec: String,
    pub(crate) what: Faults,
    pub(crate) at: u64,
    /// End of the fault; [`NEVER`] if the parts stay failed.
    pub(crate) until: u64,
    pub(crate) kind: FaultKind,
}

/// How parts fail.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum FaultKind {
    /// The parts carry no packets; endpoints are notified after this many picoseconds.
    Down { detect: u64 },
    /// The parts lose this share of packets, without notification.
    Drop { loss: f64 },
}

/// Upper limit of times of faults, so that sums do not overflow 64 bits.
const LATEST: u64 = 1_000_000 * SECOND;

/// The [`Info`] of every registered kind of fault.
pub fn faults() -> Vec<&'static Info> {
    FAULTS.infos()
}

impl Fault {
    fn read(spec: &str) -> Result<Self, Error> {
        let fault = FAULTS.read(spec, &())?.1;
        let FaultScope { what, at, until, .. } = fault.scope().clone();
        let (name, spec) = (fault.info().name, fault.spec());
        Ok(Self { name, spec, what, at, until: until.unwrap_or(NEVER), kind: fault.kind() })
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
