//! Follows the paths in written files as switches forward packets, and compares the paths with the routing and its plan.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use tulle_base::acyclic;
use tulle_deadlock::{VcPlan, assign_vcs};
use tulle_deploy::infiniband::{Before, Deployment, Owner, Parts, changes, read_lfts, write_lfts, write_sl2vl};
use tulle_fabric::Fabric;
use tulle_routing::Routing;

/// The content of the two files, by GUID.
struct Files {
    lfts: HashMap<u64, BTreeMap<u16, u8>>,
    slvl: HashMap<(u64, u32, u32), Vec<u8>>,
    psl: HashMap<u64, Vec<u8>>,
}

fn file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("tulle-deploy-{}-{name}", std::process::id()))
}

fn guid(text: &str) -> u64 {
    u64::from_str_radix(text.strip_prefix("0x").unwrap(), 16).unwrap()
}

fn written(deployment: &Deployment, name: &str, compact: bool) -> Files {
    let [lfts, sl2vl] = ["lfts", "sl2vl"].map(|kind| file(&format!("{name}-{kind}-{compact}")));
    write_lfts(deployment, &lfts, compact).unwrap();
    write_sl2vl(deployment, &sl2vl).unwrap();
    let mut files = Files { lfts: HashMap::new(), slvl: HashMap::new(), psl: HashMap::new() };
    let mut switch = 0;
    for line in std::fs::read_to_string(&lfts).unwrap().lines().filter(|line| !line.is_empty()) {
        if line.starts_with("Unicast") {
            switch = guid(line.split(" guid ").nth(1).unwrap().split(' ').next().unwrap());
            continue;
        }
        let words: Vec<&str> = line.split(' ').collect();
        let table = files.lfts.entry(switch).or_default();
        assert_eq!(table.insert(guid(words[0]) as u16, words[1].parse().unwrap()), None);
        assert_eq!(words.len() == 2, compact, "{line}");
    }
    for line in std::fs::read_to_string(&sl2vl).unwrap().lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "slvl" => {
                let vls: Vec<u8> = words[4..].iter().map(|vl| vl.parse().unwrap()).collect();
                assert_eq!(vls.len(), 16);
                let place = (guid(words[1]), words[2].parse().unwrap(), words[3].parse().unwrap());
                assert_eq!(files.slvl.insert(place, vls), None, "{line}");
            }
            "psl" => {
                let levels = words[2].chars().map(|digit| digit.to_digit(16).unwrap() as u8).collect();
                assert_eq!(files.psl.insert(guid(words[1]), levels), None, "{line}");
            }
            _ => panic!("{line}"),
        }
    }
    let guids: Vec<u64> = deployment.subnet().switches.iter().map(|address| address.node_guid).collect();
    assert_eq!(&read_lfts(&lfts, &guids).unwrap(), deployment.tables());
    for path in [lfts, sl2vl] {
        std::fs::remove_file(path).unwrap();
    }
    files
}

/// Follows every path, using only the files. Returns the number of (switch, endpoint) pairs by layer and number of hops.
fn walk(fabric: &Fabric, routing: &Routing, plan: &VcPlan, deployment: &Deployment, files: &Files) -> Vec<Vec<u64>> {
    let subnet = deployment.subnet();
    let mut leads: HashMap<(u32, u32), u32> = HashMap::new();
    for (channel, &port) in (0..).zip(&subnet.ports) {
        leads.insert((fabric.sources()[channel as usize], port), channel);
    }
    let node = |channel: u32, vl: u8| (channel * 16 + u32::from(vl)) as usize;
    let mut graph = vec![BTreeSet::new(); fabric.num_channels() * 16];
    let mut hops = vec![Vec::new(); routing.num_layers()];
    let owners = deployment.lids().owners();
    for source in fabric.endpoint_switches() {
        let sender = fabric.endpoints_of(source)[0] as usize;
        let levels = &files.psl[&subnet.switches[source as usize].node_guid];
        assert_eq!(levels.len(), owners.len());
        for (lid, owner) in owners.iter().enumerate() {
            let Owner::Endpoint { endpoint, offset } = *owner else { continue };
            let (layer, destination) = (deployment.layer(offset), fabric.endpoint_switch()[endpoint as usize]);
            let sl = usize::from(levels[lid]);
            let (mut at, mut from, mut before, mut count) = (source, subnet.endpoint_ports[sender], None, 0);
            loop {
                let guid = subnet.switches[at as usize].node_guid;
                let to = u32::from(files.lfts[&guid][&(lid as u16)]);
                let Some(&channel) = leads.get(&(at, to)) else {
                    assert_eq!((at, to), (destination, subnet.endpoint_ports[endpoint as usize]));
                    break;
                };
                let place = channel - fabric.offsets()[at as usize];
                let legal = routing.layers()[layer as usize].next(at, destination);
                assert!(legal.contains(&(place as u16)));
                let vl = files.slvl[&(guid, from, to)][sl];
                assert_eq!(vl, plan.vc(layer, source, destination, count, at));
                if let Some(before) = before.replace((channel, vl)) {
                    let (channel_before, vl_before) = before;
                    graph[node(channel_before, vl_before)].insert(node(channel, vl) as u32);
                }
                from = subnet.ports[fabric.reverse()[channel as usize] as usize];
                at = fabric.targets()[channel as usize];
                count += 1;
                assert!(count <= fabric.num_switches());
            }
            if source != destination && usize::from(offset) < routing.num_layers() {
                let counts: &mut Vec<u64> = &mut hops[usize::from(offset)];
                counts.resize(counts.len().max(count + 1), 0);
                counts[count] += 1;
            }
        }
    }
    let graph: Vec<Vec<u32>> = graph.into_iter().map(|after| after.into_iter().collect()).collect();
    assert_eq!(acyclic::cycle(&graph[..]), None);
    hops
}

fn deployed(spec: &str, routing: &str, scheme: &str, lmc: u8, vls: u8) -> Result<(Parts, Deployment), String> {
    let fabric = tulle_topologies::build(spec, 1).unwrap();
    let routing = tulle_routing::build(&fabric, routing, 1).unwrap();
    let (plan, repaired) = assign_vcs(&fabric, &routing, scheme).unwrap();
    let routing = Arc::new(repaired.unwrap_or(routing));
    let parts = Parts { fabric: Arc::new(fabric), routing, plan: Arc::new(plan) };
    let deployment = Deployment::new(parts.clone(), lmc, vls).map_err(|error| error.to_string())?;
    Ok((parts, deployment))
}

fn check(spec: &str, routing: &str, scheme: &str, lmc: u8) -> Vec<Vec<u64>> {
    let (parts, deployment) = deployed(spec, routing, scheme, lmc, 8).unwrap();
    let Parts { fabric, routing, plan } = parts.clone();
    let name = format!("{}-{scheme}", spec.split(':').next().unwrap());
    let files = written(&deployment, &name, false);
    let hops = walk(&fabric, &routing, &plan, &deployment, &files);
    assert_eq!(deployment.walk().unwrap().hops, hops);
    assert_eq!(written(&deployment, &name, true).lfts, files.lfts);
    // A deployment on a fabric that has these addresses already changes nothing.
    let addressed = Arc::new(deployment.addressed());
    let again = Deployment::new(Parts { fabric: addressed, ..parts }, lmc, 8).unwrap();
    assert_eq!((again.lids(), again.tables()), (deployment.lids(), deployment.tables()));
    let switches: Vec<u32> = (0..fabric.num_switches() as u32).collect();
    assert!(changes(Before { tables: deployment.tables(), switches: &switches }, again.tables()).is_empty());
    hops
}

#[test]
fn slim_fly_by_colouring_and_by_dfsssp() {
    for scheme in ["colouring", "dfsssp"] {
        let hops = check("slimfly:q=5", "almost-minimal:layers=4", scheme, 2);
        // Each of the 50 switches has paths to the 196 endpoints at other switches.
        assert!(hops.iter().all(|counts| counts.iter().sum::<u64>() == 9800), "{hops:?}");
    }
}

#[test]
fn rows_of_slim_fly_are_all_there() {
    let (_, deployment) = deployed("slimfly:q=5", "almost-minimal:layers=4", "colouring", 2, 8).unwrap();
    let files = written(&deployment, "rows", true);
    // Every switch has entries for the LIDs of 50 switches, and for 4 LIDs of each of the 200 adapters.
    assert_eq!(files.lfts.values().map(BTreeMap::len).sum::<usize>(), 42_500);
    // Each switch has 12 input ports (with the management port) times 11 output ports, and one row for each combination. Each adapter has
    // one row.
    assert_eq!(files.slvl.len(), 50 * 12 * 11 + 200);
    assert_eq!(files.psl.len(), 50);
}

#[test]
fn trees_groups_and_random_graphs() {
    for (spec, routing, scheme, lmc) in [
        ("fattree:levels=2,radix=16", "minimal", "one-vc", 1),
        ("fattree:levels=3,radix=6", "minimal", "dfsssp", 2),
        ("dragonfly:p=2", "almost-minimal:layers=2", "dfsssp", 1),
        ("jellyfish:switches=50,degree=6,p=3", "random:layers=4,rho=0.7", "dfsssp", 2),
        ("jellyfish:switches=50,degree=6,p=3", "almost-minimal:layers=2", "lash", 1),
    ] {
        check(spec, routing, scheme, lmc);
    }
}

#[test]
fn plans_that_exceed_the_hardware_are_refused() {
    for (spec, routing, scheme, lmc, vls, expected) in [
        (
            "slimfly:q=5",
            "almost-minimal:layers=4",
            "dfsssp",
            1,
            8,
            "has 4 layers, but lmc=1 gives an adapter port only 2 LIDs",
        ),
        ("slimfly:q=5", "ksp:k=2", "dfsssp", 1, 8, "has explicit paths, which switches that forward by destination"),
        ("slimfly:q=5", "almost-minimal:layers=4", "hops", 2, 8, "which InfiniBand switches do not know"),
        ("slimfly:q=5", "almost-minimal:layers=4", "dfsssp", 2, 1, "VLs, but ports have vls=1"),
        ("slimfly:q=5", "almost-minimal:layers=4", "dfsssp", 2, 3, "vls=3 is not a number of data VLs"),
    ] {
        let error = deployed(spec, routing, scheme, lmc, vls).unwrap_err();
        assert!(error.contains(expected), "{error}");
        assert_eq!(error.lines().count(), 1);
    }
}

#[test]
fn files_that_are_no_tables_are_refused() {
    let path = file("bad");
    for (text, expected) in [
        ("0x0001 001\n", "1: an entry before the first switch"),
        ("Unicast lids [0-1] of switch Lid 1 guid 0x5 ('a'):\n0x0001 900\n", "2: '0x0001 900'"),
        ("Unicast lids [0-1] of switch Lid 1 guid 0x7 ('a'):\n", "1: switch 0x0000000000000007 is not in the fabric"),
        ("Unicast lids [0-1] of switch Lid 1 guid 0x5 ('a'):\n0x0001\n", "is not an entry"),
        ("\n", "1: no table of switch 0x0000000000000005"),
        (
            "Unicast lids of switch guid 0x5 \nUnicast lids of switch guid 0x5 \n",
            "2: switch 0x0000000000000005 occurs twice",
        ),
    ] {
        std::fs::write(&path, text).unwrap();
        let error = read_lfts(&path, &[5]).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    std::fs::remove_file(path).unwrap();
}
