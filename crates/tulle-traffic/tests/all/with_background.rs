//! Tests of `with-background`: its workload is the concatenation of two workloads.

use proptest::prelude::*;
use proptest::sample::select;
use rand::Rng;
use tulle_base::random::stream;
use tulle_spec::Parameters;
use tulle_traffic::{Dependencies, Workload, build, patterns};

use super::patterns::enter_data_folder;

/// Returns the canonical spec of `of` with `background`.
fn both(of: &str, background: &str) -> String {
    Parameters::new().word("of", of).word("background", background).spec("with-background")
}

/// Returns the numbers of the messages and computations of both parts in the joint workload.
fn steps(parts: [&Workload; 2]) -> [Vec<u32>; 2] {
    let mut numbers = [Vec::new(), Vec::new()];
    let mut next = 0..;
    for counts in [parts.map(Workload::len), parts.map(|part| part.compute.len())] {
        for (numbers, count) in numbers.iter_mut().zip(counts) {
            numbers.extend(next.by_ref().take(count));
        }
    }
    numbers
}

fn examples() -> impl Strategy<Value = &'static str> {
    let examples = patterns().iter().flat_map(|entry| entry.info.examples.iter().copied());
    select(examples.chain(["allreduce:ranks=5,algorithm=ring", "stencil:iterations=2,compute=5us"]).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_workload_is_the_concatenation_of_both(of in examples(), background in examples(), seed: u64) {
        enter_data_folder();
        let spec = both(of, background);
        for fabric in ["clique:degree=6", "slimfly:q=3,p=4"] {
            let fabric = tulle_topologies::build(fabric, 0).unwrap();
            let parts = [(of, seed), (background, stream(seed, "traffic/background", 0).next_u64())];
            let joint = build(&fabric, &spec, seed);
            if of.starts_with("with-background") {
                prop_assert!(joint.unwrap_err().to_string().contains("has a background already"));
                continue;
            }
            let [first, second] = match parts.map(|(spec, seed)| build(&fabric, spec, seed)) {
                [Ok(first), Ok(second)] => [first, second],
                [Err(error), _] | [_, Err(error)] => {
                    prop_assert_eq!(joint.unwrap_err().to_string(), error.to_string());
                    continue;
                }
            };
            let joint = joint.unwrap();
            prop_assert_eq!(&joint.source, &[&first.source[..], &second.source].concat());
            prop_assert_eq!(&joint.destination, &[&first.destination[..], &second.destination].concat());
            prop_assert_eq!(&joint.bytes, &[&first.bytes[..], &second.bytes].concat());
            prop_assert_eq!(&joint.start, &[&first.start[..], &second.start].concat());
            prop_assert_eq!(&joint.compute, &[&first.compute[..], &second.compute].concat());
            let mut pairs = Vec::new();
            for (part, steps) in [&first, &second].into_iter().zip(steps([&first, &second])) {
                let own = part.dependencies.pairs();
                pairs.extend(own.map(|(step, on)| (steps[step as usize], steps[on as usize])));
            }
            prop_assert_eq!(&joint.dependencies, &Dependencies::from_pairs(joint.num_steps(), &pairs).unwrap());
            prop_assert_eq!(joint.spec, both(&first.spec, &second.spec));
        }
    }
}

#[test]
fn equal_patterns_have_different_random_numbers() {
    let fabric = tulle_topologies::build("clique:degree=9", 0).unwrap();
    let three = both("permutation", &both("permutation", "permutation"));
    let destination = build(&fabric, &three, 1).unwrap().destination;
    let parts: Vec<&[u32]> = destination.chunks_exact(90).collect();
    assert_eq!(parts.len(), 3);
    assert!(parts[0] != parts[1] && parts[0] != parts[2] && parts[1] != parts[2]);
    assert_eq!(parts[0], build(&fabric, "permutation", 1).unwrap().destination);
}
