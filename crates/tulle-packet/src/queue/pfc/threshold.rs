//! When a link is paused and when it is resumed.

use tulle_spec::{Arguments, Parameters};

use crate::Error;
use crate::units;

/// Bytes from one link that may wait at its far end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Threshold {
    Static { xoff: u64, xon: u64 },
    Dynamic { alpha: f64, buffer: u64 },
}

/// How far below the threshold a pause ends where nothing else is said: 800 KB and 797 KB, 50 KB and 47 KB (Flattened Clos
/// §6.1).
const OFFSET: u64 = 3_000;

impl Threshold {
    pub(super) fn read(arguments: &Arguments) -> Result<Self, Error> {
        const MAX_BYTES: u64 = 1_000_000_000;
        let name = arguments.word("threshold", &["dynamic", "recommended", "testbed", "static"])?;
        let name = name.unwrap_or(if arguments.has("xoff") { "static" } else { "dynamic" });
        let excluded: &[&str] = match name {
            "dynamic" => &["xoff", "xon"],
            "static" => &["alpha", "buffer"],
            _ => &["xoff", "xon", "alpha", "buffer"],
        };
        if let Some(other) = excluded.iter().find(|other| arguments.has(other)) {
            if *other == "xon" && !arguments.has("threshold") {
                return Err(arguments.clash("xon=", "needs xoff=", "legal: both, as xoff=50KB,xon=47KB").into());
            }
            let text = arguments.text(other).unwrap_or_default();
            let values = format!("threshold={name}, {other}={text}");
            return Err(arguments.clash(values, "exclude each other", "legal: one of them").into());
        }
        Ok(match name {
            "recommended" => Self::Static { xoff: 800_000, xon: 797_000 },
            "testbed" => Self::Static { xoff: 50_000, xon: 47_000 },
            "static" => {
                let xoff =
                    units::read_bytes(arguments, "xoff", 1..=MAX_BYTES)?.ok_or_else(|| arguments.missing("xoff"))?;
                let xon = match arguments.text("xon") {
                    Some("0") => 0,
                    _ => arguments.bytes("xon")?.unwrap_or(xoff.saturating_sub(OFFSET)),
                };
                if xon > xoff {
                    let xoff = units::bytes(xoff);
                    let (problem, legal) = (format!("is above xoff={xoff}"), format!("legal: 0 to {xoff}"));
                    let text = arguments.text("xon").unwrap_or_default();
                    return Err(arguments.bad("xon", text, &problem, legal).into());
                }
                Self::Static { xoff, xon }
            }
            _ => Self::Dynamic {
                alpha: arguments.fraction("alpha", false)?.unwrap_or(0.11),
                buffer: units::read_bytes(arguments, "buffer", 1_000..=1_000 * MAX_BYTES)?.unwrap_or(32_000_000),
            },
        })
    }

    pub(super) fn parameters(&self) -> Parameters {
        match *self {
            Self::Static { xoff, xon } => {
                Parameters::new().word("threshold", "static").bytes("xoff", xoff).bytes("xon", xon)
            }
            Self::Dynamic { alpha, buffer } => {
                Parameters::new().word("threshold", "dynamic").real("alpha", alpha).bytes("buffer", buffer)
            }
        }
    }

    /// Whether what some links use bears on the others.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self, Self::Dynamic { .. })
    }

    /// Bytes above which a link is paused, where `used` bytes are in use at the switch.
    pub(super) fn xoff(&self, used: u64) -> u64 {
        match *self {
            Self::Static { xoff, .. } => xoff,
            Self::Dynamic { alpha, buffer } => (alpha * buffer.saturating_sub(used) as f64) as u64,
        }
    }

    /// Bytes at which it is resumed.
    pub(super) fn xon(&self, used: u64) -> u64 {
        match *self {
            Self::Static { xon, .. } => xon,
            dynamic => dynamic.xoff(used).saturating_sub(OFFSET),
        }
    }
}
