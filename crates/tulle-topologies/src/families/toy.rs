//! A minimal topology family for tests. It consists of this file and one line in `families.rs`.

use crate::design::{Candidates, Largest};
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder, RackStructure, WorstCase};
use tulle_spec::plugin;

plugin! {
    #[derive(Debug)]
    pub struct Toy {
        /// switches in a row; each has one endpoint
        switches: u32 = integer(2, 9), default "3";
    }
    name: "toy",
    summary: "switches in a row",
    paper: "none",
    limitations: "For tests.",
    examples: ["toy:switches=4"],
    rejects: [("toy:switches=1", "switches=1 is out of range; legal: 2 to 9")],
}

impl Family for Toy {
    const RACKS: RackStructure = RackStructure::Groups;
    const WORST_CASE: Option<WorstCase> = Some(WorstCase::Shift);
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        (2..=9).filter(|size| wanted.shares(1).contains(size)).map(|size| format!("toy:switches={size}")).collect()
    });
    const LARGEST: Option<Largest> =
        Some(|radix| if radix >= 3 { vec!["toy:switches=9".to_owned()] } else { Vec::new() });

    fn expect(&self) -> Expect {
        let switches = u64::from(self.switches);
        let network_radix = if switches == 2 { 1 } else { 2 };
        let diameter = Diameter::Exactly(self.switches - 1);
        Expect {
            switches,
            endpoints: switches,
            cables: switches - 1,
            network_radix,
            concentration: 1,
            radix: network_radix + 1,
            diameter,
            hops: Hops::Unknown,
        }
    }

    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let mut builder = FabricBuilder::new(self.switches);
        (1..self.switches).for_each(|switch| builder.cable(switch - 1, switch));
        builder.coordinates(&["group"], |switch| vec![switch / 3]);
        builder.endpoints_each(1);
        builder.member(self)
    }
}

#[test]
fn it_is_registered_by_its_line() {
    let fabric = crate::build("toy", 0).unwrap();
    assert_eq!((fabric.spec(), fabric.num_cables()), ("toy:switches=3", 2));
    assert_eq!(
        crate::build("toy:switches=10", 0).unwrap_err().to_string(),
        "toy: switches=10 is out of range; legal: 2 to 9"
    );
    let entry = super::families().iter().find(|entry| entry.info.name == "toy").unwrap();
    assert_eq!(entry.info.fault(), None);
    // The family's file also declares its rack structure, its worst-case traffic and its candidates for design searches.
    assert_eq!(fabric.shape().racks, RackStructure::Groups);
    assert_eq!(fabric.shape().worst_case, Some(WorstCase::Shift));
    let wanted = crate::design::Wanted { endpoints: 5, low: 4, high: 6, radix: 3, oversubscription: vec![1.0] };
    let candidates = entry.facts.candidates.unwrap();
    assert_eq!(candidates(&wanted), ["toy:switches=4", "toy:switches=5", "toy:switches=6"]);
    assert_eq!(entry.facts.largest.unwrap()(3), ["toy:switches=9"]);
}
