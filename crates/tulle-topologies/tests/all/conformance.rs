//! Tests every registered family on its own examples of legal specs (`examples`) and illegal specs (`rejects`).

use std::collections::HashSet;

use crate::data::enter_data_folder;
use crate::support::check;
use tulle_fabric::{Error, RackStructure};
use tulle_spec::Entry;
use tulle_topologies::design::Wanted;
use tulle_topologies::families::{Families, member};
use tulle_topologies::{build, families};

fn examples() -> impl Iterator<Item = (&'static Entry<Families>, &'static str)> {
    enter_data_folder();
    families().iter().flat_map(|entry| entry.info.examples.iter().map(move |&example| (entry, example)))
}

#[test]
fn every_family_says_all_of_itself() {
    let mut names = HashSet::new();
    for entry in families() {
        let info = entry.info;
        assert!(names.insert(info.name), "{} is registered twice", info.name);
        assert_eq!(info.fault(), None);
        assert!(!info.rejects.is_empty(), "{}: no rejects", info.name);
    }
}

#[test]
fn examples_keep_the_promises_of_a_fabric() {
    for (entry, example) in examples() {
        let (found, member) = member(example).unwrap_or_else(|error| panic!("{example}: {error}"));
        assert_eq!(found.info.name, entry.info.name, "{example} is listed as an example but belongs to another family");
        let fabric = build(example, 1).unwrap_or_else(|error| panic!("{example}: {error}"));
        assert_eq!(fabric.family(), entry.info.name);
        assert!(fabric.faults().is_empty() && fabric.origin().is_none());
        check(&fabric, &member.expect(), true);
    }
}

#[test]
fn canonical_specs_read_back() {
    for (_, example) in examples() {
        let (entry, first) = member(example).unwrap();
        let fabric = build(example, 1).unwrap();
        assert_eq!(fabric.spec(), first.parameters().spec(entry.info.name), "{example}");
        assert_eq!(fabric.parameters(), first.parameters().0, "{example}");
        let (_, again) = member(fabric.spec()).unwrap_or_else(|error| panic!("{}: {error}", fabric.spec()));
        assert_eq!(again.parameters(), first.parameters(), "{example}");
        assert!(build(fabric.spec(), 1).unwrap() == fabric, "{example}: its canonical spec builds another fabric");
    }
}

#[test]
fn a_seed_gives_the_same_fabric_with_any_number_of_threads() {
    for (_, example) in examples() {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| build(example, 7).unwrap())
        };
        let fabric = build(example, 7).unwrap();
        assert!(fabric == build(example, 7).unwrap(), "{example}: the same seed gives another fabric");
        assert!(fabric == with(1) && fabric == with(3), "{example}: the number of threads changes the fabric");
    }
}

#[test]
fn rejects_fail_in_one_line() {
    enter_data_folder();
    for entry in families() {
        let info = entry.info;
        for &(spec, fragment) in info.rejects {
            let Err(error) = build(spec, 1) else { panic!("{spec} is not rejected") };
            // An error in a file names the file, and an error in a nested spec names the family of the nested spec.
            let named = matches!(error, Error::File { .. } | Error::Format { .. }) || info.nested;
            let error = error.to_string();
            assert!(error.contains(fragment), "{spec}: {error}");
            assert!(!error.contains('\n'), "{spec}: {error}");
            assert!(named || error.contains(info.name), "{spec} does not name its family: {error}");
        }
    }
}

#[test]
fn unknown_names_and_parameters_have_neighbours() {
    for entry in families() {
        let Err(error) = build(&format!("{}x:degree=3", entry.info.name), 0) else {
            panic!("an unknown name is taken")
        };
        let error = error.to_string();
        assert!(error.contains("did you mean") && error.contains(entry.info.name), "{error}");
        if !entry.info.nested {
            let Err(error) = build(&format!("{}:zzz=1", entry.info.name), 0) else { panic!("zzz= is taken") };
            assert!(error.to_string().contains("unknown parameter 'zzz=1'"), "{error}");
        }
    }
}

#[test]
fn families_propose_their_own_members() {
    for entry in families() {
        let wanted = |endpoints: u64, radix| Wanted {
            endpoints,
            low: endpoints * 9 / 10,
            high: endpoints * 11 / 10,
            radix,
            oversubscription: vec![1.0, 3.0],
        };
        for (endpoints, radix) in [(1, 2), (8, 4), (60, 12), (400, 24), (2000, 36)] {
            let mut proposed = entry.facts.candidates.map_or_else(Vec::new, |of| of(&wanted(endpoints, radix)));
            proposed.extend(entry.facts.largest.map_or_else(Vec::new, |of| of(radix)));
            // Some proposed specs may be illegal, for example if no fabric of the family has the proposed order q. All legal ones must
            // belong to the family and have endpoints.
            let read: Vec<_> = proposed.iter().filter_map(|spec| member(spec).ok()).collect();
            assert!(read.iter().all(|(found, _)| found.info.name == entry.info.name), "{}", entry.info.name);
            for (_, member) in read.iter().step_by(read.len() / 20 + 1) {
                let expect = member.expect();
                let spec = member.spec();
                assert!(expect.endpoints > 0, "{spec} is a candidate of the design search, but has no endpoints");
                let bound = member.all_to_all();
                assert!(
                    bound > Some(0.0),
                    "{spec} is a candidate of the design search, so its all_to_all must return a bound above 0; it \
                     returns {bound:?}. The default needs Hops::Exactly or Hops::AtLeast"
                );
            }
        }
    }
}

#[test]
fn racks_have_the_coordinates_that_their_structure_reads() {
    for (entry, example) in examples() {
        let fabric = build(example, 1).unwrap();
        let coordinates = fabric.coordinates().names.len();
        let needed = match entry.facts.racks {
            RackStructure::Columns => 2,
            RackStructure::Groups | RackStructure::Grid => 1,
            RackStructure::Levels { .. } | RackStructure::Tors | RackStructure::Runs => 0,
        };
        assert_eq!(fabric.shape().racks, entry.facts.racks, "{example}");
        assert!(
            coordinates >= needed,
            "{example}: the family has {coordinates} coordinates, but its racks need {needed}"
        );
    }
}

#[test]
fn damaged_fabrics_keep_their_shape() {
    for (_, example) in examples() {
        let fabric = build(example, 1).unwrap();
        let damaged = fabric.without(&"links=1".parse().unwrap(), 1);
        assert!(
            damaged.is_ok_and(|damaged| damaged.shape() == fabric.shape()) || fabric.num_cables() == 0,
            "{example}"
        );
    }
}
