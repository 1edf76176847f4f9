//! Fuzz tests with random specs. No spec may cause a panic, every error must be one line, and every accepted spec must build the fabric
//! that it describes.

use crate::data::enter_data_folder;
use crate::support::check;
use proptest::prelude::*;
use proptest::sample::select;
use tulle_fabric::{Error, MAX_SIZE};
use tulle_spec::{DefaultValue, Info, Kind};
use tulle_topologies::families;
use tulle_topologies::families::member;

/// Returns the settings of proptest, with `cases` cases unless `PROPTEST_CASES` is set (as in `make trials`).
fn cases(cases: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").map_or(cases, |cases| cases.parse().unwrap());
    // proptest prints each failing case in full. Add the case as a separate test instead of a proptest regression file.
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Returns random values for parameters: values of every kind that parameters accept, and invalid values.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => (0u64..40).prop_map(|number| number.to_string()),
        1 => any::<u64>().prop_map(|number| number.to_string()),
        1 => any::<i16>().prop_map(|number| number.to_string()),
        1 => any::<f64>().prop_map(|number| number.to_string()),
        3 => prop::collection::vec(0u64..12, 1..5).prop_map(|sizes| {
            sizes.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
        }),
        2 => select(vec!["yes", "no", "ring.csv", "ring.graphml", "5%", "100Gbps", "\"", "\"a,b\"", "ids:1"])
            .prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

fn family() -> impl Strategy<Value = &'static Info> {
    select(families().iter().map(|entry| entry.info).collect::<Vec<_>>())
}

fn joined(info: &Info, pairs: &[(String, String)]) -> String {
    let pairs: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}={value}")).collect();
    if pairs.is_empty() { info.name.to_owned() } else { format!("{}:{}", info.name, pairs.join(",")) }
}

/// Returns specs with nearly all required parameters and some optional parameters. The values may be of the wrong kind.
fn filled_in() -> impl Strategy<Value = String> {
    family().prop_flat_map(|info| {
        let given = info.parameters.iter().map(|parameter| {
            let often = if parameter.default == DefaultValue::Required { 0.95 } else { 0.3 };
            prop::option::weighted(often, value())
                .prop_map(|value| value.map(|value| (parameter.name.to_owned(), value)))
                .boxed()
        });
        given.collect::<Vec<_>>().prop_map(move |pairs| joined(info, &pairs.into_iter().flatten().collect::<Vec<_>>()))
    })
}

/// Returns example specs in which up to two values are replaced by random values.
fn changed() -> impl Strategy<Value = String> {
    let other = (any::<prop::sample::Index>(), value());
    (family(), any::<prop::sample::Index>(), prop::collection::vec(other, 0..3)).prop_map(|(info, example, others)| {
        let example = example.get(info.examples);
        let Some((_, arguments)) = example.split_once(':').filter(|_| !info.nested) else {
            return (*example).to_owned();
        };
        let pair = |text: &str| text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
        let mut pairs: Vec<(String, String)> = arguments.split(',').filter_map(pair).collect();
        for (at, value) in others {
            at.get_mut(&mut pairs).1 = value;
        }
        joined(info, &pairs)
    })
}

/// Returns specs with random keys and values in any order, legal or not.
fn thrown_together() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        family().prop_flat_map(|info| {
            let keys: Vec<&str> = info.parameters.iter().map(|parameter| parameter.name).chain(["p"]).collect();
            select(keys).prop_map(str::to_owned)
        }),
        "[a-z]{0,6}",
    ];
    (family(), prop::collection::vec((key, value()), 0..7)).prop_map(|(info, pairs)| joined(info, &pairs))
}

/// Returns a spec of a registered family. If the family has a spec as its parameter, the function nests another spec in it.
fn spec() -> impl Strategy<Value = String> {
    let plain = prop_oneof![4 => filled_in(), 4 => changed(), 1 => thrown_together()].boxed();
    let nesting: Vec<&str> = families().iter().filter(|entry| entry.info.nested).map(|entry| entry.info.name).collect();
    let nested = (select(nesting), plain.clone()).prop_map(|(outer, inner)| format!("{outer}:{inner}")).boxed();
    prop_oneof![8 => plain, 1 => nested]
}

/// Returns specs with values near the ends of their stated ranges, nested in up to two specs of `jellyfish-like`. The sizes that families
/// derive from these values must not overflow.
fn huge() -> impl Strategy<Value = String> {
    /// Returns the whole numbers in the description of a legal range, for example "2 to 8191". Also returns some other numbers, for example
    /// one less than such a number, and half of it.
    fn ends(legal: &str) -> Vec<u64> {
        let numbers = legal.split(|letter: char| !letter.is_ascii_digit()).filter_map(|digits| digits.parse().ok());
        numbers.flat_map(|number: u64| [number, number.saturating_sub(1), number / 2]).chain([1, 2, 7]).collect()
    }
    let plain: Vec<&'static Info> = families().iter().map(|entry| entry.info).filter(|info| !info.nested).collect();
    let member = select(plain).prop_flat_map(|info| {
        let given = info.parameters.iter().map(|parameter| {
            let often = if parameter.default == DefaultValue::Required { 0.99 } else { 0.5 };
            let value = prop_oneof![6 => select(ends(&parameter.legal())), 1 => Just(1 << 20)];
            let values =
                prop::collection::vec(value, 1..=if matches!(parameter.kind, Kind::Shape { .. }) { 3 } else { 1 });
            let text = values.prop_map(|values| values.iter().map(u64::to_string).collect::<Vec<_>>().join("x"));
            prop::option::weighted(often, text.prop_map(|text| (parameter.name.to_owned(), text))).boxed()
        });
        given.collect::<Vec<_>>().prop_map(move |pairs| joined(info, &pairs.into_iter().flatten().collect::<Vec<_>>()))
    });
    (0usize..3, member).prop_map(|(depth, member)| format!("{}{member}", "jellyfish-like:".repeat(depth)))
}

fn one_line(spec: &str, error: &Error) {
    let error = error.to_string();
    assert!(!error.contains(['\n', '\r']), "{spec:?}: {error:?}");
    assert!(error.len() > 10, "{spec:?}: {error:?}");
}

/// Parses `spec`. If the fabric is small, builds it and checks it.
fn try_out(spec: &str) {
    enter_data_folder();
    let (entry, member) = match member(spec) {
        Ok(found) => found,
        Err(error) => return one_line(spec, &error),
    };
    let expect = member.expect();
    let canonical = member.parameters().spec(entry.info.name);
    let Ok((_, again)) = tulle_topologies::families::member(&canonical) else {
        panic!("{spec:?}: {canonical} is refused")
    };
    assert_eq!(again.parameters(), member.parameters(), "{spec:?}");
    assert_eq!(again.expect(), expect, "{spec:?}");
    if expect.switches <= 2000 && expect.cables <= 20_000 && expect.endpoints <= 200_000 {
        match member.build(3) {
            Ok(fabric) => check(&fabric, &expect, true),
            // Small panels allow few connections between switches. So the random construction may not find a graph.
            Err(error @ Error::Construction { .. }) if canonical.contains(",eta=") => one_line(spec, &error),
            Err(error) => panic!("{spec:?} was accepted and cannot be built: {error}"),
        }
    }
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn specs_of_families_are_built_or_refused(spec in spec()) {
        try_out(&spec);
    }

    #[test]
    fn the_largest_members_are_built_or_refused(spec in huge()) {
        try_out(&spec);
        if let Ok((_, member)) = member(&spec) {
            let (own, nested) = (member.expect(), tulle_topologies::families::member(&format!("jellyfish-like:{spec}")));
            let fits = own.switches.max(own.cables).max(own.endpoints) <= MAX_SIZE;
            prop_assert!(fits || nested.is_err(), "{spec}: {own:?} is taken by another");
        }
    }

    #[test]
    fn any_text_is_built_or_refused(text: String) {
        try_out(&text);
    }

    #[test]
    fn any_text_after_a_name_is_built_or_refused(
        name in select(families().iter().map(|entry| entry.info.name).collect::<Vec<_>>()), text: String,
    ) {
        try_out(&format!("{name}:{text}"));
    }
}

/// Returns specs of small members of every random family.
fn random_member() -> impl Strategy<Value = String> {
    let jellyfish = (3u64..70)
        .prop_flat_map(|switches| (Just(switches), 2..switches))
        .prop_map(|(switches, degree)| (switches, degree - switches % 2 * (degree % 2)))
        .prop_filter("a connected graph of degree 1 has only two switches", |&(_, degree)| degree > 1)
        .prop_map(|(switches, degree)| format!("jellyfish:switches={switches},degree={degree},p=2"));
    let xpander = (3u64..9, prop::collection::vec(1u64..6, 1..4)).prop_map(|(degree, lifts)| {
        let lifts: Vec<String> = lifts.iter().map(u64::to_string).collect();
        format!("xpander:degree={degree},lift={}", lifts.join("x"))
    });
    let flattened =
        (prop::collection::vec(1u64..5, 1..5), 0u64..30, any::<bool>()).prop_map(|(degrees, more, parallel)| {
            let least = if parallel { degrees.iter().max().unwrap() + 1 } else { 2 * degrees.iter().sum::<u64>() + 1 };
            let degrees: Vec<String> = degrees.iter().map(u64::to_string).collect();
            let (switches, parallel) = ((least + more).max(3), if parallel { "yes" } else { "no" });
            format!("flattenedclos:switches={switches},degrees={},parallel={parallel},p=1", degrees.join("x"))
        });
    let simple = prop_oneof![jellyfish, xpander].boxed();
    prop_oneof![2 => simple.clone(), 1 => simple.prop_map(|spec| format!("jellyfish-like:{spec}")), 1 => flattened]
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn random_families_keep_their_promises(spec in random_member(), seed: u64) {
        let (_, member) = member(&spec).unwrap();
        let fabric = member.build(seed).unwrap();
        check(&fabric, &member.expect(), true);
        prop_assert!(fabric == member.build(seed).unwrap());
        let fewest_ports = (0..fabric.num_switches() as u32).map(|switch| fabric.degree(switch)).min();
        prop_assert_eq!(fewest_ports, Some(fabric.network_radix()), "it is regular");
        if !spec.contains("parallel=yes") {
            for switch in 0..fabric.num_switches() as u32 {
                prop_assert!(fabric.neighbours(switch).is_sorted_by(|a, b| a < b), "parallel cables at {switch}");
            }
        }
    }
}
