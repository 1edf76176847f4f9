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

#[test]
fn steps_of_appended_workloads_keep_their_dependencies() {
    // Message 1 depends on computation 0, which depends on message 0.
    let part = |messages: u32| {
        let mut program = crate::Program::default();
        let first = program.message(0, 1, 10, &[]);
        let work = program.compute(7, &[first]);
        (1..messages).for_each(|_| _ = program.message(1, 0, 20, &[work]));
        program.finish()
    };
    let mut workload = part(2);
    workload.append(&part(3));
    assert_eq!((&workload.bytes[..], &workload.compute[..]), (&[10, 20, 10, 20, 20][..], &[7, 7][..]));
    let pairs: Vec<_> = workload.dependencies.pairs().collect();
    assert_eq!(pairs, [(1, 5), (3, 6), (4, 6), (5, 0), (6, 2)]);
    let mut free = Workload::default();
    free.push(2, 3, 5, 1);
    let before = free.clone();
    free.append(&Workload::default());
    assert_eq!(free, before);
    free.append(&before);
    assert_eq!((&free.start[..], free.dependencies.num_steps()), (&[1, 1][..], None));
    free.append(&part(2));
    assert_eq!(free.dependencies.pairs().collect::<Vec<_>>(), [(3, 4), (4, 2)]);
}
