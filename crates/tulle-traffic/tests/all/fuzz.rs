//! Fuzz test with random specs: no spec panics, every error is one line, and every accepted spec gives a legal
//! workload.

use proptest::prelude::*;
use proptest::sample::select;
use tulle_spec::Info;
use tulle_traffic::{build, patterns};

/// Generates values for every kind of parameter, including illegal values.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (0u64..20).prop_map(|number| number.to_string()),
        1 => any::<i16>().prop_map(|number| number.to_string()),
        1 => Just(u64::MAX.to_string()),
        1 => any::<f32>().prop_map(|number| number.to_string()),
        2 => prop::collection::vec(0u64..8, 1..5).prop_map(|sizes| {
            sizes.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
        }),
        6 => select(vec![
            "yes", "no", "random", "linear", "ring", "bruck", "rabenseifner", "recursive-doubling", "recursive-halving",
            "ideal", "dissemination", "websearch", "64KiB", "9007199254740992", "1us", "3ms", "0.5", "1e-9", "absent.txt",
        ])
        .prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

fn spec() -> impl Strategy<Value = String> {
    select(patterns().iter().map(|entry| entry.info).collect::<Vec<&'static Info>>()).prop_flat_map(|info| {
        let given = info.parameters.iter().map(|parameter| {
            prop::option::weighted(0.3, value())
                .prop_map(|value| value.map(|value| format!("{}={value}", parameter.name)))
        });
        given.collect::<Vec<_>>().prop_map(|pairs| {
            let pairs: Vec<String> = pairs.into_iter().flatten().collect();
            if pairs.is_empty() { info.name.to_owned() } else { format!("{}:{}", info.name, pairs.join(",")) }
        })
    })
}

/// Returns whether a spec has so many messages that the test skips it to save time.
fn is_large(spec: &str) -> bool {
    let number = |name: &str| {
        let text = spec.split([':', ',']).find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        text.and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0)
    };
    ["count", "iterations", "rounds", "batches"].iter().any(|name| number(name) > 50.0) || number("arrivals") > 1e6
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_spec_panics(spec in spec(), seed: u64) {
        prop_assume!(!is_large(&spec));
        for fabric in ["clique:degree=4,p=2", "slimfly:q=3,p=4", "clique:degree=1,p=1", "mlfm:h=2", "clique:degree=2,p=0"] {
            let fabric = tulle_topologies::build(fabric, 0).unwrap();
            match build(&fabric, &spec, seed) {
                Err(error) => prop_assert!(!error.to_string().contains('\n'), "{}", error),
                Ok(load) => {
                    prop_assert!(load.source.iter().zip(&load.destination).all(|(from, to)| from != to));
                    let ends = load.source.iter().chain(&load.destination);
                    prop_assert!(ends.into_iter().all(|&end| (end as usize) < fabric.num_endpoints()));
                    prop_assert!(load.bytes.iter().all(|&bytes| bytes > 0));
                    prop_assert_eq!(load.dependencies.in_a_cycle(), None);
                    prop_assert_eq!(&build(&fabric, &load.spec, seed).unwrap(), &load);
                }
            }
        }
    }
}
