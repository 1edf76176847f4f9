use proptest::prelude::*;

use super::*;

const MATRIX: &str = include_str!("../../../tests/data/pair.cm");

fn read_text(text: impl Into<String>) -> Result<Workload, String> {
    read(&File::of(text.into()), &[4, 6], None).map_err(|error| error.to_string())
}

#[test]
fn triggers_become_dependencies() {
    let load = read_text(MATRIX).unwrap();
    assert_eq!((load.source, load.destination), (vec![4, 6, 6], vec![6, 4, 4]));
    assert_eq!((load.bytes, load.start, load.compute), (vec![20_000, 100, 30_000], vec![0, 5000, 0], vec![0]));
    assert_eq!(load.dependencies.pairs().collect::<Vec<_>>(), [(2, 3), (3, 0), (3, 1)]);
}

#[test]
fn a_bare_msg_and_floating_starts_are_read() {
    let text =
        "Nodes 2\nConnections 2\nTriggers 0\n0->1 id 1 msg start 0 size 20000\n0->1 id 1 msg start 1000 size 20000\n";
    let load = read_text(text).unwrap();
    assert_eq!((load.bytes, load.start), (vec![20_000; 2], vec![0, 1000]));
    let load = read_text("Nodes 2\nConnections 1\n0->1 id 1 start 1.5e6 size 20000 msg\n").unwrap();
    assert_eq!(load.start, [1_500_000]);
}

/// htsim writes `start %f` in microseconds and writes no ids. In files with ids, starts are in picoseconds.
#[test]
fn starts_without_ids_are_microseconds() {
    let text = "Nodes 2\nConnections 2\n0->1 start 0.000000 size 9\n1->0 start 12.500000 size 9\n";
    assert_eq!(read_text(text).unwrap().start, [0, 12_500_000]);
    assert_eq!(read_text(text.replace("1->0 ", "1->0 id 2 ")).unwrap().start, [0, 13]);
    let with_unit = |unit| read(&File::of(text), &[4, 6], Some(unit)).unwrap().start;
    assert_eq!((with_unit("ps"), with_unit("us")), (vec![0, 13], vec![0, 12_500_000]));
}

#[test]
fn errors_have_their_line() {
    for (from, to, problem) in [
        ("Nodes 2", "Nodes 3", "test:2: Nodes 3 is out of range; legal: 0 to 2"),
        ("Nodes 2", "", "test:5: node 0 is out of range"),
        ("Connections 3", "Connections 4", "test:3: Connections 4; legal: 3, the number found in the file"),
        ("Triggers 1", "Triggers 2", "test:4: Triggers 2; legal: 1, the number found in the file"),
        ("0->1", "0->0", "test:5: node 0 sends to itself"),
        ("0->1", "0->7", "test:5: node 7 is out of range; legal: 0 to 1"),
        ("size 20000", "size 0", "test:5: size 0 or none"),
        ("start 0", "begin 0", "test:5: 'begin' is not a key"),
        ("start 0", "start 0 start 7", "test:5: 'start' is given twice; legal: every key once"),
        ("size 20000", "size 20000 size 20000", "test:5: 'size' is given twice"),
        ("barrier count 2", "barrier count 2 count 2", "test:8: 'count' is given twice"),
        ("barrier count 2", "barrier count 2 oneshot", "test:8: a trigger of two kinds; legal: one of oneshot"),
        ("Nodes 2", "Nodes 2\nNodes 2", "test:3: Nodes was already on line 2; legal: once"),
        ("start 0", "start -1", "test:5: start '-1' is not a time; legal: 0 or more"),
        ("start 0", "start inf", "test:5: start 'inf' is not a time"),
        ("start 0", "start 1e400", "test:5: start '1e400' is not a time"),
        ("start 0", "start 1e19", "test:5: start 10000000000000000000 ps is out of range; legal: 0 to 2^60 ps"),
        ("start 0", "msg msg start 0", "test:5: 'msg' is given twice"),
        ("start 0", "", "test:5: a connection needs either a start or a trigger"),
        ("size 100 recv", "size 100 loss 1 recv", "test:6: 'loss' is not a key"),
        ("trigger 1 size", "trigger 5 size", "test:7: trigger 5 is not defined"),
        ("prio 2", "prio", "test:7: 'prio' has no value"),
        ("count 2", "count 3", "test:8: trigger 1 needs 3 connections, but 2 set it"),
        ("barrier count 2", "oneshot", "test:8: trigger 1 needs 1 connections, but 2 set it"),
        ("barrier count 2", "barrier", "test:8: a trigger without a kind; legal: oneshot"),
        ("trigger id 1 ", "trigger ", "test:8: a trigger without id"),
        ("start 0 size", "trigger 1 size", "waits for itself through triggers"),
        ("# Two", "failure switch_type TOR\n# Two", "test:1: failures are not part of a workload"),
        ("# Two", "Hosts 3\n# Two", "test:1: 'Hosts' is not expected here"),
    ] {
        let changed = MATRIX.replace(from, to);
        assert_ne!(changed, MATRIX, "{from}");
        let error = read_text(changed).unwrap_err();
        assert!(error.contains(problem) && !error.contains('\n'), "{from} → {to}: {error}");
    }
    assert!(read_text(String::new()).unwrap_err().starts_with("test:1: the number of nodes is missing"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(changes in prop::collection::vec((any::<prop::sample::Index>(), "[ 0-9a-z>\\n-]{0,3}"), 1..5)) {
        let mut text = MATRIX.to_owned();
        for (at, new) in &changes {
            let at = at.index(text.len());
            text.replace_range(at..=at, new);
        }
        if let Err(error) = read_text(text) {
            prop_assert!(!error.contains('\n'), "{}", error);
        }
    }
}
