//! Policy `datelines`: two classes of VCs, one before and one after the packet has crossed the dateline of its ring.

use tulle_fabric::Fabric;
use tulle_spec::{Registered, plugin};

use super::{Kind, PolicyPlugin};
use crate::Error;
use crate::rings::Rings;

plugin! {
    #[derive(Debug)]
    pub(crate) struct Datelines {}
    name: "datelines",
    summary: "for tori: one class of virtual channels before the dateline of a ring, and one from the dateline on",
    paper: "Dally, Seitz: Deadlock-free message routing in multiprocessor interconnection networks (IEEE ToC 36(5), 1987); \
        Dally and Towles: Principles and Practices of Interconnection Networks, §14.2.3",
    limitations: "Only for fabrics whose cables form rings along the coordinates, for example torus. The dateline of a ring is \
        the cable between the first and the last coordinate. A packet starts every ring in class 0. It uses class 1 on the dateline and \
        after it, until it leaves the ring. If a port has an odd number of virtual channels, class 0 has one more than class 1. On the link \
        to its endpoint, a packet may use any virtual channel. A test before the run checks fabric, routing and selector for deadlock. The \
        selector dimension-order is safe. With more than one dimension, the selector minimal is not safe, because packets may \
        take the dimensions in any order. Classes have unequal loads: most channels carry few packets of class 1.",
    examples: ["datelines"],
    rejects: [("datelines:vcs=2", "unknown parameter 'vcs=2'; it takes none")],
}

impl PolicyPlugin for Datelines {
    fn kind(&self) -> Kind {
        Kind::Datelines
    }
}

/// Returns the rings of `fabric`.
///
/// # Errors
/// Fails if cables do not form rings along the coordinates.
pub(super) fn rings(fabric: &Fabric) -> Result<Rings, Error> {
    Rings::of(fabric).map_err(|why| {
        let problem = format!("policy '{}' on {}, {why}", Datelines {}.spec(), fabric.spec());
        Error::shape(problem, "torus; or another policy")
    })
}
