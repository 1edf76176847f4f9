use super::*;
use crate::assign_vcs;
use tulle_routing::{PathSet, SourcePaths, build};

/// Returns a path set on a ring of `switches` switches. Each entry has a source, a destination, and the ports of one path.
fn path_set(switches: u32, ports: &[(u32, u32, Vec<u16>)]) -> Routing {
    let sources = (0..switches).map(|source| {
        let mut paths = SourcePaths::default();
        for destination in 0..switches {
            let own = ports.iter().filter(|(from, to, _)| (*from, *to) == (source, destination));
            paths.destination(own.map(|(.., ports)| &ports[..]));
        }
        paths
    });
    let set: PathSet = SourcePaths::join(sources.collect());
    Routing::new("paths".to_owned(), Routes::Paths(set))
}

fn with_ranks(plan: &VcPlan, ranks: Vec<u32>) -> VcPlan {
    VcPlan { certificate: Certificate::new(plan.num_vcs(), ranks), ..plan.clone() }
}

/// Verification sets each rank to the length of the longest chain of dependencies that ends at the channel. So a channel of rank r > 0
/// follows a channel of rank r − 1. If the test lowers any rank by one, two dependent channels have equal ranks. The checker must find this
/// fault in any layer, at any hop, over any equal-cost port, on any virtual channel, and between phases.
#[test]
fn every_single_lowered_rank_is_found() {
    for (spec, routing, scheme) in [
        ("fattree:levels=3,radix=4", "minimal", "one-vc"),
        ("torus:shape=3x4,p=1", "random:layers=3,rho=0.8", "dfsssp:vcs=6"),
        ("torus:shape=5,p=1", "minimal", "hops"),
        ("jellyfish:switches=12,degree=4,p=1", "edksp:k=3", "lash"),
        ("torus:shape=3x4,p=1", "random:layers=3,rho=0.8", "dfsssp:first_vcs=1,vcs=7"),
        ("mlfm:h=3", "minimal", "phases"),
        ("slimfly:q=4,p=0", "minimal", "phases:inner=hops"),
    ] {
        let fabric = tulle_topologies::build(spec, 1).unwrap();
        let routing = build(&fabric, routing, 1).unwrap();
        let (plan, _) = assign_vcs(&fabric, &routing, scheme).unwrap();
        let ranks = plan.certificate().ranks().to_vec();
        let mut lowered = 0;
        for at in (0..ranks.len()).filter(|&at| ranks[at] > 0) {
            let mut ranks = ranks.clone();
            ranks[at] -= 1;
            let plan = with_ranks(&plan, ranks);
            let violation = plan.certificate().check(&fabric, &routing, &plan);
            let Err(Violation::Rank { before, channel, .. }) = violation else {
                panic!("{spec} {scheme}: {at} {violation:?}")
            };
            // The reported violation is at the channel with the lowered rank. `before` leads to the switch at which this channel starts.
            assert_eq!(channel as usize, at / plan.num_vcs(), "{spec} {scheme}");
            assert_eq!(fabric.targets()[before as usize], fabric.sources()[channel as usize], "{spec} {scheme}");
            lowered += 1;
        }
        assert!(lowered > 4, "{spec} {scheme}: {lowered}");
    }
}

/// A packet that arrives at a switch in the first phase can continue from this switch in the second phase. So ranks of the second phase
/// must exceed all ranks of channels on which packets arrive.
#[test]
fn the_second_phase_rises_over_everything_that_arrives() {
    // On a ring of four switches, a packet can arrive at the opposite switch on two channels.
    for size in [4, 5] {
        let fabric = tulle_topologies::build(&format!("torus:shape={size},p=1"), 0).unwrap();
        let routing = build(&fabric, "minimal", 0).unwrap();
        let (plan, _) = assign_vcs(&fabric, &routing, "phases:inner=hops").unwrap();
        let vcs = plan.num_vcs();
        assert_eq!((vcs, plan.num_phases()), (4, 2));
        let flat = |rank: [u32; 4]| (0..fabric.num_channels()).flat_map(|_| rank).collect::<Vec<u32>>();
        let check = |ranks| with_ranks(&plan, ranks).certificate().check(&fabric, &routing, &plan);
        // Each phase has two hops: virtual channels 0 and 1 in the first phase, 2 and 3 in the second.
        assert_eq!(check(flat([0, 1, 2, 3])), Ok(()));
        for ranks in [[0, 1, 1, 2], [2, 3, 0, 1], [0, 2, 1, 3], [0, 0, 1, 2], [0, 1, 2, 2]] {
            assert!(matches!(check(flat(ranks)), Err(Violation::Rank { .. })), "{ranks:?}");
        }
        // One channel at a time gets a rank that is too high; all other ranks are right. The check must find it every time.
        for channel in 0..fabric.num_channels() {
            let mut ranks = flat([0, 1, 3, 4]);
            ranks[channel * vcs + 1] = 2;
            assert_eq!(check(ranks.clone()), Ok(()), "{channel}");
            ranks[channel * vcs + 1] = 3;
            let Err(Violation::Rank { before, hop, .. }) = check(ranks) else { panic!("{channel}") };
            assert_eq!((before as usize, hop), (channel, 0));
        }
    }
}

#[test]
fn sizes_ports_and_hops_that_do_not_fit_are_errors() {
    let fabric = tulle_topologies::build("torus:shape=5,p=1", 0).unwrap();
    let one = path_set(5, &[(0, 2, vec![0, 1])]);
    let (plan, _) = assign_vcs(&fabric, &one, "one-vc").unwrap();
    assert_eq!(plan.certificate().check(&fabric, &one, &plan), Ok(()));
    // The certificates of this test do not match the plan: they have one rank too few, one rank too many, or ranks for a different number
    // of virtual channels.
    for (vcs, ranks) in [(1, 9), (1, 11), (2, 10), (5, 10)] {
        let certificate = Certificate::new(vcs, (0..ranks as u32).collect());
        let violation = certificate.check(&fabric, &one, &plan);
        assert_eq!(violation, Err(Violation::Size { ranks, needed: 10 }), "{vcs} virtual channels");
    }
    // Switches of the ring have only ports 0 and 1. Without a range check, port 2 of switch 0 would be read as channel 2, which is port 0
    // of switch 1.
    let beyond = path_set(5, &[(0, 2, vec![2])]);
    let violation = plan.certificate().check(&fabric, &beyond, &plan);
    assert_eq!(violation, Err(Violation::Hop { layer: 0, source_switch: 0, destination: 2, hop: 0 }));
    // The plan has virtual channels for paths of two hops, but the path has three hops.
    let (plan, _) = assign_vcs(&fabric, &one, "hops").unwrap();
    let plan = with_ranks(&plan, [0, 1].repeat(10));
    let back = path_set(5, &[(0, 2, vec![1, 1, 0])]);
    let violation = plan.certificate().check(&fabric, &back, &plan);
    assert_eq!(violation, Err(Violation::Hop { layer: 0, source_switch: 0, destination: 2, hop: 2 }));
}
