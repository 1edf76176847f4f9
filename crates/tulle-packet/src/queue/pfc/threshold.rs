//! The thresholds at which a link is paused and resumed.

use tulle_spec::{Arguments, SpecError, parameters};

use super::MAX_BYTES;
use crate::config::Link;

/// The pause and resume thresholds for the bytes from one link that wait at its far end. Sizes are in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Limit {
    Static { xoff: u64, xon: u64 },
    Dynamic { alpha: f64, buffer: u64 },
}

/// The default distance in bytes between the pause and the resume threshold. Flattened Clos (NSDI23) §6.1 uses two pairs of thresholds: 800
/// KB and 797 KB, and 50 KB and 47 KB.
const OFFSET: u64 = 3_000;

parameters! {
    /// The thresholds at which a link is paused and resumed.
    #[derive(Debug, Clone, Copy)]
    pub(super) struct Threshold(arguments, link: Link) {
        /// pause and resume thresholds: `dynamic` (a fraction of the free memory, Flattened Clos (NSDI23) §5), `recommended` (800KB and
        /// 797KB per link, §6.1), `testbed` (50KB and 47KB per link, §6.1) or `static` (xoff= and xon=)
        threshold: &'static str = word(&["dynamic", "recommended", "testbed", "static"]),
            or "dynamic, or static if xoff= is given" {
                if arguments.has("xoff") { "static" } else { "dynamic" }
            };
        /// waiting bytes from a link, counted per class or virtual lane, above which a switch pauses this class or lane
        xoff: Option<u64> = bytes_of(1, MAX_BYTES), or "set by threshold=";
        /// waiting bytes at which the pause ends
        xon: Option<u64> = bytes_of(0, MAX_BYTES), note "at most xoff", or "set by threshold=, or 3KB below xoff=";
        /// with threshold=dynamic: fraction of the free memory that a class of a link may use (for virtual lanes, see lanes=)
        alpha: Option<f64> = fraction(), default "11%";
        /// with threshold=dynamic: shared memory of a switch, in bytes
        buffer: Option<u64> = bytes_of(1_000, 1_000 * MAX_BYTES), default "32MB";
        limit: Limit => {
            check(arguments, threshold)?;
            match (threshold, alpha, buffer) {
                ("dynamic", Some(alpha), Some(buffer)) => Limit::Dynamic { alpha, buffer },
                ("testbed", ..) => Limit::Static { xoff: 50_000, xon: 47_000 },
                ("recommended", ..) => Limit::Static { xoff: 800_000, xon: 797_000 },
                _ => {
                    let legal = "legal: both, for example xoff=50KB";
                    let xoff: u64 = xoff.ok_or_else(|| arguments.clash("threshold=static", "needs xoff=", legal))?;
                    Limit::Static { xoff, xon: xon.unwrap_or(xoff.saturating_sub(OFFSET)) }
                }
            }
        };
    }
    check {
        (threshold, xoff, xon, alpha, buffer) = match limit {
            Limit::Static { xoff, xon } if xon > xoff => {
                let xoff = tulle_spec::units::write_bytes(xoff);
                let (problem, legal) = (format!("is above xoff={xoff}"), format!("legal: 0 to {xoff}"));
                return Err(arguments.bad("xon", arguments.text("xon").unwrap_or_default(), &problem, legal));
            }
            Limit::Static { xoff, xon } => ("static", Some(xoff), Some(xon), None, None),
            Limit::Dynamic { alpha, buffer } => ("dynamic", None, None, Some(alpha), Some(buffer)),
        };
    }
}

/// Refuses parameters that contradict the parameter `threshold`.
fn check(arguments: &Arguments, threshold: &str) -> Result<(), SpecError> {
    let excluded: &[&str] = match threshold {
        "dynamic" => &["xoff", "xon"],
        "static" => &["alpha", "buffer"],
        _ => &["xoff", "xon", "alpha", "buffer"],
    };
    let Some(other) = excluded.iter().find(|other| arguments.has(other)) else { return Ok(()) };
    if *other == "xon" && !arguments.has("threshold") {
        return Err(arguments.clash("xon=", "needs xoff=", "legal: both, for example xoff=50KB,xon=47KB"));
    }
    let values = format!("threshold={threshold}, {other}={}", arguments.text(other).unwrap_or_default());
    Err(arguments.clash(values, "exclude each other", "legal: one of them"))
}

impl Threshold {
    /// Returns whether the memory use of one link changes the thresholds of other links.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self.limit, Limit::Dynamic { .. })
    }

    /// Divides the thresholds among `lanes` virtual lanes. The distance between the pause and the resume threshold stays the same.
    pub(super) fn divide(&mut self, lanes: u64) {
        match &mut self.limit {
            Limit::Static { xoff, xon } => {
                let distance = *xoff - *xon;
                *xoff /= lanes;
                *xon = xoff.saturating_sub(distance);
            }
            Limit::Dynamic { alpha, .. } => *alpha /= lanes as f64,
        }
    }

    /// Returns the number of waiting bytes of a link above which it is paused, if `used` bytes are in use at the whole switch.
    pub(super) fn xoff(&self, used: u64) -> u64 {
        match self.limit {
            Limit::Static { xoff, .. } => xoff,
            Limit::Dynamic { alpha, buffer } => (alpha * buffer.saturating_sub(used) as f64) as u64,
        }
    }

    /// Returns the number of waiting bytes of a paused link at which it is resumed, if `used` bytes are in use at the whole switch.
    pub(super) fn xon(&self, used: u64) -> u64 {
        match self.limit {
            Limit::Static { xon, .. } => xon,
            Limit::Dynamic { .. } => self.xoff(used).saturating_sub(OFFSET),
        }
    }
}
