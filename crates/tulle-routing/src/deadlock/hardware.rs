//! What the hardware has room for, and the errors where that is too little.

use tulle_fabric::Fabric;
use tulle_spec::{Arguments, Parameter, Parameters, SpecError};

use crate::{Error, Routing};

/// The parameter `vls` of every scheme.
pub(crate) const VLS: Parameter = Parameter::prose(
    "vls",
    "1 to 255",
    "as many as needed",
    "virtual lanes (virtual channels) of the hardware; paths are spread over all of them",
);

/// The parameter `sls` of every scheme.
pub(crate) const SLS: Parameter =
    Parameter::prose("sls", "1 to 255", "as many as needed", "service levels of the hardware; InfiniBand has 16");

/// How many virtual lanes and service levels there are; `None`: as many as needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hardware {
    pub(crate) vls: Option<u8>,
    pub(crate) sls: Option<u8>,
}

impl Hardware {
    /// Reads `vls` and `sls`.
    pub(crate) fn read(arguments: &Arguments) -> Result<Self, SpecError> {
        let read = |name| Ok(arguments.integer(name, 1..=255)?.map(|value| value as u8));
        Ok(Self { vls: read(VLS.name)?, sls: read(SLS.name)? })
    }

    /// Adds what was given to `parameters`.
    pub(crate) fn parameters(&self, parameters: Parameters) -> Parameters {
        let add = |parameters: Parameters, name, value: Option<u8>| match value {
            Some(value) => parameters.integer(name, value),
            None => parameters,
        };
        add(add(parameters, VLS.name, self.vls), SLS.name, self.sls)
    }

    /// Checks that `needed` lanes and levels are there.
    pub(crate) fn check(
        &self,
        scheme: &str,
        fabric: &Fabric,
        routing: &Routing,
        needed_vls: usize,
        needed_sls: usize,
    ) -> Result<(), Error> {
        for (needed, what, name, has) in
            [(needed_vls, "virtual lanes", VLS.name, self.vls), (needed_sls, "service levels", SLS.name, self.sls)]
        {
            let most = has.unwrap_or(u8::MAX);
            if needed > usize::from(most) {
                let has = has.map_or_else(|| format!("the most is {most}"), |has| format!("{name}={has}"));
                return Err(Error::Deadlock {
                    scheme: scheme.to_owned(),
                    problem: format!("{} on {} needs {needed} {what}, {has}", routing.spec(), fabric.spec()),
                    legal: match needed > usize::from(u8::MAX) {
                        true => "legal: another scheme, or a routing of fewer or shorter paths".to_owned(),
                        false => format!("legal: {name}={needed} to {}, or another scheme", u8::MAX),
                    },
                });
            }
        }
        Ok(())
    }
}
