//! Tests of demands: sums and scaling of messages, all-to-all traffic, and refused inputs.

use tulle_analysis::Demands;
use tulle_topologies::build as fabric;
use tulle_traffic::Workload;

fn from_pairs(pairs: &[(u32, u32, f64)]) -> Result<Demands, String> {
    Demands::from_pairs(3, "demands".to_owned(), pairs.iter().copied()).map_err(|error| error.to_string())
}

#[test]
fn messages_add_up_and_the_busiest_endpoint_sends_one() {
    let clique = fabric("clique:degree=2,p=2", 0).unwrap();
    let mut load = Workload::default();
    // Endpoints 0 and 1 are on switch 0, 2 and 3 on switch 1, 4 and 5 on switch 2.
    for (source, destination, bytes) in [(0, 2, 300), (0, 5, 100), (1, 3, 100), (2, 3, 50), (4, 0, 20)] {
        load.push(source, destination, bytes, 0);
    }
    let demands: Vec<_> = Demands::of(&clique, &load).unwrap().iter().collect();
    assert_eq!(demands, [(0, 1, 1.0), (0, 2, 0.25), (2, 0, 0.05)]);
    load.push(6, 0, 1, 0);
    let error = Demands::of(&clique, &load).unwrap_err().to_string();
    assert_eq!(error, "message 5 uses endpoint 6; legal: 0 to 5");
}

#[test]
fn all_to_all_is_every_message_between_two_endpoints() {
    let tree = fabric("fattree:levels=2,radix=4", 0).unwrap();
    let mut load = Workload::default();
    for source in 0..tree.num_endpoints() as u32 {
        for destination in (0..tree.num_endpoints() as u32).filter(|&destination| destination != source) {
            load.push(source, destination, 7, 0);
        }
    }
    let (direct, summed) = (Demands::build(&tree, "all-to-all", 0).unwrap(), Demands::of(&tree, &load).unwrap());
    assert_eq!(direct.num_pairs(), summed.num_pairs());
    assert_eq!(direct.num_pairs(), direct.iter().count());
    for (a, b) in direct.iter().zip(summed.iter()) {
        assert_eq!((a.0, a.1), (b.0, b.1));
        assert!((a.2 - b.2).abs() < 1e-12);
    }
}

#[test]
fn pairs_are_sorted_and_summed() {
    let demands = from_pairs(&[(2, 0, 1.0), (0, 2, 1.0), (1, 1, 9.0), (2, 0, 0.5), (0, 1, 0.0)]).unwrap();
    assert_eq!(demands.iter().collect::<Vec<_>>(), [(0, 2, 1.0), (2, 0, 1.5)]);
    assert_eq!((demands.num_switches(), demands.num_pairs(), demands.row(1).count()), (3, 2, 0));
}

#[test]
fn illegal_demands_are_one_line_errors() {
    for (pairs, words) in [
        (&[(0, 1, -1.0)][..], "the demand of switch 0 toward 1 is -1; legal: finite, not below 0"),
        (&[(0, 1, 2.0), (0, 1, -1e-9)], "the demand of switch 0 toward 1 is -0.000000001"),
        (&[(0, 1, f64::NAN)], "is NaN"),
        (&[(0, 1, f64::INFINITY)], "is inf"),
        (&[(0, 3, 1.0)], "a demand uses switch 3; legal: 0 to 2"),
        (&[(1, 1, 1.0), (0, 1, 0.0)], "demands has no demand between switches"),
        (&[], "no demand"),
    ] {
        let error = from_pairs(pairs).unwrap_err();
        assert!(error.contains(words) && !error.contains('\n'), "{error}");
    }
    let alone = fabric("clique:degree=1,p=0", 0).unwrap();
    assert!(
        Demands::all_to_all(&alone)
            .unwrap_err()
            .to_string()
            .contains("has no endpoints; legal: a fabric with endpoints")
    );
}
