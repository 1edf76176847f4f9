//! Checks the tables of Multi-Path Routing in the Jellyfish Network.

use tulle_routing::quality::{Quality, Sharing};

use super::oracle::route;

#[test]
fn the_small_jellyfish_has_the_tables_of_the_paper() {
    // The values are those of Multi-Path Routing in the Jellyfish Network, Tables II to IV, for RRG(36, 24, 16) with k = 8: a random regular
    // graph of 36 switches with 24 ports, 16 of which lead to other switches. The mean number of hops is 2.06. The fraction of pairs with
    // disjoint paths is 56% (ksp), 59% (rksp) and 100% (edksp, redksp). The maximum number of paths of one pair over one link is 6 (ksp), 3
    // (rksp) and 1 (edksp, redksp). The test uses means over ten graphs.
    for (routing, disjoint, most) in [
        ("ksp", 52.0..=59.0, 5..=7),
        ("rksp", 54.0..=62.0, 3..=5),
        ("edksp", 100.0..=100.0, 1..=1),
        ("redksp", 100.0..=100.0, 1..=1),
    ] {
        let qualities: Vec<Quality> = (0..10)
            .map(|seed| {
                let fabric = tulle_topologies::build("jellyfish:switches=36,degree=16,p=8", seed).unwrap();
                Quality::of(&fabric, &route(&fabric, routing, seed), Sharing::Channel)
            })
            .collect();
        let hops = qualities.iter().map(Quality::average_hops).sum::<f64>() / 10.0;
        assert!((hops - 2.064).abs() < 0.004, "{routing}: {hops} hops");
        let share = qualities.iter().map(|quality| 100.0 * quality.share(&quality.exact, 8)).sum::<f64>() / 10.0;
        assert!(disjoint.contains(&share), "{routing}: {share}%");
        for quality in &qualities {
            assert_eq!((quality.pairs, quality.share(&quality.paths, 8)), (36 * 35, 1.0));
            assert!(most.contains(&(quality.most_shared.len() - 1)), "{routing}: {:?}", quality.most_shared);
        }
    }
}
