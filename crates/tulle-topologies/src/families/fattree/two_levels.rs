//! Fat trees of two levels. Every leaf has cables to every core.

use super::ports::{MAX_PORTS, above, divide, refuse};
use super::{DOWN, UP};
use crate::{Diameter, Expect, Hops};
use tulle_fabric::FabricBuilder;
use tulle_spec::{Arguments, SpecError};

/// A fat tree of two levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TwoLevels {
    leaves: u32,
    cores: u32,
    /// Cables between each leaf and each core.
    cables: u32,
    /// Endpoints per leaf.
    concentration: u32,
}

impl TwoLevels {
    pub(super) fn read(arguments: &Arguments) -> Result<Self, SpecError> {
        refuse(arguments, "pods", 2, "legal: pods= with levels=3")?;
        let radix = arguments.given::<u64>("radix")?;
        let cables = arguments.given_within("cables", 1..=radix.unwrap_or(8192) / 2)?.unwrap_or(1);
        let most = radix.unwrap_or(MAX_PORTS) / cables;
        let leaves = match (arguments.given_within("leaves", 2..=most)?, radix) {
            (Some(leaves), _) => leaves,
            (None, Some(_)) => most,
            (None, None) if arguments.has("cores") || arguments.has("p") => return Err(arguments.missing("leaves")),
            (None, None) => return Err(arguments.missing("radix")),
        };
        let (cores, concentration) = match arguments.given_within("cores", 1..=MAX_PORTS / cables)? {
            Some(cores) => (cores, Self::beside_cores(arguments, radix, cores * cables)?),
            None => {
                let given = arguments.has("uplinks") && arguments.has("p");
                let radix = if given { radix.unwrap_or(MAX_PORTS) } else { radix.ok_or(arguments.missing("radix"))? };
                let (uplinks, concentration) = divide(arguments, radix)?;
                (above(arguments, uplinks, cables)?, concentration)
            }
        };
        Ok(Self {
            leaves: leaves as u32,
            cores: cores as u32,
            cables: cables as u32,
            concentration: concentration as u32,
        })
    }

    /// Returns the number of endpoints per leaf if the spec gives `cores` instead of uplinks.
    fn beside_cores(arguments: &Arguments, radix: Option<u64>, uplinks: u64) -> Result<u64, SpecError> {
        for parameter in ["uplinks", "oversubscription"] {
            if let Some(value) = arguments.text(parameter) {
                let cores = arguments.text("cores").unwrap_or_default();
                let values = format!("cores={cores}, {parameter}={value}");
                return Err(arguments.clash(values, "cannot be given together", "legal: cores= with p= or radix="));
            }
        }
        match (arguments.given("p")?, radix) {
            (Some(concentration), _) => Ok(concentration),
            (None, Some(radix)) if uplinks < radix => Ok(radix - uplinks),
            (None, Some(radix)) => Err(arguments.clash(
                format!("radix={radix}, {uplinks} uplinks"),
                "leave no port",
                "legal: fewer cores or cables",
            )),
            (None, None) => Err(arguments.missing("p")),
        }
    }

    /// Returns radix, pods, leaves, cores, uplinks, cables and p for the canonical spec; `None` for a parameter that the canonical spec
    /// omits.
    pub(super) fn sizes(&self) -> [Option<u32>; 7] {
        let Self { leaves, cores, cables, concentration } = *self;
        [None, None, Some(leaves), Some(cores), None, Some(cables), Some(concentration)]
    }

    pub(super) fn expect(&self) -> Expect {
        let [leaves, cores, cables, concentration] =
            [self.leaves, self.cores, self.cables, self.concentration].map(u64::from);
        Expect {
            switches: leaves + cores,
            endpoints: leaves * concentration,
            cables: leaves * cores * cables,
            network_radix: cores * cables,
            concentration,
            radix: (cores * cables + concentration).max(leaves * cables),
            diameter: Diameter::Exactly(2),
            hops: Hops::apart(2, leaves),
        }
    }

    /// Returns an upper bound on the throughput. It follows from the capacity of the upward channels, because all traffic between leaves
    /// crosses an upward channel.
    pub(super) fn all_to_all(&self) -> f64 {
        let (expect, leaves) = (self.expect(), u128::from(self.leaves));
        expect.carried(expect.cables, leaves * (leaves - 1))
    }

    pub(super) fn build(&self) -> FabricBuilder {
        let leaves = self.leaves;
        let cores = leaves..leaves + self.cores;
        let mut builder = FabricBuilder::new(cores.end);
        for leaf in 0..leaves {
            for core in cores.clone() {
                for _ in 0..self.cables {
                    builder.cable_of(leaf, core, UP, DOWN);
                }
            }
            builder.endpoints(leaf, self.concentration as usize);
        }
        cores.for_each(|core| builder.level(core, 1));
        builder.coordinates(&["level", "position"], |switch| {
            if switch < leaves { vec![0, switch] } else { vec![1, switch - leaves] }
        });
        builder
    }
}
