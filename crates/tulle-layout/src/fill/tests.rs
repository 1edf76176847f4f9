//! Tests the positions of a cell's switches and endpoints, by rack unit.

use tulle_fabric::FabricBuilder;

use super::*;

/// Returns switches without cables, with these numbers of endpoints. Endpoints are numbered switch by switch.
fn switches(endpoints: &[usize]) -> Fabric {
    let mut builder = FabricBuilder::new(endpoints.len() as u32);
    (0..).zip(endpoints).for_each(|(switch, &count)| builder.endpoints(switch, count));
    builder.finish("edges", Default::default()).unwrap()
}

/// Position (rack, unit, slot).
type At = (u32, u16, u16);

/// Fills a cell of `blocks` from rack 3 on. Returns the number of racks, and the positions of switches and endpoints.
fn filled(floor: &str, endpoints: &[usize], blocks: &[&[u32]]) -> (u32, Vec<At>, Vec<At>) {
    let (fabric, floor) = (switches(endpoints), Floor::read(floor).unwrap());
    let mut filling = Filling::new(&fabric, &floor).unwrap();
    let blocks = blocks.iter().map(|block| block.to_vec()).collect();
    let racks = filling.fill(&Cell { name: String::new(), blocks }, 3);
    let all = |positions: &[Position]| positions.iter().map(|at| (at.rack, at.unit, at.slot)).collect();
    (racks, all(&filling.switches), all(&filling.endpoints))
}

#[test]
fn switches_stand_at_the_top_and_endpoints_below_them() {
    // Two switches and one unit of endpoints per switch need four units.
    let (racks, switches, endpoints) = filled("units=4,spines=1,devices=1", &[2, 2], &[&[0, 1]]);
    assert_eq!((racks, switches), (1, vec![(3, 4, 0), (3, 3, 0)]));
    assert_eq!(endpoints, [(3, 2, 0), (3, 2, 1), (3, 1, 0), (3, 1, 1)]);
}

#[test]
fn endpoints_of_two_switches_of_a_block_share_a_unit() {
    let (racks, _, endpoints) = filled("units=5,spines=1,devices=1", &[1, 2], &[&[0, 1]]);
    assert_eq!((racks, endpoints), (1, vec![(3, 3, 0), (3, 3, 1), (3, 2, 0)]));
}

#[test]
fn groups_larger_than_a_rack_fill_several_equal_racks() {
    // The first rack of 11 units could hold five switches with an endpoint each. Three switches in each of two racks fill the racks more
    // evenly.
    let floor = "units=11,density=1,spines=1,devices=1";
    let (racks, switches, endpoints) = filled(floor, &[1; 6], &[&[0, 1, 2, 3, 4, 5]]);
    assert_eq!(racks, 2);
    assert_eq!(switches, [(3, 11, 0), (3, 10, 0), (3, 9, 0), (4, 11, 0), (4, 10, 0), (4, 9, 0)]);
    assert_eq!(endpoints, [(3, 8, 0), (3, 7, 0), (3, 6, 0), (4, 8, 0), (4, 7, 0), (4, 6, 0)]);
    // With one more unit, all six switches fit in one rack.
    assert_eq!(filled("units=12,density=1,spines=1,devices=1", &[1; 6], &[&[0, 1, 2, 3, 4, 5]]).0, 1);
}

#[test]
fn runs_are_even_only_where_that_fits() {
    let floor = Floor::read("units=5,density=1,spines=1,devices=1").unwrap();
    // A rack has 5 units. Switches 0 to 2 need 3 units and their endpoints 2. Switch 3 needs 1 unit and its endpoints 3. Two switches per
    // rack do not fit: the first two need 2 units, but the last two need 7 units (2 for switches and 5 for endpoints).
    let uneven = switches(&[0, 0, 2, 3]);
    assert_eq!(pack(&uneven, &floor, &[0, 1, 2, 3]), [vec![0, 1, 2], vec![3]]);
    assert_eq!(evenly(&uneven, &floor, &[0, 1, 2, 3]), [vec![0, 1, 2], vec![3]]);
    // Five switches need two units each with their endpoints. Packing puts two switches into each rack, except for the last switch.
    let alike = switches(&[1; 5]);
    assert_eq!(pack(&alike, &floor, &[0, 1, 2, 3, 4]), [vec![0, 1], vec![2, 3], vec![4]]);
    assert_eq!(evenly(&alike, &floor, &[0, 1, 2, 3, 4]), [vec![0], vec![1, 2], vec![3, 4]]);
    // A switch that does not fit in a rack is a group by itself; the next switch starts a new group.
    let large = switches(&[1, 9, 1, 1]);
    assert_eq!(pack(&large, &floor, &[0, 1, 2, 3]), [vec![0], vec![1], vec![2, 3]]);
}

#[test]
fn the_last_block_stands_at_the_foot_below_its_endpoints() {
    let floor = "units=12,spines=1,devices=1";
    let (racks, switches, endpoints) = filled(floor, &[2; 4], &[&[0, 1], &[2, 3]]);
    assert_eq!((racks, switches), (1, vec![(3, 12, 0), (3, 11, 0), (3, 2, 0), (3, 1, 0)]));
    let units: Vec<u16> = endpoints.iter().map(|at| at.1).collect();
    assert_eq!(units, [10, 10, 9, 9, 4, 4, 3, 3]);
    // The second of three blocks follows the first. Endpoints of different blocks do not share a unit.
    let (racks, switches, endpoints) = filled(floor, &[1; 4], &[&[0], &[1], &[2, 3]]);
    assert_eq!((racks, switches), (1, vec![(3, 12, 0), (3, 11, 0), (3, 2, 0), (3, 1, 0)]));
    assert_eq!(endpoints, [(3, 10, 0), (3, 9, 0), (3, 3, 0), (3, 3, 1)]);
    // A block without endpoints has no unit for endpoints.
    let (_, _, endpoints) = filled(floor, &[0, 1, 1], &[&[0], &[1], &[2]]);
    assert_eq!(endpoints, [(3, 10, 0), (3, 2, 0)]);
    // The two blocks need 6 of the 7 units of the rack, so unit 4 between them is empty.
    let (racks, switches, endpoints) = filled("units=7,spines=1,devices=1", &[1, 1, 3], &[&[0, 1], &[2]]);
    assert_eq!((racks, switches), (1, vec![(3, 7, 0), (3, 6, 0), (3, 1, 0)]));
    assert_eq!(endpoints, [(3, 5, 0), (3, 5, 1), (3, 3, 0), (3, 3, 1), (3, 2, 0)]);
}

#[test]
fn blocks_that_do_not_fit_together_have_racks_each() {
    // Two blocks of 2 + 2 units in racks of 7.
    let (racks, switches, endpoints) = filled("units=7,spines=1,devices=1", &[2; 4], &[&[0, 1], &[2, 3]]);
    assert_eq!((racks, switches), (2, vec![(3, 7, 0), (3, 6, 0), (4, 7, 0), (4, 6, 0)]));
    let at: Vec<(u32, u16)> = endpoints.iter().map(|at| (at.0, at.1)).collect();
    assert_eq!(at, [(3, 5), (3, 5), (3, 4), (3, 4), (4, 5), (4, 5), (4, 4), (4, 4)]);
}

#[test]
fn endpoints_of_one_switch_go_on_in_further_racks() {
    // The switch takes one unit and its endpoints three. Further endpoints are in two units of the next rack.
    let (racks, switches, endpoints) = filled("units=4,spines=1,devices=1", &[9], &[&[0]]);
    assert_eq!((racks, switches), (2, vec![(3, 4, 0)]));
    let expected = [(3, 3, 0), (3, 3, 1), (3, 2, 0), (3, 2, 1), (3, 1, 0), (3, 1, 1), (4, 4, 0), (4, 4, 1), (4, 3, 0)];
    assert_eq!(endpoints, expected);
    // A rack has a single unit, which the switch fills.
    let (racks, switches, endpoints) = filled("units=1,spines=1,devices=1", &[3], &[&[0]]);
    assert_eq!((racks, switches), (3, vec![(3, 1, 0)]));
    assert_eq!(endpoints, [(4, 1, 0), (4, 1, 1), (5, 1, 0)]);
    // In this cell, a block without endpoints comes first, in its own rack.
    let (racks, switches, endpoints) = filled("units=1,spines=1,devices=1", &[0, 2], &[&[0], &[1]]);
    assert_eq!((racks, switches, endpoints), (3, vec![(3, 1, 0), (4, 1, 0)], vec![(5, 1, 0), (5, 1, 1)]));
}

#[test]
fn a_cell_of_nothing_is_an_empty_rack() {
    assert_eq!(filled("units=4,spines=1,devices=1", &[], &[&[]]).0, 1);
}
