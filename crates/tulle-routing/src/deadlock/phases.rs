//! Indirect routes: one path to an intermediate switch, another from there, each on virtual channels of its own.

use tulle_fabric::Fabric;
use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::hardware::{SLS, VLS};
use super::{Deadlock, Draft, Hardware, read as read_scheme};
use crate::{Error, Routing};

/// What this scheme says of itself.
pub const INFO: Info = Info {
    name: "phases",
    summary: "for routes by way of an intermediate switch: one set of virtual channels toward it, another from it on",
    parameters: &[
        Parameter::prose("inner", "one-vc, hops, dfsssp, lash", "one-vc", "scheme within each of the two phases"),
        VLS,
        SLS,
    ],
    nested: false,
    paper: "diameter-two §3.2 and §3.4: 2 virtual channels for OFT and MLFM, 4 for Slim Fly (inner=hops)",
    limitations: "Packets change virtual channels at the intermediate switch, any one that carries endpoints: hardware whose switches do not know of it needs an endpoint there to send them on.",
    examples: &["phases", "phases:inner=hops", "phases:inner=lash,vls=12"],
    rejects: &[
        ("phases:inner=colouring", "inner=colouring is not a choice; legal: one-vc, hops, dfsssp, lash"),
        ("phases:vls=1", "vls=1 is out of range; legal: 2 to 255"),
    ],
};

/// A packet takes one route to its intermediate switch and one from there.
const PHASES: u8 = 2;

struct Phases {
    inner: &'static str,
    hardware: Hardware,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Deadlock>, SpecError> {
    let inner = arguments.word("inner", &["one-vc", "hops", "dfsssp", "lash"])?.unwrap_or("one-vc");
    arguments.integer(VLS.name, u64::from(PHASES)..=255)?;
    Ok(Box::new(Phases { inner, hardware: Hardware::read(arguments)? }))
}

impl Deadlock for Phases {
    fn parameters(&self) -> Parameters {
        self.hardware.parameters(Parameters::new().word("inner", self.inner))
    }

    fn hardware(&self) -> Hardware {
        self.hardware
    }

    fn draft(&self, fabric: &Fabric, routing: &Routing) -> Result<Draft, Error> {
        let (_, inner) = read_scheme(self.inner)?;
        Ok(Draft { phases: PHASES, ..inner.draft(fabric, routing)? })
    }
}
