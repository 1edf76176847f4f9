//! The deadlock scheme `lash`. Every path gets the first virtual channel whose dependencies stay acyclic with this path.

use tulle_fabric::Fabric;
use tulle_routing::{Error, Routing};
use tulle_spec::{Plugin, plugin};

use super::acyclic_vc::{AcyclicVc, even_out};
use super::members::{Members, any_class, waits_for_itself};
use super::online_order::OnlineOrder;
use super::spread::VcNeeds;
use super::turns::Turns;
use super::{Deadlock, Draft, Hardware};

plugin! {
    pub struct Lash {
        hardware: Hardware;
    }
    name: "lash",
    summary: "each path stays on one virtual channel: the first one whose dependencies remain acyclic when the path is \
        added",
    paper: "Skeie, Lysne, Theiss: Layered shortest path (LASH) routing in irregular system area networks (IPDPS02); \
        Slim Fly deployment (NSDI24) §5.2 and its reference [40]",
    limitations: "The scheme is a heuristic, because the minimum number of virtual channels is NP-hard to find. It \
        uses the paths of any routing; the authors' LASH computes one shortest path per pair. The scheme needs 4 bytes \
        of memory per path and turn (pair of consecutive channels).",
    examples: ["lash", "lash:vcs=8"],
    rejects: [("lash:sls=0", "sls=0 is out of range; legal: 1 to 255")],
}

impl Deadlock for Lash {
    fn hardware(&self) -> Hardware {
        self.hardware
    }

    fn draft(&self, fabric: &Fabric, routing: &Routing) -> Result<Draft, Error> {
        let (class, count) = classes(fabric, routing)?;
        Ok(Draft { needs: VcNeeds::Classes { class, count }, phases: 1, repaired: None, first_vcs: 0 })
    }
}

/// Returns the virtual channel of each route, and the number of virtual channels. A number of 256 means that more than 255 virtual channels
/// are needed.
fn classes(fabric: &Fabric, routing: &Routing) -> Result<(Vec<u8>, u16), Error> {
    let turns = Turns::of(fabric);
    let before = turns.channels_before();
    let mut class = any_class(routing);
    let members = Members::of(fabric, &turns, routing, false)?;
    let mut left = members.short_first();
    // This loop fills one virtual channel after another. LASH itself places one path after another. The result is the same, because whether
    // a virtual channel accepts a path depends only on the paths that were offered to it before.
    let mut vcs = Vec::new();
    for number in 0..=u8::MAX {
        if left.is_empty() {
            even_out(&mut vcs, &members, &mut class);
            return Ok((class, u16::from(number)));
        }
        let offered = left.len();
        let mut vc = AcyclicVc::new(OnlineOrder::new(fabric, &turns), &before);
        left.retain(|&member| {
            let taken = vc.take(members.turns(member));
            if taken {
                class[members.route(member) as usize] = number;
            }
            !taken
        });
        if left.len() == offered {
            return Err(waits_for_itself(Lash::INFO.name, fabric, routing, members.route(left[0])));
        }
        vcs.push(vc);
    }
    Ok((class, 256))
}
