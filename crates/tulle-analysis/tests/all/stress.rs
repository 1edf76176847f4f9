//! Tests of workloads that stress a routing.

use tulle_analysis::stress;
use tulle_topologies::build as fabric;
use tulle_traffic::Workload;

#[test]
fn a_search_keeps_what_endpoints_send_and_receive() {
    let fabric = fabric("slimfly:q=5", 0).unwrap();
    for routing in ["minimal", "random:layers=4,rho=0.7", "ksp:k=3"] {
        let routing = tulle_routing::build(&fabric, routing, 1).unwrap();
        for start in ["permutation:bytes=10B", "permutation:bytes=10B,count=2", "worst-case:bytes=10B"] {
            let start = tulle_traffic::build(&fabric, start, 1).unwrap();
            let found = stress(&fabric, &routing, &start, 3000, 7).unwrap();
            assert_eq!(found.workload.source, start.source);
            let sorted = |load: &Workload| {
                let mut to = load.destination.clone();
                to.sort_unstable();
                to
            };
            assert_eq!(sorted(&found.workload), sorted(&start));
            assert!(found.workload.source.iter().zip(&found.workload.destination).all(|(from, to)| from != to));
            assert!(found.after >= found.before && found.before > 0.0);
            // The reported loads equal the loads of the returned workload.
            let again = stress(&fabric, &routing, &found.workload, 0, 0).unwrap();
            assert!((again.before - found.after).abs() < 1e-6 * found.after, "{} {}", again.before, found.after);
            assert_eq!(stress(&fabric, &routing, &start, 3000, 7).unwrap(), found);
        }
    }
}

#[test]
fn a_permutation_gets_much_worse() {
    let fabric = fabric("slimfly:q=7,p=3", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let start = tulle_traffic::build(&fabric, "permutation:bytes=1B", 1).unwrap();
    let found = stress(&fabric, &routing, &start, 100_000, 1).unwrap();
    // In the worst case of Kathareios et al. (SC15) §4.2, a channel carries 2p = 6 flows. The search reaches at least this load.
    assert!(found.before <= 5.0 && found.after >= 6.0, "{} → {}", found.before, found.after);
    let other = tulle_routing::build(&tulle_topologies::build("slimfly:q=5", 0).unwrap(), "minimal", 0).unwrap();
    let error = stress(&fabric, &other, &start, 1, 1).unwrap_err().to_string();
    assert_eq!(error, "stress: routing 'minimal' is for 50 switches; legal: 98 switches, as the fabric has");
    let waiting = tulle_traffic::build(&fabric, "allreduce:ranks=4", 0).unwrap();
    let error = stress(&fabric, &routing, &waiting, 1, 1).unwrap_err().to_string();
    assert!(error.contains("depend on other messages; legal: "), "{error}");
}
