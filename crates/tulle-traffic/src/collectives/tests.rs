//! Tests of the steps for which the members of a group wait.

use super::*;

fn message(row: u32) -> Step {
    Step::Message(row)
}

/// Creates a group of the endpoints 10, 11 and 12. Member 0 waits for two messages, member 1 for one message.
fn group() -> (Program, Group) {
    let mut program = Program::default();
    (0..2).for_each(|_| {
        program.message(1, 2, 1, &[]);
    });
    let ready = vec![vec![message(0), message(1)], vec![message(1)], Vec::new()];
    (program, Group { members: vec![10, 11, 12], ready })
}

#[test]
fn parts_of_a_vector_add_up() {
    assert_eq!([0, 1, 2].map(|part| share(10, part, 3)), [3, 3, 4]);
    assert_eq!((span(10, 0, 2, 3), span(10, 1, 3, 3), span(10, 2, 2, 3)), (6, 7, 0));
    assert_eq!([0, 1].map(|part| share(1, part, 2)), [0, 1]);
    assert_eq!(share(u64::MAX, 0, 2), u64::MAX / 2);
}

#[test]
fn groups_have_members_and_parts() {
    let (_, group) = group();
    assert_eq!((group.len(), group.is_empty(), Group::new(Vec::new()).is_empty()), (3, false, true));
    let part = group.part([2, 0]);
    assert_eq!((part.members, part.ready), (vec![12, 10], vec![vec![], vec![message(0), message(1)]]));
}

#[test]
fn members_outside_an_action_do_not_wait_for_it() {
    let (mut program, mut all) = group();
    all.among(&[2, 1], |part| part.round(&mut program, [Send { from: 0, to: 1, bytes: 4 }]));
    // Message 2 goes from endpoint 12 to endpoint 11. Endpoint 11 then waits for message 2 and for its earlier steps.
    assert_eq!(all.ready, [vec![message(0), message(1)], vec![message(1), message(2)], vec![message(2)]]);
    let workload = program.finish();
    assert_eq!((workload.source[2], workload.destination[2], workload.bytes[2]), (12, 11, 4));
    assert_eq!(workload.dependencies.of(2), [0; 0]);
}

#[test]
fn members_wait_for_both() {
    let (_, mut one) = group();
    let mut other = one.clone();
    other.ready = vec![vec![message(5)], Vec::new(), vec![message(6)]];
    one.await_also(other);
    assert_eq!(one.ready, [vec![message(0), message(1), message(5)], vec![message(1)], vec![message(6)]]);
}

#[test]
fn computations_take_time_or_join_dependencies() {
    let (mut program, mut timed) = group();
    timed.compute(&mut program, 7);
    let computed = |place| vec![Step::Compute(place)];
    assert_eq!(timed.ready, [computed(0), computed(1), computed(2)]);
    let workload = program.finish();
    assert_eq!(workload.compute, [7, 7, 7]);
    assert_eq!([2, 3, 4].map(|step| workload.dependencies.of(step).to_vec()), [vec![0, 1], vec![1], vec![]]);
    // A computation of no time is added only for a member that waits for several steps, to join them.
    let (mut program, mut joined) = group();
    joined.compute(&mut program, 0);
    assert_eq!(joined.ready, [computed(0), vec![message(1)], vec![]]);
    assert_eq!(program.finish().compute, [0]);
}

#[test]
fn joined_members_wait_for_all_once() {
    let (mut program, mut joined) = group();
    joined.join(&mut program);
    assert_eq!(joined.ready, vec![vec![Step::Compute(0)]; 3]);
    let workload = program.finish();
    assert_eq!((&workload.compute[..], workload.dependencies.of(2)), (&[0][..], &[0, 1][..]));
    let mut nobody = Group::new(vec![1, 2]);
    let mut program = Program::default();
    nobody.join(&mut program);
    assert_eq!((nobody.ready, program.finish().compute), (vec![Vec::new(); 2], vec![]));
}

#[test]
fn a_round_skips_empty_messages_and_waits_for_sends_and_receives() {
    let (mut program, mut group) = group();
    let send = |from, to, bytes| Send { from, to, bytes };
    group.round(&mut program, [send(0, 1, 5), send(1, 2, 0), send(2, 0, 1)]);
    // Message 2 goes from endpoint 10 to 11, message 3 from 12 to 10. Senders no longer wait for earlier steps, but
    // endpoint 11, which only receives, still waits for them.
    assert_eq!(group.ready[0], [message(2), message(3)]);
    assert_eq!(group.ready[1], [message(1), message(2)]);
    assert_eq!(group.ready[2], [message(3)]);
    let workload = program.finish();
    assert_eq!((&workload.source[2..], &workload.destination[2..]), (&[10, 12][..], &[11, 10][..]));
    assert_eq!((&workload.bytes[2..], workload.dependencies.of(2)), (&[5, 1][..], &[0, 1][..]));
    assert_eq!(workload.dependencies.of(3), [0; 0]);
}
