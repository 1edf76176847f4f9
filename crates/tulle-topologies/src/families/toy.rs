//! A family as short as can be: one file, and one line in `families.rs`.

use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder};
use tulle_spec::plugin;

plugin! {
    #[derive(Debug)]
    pub struct Toy {
        /// switches in a row, an endpoint each
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
    assert!(super::families().iter().any(|entry| entry.info.name == "toy" && entry.info.fault().is_none()));
}
