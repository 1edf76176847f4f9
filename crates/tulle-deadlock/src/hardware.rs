//! The hardware's limits on virtual channels and service levels, and the errors for plans that exceed them.

use tulle_fabric::Fabric;
use tulle_routing::{Error, Routing};
use tulle_spec::parameters;

parameters! {
    /// Numbers of virtual channels and service levels that the hardware has; `None` means as many as needed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Hardware {
        /// virtual channels (virtual lanes of InfiniBand) of the hardware; paths are spread over all of them
        pub vcs: Option<u8> = integer(1, 255), or "as many as needed";
        /// service levels of the hardware; InfiniBand has 16
        pub sls: Option<u8> = integer(1, 255), or "as many as needed";
    }
}

impl Hardware {
    /// Checks that the hardware has enough virtual channels and service levels.
    pub(crate) fn check(
        &self,
        scheme: &str,
        fabric: &Fabric,
        routing: &Routing,
        needed_vcs: usize,
        needed_sls: usize,
    ) -> Result<(), Error> {
        for (needed, what, name, has) in
            [(needed_vcs, "virtual channels", "vcs", self.vcs), (needed_sls, "service levels", "sls", self.sls)]
        {
            let most = has.unwrap_or(u8::MAX);
            if needed > usize::from(most) {
                let has = has.map_or_else(|| format!("the maximum is {most}"), |has| format!("{name}={has}"));
                // Some schemes stop counting at 256, so counts above 255 are not exact.
                let count = if needed > usize::from(u8::MAX) { "more than 255".to_owned() } else { needed.to_string() };
                return Err(Error::Deadlock {
                    scheme: scheme.to_owned(),
                    problem: format!("{} on {} needs {count} {what}, {has}", routing.spec(), fabric.spec()),
                    legal: match needed > usize::from(u8::MAX) {
                        true => "legal: another scheme, or a routing with fewer or shorter paths".to_owned(),
                        false => format!("legal: {name}={needed} to {}, or another scheme", u8::MAX),
                    },
                });
            }
        }
        Ok(())
    }
}
