//! Tests of the counts and sums of a small workload.

use super::*;

#[test]
fn rows_are_messages_and_computations_are_later_steps() {
    let mut workload = Workload::default();
    assert_eq!((workload.len(), workload.is_empty(), workload.total_bytes()), (0, true, 0));
    workload.push(4, 2, 100, 7);
    workload.push(1, 3, 20, 0);
    assert_eq!((workload.len(), workload.is_empty(), workload.num_steps()), (2, false, 2));
    assert_eq!((&workload.source[..], &workload.destination[..]), (&[4, 1][..], &[2, 3][..]));
    assert_eq!((&workload.bytes[..], &workload.start[..]), (&[100, 20][..], &[7, 0][..]));
    assert_eq!(workload.total_bytes(), 120);
    workload.compute = vec![5, 6, 7];
    assert_eq!((workload.len(), workload.num_steps()), (2, 5));
    // The sum saturates.
    workload.bytes = vec![u64::MAX - 5, 10];
    assert_eq!(workload.total_bytes(), u64::MAX);
}

#[test]
fn a_message_takes_24_bytes() {
    assert_eq!(Workload::need(1000).get(), 24_000);
}

#[test]
fn workloads_fit_fabrics_with_equally_many_endpoints() {
    let fabric = tulle_topologies::build("clique:degree=2,p=2", 0).unwrap();
    let of = |endpoints| Workload { spec: "mine".to_owned(), endpoints, ..Workload::default() };
    assert_eq!((of(None).misfit(&fabric), of(Some(6)).misfit(&fabric)), (None, None));
    let problem = "workload 'mine' is for 5 endpoints, clique:degree=2,p=2 has 6";
    assert_eq!(of(Some(5)).misfit(&fabric).as_deref(), Some(problem));
}
