//! Tests rows of SL-to-VL tables against rows computed by hand.

use tulle_deadlock::assign_vcs;

use super::*;

fn lanes(scheme: &str, vls: u8) -> Lanes {
    let fabric = tulle_topologies::build("mesh:shape=3", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let (plan, _) = assign_vcs(&fabric, &routing, scheme).unwrap();
    Lanes::of(&fabric, &routing, &plan, vls).unwrap()
}

#[test]
fn multicast_has_the_last_service_level_and_lane_where_the_plan_leaves_them() {
    for (vls, last) in [(2, 1), (4, 3), (8, 7), (15, 14)] {
        let lanes = lanes("one-vc", vls);
        assert_eq!((lanes.multicast(), lanes.vls(), lanes.sls()), (Some(15), 1, 1));
        // Unicast packets of every service level use the plan's only virtual lane.
        let mut row = [0; SERVICE_LEVELS];
        row[15] = last;
        assert_eq!(lanes.adapters(), &row);
        for switch in 0..3 {
            assert_eq!([false, true].map(|injected| *lanes.row(switch, injected)), [row; 2]);
        }
    }
}

#[test]
fn without_a_spare_lane_multicast_goes_with_the_rest() {
    let lanes = lanes("one-vc", 1);
    assert_eq!((lanes.multicast(), lanes.vls(), lanes.sls()), (None, 1, 1));
    assert_eq!(lanes.adapters(), &[0; SERVICE_LEVELS]);
    assert_eq!([false, true].map(|injected| *lanes.row(1, injected)), [[0; SERVICE_LEVELS]; 2]);
}

#[test]
fn unused_service_levels_stand_for_used_ones() {
    // This ring of five switches needs exactly two virtual lanes.
    let fabric = tulle_topologies::build("torus:shape=5", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let (plan, _) = assign_vcs(&fabric, &routing, "dfsssp:vcs=2").unwrap();
    assert_eq!((plan.num_vcs(), plan.num_sls()), (2, 2));
    let lanes = |vls| Lanes::of(&fabric, &routing, &plan, vls).map_err(|error| error.to_string());
    let turns: [u8; SERVICE_LEVELS] = std::array::from_fn(|sl| sl as u8 % 2);
    let both = lanes(2).unwrap();
    assert_eq!((both.multicast(), both.vls(), both.sls()), (None, 2, 2));
    assert_eq!((both.adapters(), both.row(3, false), both.row(3, true)), (&turns, &turns, &turns));
    let mut with_multicast = turns;
    with_multicast[15] = 3;
    let four = lanes(4).unwrap();
    assert_eq!((four.multicast(), four.vls(), four.sls()), (Some(15), 2, 2));
    assert_eq!((four.adapters(), four.row(3, false)), (&with_multicast, &with_multicast));
    assert!(lanes(1).unwrap_err().contains("needs 2 VLs, but ports have vls=1"));
    assert_eq!(lanes(5).unwrap_err(), "vls=5 is not a number of data VLs; legal: 1, 2, 4, 8 or 15");
}
