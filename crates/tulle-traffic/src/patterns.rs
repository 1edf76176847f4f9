//! The registry of traffic patterns: one file and one line here each.

use tulle_fabric::Fabric;
use tulle_spec::{Arguments, Info, Parameters, SpecError, find};

use crate::arrivals::MAX_MESSAGES;
use crate::{Error, Step, Workload};

/// A traffic pattern, its parameters resolved.
pub trait Pattern {
    /// The resolved parameters in canonical order.
    fn parameters(&self) -> Parameters;

    /// The messages among the endpoints of `fabric` (at least two); random patterns draw from streams under `seed`.
    ///
    /// # Errors
    /// A fabric that the pattern does not fit, with what would be legal.
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error>;
}

/// A registered pattern.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What it says of itself.
    pub info: &'static Info,
    read: fn(&Arguments) -> Result<Box<dyn Pattern>, SpecError>,
}

/// Registers patterns; the order is that of `tulle list traffics`.
macro_rules! register {
    ($($module:ident),+ $(,)?) => {
        $(pub mod $module;)+
        static PATTERNS: &[Entry] = &[$(Entry { info: &$module::INFO, read: $module::read }),+];
    };
}

register! {
    permutation,
    uniform,
    random,
    skewed,
    off_diagonal,
    shuffle,
    stencil,
    incast,
    bisection,
    worst_case,
    longest_matching,
    all_to_all,
    allreduce,
    broadcast,
    allgather,
    reduce_scatter,
    resnet152,
    cosmoflow,
    gpt3,
    file,
    goal,
    htsim,
    hpcc,
}

/// Reads a parameter that names one of `choices`.
pub(crate) fn choice<T: Copy, const N: usize>(
    arguments: &Arguments,
    parameter: &str,
    choices: &[(&'static str, T); N],
) -> Result<Option<T>, SpecError> {
    let word = arguments.word(parameter, &choices.map(|(word, _)| word))?;
    Ok(word.and_then(|word| choices.iter().find(|(name, _)| *name == word)).map(|&(_, choice)| choice))
}

/// The word that names `choice`.
pub(crate) fn word<T: Copy + PartialEq>(choice: T, choices: &[(&'static str, T)]) -> &'static str {
    choices.iter().find(|(_, other)| *other == choice).map_or("", |(word, _)| word)
}

/// Refuses more messages of `pattern` than a workload holds.
pub(crate) fn check_count(pattern: &str, messages: u64) -> Result<(), Error> {
    if messages > MAX_MESSAGES {
        return Err(Error::misfit(
            pattern,
            format!("{messages} messages are too many"),
            format!("up to {MAX_MESSAGES}"),
        ));
    }
    Ok(())
}

/// Refuses a [`Program`](crate::Program) of `pattern` for which the memory is not there: of so many messages at least, which
/// wait for so many others in all.
fn check_room(pattern: &str, messages: u64, waits: u64) -> Result<(), Error> {
    // Where a row of waits ends, while they are collected and in the end; what is waited for, likewise.
    let (ends, on) = (2 * size_of::<usize>() as u64, (size_of::<Step>() + size_of::<u32>()) as u64);
    let need = Workload::need(messages).bytes(messages.saturating_mul(ends)).bytes(waits.saturating_mul(on));
    Ok(need.require(|| format!("the workload {pattern} of {messages} messages"))?)
}

/// What papers call patterns that have another name here.
const IN_PAPERS: [(&str, &str); 4] = [
    // Flattened Clos §4.
    ("near-worst", "longest-matching:of=switches"),
    ("uniform-random", "random:destinations=X,of=switches"),
    // Multi-Path Routing in the Jellyfish Network §IV.
    ("shift", "off-diagonal:offset=N"),
    ("random-permutation", "permutation"),
];

/// The error with a hint where a paper's name is not ours.
fn lead_from_paper(error: SpecError) -> SpecError {
    match error {
        SpecError::UnknownName { kind, name, hint } => {
            let known = IN_PAPERS.iter().find(|(paper, _)| *paper == name);
            let hint = known.map_or(hint, |(_, ours)| format!("did you mean {ours}?"));
            SpecError::UnknownName { kind, name, hint }
        }
        other => other,
    }
}

/// All registered patterns.
pub fn patterns() -> &'static [Entry] {
    PATTERNS
}

/// The registered pattern that `spec` names, and the pattern with the parameters that `spec` gives. Of messages as CSV the path
/// may stand alone: `file:messages.csv` is `file:messages=messages.csv`.
///
/// # Errors
/// An unknown name, an unknown parameter or an illegal value.
pub fn pattern(spec: &str) -> Result<(&'static Entry, Box<dyn Pattern>), SpecError> {
    let entry = find("traffic", Arguments::name(spec)?, patterns(), |entry| entry.info).map_err(lead_from_paper)?;
    let path = spec.split_once(':').map(|(_, rest)| rest).filter(|rest| !rest.is_empty() && !rest.contains('='));
    let arguments = match path {
        Some(path) if entry.info.name == file::INFO.name => {
            Arguments::parse(entry.info, &Parameters::new().word("messages", path).spec(entry.info.name))?
        }
        _ => Arguments::parse(entry.info, spec)?,
    };
    Ok((entry, (entry.read)(&arguments)?))
}

/// The workload that `spec` names among the endpoints of `fabric`; random patterns draw from streams under `seed`.
///
/// # Errors
/// An unknown name, an unknown parameter, an illegal value, or a fabric that the pattern does not fit.
pub fn build(fabric: &Fabric, spec: &str, seed: u64) -> Result<Workload, Error> {
    let (entry, pattern) = pattern(spec)?;
    if fabric.num_endpoints() < 2 {
        return Err(Error::Fabric {
            pattern: entry.info.name.to_owned(),
            problem: format!("{} has {} endpoints", fabric.spec(), fabric.num_endpoints()),
            legal: "legal: fabrics with at least 2 endpoints".to_owned(),
        });
    }
    let mut workload = pattern.messages(fabric, seed)?;
    workload.spec = pattern.parameters().spec(entry.info.name);
    workload.endpoints = Some(fabric.num_endpoints() as u32);
    Ok(workload)
}
