//! Policy `datelines`: two classes of VCs, for packets that cross the dateline of a ring and for other packets.

use tulle_fabric::Fabric;
use tulle_spec::{Registered, plugin};

use super::{Kind, PolicyPlugin};
use crate::Error;
use crate::rings::Rings;

plugin! {
    /// The parameter of policy `datelines`: whether packets that cross the dateline use class 1 in the whole ring.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) struct Datelines(arguments) {
        /// where a packet whose path crosses the dateline enters class 1: at its first channel of the ring (BookSim2), or at
        /// the dateline (Dally and Towles)
        pub whole "from": bool = either("ring", "dateline"), default "ring";
    }
    name: "datelines",
    summary: "for tori: two classes of virtual channels, for packets that cross the dateline of a ring and for other packets",
    paper: "Dally, Seitz: Deadlock-free message routing in multiprocessor interconnection networks (IEEE ToC 36(5), 1987); \
        Dally and Towles: Principles and Practices of Interconnection Networks, §14.2.3; BookSim2's dim_order on a torus",
    limitations: "Only for fabrics whose cables form rings along the coordinates, for example torus. The dateline of a ring is \
        the cable between the first and the last coordinate. After a turn into another ring, class 1 depends only on \
        the dateline of the new ring. If a port has an odd number of virtual channels, class 0 has one more than class 1. On the link \
        to its endpoint, a packet may use any virtual channel. A test before the run checks fabric, routing and selector for deadlock. \
        The selector dimension-order is safe. With more than one dimension, the selector minimal is not safe, because packets may \
        take the dimensions in any order. Policy hops has more throughput if there are enough virtual channels, because the \
        classes of datelines have unequal loads on most channels, even more so with from=dateline.",
    examples: ["datelines", "datelines:from=dateline"],
    rejects: [
        ("datelines:vcs=2", "unknown parameter 'vcs=2'"),
        ("datelines:from=next", "from=next is not a choice; legal: ring, dateline"),
    ],
}

impl PolicyPlugin for Datelines {
    fn kind(&self) -> Kind {
        Kind::Datelines(*self)
    }
}

impl Datelines {
    /// Returns the rings of `fabric`.
    ///
    /// # Errors
    /// Fails if cables do not form rings along the coordinates.
    pub fn rings(self, fabric: &Fabric) -> Result<Rings, Error> {
        Rings::of(fabric, self.whole).map_err(|why| {
            let problem = format!("policy '{}' does not support {}, {why}", self.spec(), fabric.spec());
            Error::shape(problem, "torus; or another policy")
        })
    }
}
