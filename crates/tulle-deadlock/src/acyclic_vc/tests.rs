use super::super::assign_vcs;
use super::super::turns::Turns;
use super::*;
use tulle_fabric::Fabric;
use tulle_routing::{Routes, Routing, SourcePaths};

/// A ring of `switches`.
fn ring(switches: u32) -> Fabric {
    tulle_topologies::build(&format!("torus:shape={switches},p=1"), 0).unwrap()
}

/// Returns paths around the ring in ascending direction. Each entry of `paths` has a source, a number of hops, and the number of identical
/// paths.
fn upward(fabric: &Fabric, paths: &[(u32, u32, usize)]) -> Routing {
    let switches = fabric.num_switches() as u32;
    let port = |switch: u32| fabric.neighbours(switch).iter().position(|&next| next == (switch + 1) % switches);
    let sources = (0..switches).map(|source| {
        let mut own = SourcePaths::default();
        for destination in 0..switches {
            let mut found: Vec<Vec<u16>> = Vec::new();
            for &(from, hops, count) in paths {
                if (from, (from + hops) % switches) == (source, destination) {
                    let ports: Vec<u16> = (0..hops).map(|hop| port((from + hop) % switches).unwrap() as u16).collect();
                    found.extend(std::iter::repeat_n(ports, count));
                }
            }
            own.destination(found.iter().map(|path| &path[..]));
        }
        own
    });
    Routing::new("upward".to_owned(), Routes::Paths(SourcePaths::join(sources.collect())))
}

#[test]
fn a_vc_refuses_what_closes_a_cycle_and_nothing_else() {
    let fabric = ring(4);
    let turns = Turns::of(&fabric);
    let before = turns.channels_before();
    // Each of these paths has two channels, so it has one turn: at switch 1, 2, 3 or 0, in this order.
    let routing = upward(&fabric, &[(0, 2, 1), (1, 2, 1), (2, 2, 1), (3, 2, 1)]);
    let members = Members::of(&fabric, &turns, &routing, false).unwrap();
    let [at_1, at_2, at_3, at_0] = [0, 1, 2, 3].map(|member| members.turns(member)[0]);
    let vc = || AcyclicVc::new(OnlineOrder::new(&fabric, &turns), &before);

    let mut around = vc();
    assert!([at_1, at_2, at_3].iter().all(|&turn| around.take(&[turn])));
    assert!(
        !around.take(&[at_0]) && !around.take(&[at_0]),
        "the turn closes the cycle at the first and at the second attempt"
    );
    assert!(around.take(&[at_2]), "the turn is already present");

    // A refused path leaves no turns behind. The path that turns at switches 3 and 0 closes the cycle and is refused. So its turn at switch
    // 3 must be removed again.
    let mut undone = vc();
    assert!(undone.take(&[at_1, at_2]));
    assert!(!undone.take(&[at_3, at_0]));
    assert!(undone.take(&[at_0]), "nothing turns at 3");
    assert!(!undone.take(&[at_3]), "now it closes the cycle");
}

#[test]
fn lash_refuses_a_path_only_where_it_must() {
    for switches in [4, 5, 7] {
        let fabric = ring(switches);
        // Each path has one turn (pair of consecutive channels). All turns of the ring except one fit on one virtual channel. The last turn
        // requires a second virtual channel.
        let all: Vec<(u32, u32, usize)> = (0..switches).map(|source| (source, 2, 1)).collect();
        for (paths, vcs) in [(&all[1..], 1), (&all[..], 2)] {
            let routing = upward(&fabric, paths);
            let (plan, _) = assign_vcs(&fabric, &routing, "lash").unwrap();
            assert_eq!(plan.needed_vcs(), vcs, "{switches} switches, {} paths", paths.len());
        }
        // Paths of three hops have two turns (pairs of consecutive channels) each.
        let long: Vec<(u32, u32, usize)> = (0..switches).map(|source| (source, 3, 1)).collect();
        let (plan, _) = assign_vcs(&fabric, &upward(&fabric, &long), "lash").unwrap();
        assert_eq!(plan.needed_vcs(), 2, "{switches} switches");
    }
}

#[test]
fn lash_evens_out_what_it_has_found() {
    let fabric = ring(5);
    // Without balancing, the first virtual channel would get all paths except the paths that contain the last turn.
    let routing = upward(&fabric, &[(0, 2, 5), (1, 2, 4), (2, 2, 6), (3, 2, 5), (4, 2, 2)]);
    let (plan, _) = assign_vcs(&fabric, &routing, "lash").unwrap();
    let paths = routing.path_set().expect("it is made of paths");
    let mut on = [0; 2];
    for (source, destination) in (0..5).map(|source| (source, (source + 2) % 5)) {
        for path in paths.between(source, destination) {
            on[usize::from(
                plan.find_vc(0, path, source, destination, 0, source).expect("a path has a virtual channel"),
            )] += 1;
        }
    }
    assert_eq!(on, [11, 11]);
}

#[test]
fn even_out_evens() {
    // On a ring of eight switches, these six paths have one turn each. Together they close no cycle, so any virtual channel accepts them.
    let fabric = ring(8);
    let turns = Turns::of(&fabric);
    let before = turns.channels_before();
    let paths: Vec<(u32, u32, usize)> = (0..6).map(|source| (source, 2, 1)).collect();
    let routing = upward(&fabric, &paths);
    let members = Members::of(&fabric, &turns, &routing, false).unwrap();
    let evened = |vcs: usize, start: [u8; 6]| {
        let mut open: Vec<AcyclicVc<'_>> =
            (0..vcs).map(|_| AcyclicVc::new(OnlineOrder::new(&fabric, &turns), &before)).collect();
        for (member, &vc) in start.iter().enumerate() {
            assert!(open[usize::from(vc)].take(members.turns(member)));
        }
        let mut class = start.to_vec();
        even_out(&mut open, &members, &mut class);
        class
    };
    // Virtual channels with more paths than the mean give away their first paths. The emptiest virtual channel receives first. Virtual
    // channels at the mean neither give nor receive paths.
    assert_eq!(evened(2, [0; 6]), [1, 1, 1, 0, 0, 0]);
    assert_eq!(evened(3, [0; 6]), [1, 1, 2, 2, 0, 0]);
    assert_eq!(evened(3, [0, 0, 1, 1, 1, 1]), [0, 0, 2, 2, 1, 1]);
    assert_eq!(evened(3, [1, 0, 0, 0, 0, 0]), [1, 2, 2, 1, 0, 0]);
    assert_eq!(evened(3, [0, 0, 0, 1, 1, 1]), [2, 0, 0, 2, 1, 1]);
    assert_eq!(evened(3, [0, 1, 2, 0, 1, 2]), [0, 1, 2, 0, 1, 2]);
    // The mean is 1 (rounded down). Virtual channel 0 gives away paths until every other virtual channel has one path, and keeps the
    // remaining three.
    assert_eq!(evened(4, [0; 6]), [1, 2, 3, 0, 0, 0]);
}

#[test]
fn even_out_leaves_paths_where_no_vc_takes_them() {
    let fabric = ring(4);
    let turns = Turns::of(&fabric);
    let before = turns.channels_before();
    // Virtual channel 1 contains the turns at switches 1, 2 and 3. It refuses the turn at switch 0, which all paths of virtual channel 0
    // contain.
    let routing = upward(&fabric, &[(0, 2, 1), (1, 2, 1), (2, 2, 1), (3, 2, 9)]);
    let members = Members::of(&fabric, &turns, &routing, false).unwrap();
    let mut vcs = [(), ()].map(|()| AcyclicVc::new(OnlineOrder::new(&fabric, &turns), &before));
    let start: Vec<u8> = (0..12).map(|member| u8::from(member < 3)).collect();
    for (member, &vc) in start.iter().enumerate() {
        assert!(vcs[usize::from(vc)].take(members.turns(member)));
    }
    let mut class = start.clone();
    even_out(&mut vcs, &members, &mut class);
    assert_eq!(class, start);
}
