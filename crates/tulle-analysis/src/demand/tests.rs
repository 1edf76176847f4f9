//! Tests demands with values computed by hand.

use super::*;

#[test]
fn all_to_all_is_the_same_to_every_other_endpoint() {
    // Each of three endpoints sends half of its traffic to each of the two other endpoints.
    let demands = Demands::all_to_all_of(vec![2, 0, 1]).unwrap();
    assert_eq!(demands.iter().collect::<Vec<_>>(), [(0, 2, 1.0), (2, 0, 1.0)]);
    assert_eq!((demands.num_pairs(), demands.num_switches(), demands.is_all_to_all()), (2, 3, true));
    assert_eq!((demands.endpoints(), demands.spec()), (Some(&[2, 0, 1][..]), "all-to-all"));
    // 3 · 2 / 5 and 3 · 1 / 5.
    let demands = Demands::all_to_all_of(vec![3, 2, 1]).unwrap();
    assert_eq!(demands.row(0).collect::<Vec<_>>(), [(1, 3.0 / 5.0 * 2.0), (2, 3.0 / 5.0)]);
    assert_eq!(demands.num_pairs(), 6);
    let error = Demands::all_to_all_of(vec![4, 0]).unwrap_err().to_string();
    assert_eq!(error, "all-to-all has no demand between switches; legal: traffic that leaves its switch");
}

fn made(pairs: &[(u32, u32, f64)]) -> Result<Demands, String> {
    Demands::from_pairs(4, "mine".to_owned(), pairs.iter().copied()).map_err(|error| error.to_string())
}

#[test]
fn pairs_add_up_in_rows() {
    let demands = made(&[(3, 0, 1.0), (0, 2, 0.5), (0, 1, 2.0), (0, 2, 0.25), (1, 1, 9.0), (3, 1, 0.0)]).unwrap();
    assert_eq!(demands.iter().collect::<Vec<_>>(), [(0, 1, 2.0), (0, 2, 0.75), (3, 0, 1.0)]);
    assert_eq!([0, 1, 2, 3].map(|source| demands.row(source).count()), [2, 0, 0, 1]);
    assert_eq!((demands.num_pairs(), demands.num_switches(), demands.is_all_to_all()), (3, 4, false));
    assert_eq!((demands.endpoints(), demands.spec()), (None, "mine"));
}

#[test]
fn illegal_pairs_are_refused() {
    assert_eq!(made(&[(0, 1, 1.0), (4, 0, 1.0)]).unwrap_err(), "a demand uses switch 4; legal: 0 to 3");
    assert_eq!(made(&[(0, 4, 1.0)]).unwrap_err(), "a demand uses switch 4; legal: 0 to 3");
    let expected = "the demand of switch 2 toward 1 is -1; legal: finite, not below 0";
    assert_eq!(made(&[(2, 1, -1.0)]).unwrap_err(), expected);
    assert!(made(&[(2, 1, f64::NAN)]).unwrap_err().contains("is NaN"));
    assert!(made(&[(2, 1, f64::INFINITY)]).unwrap_err().contains("is inf"));
    assert_eq!(
        made(&[(2, 2, 1.0), (2, 1, 0.0)]).unwrap_err(),
        "mine has no demand between switches; legal: traffic that leaves its switch"
    );
}

#[test]
fn messages_are_scaled_by_the_busiest_sender() {
    // Each switch has two endpoints. Endpoint 0 sends 40 bytes in total, 10 of them within its switch.
    let fabric = tulle_topologies::build("clique:degree=2,p=2", 0).unwrap();
    let mut workload = Workload::default();
    for (source, destination, bytes) in [(0, 2, 30), (0, 1, 10), (1, 3, 10), (5, 0, 20)] {
        workload.push(source, destination, bytes, 0);
    }
    let demands = Demands::of(&fabric, &workload).unwrap();
    assert_eq!(demands.iter().collect::<Vec<_>>(), [(0, 1, 1.0), (2, 0, 0.5)]);
    let error = |source, destination| {
        let mut other = workload.clone();
        other.push(source, destination, 1, 0);
        Demands::of(&fabric, &other).unwrap_err().to_string()
    };
    assert_eq!([error(6, 0), error(0, 6)], ["message 4 uses endpoint 6; legal: 0 to 5"; 2]);
    workload.endpoints = Some(9);
    assert!(Demands::of(&fabric, &workload).unwrap_err().to_string().contains("is for 9 endpoints"));
}

#[test]
fn specs_name_all_to_all_or_a_traffic_pattern() {
    let fabric = tulle_topologies::build("clique:degree=2,p=2", 0).unwrap();
    assert!(Demands::build(&fabric, "all-to-all", 0).unwrap().is_all_to_all());
    let demands = Demands::build(&fabric, "permutation:bytes=3B", 1).unwrap();
    assert!(!demands.is_all_to_all() && demands.iter().all(|(.., amount)| amount == 1.0 || amount == 2.0));
}
