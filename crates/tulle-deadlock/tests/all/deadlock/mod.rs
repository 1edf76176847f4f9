//! Tests every deadlock scheme on every topology family and routing. The tests check each plan with an independent dependency graph, which
//! they build from the paths and the plan.

mod planted;
mod verify;

use std::collections::{HashMap, HashSet};

use self::verify::{acyclic, all_paths, layers, routes, senders, waits};
use rayon::prelude::*;
use tulle_deadlock::{VcPlan, assign_vcs, schemes};
use tulle_fabric::Fabric;
use tulle_routing::{Error, Routes, Routing};

/// Returns the registry's example fabrics that have cables and at most `most` switches.
fn fabrics(most: usize) -> Vec<Fabric> {
    let specs = tulle_topologies::families().iter().flat_map(|family| family.info.examples);
    let built = specs.filter_map(|spec| tulle_topologies::build(spec, 3).ok());
    let fabrics: Vec<Fabric> =
        built.filter(|fabric| fabric.num_switches() <= most && fabric.num_cables() > 0).collect();
    assert!(fabrics.len() > 20);
    fabrics
}

/// Returns the registry's example routings that can route `fabric`.
fn routings(fabric: &Fabric) -> Vec<Routing> {
    let specs = tulle_routing::schemes().iter().flat_map(|scheme| scheme.info.examples);
    specs.filter_map(|spec| tulle_routing::build(fabric, spec, 1).ok()).collect()
}

/// Returns whether the scheme may refuse a routing with this error message.
fn legal_refusal(scheme: &str, error: &Error) -> bool {
    let text = error.to_string();
    assert!(
        !text.contains('\n') && text.starts_with(scheme.split(':').next().unwrap()) || text.starts_with("one-vc"),
        "{text}"
    );
    let name = scheme.split(':').next().unwrap();
    let room = scheme.contains("vcs=") && text.contains("virtual channels, vcs=")
        || scheme.contains("sls=") && text.contains("service levels, sls=");
    room || match name {
        "one-vc" | "phases" => text.contains("can deadlock"),
        "colouring" => {
            text.contains("has several next switches from") || text.contains("the shortest path from switch")
        }
        _ => false,
    }
}

#[test]
fn every_scheme_leaves_no_cycle() {
    // The fabrics are tested in parallel, because one small fabric does not keep all threads busy.
    let proved = fabrics(24).into_par_iter().map(|fabric| prove_all(&fabric)).reduce(HashMap::new, |mut all, some| {
        some.into_iter().for_each(|(name, count)| *all.entry(name).or_default() += count);
        all
    });
    for scheme in schemes() {
        assert!(proved.get(scheme.name).is_some_and(|&count| count > 40), "{}: {proved:?}", scheme.name);
    }
}

/// Returns, for each scheme, the number of routings of `fabric` that the scheme made free of deadlock. The function verifies each plan.
fn prove_all(fabric: &Fabric) -> HashMap<&'static str, usize> {
    let mut proved: HashMap<&str, usize> = HashMap::new();
    for routing in routings(fabric) {
        let paths = routes(fabric, &routing);
        for scheme in schemes() {
            for (number, spec) in scheme.examples.iter().enumerate() {
                // The first example of every scheme runs on every fabric, further examples only on smaller fabrics.
                if number > 0 && fabric.num_switches() > 12 {
                    continue;
                }
                let name = format!("{} {} {spec}", fabric.spec(), routing.spec());
                let (plan, repaired) = match assign_vcs(fabric, &routing, spec) {
                    Ok(plan) => plan,
                    Err(error) => {
                        assert!(legal_refusal(spec, &error), "{name}: {error}");
                        continue;
                    }
                };
                let anew = repaired.as_ref().map(|repaired| routes(fabric, repaired));
                assert!(acyclic(&waits(fabric, anew.as_ref().unwrap_or(&paths), &plan)), "{name}");
                let used = repaired.as_ref().unwrap_or(&routing);
                plan.certificate().check(fabric, used, &plan).unwrap_or_else(|violation| panic!("{name}: {violation}"));
                assert!(plan.needed_vcs() <= plan.num_vcs() && plan.num_sls() >= 1, "{name}");
                *proved.entry(scheme.name).or_default() += 1;
            }
        }
    }
    proved
}

fn plan(fabric: &Fabric, routing: &Routing, spec: &str) -> VcPlan {
    assign_vcs(fabric, routing, spec).unwrap_or_else(|error| panic!("{spec}: {error}")).0
}

fn build(fabric: &str, routing: &str) -> (Fabric, Routing) {
    let fabric = tulle_topologies::build(fabric, 1).unwrap();
    let routing = tulle_routing::build(&fabric, routing, 1).unwrap();
    (fabric, routing)
}

#[test]
fn one_virtual_channel_is_enough_where_the_papers_say_so() {
    // Sources: Kathareios et al. (SC15) §3.4 (OFT and MLFM with minimal routing); Flattened Clos (NSDI23), §3.2.2 and §2.2 (EDST).
    for (fabric, routing) in [
        ("oft:k=4", "minimal"),
        ("oft:k=6", "minimal"),
        ("mlfm:h=3", "minimal"),
        ("mlfm:h=4,l=2,p=3", "minimal"),
        ("fattree:levels=3,radix=4", "minimal"),
        // A path goes up, crosses a global cable, and goes down. So no channel waits for another channel of the same kind (up, global or
        // down).
        ("megafly:leaves=3", "hierarchical"),
        ("jellyfish:switches=20,degree=4", "edst:trees=1"),
        ("flattenedclos:switches=30,ports=12", "virtual-updown"),
    ] {
        let (fabric, routing) = build(fabric, routing);
        let plan = plan(&fabric, &routing, "one-vc");
        assert_eq!((plan.num_vcs(), plan.needed_vcs(), plan.num_sls(), plan.sls()), (1, 1, 1, &[][..]));
    }
}

#[test]
fn slim_fly_needs_two_virtual_channels_and_names_a_cycle_with_one() {
    let (fabric, routing) = build("slimfly:q=5", "minimal");
    let error = assign_vcs(&fabric, &routing, "one-vc").unwrap_err().to_string();
    assert_eq!(
        error,
        "one-vc: minimal on slimfly:q=5,p=4 can deadlock: (0,0,0)→(0,0,1)→(0,0,2)→(0,0,3)→(0,0,4)→(0,0,0); \
         legal: acyclic routings, for example updown; or a scheme with more virtual channels, for example dfsssp"
    );
    // Slim Fly paper (SC14), §IV-D: minimal paths need 2 virtual channels, and indirect paths need 4. OpenSM's dfsssp needs 2 for q = 5.
    for (spec, vcs) in [("hops", 2), ("dfsssp", 2), ("lash", 2), ("colouring", 2), ("phases:inner=hops", 4)] {
        assert_eq!(plan(&fabric, &routing, spec).num_vcs(), vcs, "{spec}");
    }
    let (fabric, routing) = build("oft:k=4", "minimal");
    assert_eq!(plan(&fabric, &routing, "phases").num_vcs(), 2);
    // Paths use local cables both before and after the global cable, so a single virtual channel can deadlock.
    let (fabric, routing) = build("dragonfly:p=2", "hierarchical");
    assert!(assign_vcs(&fabric, &routing, "one-vc").unwrap_err().to_string().contains("can deadlock"));
    for (spec, vcs) in [("hops", 3), ("dfsssp", 2)] {
        assert_eq!(plan(&fabric, &routing, spec).num_vcs(), vcs, "{spec}");
    }
}

#[test]
fn the_cycle_named_is_one() {
    for spec in ["slimfly:q=5", "torus:shape=4x4", "hyperx:shape=3x3", "hypercube:dimensions=3,p=0"] {
        let (fabric, routing) = build(spec, "random:layers=3,rho=1");
        let Err(cycle) = tulle_deadlock::acyclic(&fabric, &routing).unwrap() else { panic!("{spec} has none") };
        let used: HashSet<(u32, u32)> = waits(&fabric, &routes(&fabric, &routing), &plan(&fabric, &routing, "hops"))
            .iter()
            .map(|&((before, _), (channel, _))| (before, channel))
            .collect();
        let onward = cycle.channels.iter().cycle().skip(1);
        for (&(before, vc), &(channel, _)) in cycle.channels.iter().zip(onward) {
            assert!(
                vc == 0 && used.contains(&(before, channel)),
                "{spec}: channel {before} does not wait for channel {channel}"
            );
        }
        assert!(cycle.name(&fabric).contains(&fabric.label(fabric.sources()[cycle.channels[0].0 as usize])));
    }
}

#[test]
fn hardware_without_room_is_one_line() {
    let (fabric, routing) = build("slimfly:q=5", "almost-minimal:layers=4");
    for (spec, fragment) in [
        ("hops:vcs=2", "slimfly:q=5,p=4 needs 3 virtual channels, vcs=2; legal: vcs=3 to 255"),
        ("dfsssp:vcs=3", "needs 4 virtual channels, vcs=3; legal: vcs=4 to 255"),
        ("lash:sls=3", "needs 4 service levels, sls=3; legal: sls=4 to 255"),
        ("colouring:vcs=2", "needs 3 virtual channels, vcs=2"),
        ("colouring:sls=1", "service levels, sls=1"),
        ("phases:inner=hops,vcs=5", "needs 6 virtual channels, vcs=5"),
        ("one-vc", "can deadlock"),
        ("dfssp", "unknown deadlock scheme 'dfssp'; did you mean dfsssp?"),
        ("", "it does not start with a name"),
    ] {
        let error = assign_vcs(&fabric, &routing, spec).unwrap_err().to_string();
        assert!(error.contains(fragment) && !error.contains('\n'), "{spec}: {error}");
    }
    for scheme in schemes() {
        for (spec, fragment) in scheme.rejects {
            let error = assign_vcs(&fabric, &routing, spec).unwrap_err().to_string();
            assert!(error.contains(fragment) && !error.contains('\n'), "{spec}: {error}");
        }
    }
    // The path around this ring has 299 hops.
    let (ring, tree) = build("torus:shape=300", "edst");
    let error = assign_vcs(&ring, &tree, "hops").unwrap_err().to_string();
    assert!(
        error.contains("needs more than 255 virtual channels, the maximum is 255; legal: another scheme"),
        "{error}"
    );
    let other = tulle_topologies::build("slimfly:q=4", 0).unwrap();
    let error = assign_vcs(&other, &routing, "hops").unwrap_err().to_string();
    assert_eq!(
        error,
        "hops: the routing has 50 switches, but the fabric has 32; legal: the fabric for which the routing was made"
    );
}

#[test]
fn the_same_plan_whatever_the_threads() {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let three = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    for (fabric, routing) in [
        build("slimfly:q=5", "random:layers=4,rho=0.7"),
        build("dragonfly:p=2", "minimal"),
        build("jellyfish:switches=30,degree=5", "ksp:k=4"),
    ] {
        for scheme in schemes() {
            for spec in scheme.examples {
                let make = || assign_vcs(&fabric, &routing, spec).map_err(|error| error.to_string());
                assert_eq!(one.install(make), three.install(make), "{spec}");
            }
        }
    }
}

#[test]
fn paths_are_spread_over_spare_vcs() {
    for (fabric, routing) in [
        build("slimfly:q=5", "almost-minimal:layers=4"),
        build("slimfly:q=7", "balanced"),
        build("slimfly:q=5", "edksp:k=3"),
    ] {
        for spec in ["hops:vcs=8", "dfsssp:vcs=12", "lash:vcs=12", "colouring:vcs=8,sls=16", "phases:inner=lash,vcs=16"]
        {
            let (plan, repaired) = assign_vcs(&fabric, &routing, spec).unwrap();
            let used = repaired.as_ref().unwrap_or(&routing);
            let mut hops = vec![0u64; plan.num_vcs()];
            for source in senders(&fabric) {
                for destination in senders(&fabric).into_iter().filter(|&destination| destination != source) {
                    for layer in layers(used, source, destination) {
                        for path in all_paths(&fabric, used, layer, source, destination) {
                            for (hop, &channel) in path.iter().enumerate() {
                                let switch = fabric.sources()[channel as usize];
                                hops[usize::from(plan.vc(layer, source, destination, hop, switch))] += 1;
                            }
                        }
                    }
                }
            }
            let hops = &hops[..plan.num_vcs() / usize::from(plan.num_phases())];
            let vcs: usize = spec.split("vcs=").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
            assert_eq!(plan.num_vcs(), vcs, "{spec}");
            // Few paths have a third or fourth hop. Still, no virtual channel has more than twice the mean number of hops.
            let (most, all) = (hops.iter().max().unwrap(), hops.iter().sum::<u64>());
            assert!(most * hops.len() as u64 <= 2 * all, "{} {spec}: {hops:?}", routing.spec());
        }
    }
}

#[test]
fn sl_to_vl_tables_lead_along_the_plan() {
    let (fabric, routing) = build("slimfly:q=5", "almost-minimal:layers=4");
    for spec in ["colouring", "colouring:vcs=8,sls=16", "dfsssp:vcs=8", "lash"] {
        let plan = plan(&fabric, &routing, spec);
        let (mut hops, mut on_other_vc) = (0, 0);
        for source in senders(&fabric) {
            for destination in senders(&fabric).into_iter().filter(|&destination| destination != source) {
                for layer in 0..4 {
                    let sl = plan.sl(layer, source, destination);
                    assert!(usize::from(sl) < plan.num_sls());
                    let path = tulle_routing::path(&fabric, &routing.layers()[layer as usize], source, destination);
                    for (hop, &channel) in path.iter().enumerate() {
                        let switch = fabric.sources()[channel as usize];
                        let vl = plan.sl_to_vl(switch, hop == 0, sl);
                        assert_eq!(vl, Some(plan.vc(layer, source, destination, hop, switch)), "{spec}");
                        (hops, on_other_vc) = (hops + 1, on_other_vc + usize::from(vl > Some(0)));
                    }
                }
            }
        }
        assert!(on_other_vc > hops / 4, "{spec}: only {on_other_vc} of {hops} hops use a virtual channel other than 0");
    }
    assert_eq!(plan(&fabric, &routing, "hops").sl_to_vl(0, false, 0), None);
}

#[test]
fn colouring_shortens_long_paths_or_names_the_pair() {
    // Both routings have paths of more than three hops. The first has layers with few links, and the second has twelve paths per pair, some
    // of which are long.
    for (fabric, routing) in [build("slimfly:q=5", "random:layers=4,rho=0.4"), build("slimfly:q=5", "ksp:k=12")] {
        let (plan, repaired) = assign_vcs(&fabric, &routing, "colouring").unwrap();
        let repaired = repaired.expect("paths were too long");
        assert_eq!((plan.num_vcs(), repaired.num_switches()), (3, 50));
        repaired.layers().iter().for_each(|table| tulle_routing::verify(&fabric, table).unwrap());
        let mut kept = 0;
        for source in 0..50 {
            for destination in (0..50).filter(|&destination| destination != source) {
                let (before, after) =
                    (routing.paths(&fabric, source, destination), repaired.paths(&fabric, source, destination));
                assert!(!after.is_empty() && after.iter().all(|path| path.len() <= 3));
                for (at, path) in before.iter().enumerate().filter(|(_, path)| path.len() <= 3) {
                    kept += usize::from(if routing.path_set().is_some() {
                        after.contains(path)
                    } else {
                        after[at] == *path
                    });
                }
            }
        }
        assert!(kept > 5000, "{}: {kept} paths stay", routing.spec());
    }
    let (fabric, routing) = build("torus:shape=4x4", "balanced");
    let error = assign_vcs(&fabric, &routing, "colouring").unwrap_err().to_string();
    assert_eq!(
        error,
        "colouring: the shortest path from switch (2,2) to (0,0) has 4 hops; legal: pairs of switches with endpoints at \
         most 3 hops apart"
    );
    let (fabric, routing) = build("torus:shape=4x4", "minimal");
    let error = assign_vcs(&fabric, &routing, "colouring").unwrap_err().to_string();
    assert!(error.contains("layer 0 of minimal has several next switches from switch (0,0) toward (0,2)"), "{error}");
}

#[test]
fn a_routing_that_leads_nowhere_is_refused() {
    let fabric = tulle_topologies::build("clique:degree=3", 0).unwrap();
    let mut builder = tulle_routing::TableBuilder::new(&fabric);
    for switch in 0..4u32 {
        for destination in (0..4u32).filter(|&destination| destination != switch) {
            // Toward switch 3, switches 0 and 1 send packets to each other.
            let via = if destination == 3 && switch < 2 { 1 - switch } else { destination };
            let port = fabric.neighbours(switch).iter().position(|&next| next == via).unwrap();
            builder.set(switch, destination, &[port as u16]);
        }
    }
    let looped = Routing::new("file".to_owned(), Routes::Layers(vec![builder.finish()]));
    let missing =
        Routing::new("file".to_owned(), Routes::Layers(vec![tulle_routing::TableBuilder::new(&fabric).finish()]));
    for scheme in schemes() {
        let error = assign_vcs(&fabric, &looped, scheme.name).unwrap_err().to_string();
        assert!(error.contains("can loop through switch") || error.contains("can deadlock: 0→1→0"), "{error}");
        let error = assign_vcs(&fabric, &missing, scheme.name).unwrap_err().to_string();
        assert!(error.contains("no next hop toward"), "{error}");
    }
}
