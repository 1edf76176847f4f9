//! The registry of traffic patterns. Each pattern has one file and one line in the registry.

use tulle_fabric::Fabric;
use tulle_spec::{Entry, Kind, Parameter, Parameters, Registered, SpecError, registry};

use crate::arrivals::check_count;
use crate::{Error, Step, Workload};

/// A traffic pattern with its parameters.
pub trait Pattern: Registered {
    /// Creates the messages among the endpoints of `fabric`, which has at least two. Random patterns take their random numbers from streams
    /// of `seed`.
    ///
    /// # Errors
    /// Fails if the pattern does not fit the fabric; the message states the legal alternative.
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error>;
}

registry! {
    /// All registered patterns, in the order of `tulle list traffics`.
    pub static PATTERNS: Patterns("traffic") -> SpecError = Box<dyn Pattern>;
    pub mod permutation: Permutation;
    pub mod uniform: Uniform;
    pub mod random: Random;
    pub mod skewed: Skewed;
    pub mod off_diagonal: OffDiagonal;
    pub mod shuffle: Shuffle;
    pub mod stencil: Stencil;
    pub mod incast: Incast;
    pub mod bisection: Bisection;
    pub mod worst_case: WorstCase;
    pub mod longest_matching: LongestMatching;
    pub mod all_to_all: AllToAll;
    pub mod allreduce: AllreduceOf;
    pub mod broadcast: Broadcast;
    pub mod allgather: AllgatherOf;
    pub mod reduce_scatter: ReduceScatterOf;
    pub mod resnet152: Resnet152;
    pub mod cosmoflow: Cosmoflow;
    pub mod gpt3: Gpt3;
    pub mod with_background: WithBackground;
    pub mod file: File;
    pub mod goal: Goal;
    pub mod htsim: Htsim;
    pub mod hpcc: Hpcc;
    #[cfg(test)]
    pub mod toy: Toy;
}

/// Checks that there is enough memory for a [`Program`](crate::Program) of `pattern` with at least `messages` messages
/// and `waits` dependencies.
fn check_memory(pattern: &str, messages: u64, waits: u64) -> Result<(), Error> {
    // Dependencies need memory twice: while they are collected, and in the result.
    let (ends, on) = (2 * size_of::<usize>() as u64, (size_of::<Step>() + size_of::<u32>()) as u64);
    let need = Workload::need(messages).bytes(messages.saturating_mul(ends)).bytes(waits.saturating_mul(on));
    Ok(need.require(|| format!("the workload {pattern} of {messages} messages"))?)
}

/// Names that papers use for patterns and that differ from the names in the registry.
const NAMES_IN_PAPERS: [(&str, &str); 4] = [
    // The next names are from Flattened Clos (NSDI23) §4.
    ("near-worst", "longest-matching:of=switches"),
    ("uniform-random", "random:destinations=X,of=switches"),
    // The next names are from Multi-Path Routing in the Jellyfish Network §IV.
    ("shift", "off-diagonal:offset=N"),
    ("random-permutation", "permutation"),
];

/// Adds a hint to the error if the unknown name is the name of a pattern in a paper.
fn add_hint_of_paper(error: SpecError) -> SpecError {
    match error {
        SpecError::UnknownName { kind, name, hint } => {
            let known = NAMES_IN_PAPERS.iter().find(|(paper, _)| *paper == name);
            let hint = known.map_or(hint, |(_, ours)| format!("did you mean {ours}?"));
            SpecError::UnknownName { kind, name, hint }
        }
        other => other,
    }
}

/// Returns all registered patterns.
pub fn patterns() -> &'static [Entry<Patterns>] {
    PATTERNS.entries
}

/// Returns the registered pattern that `spec` names, and the pattern with its parameters. If the first parameter is a
/// file, its name can be omitted: `file:messages.csv` means `file:messages=messages.csv`.
///
/// # Errors
/// Fails if a name or parameter is unknown, or if a value is illegal.
pub fn pattern(spec: &str) -> Result<(&'static Entry<Patterns>, Box<dyn Pattern>), SpecError> {
    let entry = PATTERNS.named(spec).map_err(add_hint_of_paper)?;
    let alone = spec.split_once(':').map(|(_, rest)| rest).filter(|rest| !rest.is_empty() && !rest.contains('='));
    let pattern = match (alone, entry.info.parameters.first()) {
        (Some(path), Some(Parameter { name, kind: Kind::Path(_), .. })) => {
            entry.read(&Parameters::new().word(name, path).spec(entry.info.name), &())
        }
        _ => entry.read(spec, &()),
    };
    Ok((entry, pattern?))
}

/// Builds the workload `spec` among the endpoints of `fabric`. Random patterns take their random numbers from streams of `seed`.
///
/// # Errors
/// Fails if a name or parameter is unknown, if a value is illegal, or if the pattern does not fit the fabric.
pub fn build(fabric: &Fabric, spec: &str, seed: u64) -> Result<Workload, Error> {
    let (entry, pattern) = pattern(spec)?;
    if fabric.num_endpoints() < 2 {
        return Err(Error::Fabric {
            pattern: entry.info.name.to_owned(),
            problem: format!("{} has {} endpoints", fabric.spec(), fabric.num_endpoints()),
            legal: format!("legal: fabrics with at least 2 endpoints{}", fabric.endpoint_hint()),
        });
    }
    let mut workload = pattern.messages(fabric, seed)?;
    workload.spec = pattern.spec();
    workload.endpoints = Some(fabric.num_endpoints() as u32);
    Ok(workload)
}
