//! Tests of the search for stressful workloads: channel loads and exchanges of receivers, computed by hand.

use tulle_fabric::FabricBuilder;
use tulle_routing::{Routes, TableBuilder};

use super::*;

fn workload(messages: &[(u32, u32, u64)]) -> Workload {
    let mut workload = Workload::default();
    messages.iter().for_each(|&(source, destination, bytes)| workload.push(source, destination, bytes, 0));
    workload
}

fn search<'a>(fabric: &'a Fabric, routing: &'a Routing, messages: &[(u32, u32, u64)]) -> Search<'a> {
    let loads = vec![0.0; fabric.num_channels()];
    let mut search = Search { fabric, routing, workload: workload(messages), loads };
    (0..messages.len()).for_each(|message| {
        search.add(message, 1.0);
    });
    search
}

/// A triangle with two endpoints per switch: 0 and 1 on switch 0, and so on. Channels 0 and 1 leave switch 0 toward 1 and 2; channels 2 and
/// 3 leave switch 1 toward 0 and 2; channels 4 and 5 leave switch 2 toward 0 and 1.
fn triangle(routing: &str) -> (Fabric, Routing) {
    let fabric = tulle_topologies::build("clique:degree=2,p=2", 0).unwrap();
    let routing = tulle_routing::build(&fabric, routing, 0).unwrap();
    (fabric, routing)
}

#[test]
fn a_message_splits_over_layers_and_ports_and_joins_again() {
    // A square of switches 0, 1, 3, 2, and a cable from switch 3 to switch 4.
    let mut builder = FabricBuilder::new(5);
    [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)].iter().for_each(|&(a, b)| builder.cable(a, b));
    builder.endpoints_each(1);
    let fabric = builder.finish("edges", Default::default()).unwrap();
    let channel =
        |from: u32, to: u32| fabric.channels_of(from).find(|&channel| fabric.targets()[channel] == to).unwrap() as u32;
    let minimal = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let split = search(&fabric, &minimal, &[(0, 4, 1)]).shares(0);
    let half = |from, to| (channel(from, to), 0.5);
    assert_eq!(split, [half(0, 1), half(0, 2), half(1, 3), half(2, 3), (channel(3, 4), 1.0)]);
    // A second layer, whose only path from 0 to 4 goes over switch 2.
    let mut table = TableBuilder::new(&fabric);
    let port = |from: u32, to: u32| (channel(from, to) - fabric.offsets()[from as usize]) as u16;
    [(0, 2), (2, 3), (3, 4)].iter().for_each(|&(from, to)| table.set(from, 4, &[port(from, to)]));
    let layers = vec![minimal.layers()[0].clone(), table.finish()];
    let two = Routing::new("by hand".to_owned(), Routes::Layers(layers));
    let loads = search(&fabric, &two, &[(0, 4, 8)]).loads;
    let load = |from, to| loads[channel(from, to) as usize];
    assert_eq!([load(0, 1), load(1, 3), load(0, 2), load(2, 3), load(3, 4)], [2.0, 2.0, 6.0, 6.0, 8.0]);
    assert_eq!(loads.iter().sum::<f64>(), 24.0);
}

#[test]
fn a_message_splits_over_the_paths_of_a_set() {
    let (fabric, routing) = triangle("ksp:k=2");
    // Two paths lead from switch 2 to switch 0: the direct path, and the path over switch 1.
    assert_eq!(search(&fabric, &routing, &[(4, 1, 10)]).loads, [0.0, 0.0, 5.0, 0.0, 5.0, 5.0]);
}

#[test]
fn loads_and_the_gain_of_fourth_powers_are_those_of_the_bytes() {
    let (fabric, routing) = triangle("minimal");
    let mut search = search(&fabric, &routing, &[(0, 2, 10), (1, 3, 5)]);
    assert_eq!((search.loads[0], search.most(), search.most_of([0, 1])), (15.0, 15.0, 15.0));
    // 5⁴ − 15⁴, then back.
    assert_eq!(search.add(0, -1.0), 625.0 - 50_625.0);
    assert_eq!(search.loads, [5.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(search.add(0, 1.0), 50_625.0 - 625.0);
    assert_eq!(search.loads[0], 15.0);
}

#[test]
fn exchanges_that_concentrate_load_are_kept() {
    let (fabric, routing) = triangle("minimal");
    // After the exchange, messages 0 → 2 and 1 → 3 share channel 0, and 5 → 4 stays within its switch. The sum of fourth powers of the
    // loads rises from 1 + 1 + 1 to 2⁴.
    let mut better = search(&fabric, &routing, &[(0, 2, 1), (1, 4, 1), (5, 3, 1)]);
    assert_eq!(better.loads, [1.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    assert!(better.exchange(1, 2));
    assert_eq!((&better.workload.destination[..], better.most()), (&[2, 3, 4][..], 2.0));
    assert_eq!(better.loads, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!((better.most_of([1, 2]), better.most_of([2, 2])), (2.0, 0.0));
    // The search undoes the reverse exchange, and the loads are as before.
    assert!(!better.exchange(1, 2));
    assert_eq!(better.workload.destination, [2, 3, 4]);
    assert_eq!(better.loads, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    // Both receivers are on one switch, so the exchange has no effect and is not kept.
    let mut same = search(&fabric, &routing, &[(0, 2, 1), (4, 3, 1)]);
    assert!(!same.exchange(0, 1));
    assert_eq!((&same.workload.destination[..], &same.loads[..]), (&[2, 3][..], &[1.0, 0.0, 0.0, 0.0, 0.0, 1.0][..]));
}

#[test]
fn no_endpoint_sends_to_itself() {
    let (fabric, routing) = triangle("minimal");
    // An exchange of the receivers of messages 1 and 2 would put 2 bytes on channel 0, but endpoint 4 would then send to itself, so the
    // exchange is refused.
    for (one, other) in [(1, 2), (2, 1)] {
        let mut search = search(&fabric, &routing, &[(0, 2, 1), (4, 3, 1), (1, 4, 1)]);
        assert!(!search.exchange(one, other), "{one} {other}");
        assert_eq!(search.workload.destination, [2, 3, 4]);
    }
}

#[test]
fn a_search_finds_the_two_messages_that_share_a_channel() {
    let (fabric, routing) = triangle("minimal");
    let start = workload(&[(0, 2, 1), (1, 4, 1), (5, 3, 1)]);
    let found = stress(&fabric, &routing, &start, 500, 3).unwrap();
    assert_eq!((found.before, found.after), (1.0, 2.0));
    assert_eq!((&found.workload.source, &found.workload.spec[..]), (&start.source, "messages"));
    // The best workload found is returned, not the last one.
    assert_eq!(search(&fabric, &routing, &columns(&found.workload)).most(), 2.0);
    // With no tries or fewer than two messages, the result is the initial workload.
    for (messages, tries, most) in
        [(&[(0, 2, 3)][..], 9, 3.0), (&[(0, 2, 1), (1, 4, 1), (5, 3, 1)], 0, 1.0), (&[], 9, 0.0)]
    {
        let found = stress(&fabric, &routing, &workload(messages), tries, 3).unwrap();
        assert_eq!((found.before, found.after), (most, most));
        assert_eq!(columns(&found.workload), messages);
    }
}

fn columns(workload: &Workload) -> Vec<(u32, u32, u64)> {
    (0..workload.len()).map(|row| (workload.source[row], workload.destination[row], workload.bytes[row])).collect()
}

#[test]
fn workloads_of_other_fabrics_are_refused() {
    let (fabric, routing) = triangle("minimal");
    let error = |workload: &Workload| stress(&fabric, &routing, workload, 1, 1).map_err(|error| error.to_string());
    assert!(error(&workload(&[(5, 0, 1)])).is_ok());
    let expected = "stress: endpoint 6 does not exist; legal: below 6";
    assert_eq!(error(&workload(&[(0, 6, 1)])).unwrap_err(), expected);
    assert_eq!(error(&workload(&[(1, 0, 1), (6, 0, 1)])).unwrap_err(), expected);
    let made = Workload { endpoints: Some(7), ..workload(&[(0, 2, 1)]) };
    assert!(error(&made).unwrap_err().contains("is for 7 endpoints"));
}
