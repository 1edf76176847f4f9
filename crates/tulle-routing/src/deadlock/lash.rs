//! LASH: every path on the first virtual lane that it leaves without a cycle.

use tulle_fabric::Fabric;
use tulle_fabric::spec::{Arguments, Info, Parameters, SpecError};

use super::hardware::{SLS, VLS};
use super::lane::Lane;
use super::members::{Members, lane_zero};
use super::online_order::OnlineOrder;
use super::spread::Lanes;
use super::turns::Turns;
use super::{Deadlock, Draft, Hardware};
use crate::{Error, Flaw, Routing};

/// What this scheme says of itself.
pub const INFO: Info = Info {
    name: "lash",
    summary: "a virtual lane per path: each path on the first lane that has no cycle with it",
    parameters: &[VLS, SLS],
    nested: false,
    paper: "Skeie, Lysne, Theiss: Layered shortest path (LASH) routing in irregular system area networks (IPDPS02); deployment §5.2, reference 40",
    limitations: "A heuristic: the fewest lanes are NP-hard to find. Takes paths as they are, of any routing; the authors' own takes one shortest path per pair. Memory of 4 bytes per path and turn.",
    examples: &["lash", "lash:vls=8"],
    rejects: &[("lash:sls=0", "sls=0 is out of range; legal: 1 to 255")],
};

struct Lash {
    hardware: Hardware,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Deadlock>, SpecError> {
    Ok(Box::new(Lash { hardware: Hardware::read(arguments)? }))
}

impl Deadlock for Lash {
    fn parameters(&self) -> Parameters {
        self.hardware.parameters(Parameters::new())
    }

    fn hardware(&self) -> Hardware {
        self.hardware
    }

    fn draft(&self, fabric: &Fabric, routing: &Routing) -> Result<Draft, Error> {
        let (class, count) = classes(fabric, routing)?;
        Ok(Draft { lanes: Lanes::Classes { class, count }, phases: 1, repaired: None })
    }
}

/// A lane per route, and how many there are; 256 stands for more than there can be.
fn classes(fabric: &Fabric, routing: &Routing) -> Result<(Vec<u8>, u16), Flaw> {
    let turns = Turns::of(fabric);
    let before = turns.channels_before();
    let mut class = lane_zero(routing);
    let members = Members::of(fabric, &turns, routing)?;
    let mut left = members.short_first();
    // Lane after lane is as path after path: whether a lane takes a path depends only on the paths that it was offered.
    for number in 0..256 {
        let mut lane = Lane::new(OnlineOrder::new(fabric, &turns), &before);
        left.retain(|&member| {
            class[members.route(member) as usize] = number as u8;
            !lane.take(members.turns(member))
        });
        if left.is_empty() {
            return Ok((class, number + 1));
        }
    }
    Ok((class, 256))
}
