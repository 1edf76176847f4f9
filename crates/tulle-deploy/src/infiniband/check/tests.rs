//! Tests the check of a deployment: its counts, and its errors after tables, virtual lanes or plans were changed by hand.

use std::collections::HashSet;
use std::sync::Arc;

use tulle_deadlock::assign_vcs;
use tulle_fabric::Fabric;
use tulle_routing::{Routes, Routing, TableBuilder};

use super::super::{Before, NO_PORT, Parts, Tables, changes};
use super::*;

/// Returns a fabric without parallel cables and its routing. Each layer is a list of entries (switch, destination, next switches).
fn layers(spec: &str, layers: &[&[(u32, u32, &[u32])]]) -> (Fabric, Routing) {
    let fabric = tulle_topologies::build(spec, 0).unwrap();
    let tables = layers.iter().map(|entries| {
        let mut table = TableBuilder::new(&fabric);
        for &(switch, destination, next) in *entries {
            let neighbours = fabric.neighbours(switch);
            let port = |next: &u32| neighbours.iter().position(|to| to == next).unwrap() as u16;
            table.set(switch, destination, &next.iter().map(port).collect::<Vec<_>>());
        }
        table.finish()
    });
    let routes = Routes::Layers(tables.collect());
    (fabric, Routing::new("by hand".to_owned(), routes))
}

fn deploy(fabric: Fabric, routing: Routing, scheme: &str, lmc: u8, vls: u8) -> Deployment {
    let (plan, repaired) = assign_vcs(&fabric, &routing, scheme).unwrap();
    assert!(repaired.is_none());
    let parts = Parts { fabric: Arc::new(fabric), routing: Arc::new(routing), plan: Arc::new(plan) };
    Deployment::new(parts, lmc, vls).unwrap()
}

/// Deploys three switches in a row (LIDs 1 to 3) with one endpoint each (LIDs 4 to 6).
fn row_of_three() -> Deployment {
    let fabric = tulle_topologies::build("mesh:shape=3", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    deploy(fabric, routing, "one-vc", 0, 1)
}

/// Deploys a triangle of switches. In layer 0, all paths use the direct cable. In layer 1, half of the paths cross the third switch.
fn triangle() -> Deployment {
    let straight: Vec<(u32, u32, &[u32])> =
        vec![(0, 1, &[1]), (0, 2, &[2]), (1, 0, &[0]), (1, 2, &[2]), (2, 0, &[0]), (2, 1, &[1])];
    let around: Vec<(u32, u32, &[u32])> =
        vec![(1, 0, &[0]), (2, 0, &[1]), (2, 1, &[1]), (0, 1, &[2]), (0, 2, &[2]), (1, 2, &[0])];
    let (fabric, routing) = layers("clique:degree=2,p=1", &[&straight, &around]);
    deploy(fabric, routing, "dfsssp", 1, 4)
}

/// Returns the deployment with a different port in the entry for `lid` at `switch`.
fn with_port(mut deployment: Deployment, switch: usize, lid: usize, port: u8) -> Deployment {
    let lids = deployment.tables.lids();
    let mut ports = deployment.tables.ports().to_vec();
    assert_ne!(std::mem::replace(&mut ports[switch * lids + lid], port), port);
    deployment.tables = Tables::from_ports(lids, ports);
    deployment
}

fn refused(deployment: &Deployment) -> String {
    deployment.walk().unwrap_err().to_string()
}

#[test]
fn a_row_of_three_has_the_tables_of_paper_and_pencil() {
    let deployment = row_of_three();
    const NO: u8 = NO_PORT;
    // Network ports have the lowest numbers, in the order of neighbours; the endpoint's port follows.
    let rows: [[u8; 7]; 3] = [[NO, 0, 1, 1, 2, 1, 1], [NO, 1, 0, 2, 1, 3, 2], [NO, 1, 1, 0, 1, 1, 2]];
    assert_eq!(deployment.tables.ports(), rows.concat());
    // Four pairs of switches are adjacent; the paths of the two remaining pairs cross the middle switch.
    let walked = Walked { paths: 6, hops: vec![vec![0, 4, 2]], dependencies: 2 };
    assert_eq!(deployment.walk().unwrap(), walked);
}

#[test]
fn every_lid_is_a_path_and_every_layer_is_counted_once() {
    // Adapter ports have two LIDs, but the routing has only one layer. Two switches have paths to two remote adapters each.
    let fabric = tulle_topologies::build("mesh:shape=2,p=2", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let walked = deploy(fabric, routing, "one-vc", 1, 1).walk().unwrap();
    assert_eq!(walked, Walked { paths: 8, hops: vec![vec![0, 4]], dependencies: 0 });
    // In layer 1 of the triangle, half of the pairs have paths of two hops over a third switch.
    let walked = triangle().walk().unwrap();
    assert_eq!(walked, Walked { paths: 12, hops: vec![vec![0, 6], vec![0, 3, 3]], dependencies: 3 });
}

#[test]
fn entries_that_lead_nowhere_are_refused() {
    // LID 6 belongs to the endpoint at switch 2. No switch has a port with number 9.
    for (port, problem) in
        [(NO_PORT, "the table has no port for the LID"), (9, "port 9 does not lead to another switch")]
    {
        let error = refused(&with_port(row_of_three(), 0, 6, port));
        assert_eq!(error, format!("from switch (0) to LID 6: at switch (0) {problem}"));
    }
    // The error names the path from switch 0, because it is the first path that crosses switch 1.
    let error = refused(&with_port(row_of_three(), 1, 6, NO_PORT));
    assert_eq!(error, "from switch (0) to LID 6: at switch (1) the table has no port for the LID");
}

#[test]
fn the_last_port_is_the_adapters() {
    // Port 3 of switch 1 leads to its own endpoint, which has LID 5.
    let error = refused(&with_port(row_of_three(), 1, 5, 2));
    assert_eq!(error, "from switch (0) to LID 5: at switch (1) port 2 does not lead to the adapter of the LID");
}

#[test]
fn ports_of_another_layer_are_refused() {
    let deployment = triangle();
    // Switches have LIDs 1 to 3. Endpoints have two LIDs each, starting with LID 4. From switch 2 to switch 0, layer 0 uses port 1 and
    // layer 1 uses port 2.
    assert_eq!([4, 5].map(|lid| deployment.tables.row(2)[lid]), [1, 2]);
    let error = refused(&with_port(triangle(), 2, 5, 1));
    assert_eq!(error, "from switch 2 to LID 5: at switch 2 port 1 is not a next hop of layer 1");
    let error = refused(&with_port(deployment, 2, 4, 2));
    assert_eq!(error, "from switch 2 to LID 4: at switch 2 port 2 is not a next hop of layer 0");
}

#[test]
fn lanes_that_are_not_the_plans_are_refused() {
    // The plan has one virtual lane per hop, but the tables have only one VL.
    let mut deployment = row_of_three();
    let (hops, _) = assign_vcs(&deployment.parts.fabric, &deployment.parts.routing, "hops").unwrap();
    deployment.parts.plan = Arc::new(hops);
    assert_eq!([0, 1].map(|hop| deployment.parts.plan.vc(0, 0, 2, hop, hop as u32)), [0, 1]);
    let error = refused(&deployment);
    assert_eq!(error, "from switch (0) to LID 6: at switch (1) SL 0 gets VL 0, which differs from the plan");
}

#[test]
fn paths_that_go_around_for_ever_are_refused() {
    // The routing itself contains a loop: toward switch 2, switches 0 and 1 forward to each other.
    let entries: &[(u32, u32, &[u32])] =
        &[(0, 2, &[1]), (1, 2, &[0]), (1, 0, &[0]), (2, 0, &[1]), (0, 1, &[1]), (2, 1, &[1])];
    let (fabric, routing) = layers("mesh:shape=3", &[entries]);
    let sound = row_of_three();
    let parts = Parts { fabric: Arc::new(fabric), routing: Arc::new(routing), plan: Arc::clone(&sound.parts.plan) };
    let error = refused(&Deployment::new(parts, 0, 1).unwrap());
    // The check stops when a path has more hops than the fabric has switches, which are three.
    assert_eq!(error, "from switch (0) to LID 6: at switch (0) packets loop for ever");
}

#[test]
fn packets_that_wait_in_a_circle_are_refused() {
    // All paths are clockwise and use one virtual lane. The plan was made for a different routing, so its proof does not exclude a cycle.
    let clockwise: &[(u32, u32, &[u32])] =
        &[(0, 1, &[1]), (0, 2, &[1]), (1, 2, &[2]), (1, 0, &[2]), (2, 0, &[0]), (2, 1, &[0])];
    let (fabric, routing) = layers("clique:degree=2,p=1", &[clockwise]);
    let minimal = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let (plan, _) = assign_vcs(&fabric, &minimal, "one-vc").unwrap();
    let parts = Parts { fabric: Arc::new(fabric), routing: Arc::new(routing), plan: Arc::new(plan) };
    let error = refused(&Deployment::new(parts, 0, 1).unwrap());
    let (before, names) = error.split_once(": ").unwrap();
    assert_eq!(before, "the tables can deadlock");
    let mut names: Vec<&str> = names.strip_suffix(" wait in a cycle").unwrap().split(", ").collect();
    names.sort_unstable();
    assert_eq!(names, ["0 on VL 0", "1 on VL 0", "2 on VL 0"]);
}

#[test]
fn changes_are_the_entries_that_differ() {
    let (old, new) = (row_of_three(), with_port(row_of_three(), 1, 6, 3));
    let before = Before { tables: old.tables(), switches: &[0, 1, 2] };
    let found: Vec<_> =
        changes(before, new.tables()).iter().map(|one| (one.switch, one.lid, one.old, one.new)).collect();
    assert_eq!(found, [(1, 6, 2, 3)]);
    // A LID that exists in only one of two tables has no port in the table that lacks it. The changes contain switch ids of the new tables.
    let short = Tables::from_ports(1, vec![NO_PORT, 0]);
    let long = Tables::from_ports(2, vec![NO_PORT, 7]);
    let two = changes(Before { tables: &short, switches: &[1] }, &long);
    let found: Vec<_> = two.iter().map(|one| (one.switch, one.lid, one.old, one.new)).collect();
    assert_eq!(found, [(0, 0, 0, NO_PORT), (0, 1, NO_PORT, 7)]);
}

#[test]
fn dependencies_are_those_of_all_paths() {
    for (spec, scheme) in [("slimfly:q=5", "colouring"), ("mesh:shape=3x4,p=2", "dfsssp")] {
        let fabric = tulle_topologies::build(spec, 0).unwrap();
        let routing = tulle_routing::build(&fabric, "almost-minimal:layers=2", 0).unwrap();
        let deployment = deploy(fabric, routing, scheme, 1, 8);
        let Parts { fabric, plan, .. } = deployment.parts();
        // The test follows every path again, using only the ports.
        let (mut expected, mut paths) = (HashSet::new(), 0);
        for source in 0..fabric.num_switches() as u32 {
            for (lid, owner) in deployment.lids.owners().into_iter().enumerate() {
                let Owner::Endpoint { endpoint, offset } = owner else { continue };
                let destination = fabric.endpoint_switch()[endpoint as usize];
                let (mut at, mut hop, mut before) = (source, 0, None);
                while at != destination {
                    let port = u32::from(deployment.tables.row(at)[lid]);
                    let mut channels = fabric.channels_of(at);
                    let channel = channels.find(|&channel| deployment.subnet.ports[channel] == port).unwrap();
                    let here = (channel, plan.vc(offset.into(), source, destination, hop, at));
                    before.replace(here).map(|before| expected.insert((before, here)));
                    (at, hop) = (fabric.targets()[channel], hop + 1);
                }
                paths += u64::from(source != destination);
            }
        }
        let walked = deployment.walk().unwrap();
        assert!(walked.dependencies > 0);
        assert_eq!((walked.paths, walked.dependencies), (paths, expected.len() as u64), "{spec}");
    }
}

#[test]
fn dependencies_lead_from_channel_and_lane_to_channel_and_lane() {
    // Channels are numbered by switch: channels 0 and 1 lead from switch 0 to switches 1 and 2, channels 2 and 3 leave switch 1.
    let fabric = tulle_topologies::build("clique:degree=2,p=1", 0).unwrap();
    let dependencies = Dependencies::new(&fabric, 2);
    assert_eq!((dependencies.num_nodes(), dependencies.count()), (12, 0));
    for (before, after) in [((0, 1), (3, 0)), ((0, 1), (3, 1)), ((0, 0), (2, 1)), ((3, 1), (4, 0)), ((0, 1), (3, 0))] {
        dependencies.add(before, after);
    }
    let successors = |node| {
        let mut found = Vec::new();
        dependencies.successors(node, |after| found.push(after));
        found
    };
    // Nodes have the number 2 · channel + lane.
    assert_eq!((successors(1), successors(0), successors(7)), (vec![6, 7], vec![5], vec![8]));
    let all: usize = (0..12).map(|node| successors(node).len()).sum();
    assert_eq!((all, dependencies.count()), (4, 4));
}
