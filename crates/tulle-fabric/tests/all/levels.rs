//! Compares the computed levels of switches with the known levels of some networks.

use tulle_fabric::{LevelSource, levels_by};
use tulle_topologies::build;

#[test]
fn distances_are_the_levels_of_fat_trees() {
    for spec in ["fattree:levels=2,radix=8", "fattree:levels=3,radix=4"] {
        let fabric = build(spec, 0).unwrap();
        let bare = fabric.with_levels(vec![0; fabric.num_switches()]);
        assert_eq!(levels_by(&bare, LevelSource::Given), None);
        assert_eq!(levels_by(&bare, LevelSource::Auto).as_deref(), Some(fabric.levels()), "{spec}");
    }
}

#[test]
fn a_cable_between_switches_of_one_level_is_no_tree() {
    assert_eq!(levels_by(&build("clique:degree=3", 0).unwrap(), LevelSource::Auto), None);
}
