//! Tests the generated names of switches, cables and ports that have no names of their own.

use tulle_topologies::build;

#[test]
fn ids_and_coordinates_are_names_where_there_are_no_others() {
    let fabric = build("hyperx:shape=3x3,p=1", 0).unwrap();
    assert_eq!((fabric.switch_named("(1,2)").unwrap(), fabric.switch_named("4").unwrap()), (5, 4));
    assert_eq!(fabric.cable_named("0--1").unwrap(), fabric.cable_named("(0,0)--(0,1)").unwrap());
    assert_eq!(fabric.endpoint_port_name(3), "4");
    let error = fabric.switch_named("9").unwrap_err().to_string();
    assert_eq!(error, "no switch '9'; legal: 0 to 8 or coordinates as (0,0)");
}
