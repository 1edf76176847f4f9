//! Placement of ranks.

use super::*;

fn ranks(count: Option<u64>, mapping: Order) -> Ranks {
    Ranks { count, mapping: Mapping { mapping: Some(mapping), places: None } }
}

fn place(spec: &str, ranks: &Ranks, seed: u64) -> Result<Vec<u32>, String> {
    let fabric = tulle_topologies::build(spec, 0).unwrap();
    ranks.place("mine", &fabric, seed).map_err(|error| error.to_string())
}

#[test]
fn ranks_are_in_linear_or_random_order() {
    let six = "clique:degree=2,p=2";
    assert_eq!(place(six, &ranks(None, Order::Linear), 1).unwrap(), [0, 1, 2, 3, 4, 5]);
    assert_eq!(place(six, &ranks(Some(4), Order::Linear), 1).unwrap(), [0, 1, 2, 3]);
    let all: Vec<u32> = (0..200).collect();
    let mut random = place("clique:degree=19,p=10", &ranks(None, Order::Random), 1).unwrap();
    assert_ne!(random, all);
    let first = place("clique:degree=19,p=10", &ranks(Some(7), Order::Random), 1).unwrap();
    assert_eq!(first, random[..7]);
    assert_ne!(place("clique:degree=19,p=10", &ranks(None, Order::Random), 2).unwrap(), random);
    random.sort_unstable();
    assert_eq!(random, all);
}

#[test]
fn ranks_are_at_least_two_and_at_most_the_endpoints() {
    let six = "clique:degree=2,p=2";
    assert_eq!(place(six, &ranks(Some(6), Order::Linear), 1).unwrap().len(), 6);
    let error = place(six, &ranks(Some(7), Order::Linear), 1).unwrap_err();
    assert!(error.contains("ranks=7 is out of range on clique:degree=2,p=2") && error.contains("2 to 6"), "{error}");
    assert_eq!(place("mesh:shape=2,p=1", &ranks(None, Order::Linear), 1).unwrap(), [0, 1]);
    let mut builder = tulle_fabric::FabricBuilder::new(1);
    builder.endpoints(0, 1);
    let one = builder.finish("edges", Default::default()).unwrap();
    let error = ranks(None, Order::Linear).place("mine", &one, 1).unwrap_err().to_string();
    assert!(error.contains("the number of ranks is 1") && error.contains("2 or more"), "{error}");
}
