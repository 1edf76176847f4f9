//! A virtual channel per hop.

use rayon::prelude::*;
use tulle_fabric::Fabric;
use tulle_fabric::spec::{Arguments, Info, Parameters, SpecError};

use super::hardware::{SLS, VLS};
use super::routes::{Walker, routes_of, senders};
use super::spread::Lanes;
use super::{Deadlock, Draft, Hardware};
use crate::{Error, Flaw, Routing};

/// What this scheme says of itself.
pub const INFO: Info = Info {
    name: "hops",
    summary: "a virtual channel per hop: packets on hop h wait only for packets on hop h + 1",
    parameters: &[VLS, SLS],
    nested: false,
    paper: "Besta and Hoefler: Slim Fly (SC14) §IV-D, after Gopal (1985); diameter-two §3.4 (2 for minimal paths of Slim Fly)",
    limitations: "As many virtual channels as the longest path has hops. Switches must know the hop, from the virtual channel that a packet came on; InfiniBand's SL-to-VL tables do not look at it.",
    examples: &["hops", "hops:vls=8,sls=4"],
    rejects: &[("hops:vls=x", "vls=x is not a whole number"), ("hops:vcs=2", "unknown parameter 'vcs=2'")],
};

struct Hops {
    hardware: Hardware,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Deadlock>, SpecError> {
    Ok(Box::new(Hops { hardware: Hardware::read(arguments)? }))
}

impl Deadlock for Hops {
    fn parameters(&self) -> Parameters {
        self.hardware.parameters(Parameters::new())
    }

    fn hardware(&self) -> Hardware {
        self.hardware
    }

    fn draft(&self, fabric: &Fabric, routing: &Routing) -> Result<Draft, Error> {
        let count = longest(fabric, routing)?;
        Ok(Draft { lanes: Lanes::Hops { count, colours: None }, phases: 1, repaired: None })
    }
}

/// The most hops of any path between senders.
fn longest(fabric: &Fabric, routing: &Routing) -> Result<usize, Flaw> {
    let edge = senders(fabric);
    let walked = edge.par_iter().map_init(
        || Walker::new(fabric, routing),
        |walker, &source| {
            let (mut longest, mut flaw) = (0, None);
            routes_of(routing, &edge, source, |route| {
                let walked = walker.walk(route, |step| longest = longest.max(step.hop + 1));
                flaw = flaw.or(walked.err());
            });
            flaw.map_or(Ok(longest), Err)
        },
    );
    let walked: Vec<Result<usize, Flaw>> = walked.collect();
    walked.into_iter().try_fold(0, |longest, hops| Ok(longest.max(hops?)))
}
