//! Tests new LIDs. Also tests that a deployment uses the LIDs of an existing subnet if they are valid.

use super::*;

fn lids(spec: &str, lmc: u8) -> Result<Lids, String> {
    let fabric = tulle_topologies::build(spec, 0).unwrap();
    Lids::new(&fabric, &Subnet::of(&fabric), lmc).map_err(|error| error.to_string())
}

#[test]
fn bases_are_aligned_and_lids_are_had_once() {
    let found = lids("slimfly:q=5", 2).unwrap();
    assert_eq!((found.switches()[49], found.endpoints()[0], found.endpoints()[199], found.top()), (50, 52, 848, 851));
    let owners = found.owners();
    assert_eq!((owners[0], owners[51], owners[50]), (Owner::Nobody, Owner::Nobody, Owner::Switch(49)));
    assert_eq!(owners[54], Owner::Endpoint { endpoint: 0, offset: 2 });
    assert_eq!(owners.iter().filter(|owner| **owner != Owner::Nobody).count(), 50 + 800);
    assert_eq!(lids("slimfly:q=5", 0).unwrap().top(), 250);
    // The fabric has four switches with LIDs 1 to 4. LID 4 is a multiple of 2^LMC = 4, but is taken, so the first base LID is 8.
    assert_eq!(lids("clique:degree=3", 2).unwrap().endpoints()[0], 8);
}

#[test]
fn more_lids_than_there_are_are_refused() {
    assert_eq!(lids("slimfly:q=19", 2).unwrap().top(), 44_043);
    assert_eq!(
        lids("slimfly:q=19", 3).unwrap_err(),
        "slimfly:q=19,p=15 with lmc=3: 722 switches and 10830 adapter ports of 8 LIDs each need LIDs up to 87367; \
         legal: at most 49151, for example with lmc=2"
    );
    assert_eq!(lids("clique:degree=3", 8).unwrap_err(), "lmc=8 is out of range; legal: 0 to 7");
    assert_eq!(
        lids("clique:degree=3,p=0", 0).unwrap_err(),
        "clique:degree=3,p=0 has no endpoints that need LIDs; legal: one or more endpoints, for example slimfly:q=5"
    );
}

/// Returns two switches with one endpoint each, and their subnet with the given LIDs.
fn known(switches: [u16; 2], endpoints: [u16; 2], endpoint_lmc: u8) -> (Fabric, Subnet) {
    let fabric = tulle_topologies::build("mesh:shape=2", 0).unwrap();
    let mut subnet = Subnet::of(&fabric);
    for (address, lid) in subnet.switches.iter_mut().zip(switches) {
        address.lid = lid;
    }
    for (address, lid) in subnet.endpoints.iter_mut().zip(endpoints) {
        (address.lid, address.lmc) = (lid, endpoint_lmc);
    }
    (fabric, subnet)
}

fn made(switches: [u16; 2], endpoints: [u16; 2], lmc: u8) -> ([u16; 2], [u16; 2], u16) {
    let (fabric, subnet) = known(switches, endpoints, lmc);
    let lids = Lids::new(&fabric, &subnet, lmc).unwrap();
    assert_eq!(lids.lmc(), lmc);
    (lids.switches().try_into().unwrap(), lids.endpoints().try_into().unwrap(), lids.top())
}

/// New LIDs: switches have LIDs 1 and 2, and the base LIDs of endpoints are the next multiples of 2.
const ANEW: ([u16; 2], [u16; 2], u16) = ([1, 2], [4, 6], 7);

#[test]
fn lids_that_fit_together_are_kept() {
    assert_eq!(made([7, 3], [10, 4], 1), ([7, 3], [10, 4], 11));
    assert_eq!(made([7, 90], [10, 4], 1), ([7, 90], [10, 4], 90));
    // Adjacent LID ranges do not overlap.
    assert_eq!(made([9, 12], [10, 14], 1), ([9, 12], [10, 14], 15));
    assert_eq!(made([2, 4], [3, 5], 0), ([2, 4], [3, 5], 5));
    // The last pair of unicast LIDs.
    assert_eq!(made([1, 2], [4, 0xbffe], 1), ([1, 2], [4, 0xbffe], 0xbfff));
}

#[test]
fn bases_that_are_no_multiple_are_not_kept() {
    assert_eq!(made([1, 3], [5, 8], 1), ANEW);
    assert_eq!(made([1, 3], [8, 11], 1), ANEW);
    // With four LIDs per endpoint, base LIDs must be multiples of 4, but 6 is not a multiple of 4.
    assert_eq!(made([1, 2], [8, 6], 2), ([1, 2], [4, 8], 11));
}

#[test]
fn lids_of_two_are_not_kept() {
    for (switches, endpoints) in [
        // Illegal: a switch has a LID of an adapter, either its base LID or the LID after it.
        ([10, 3], [10, 4]),
        ([11, 3], [10, 4]),
        // Illegal: two switches have the same LID, or two adapters have the same base LID.
        ([3, 3], [10, 4]),
        ([1, 3], [4, 4]),
    ] {
        assert_eq!(made(switches, endpoints, 1), ANEW, "{switches:?} {endpoints:?}");
    }
}

#[test]
fn lids_that_are_none_are_not_kept() {
    assert_eq!(made([0, 3], [10, 4], 1), ANEW);
    assert_eq!(made([1, 3], [0, 4], 1), ANEW);
    // Multicast, from 0xc000 on.
    assert_eq!(made([1, 3], [0xc000, 4], 1), ANEW);
    assert_eq!(made([0xc000, 3], [10, 4], 1), ANEW);
}

#[test]
fn lids_of_another_lmc_are_not_kept() {
    let (fabric, subnet) = known([7, 3], [10, 4], 1);
    let lids = Lids::new(&fabric, &subnet, 0).unwrap();
    assert_eq!((lids.switches(), lids.endpoints(), lids.top()), (&[1, 2][..], &[3, 4][..], 4));
}

#[test]
fn all_unicast_lids_can_be_had() {
    let lids = |spec: &str, lmc: u8| {
        let fabric = tulle_topologies::build(spec, 0).unwrap();
        Lids::new(&fabric, &Subnet::of(&fabric), lmc).map(|lids| lids.top()).map_err(|error| error.to_string())
    };
    // 23 switches and 23 · 2136 endpoints need 49151 = 0xbfff LIDs, which is the maximum. 24 switches and 24 · 2047 endpoints need one more
    // LID.
    assert_eq!(lids("mesh:shape=23,p=2136", 0), Ok(0xbfff));
    assert_eq!(
        lids("mesh:shape=24,p=2047", 0).unwrap_err(),
        "mesh:shape=24,p=2047 with lmc=0: 24 switches and 49128 adapter ports of 1 LIDs each need LIDs up to 49152; legal: \
         at most 49151"
    );
    // The error names the largest LMC that fits. With LMC 3, the largest LID would be (3 / 8 + 1 + 6144) · 8 − 1 = 49159. With LMC 2, it
    // is (3 / 4 + 1 + 6144) · 4 − 1 = 24579.
    assert!(lids("mesh:shape=3,p=2048", 7).unwrap_err().ends_with("legal: at most 49151, for example with lmc=2"));
}
