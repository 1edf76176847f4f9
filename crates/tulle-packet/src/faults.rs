//! Parses fault specs: which links and switches fail, what happens to them, and during which period.
//!
//! An example of a fault spec is `down:links=ids:12,at=50us,until=1ms`. [`tulle_fabric::Faults`] defines how links and switches are
//! selected.

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
    /// Returns the cables and switches that fail, and the period in which they fail.
    fn scope(&self) -> &FaultScope;

    /// Returns what happens to the links and switches that fail.
    fn kind(&self) -> FaultKind;
}

parameters! {
    /// The cables and switches that fail, and the period in which they fail.
    #[derive(Debug, Clone)]
    pub(crate) struct FaultScope(arguments) -> Error {
        /// cables that fail, in both directions; the id of a cable is the lower of its two channel ids
        links: Option<String> = text(AMOUNT), or "none";
        /// switches that fail, with all their links, including the links to endpoints
        switches: Option<String> = text(AMOUNT), or "none";
        what: Faults => what(arguments)?;
        /// time at which the cables and switches fail
        at: u64 = duration_of(0, LATEST), default "0";
        /// time at which the cables and switches work again
        until: Option<u64> = duration_of(0, LATEST), note "after at", or "never";
    }
    check {
        (links, switches) = (what.links.as_ref().map(ToString::to_string), what.switches.as_ref().map(ToString::to_string));
        if let Some(until) = until.filter(|&until| until <= at) {
            let [at, until] = [at, until].map(tulle_spec::units::write_duration);
            let values = format!("at={at}, until={until}");
            return Err(arguments.clash(values, "is an empty period", "legal: until= later than at=").into());
        }
    }
}

const AMOUNT: &str = "a fraction (5%), a count (3), ids (ids:7+19) or names (leaf1/3)";

/// Returns the links and switches that fail.
///
/// # Errors
/// Fails if neither `links` nor `switches` is set, or if one of them is invalid.
fn what(arguments: &Arguments) -> Result<Faults, Error> {
    let quoted = |text: &str| text.replace('"', "\"\"");
    let given = ["links", "switches"].into_iter().filter_map(|name| Some((name, arguments.text(name)?)));
    let words: Vec<String> = given.map(|(name, text)| format!("{name}=\"{}\"", quoted(text))).collect();
    if words.is_empty() {
        return Err(arguments.missing("links= or switches").into());
    }
    words.join(",").parse().map_err(Error::from)
}

/// A parsed fault. Names and ids of links and switches are not looked up in a fabric yet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    name: &'static str,
    /// The fault as text, with the values of all parameters.
    pub(crate) spec: String,
    /// The selection of links and switches that fail.
    pub(crate) what: Faults,
    /// Start of the fault in picoseconds.
    pub(crate) at: u64,
    /// End of the fault in picoseconds; [`NEVER`] if the fault is permanent.
    pub(crate) until: u64,
    pub(crate) kind: FaultKind,
}

/// What happens to the links and switches that fail.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum FaultKind {
    /// The links carry no packets. Endpoints are notified after `detect` picoseconds.
    Down { detect: u64 },
    /// The links lose each packet with probability `loss`. Endpoints are not notified.
    Drop { loss: f64 },
}

/// Upper limit of times of faults, so that sums do not overflow 64 bits.
const LATEST: u64 = 1_000_000 * SECOND;

/// Returns the [`Info`] of every registered kind of fault.
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

/// Returns the faults that `config` lists.
///
/// # Errors
/// Fails if a fault spec is invalid, or if the fault might prevent the run from ending.
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
                problem: "may keep the run from ending".to_owned(),
                legal: "legal: until=, loss= of at most 50%, or a time limit for the run".to_owned(),
            }
            .into());
        }
    }
    Ok(all)
}
