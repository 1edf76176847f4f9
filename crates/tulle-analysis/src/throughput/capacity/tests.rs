//! Tests capacities with values computed by hand.

use super::*;

#[test]
fn the_tightest_loaded_channel_limits_the_growth() {
    // The fabric has two switches and one cable, that is two channels.
    let fabric = tulle_topologies::build("mesh:shape=2", 0).unwrap();
    let capacities = Capacities::new(&fabric, vec![2.0, 0.5]).unwrap();
    assert_eq!(capacities.as_slice(), [2.0, 0.5]);
    assert_eq!(capacities.headroom(&[4.0, 0.25]), 0.5);
    assert_eq!(capacities.headroom(&[0.5, 0.25]), 2.0);
    assert_eq!(capacities.headroom(&[0.5, 0.0]), 4.0);
    assert_eq!(capacities.headroom(&[0.0, 0.0]), f64::INFINITY);
    assert_eq!(capacities.volume(&[3.0, 4.0]), 8.0);
    assert_eq!(Capacities::unit(&fabric).as_slice(), [1.0, 1.0]);
}

#[test]
fn illegal_capacities_are_refused() {
    let fabric = tulle_topologies::build("mesh:shape=2", 0).unwrap();
    let made = |capacity: &[f64]| Capacities::new(&fabric, capacity.to_vec()).map_err(|error| error.to_string());
    assert!(made(&[0.0, 1.0]).is_ok());
    assert_eq!(made(&[1.0]).unwrap_err(), "1 capacities for 2 channels; legal: one per channel");
    assert_eq!(made(&[1.0, -0.5]).unwrap_err(), "the capacity of channel 1 is -0.5; legal: finite, not below 0");
    assert!(made(&[f64::NAN, 1.0]).unwrap_err().starts_with("the capacity of channel 0 is NaN"));
    assert_eq!(made(&[0.0, 0.0]).unwrap_err(), "every capacity is 0; legal: some above 0");
}
