//! Tests of network files. A file that tulle wrote gives the same graph when it is read. A note names each property that the format cannot
//! store. No write leaves an incomplete file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::data::enter_data_folder;
use crate::files::{folder, read};
use crate::support::check;
use tulle_fabric::{Error, Fabric, FabricBuilder, Faults, Link};
use tulle_topologies::{build, families};

/// Writes `fabric` to a file and returns the fabric that the file describes.
fn again(fabric: &Fabric, path: &Path) -> Fabric {
    let written = tulle_formats::write(fabric, path, None).unwrap();
    assert!(written.iter().all(|path| path.exists()));
    read(path, written.get(1).map(PathBuf::as_path)).unwrap_or_else(|error| panic!("{}: {error}", fabric.spec()))
}

fn assert_same_graph(fabric: &Fabric, other: &Fabric) {
    let spec = fabric.spec();
    assert_eq!(fabric.offsets(), other.offsets(), "{spec}");
    assert_eq!(fabric.targets(), other.targets(), "{spec}");
    assert_eq!(fabric.reverse(), other.reverse(), "{spec}");
    assert_eq!(fabric.endpoint_switch(), other.endpoint_switch(), "{spec}");
}

/// The names of all formats that tulle can write.
fn words() -> Vec<&'static str> {
    tulle_formats::described().into_iter().filter(|format| format.is_written).map(|format| format.word).collect()
}

/// Writes `fabric` in a format and reads it back; returns the error message if the format refuses the fabric.
fn again_as(fabric: &Fabric, folder: &Path, word: &str) -> Result<Fabric, String> {
    let path = folder.join(format!("x-{word}"));
    let written = tulle_formats::write(fabric, &path, Some(word)).map_err(|error| error.to_string())?;
    let nodes = written.get(1).map(|nodes| format!(",nodes={}", nodes.display())).unwrap_or_default();
    let spec = format!("file:edges={},format={word}{nodes}", path.display());
    Ok(build(&spec, 0).unwrap_or_else(|error| panic!("{}: {error}", fabric.spec())))
}

#[test]
fn written_files_read_back() {
    enter_data_folder();
    let folder = folder("round-trip");
    let examples: Vec<&str> = families().iter().flat_map(|entry| entry.info.examples).copied().collect();
    // Writing waits for the disk, so more threads than processors are useful.
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for number in 0..8 {
            let (folder, next, examples) = (folder.join(number.to_string()), &next, &examples);
            fs::create_dir_all(&folder).unwrap();
            scope.spawn(move || {
                while let Some(example) = examples.get(next.fetch_add(1, Ordering::Relaxed)) {
                    reads_back(example, &folder);
                }
                let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
                assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".tmp")), "{left:?}");
            });
        }
    });
}

/// Writes a fabric in all formats to a folder, reads each file, and compares the result with the fabric. Repeats this for the fabric with
/// failures, and with rates and latencies.
fn reads_back(example: &str, folder: &Path) {
    let whole = build(example, 1).unwrap();
    let faults = if whole.num_switches() > 1 { "links=40%,switches=1" } else { "links=40%" };
    let damaged = whole.without(&faults.parse().unwrap(), 2).unwrap();
    let timed = whole.with_links(&["all:rate=100Gbps,latency=1us".parse().unwrap()]).unwrap();
    for fabric in [&whole, &damaged, &timed] {
        // Only these formats get fabrics with rates and latencies; `links_names_and_levels_are_kept` tests other formats with them.
        let with_links = |word: &&str| ["hpcc", "ibnetdiscover", "fabric"].contains(word);
        for word in words().into_iter().filter(|word| fabric.links().is_none() || with_links(word)) {
            match again_as(fabric, folder, word) {
                // Switches without cables and endpoints are left out, except in tulle's own format.
                Ok(other) if other.num_switches() < fabric.num_switches() && word != "fabric" => {
                    let bare = |&switch: &u32| fabric.degree(switch) + fabric.endpoints_of(switch).len() == 0;
                    let left_out = (0..fabric.num_switches() as u32).filter(bare).count();
                    assert_eq!(other.num_switches() + left_out, fabric.num_switches(), "{example}");
                    assert_eq!(other.num_cables(), fabric.num_cables(), "{example}");
                    assert!(other.warnings().iter().any(|line| line.contains("without cables and endpoints")));
                }
                Ok(other) => {
                    assert_same_graph(fabric, &other);
                    check(&other, &tulle_topologies::families::member(other.spec()).unwrap().1.expect(), false);
                    if word == "fabric" {
                        assert_eq!(description(&other), description(fabric), "{example}");
                    }
                }
                Err(why) => {
                    let legal = [
                        ("graphml", "legal: endpoints numbered switch by switch"),
                        ("hpcc", "has no rate or no latency"),
                        ("anynet", "only one cable between two routers"),
                        ("ibnetdiscover", "legal in InfiniBand: 1 to 254"),
                    ];
                    assert!(legal.iter().any(|(of, end)| *of == word && why.contains(end)), "{example}: {why}");
                }
            }
        }
    }
}

#[test]
fn labels_are_kept_where_they_can_be() {
    enter_data_folder();
    let folder = folder("labels");
    let named = build("file:edges=named.csv,nodes=named.nodes.csv", 0).unwrap();
    let labels = |fabric: &Fabric| (0..fabric.num_switches() as u32).map(|s| fabric.label(s)).collect::<Vec<_>>();
    assert_eq!(labels(&named), ["leaf10", "leaf2", "spine,2", "spine1"]);
    assert_eq!(named.endpoint_switch(), [1, 0], "n0 before n1");
    assert_eq!(named.num_cables(), 5, "parallel cables are kept");
    for name in ["x.csv", "x.edges", "x.graphml"] {
        // GraphML numbers endpoints switch by switch. The fabric `named` does not, so this test uses another fabric.
        let fabric = if name == "x.graphml" { build("file:edges=named.csv", 0).unwrap() } else { named.clone() };
        let other = again(&fabric, &folder.join(name));
        assert_same_graph(&fabric, &other);
        assert_eq!(labels(&other), labels(&fabric), "{name}");
    }
    let faults: Faults = "switches=ids:1".parse().unwrap();
    let damaged = build("clique:degree=3", 0).unwrap().without(&faults, 0).unwrap();
    assert_eq!(labels(&again(&damaged, &folder.join("y.csv"))), ["0", "2", "3"], "names from before the damage");
}

#[test]
fn the_order_of_lines_does_not_matter() {
    let folder = folder("order");
    fs::write(folder.join("a.edges"), "10 2\nx 10\n2 x\n").unwrap();
    fs::write(folder.join("b.edges"), "2 x\r\n10 x # again\r\n\r\n2 10").unwrap();
    let [a, b] = ["a.edges", "b.edges"].map(|name| read(&folder.join(name), None).unwrap());
    assert_same_graph(&a, &b);
    assert_eq!([a.label(0), a.label(1), a.label(2)], ["2", "10", "x"]);
}

/// Returns the warnings about a file with this content, without its path.
fn warnings(path: &Path, content: &str) -> Vec<String> {
    fs::write(path, content).unwrap();
    let fabric = read(path, None).unwrap_or_else(|error| panic!("{content:?}: {error}"));
    let damaged = fabric.without(&"links=0".parse().unwrap(), 0).unwrap();
    assert_eq!(damaged.warnings(), fabric.warnings());
    let start = format!("{}: ", path.display());
    fabric.warnings().iter().map(|warning| warning.strip_prefix(&start).unwrap().to_owned()).collect()
}

#[test]
fn a_column_with_and_without_units_is_an_error() {
    let folder = folder("units");
    let csv = folder.join("x.csv");
    for (content, place, problem) in [
        ("a,b,rate\nl1,s1,100Gbps\nl2,s1,100\n", (3, 7), "rate '100' has no unit; did you mean 100Gbps or 100Mbps?"),
        ("a,b,length\nl1,s1,3\nl2,s1,2m\n", (3, 7), "length '2m' has a unit, but '3' above has none"),
        ("a,b,rate\nl1,s1,100Gbps\nl2,s1,nan\n", (3, 7), "rate 'nan'"),
    ] {
        fs::write(&csv, content).unwrap();
        match read(&csv, None) {
            Err(Error::Format { line, column, problem: said, .. }) => {
                assert_eq!((line, column), place, "{content}");
                assert!(said.starts_with(problem), "{said}");
            }
            other => panic!("{content}: {:?}", other.map(|fabric| fabric.num_cables())),
        }
    }
}

#[test]
fn columns_of_tulles_own_tables_are_read() {
    let folder = folder("planned");
    let csv = folder.join("cables.csv");
    let head =
        "cable,step,colour,from,from_port,from_rack,from_unit,to,to_port,to_rack,to_unit,length_mm,medium,rate_bps";
    let rows = "1,endpoints,grey,leaf1,swp1,r,1,h1,eth0,r,2,1400,copper,100000000000\n\
                2,endpoints,grey,leaf2,swp1,r,1,h1,eth1,r,2,1400,copper,\n\
                3,inside racks,blue,leaf1,swp2,r,1,leaf2,swp3,r,2,800,copper,100000000000\n";
    let said = warnings(&csv, &format!("{head}\n{rows}"));
    assert_eq!(
        said,
        [
            "a plan's table of cables: 2 cables of the step 'endpoints' lead to endpoints",
            "1 server has several ports: each port is an endpoint, called server:port"
        ]
    );
    let fabric = read(&csv, None).unwrap();
    assert_eq!((fabric.num_switches(), fabric.num_cables(), fabric.num_endpoints()), (2, 1, 2));
    assert_eq!([fabric.endpoint_name(0), fabric.endpoint_name(1)], ["h1:eth0", "h1:eth1"]);
    assert_eq!(fabric.host_port(1), Some("eth1"));
    let cable = fabric.cables().next().unwrap();
    assert_eq!(fabric.port_name(cable), "swp2");
    assert_eq!((fabric.link(cable).rate, fabric.link(cable).length), (Some(100_000_000_000), Some(800)));
    assert_eq!(fabric.endpoint_link(0).rate, Some(100_000_000_000));
    // A plan through patch panels lists cables to panels, which are not switches.
    fs::write(&csv, format!("{head}\n{}", rows.replace("inside racks", "to patch panels"))).unwrap();
    assert!(read(&csv, None).unwrap_err().to_string().contains("step 'to patch panels'"));
}

#[test]
fn repeated_cables_without_ports_are_counted() {
    let folder = folder("repeated");
    let (csv, edges) = (folder.join("x.csv"), folder.join("x.edges"));
    let said =
        "1 cable repeats an earlier cable and names no ports (between 'l1' and 's1'); it is read as a parallel cable";
    assert_eq!(warnings(&csv, "a,b,rate\nl1,s1,1Gbps\nl1,s1,1Gbps\n"), [said]);
    assert_eq!(warnings(&edges, "l1 s1\nl1 s1\n"), [said]);
    for content in ["a,b,rate\nl1,s1,1Gbps\nl1,s1,2Gbps\n", "a,b,from_port,to_port\nl1,s1,1,1\nl1,s1,2,2\n"] {
        assert!(warnings(&csv, content).is_empty(), "{content}");
    }
}

#[test]
fn columns_that_are_not_read_are_named() {
    let folder = folder("ignored");
    let (csv, edges, graphml) = (folder.join("x.csv"), folder.join("x.edges"), folder.join("x.graphml"));
    let none: [&str; 0] = [];
    assert_eq!(warnings(&csv, "a,b\n0,1\n"), none);
    assert_eq!(warnings(&csv, "a,Capacity,b\n0,9,1\n"), ["column 'capacity' is ignored"]);
    assert_eq!(warnings(&csv, "u,v,capacity,weight\n0,1,9,3\n"), ["columns 'capacity', 'weight' are ignored"]);
    let bare = "column 'length' is ignored: numbers without a unit";
    assert_eq!(warnings(&csv, "u,v,length\n0,1,5\n1,2,3\n"), [bare]);
    assert_eq!(warnings(&csv, "u,v,length\n0,1,0\n1,2,3m\n"), none);
    for content in ["0 1\n", "# a comment\n0 1 # here\n", "source target\n0 1\n", "0 1 {}\n", "a b\nb c\n"] {
        assert_eq!(warnings(&edges, content), none, "{content}");
    }
    for (content, said) in [
        ("7\n0 1\n", "1 switch without cables and endpoints is left out: '7'"),
        ("0 1 2.5\n1 2 3\n", "column '3' is ignored"),
        ("0 1 2.5 7\n", "columns '3', '4' are ignored"),
        ("source target length\n0 1 2m\n", "column 'length' is ignored"),
        ("# source target capacity length\n0 1 10G 2m\n1 2 10G 3m\n", "columns 'capacity', 'length' are ignored"),
        ("0 1 {'weight': 3, 'name': 'x'}\n1 2 {}\n", "attributes 'weight', 'name' are ignored"),
    ] {
        assert_eq!(warnings(&edges, content), [said], "{content}");
    }
    let keys = "<key id=\"d\" for=\"edge\" attr.name=\"weight\"/><key id=\"e\" for=\"node\" attr.name=\"endpoints\"/>";
    let graph = "<graph><node id=\"0\"/><node id=\"1\"/><edge source=\"0\" target=\"1\"/></graph>";
    assert_eq!(warnings(&graphml, &format!("<graphml>{keys}{graph}</graphml>")), ["attribute 'weight' is ignored"]);
}

#[test]
fn a_header_of_an_edge_list_is_no_cable() {
    let folder = folder("header");
    let path = folder.join("x.txt");
    for (content, switches, cables) in [
        ("source target\n0 1\n1 2\n", 3, 2),
        ("u v w\n0 1 5\n", 2, 1),
        ("# u v w\n0 1 5\n", 2, 1),
        // A first line that looks like a header must be read as a cable if the file has no other lines, or if a later line repeats one of
        // its names. The last two files begin with a cable whose name contains braces, and with a comment.
        ("a b\n", 2, 1),
        ("a b\nb c\n", 3, 2),
        ("u v\n0 1\nv 1\n", 4, 3),
        ("a x{1}\nx{1} {2}\n", 3, 2),
        ("# a b of the third floor\n0 1\n", 2, 1),
    ] {
        fs::write(&path, content).unwrap();
        let fabric = read(&path, None).unwrap();
        assert_eq!((fabric.num_switches(), fabric.num_cables()), (switches, cables), "{content}");
    }
}

#[test]
fn written_endpoints_are_read_or_mentioned() {
    let folder = folder("beside");
    let path = folder.join("sf.csv");
    let fabric = build("slimfly:q=5", 0).unwrap();
    let written = tulle_formats::write(&fabric, &path, None).unwrap();
    assert_eq!(read(&path, Some(&written[1])).unwrap().num_endpoints(), 200);
    let bare = read(&path, None).unwrap();
    assert_eq!(bare.num_endpoints(), 0);
    let said = format!("{}: the endpoints are in {}; nodes= reads them", path.display(), written[1].display());
    assert_eq!(bare.warnings(), [said]);
    let given = build(&format!("file:edges=\"{}\",p=2", path.display()), 0).unwrap();
    assert!(given.warnings().is_empty());
}

#[test]
#[cfg(unix)]
fn only_files_are_read_and_replaced() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let folder = folder("special");
    let pipe = folder.join("pipe.csv");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let fabric = build("clique:degree=3", 0).unwrap();
    let line = format!("{}: a pipe; legal: a file", pipe.display());
    assert_eq!(read(&pipe, None).unwrap_err().to_string(), line);
    assert_eq!(tulle_formats::write(&fabric, &pipe, None).unwrap_err().to_string(), line);
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    fs::create_dir(folder.join("folder.csv")).unwrap();
    let error = tulle_formats::write(&fabric, &folder.join("folder.csv"), None).unwrap_err().to_string();
    assert!(error.ends_with("folder.csv: a folder; legal: a file"), "{error}");
    // A symbolic link stays a symbolic link.
    fs::write(folder.join("far.csv"), "").unwrap();
    symlink("far.csv", folder.join("near.csv")).unwrap();
    tulle_formats::write(&fabric, &folder.join("near.csv"), None).unwrap();
    assert!(fs::symlink_metadata(folder.join("near.csv")).unwrap().file_type().is_symlink());
    assert_eq!(read(&folder.join("far.csv"), None).unwrap().num_cables(), fabric.num_cables());
}

#[test]
fn a_star_needs_no_cable() {
    let folder = folder("star");
    fs::write(folder.join("x.csv"), "a,b\n").unwrap();
    fs::write(folder.join("n.csv"), "node,switch\n0,hub\n1,hub\n,hub\n").unwrap();
    let star = read(&folder.join("x.csv"), Some(&folder.join("n.csv"))).unwrap();
    assert_eq!((star.num_switches(), star.num_cables(), star.num_endpoints()), (1, 0, 2));
    assert_eq!(star.label(0), "hub");
}

#[test]
fn a_refused_write_leaves_nothing() {
    let folder = folder("refused");
    let fabric = build("clique:degree=3", 0).unwrap();
    let error = |path: &str| tulle_formats::write(&fabric, &folder.join(path), None).unwrap_err().to_string();
    assert!(error("x.dat").contains("'.dat' is not a known extension; legal: .csv"));
    assert!(error("x").contains("'.' is not a known extension"));
    assert!(error("absent/x.csv").contains("absent/x.csv: "));
    enter_data_folder();
    let named = build("file:edges=named.csv,nodes=named.nodes.csv", 0).unwrap();
    let problem = tulle_formats::write(&named, &folder.join("x.graphml"), None).unwrap_err().to_string();
    assert!(problem.contains("legal: endpoints numbered switch by switch, or .csv"), "{problem}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

/// Returns two leaves and two spines with properties of many kinds: different links, names, ports, levels and roles.
fn labelled() -> Fabric {
    let mut builder = FabricBuilder::new(4);
    builder.labels(["leaf1", "leaf2", "spine1", "spine2"].map(str::to_owned).to_vec());
    for (cable, (a, b)) in [(0, 2), (0, 3), (1, 2), (1, 3), (1, 3)].into_iter().enumerate() {
        builder.cable(a, b);
        builder.cable_name(cable, ["red", "", "green, & \"blue\"", "", "x"][cable]);
        builder.cable_ports(cable, [["swp1", "1/1"], ["swp2", ""], ["", ""], ["swp2", "1/2"], ["swp3", "1/3"]][cable]);
    }
    let link = |rate: u64, latency| Link {
        rate: Some(rate * 1_000_000_000),
        latency,
        length: Some(1500),
        medium: Some("om4".into()),
        cost: latency.map(|latency| 1 + latency as u32),
    };
    builder.link(0, [link(800, Some(500_000)), link(400, Some(500_000))]);
    builder.link(1, [link(800, Some(0)), link(800, Some(1))]);
    builder.link(4, [link(800, None), link(800, None)]);
    for switch in [0, 1] {
        builder.endpoints(switch, 2);
        builder.role(switch, "leaf");
    }
    for endpoint in 0..4 {
        let copper = Link { medium: Some("copper".into()), latency: Some(25_000), ..Link::default() };
        builder.endpoint_link(endpoint, copper);
        builder.endpoint_name(endpoint, &format!("h{endpoint}"));
        builder.endpoint_port(endpoint, &format!("swp{}", 10 + endpoint));
    }
    for switch in [2, 3] {
        builder.level(switch, 1);
        builder.role(switch, "spine");
        builder.switch_ports(switch, 64);
    }
    builder.finish("edges", tulle_spec::Parameters::new()).unwrap()
}

/// Returns, as text, all properties of a fabric except its graph. A port is written by its name, or by its number if it has no name.
fn description(fabric: &Fabric) -> String {
    let channels = (0..fabric.num_channels() as u32).map(|channel| {
        let class = fabric.class_names()[fabric.classes()[channel as usize] as usize];
        let layers = fabric.virtual_layers().get(channel as usize);
        let name = (fabric.given_cable_name(channel), fabric.port_name(channel));
        format!("{name:?} {:?} {class} {layers:?}\n", fabric.link(channel))
    });
    let switches = (0..fabric.num_switches() as u32).map(|switch| {
        let role = (fabric.switch_role(switch), fabric.switch_ports(switch), fabric.levels()[switch as usize]);
        let address = fabric.switch_address(switch);
        format!("{} {role:?} {:?} {address:?}\n", fabric.label(switch), fabric.coordinates().of(switch))
    });
    let endpoints = (0..fabric.num_endpoints() as u32).map(|endpoint| {
        let name =
            (fabric.given_endpoint_name(endpoint), fabric.endpoint_port_name(endpoint), fabric.host_port(endpoint));
        format!("{name:?} {:?} {:?}\n", fabric.endpoint_link(endpoint), fabric.endpoint_address(endpoint))
    });
    let names = format!("{:?} {:?}\n", fabric.class_names(), fabric.coordinates().names);
    std::iter::once(names).chain(channels).chain(switches).chain(endpoints).collect()
}

#[test]
fn ports_of_hosts_are_kept_or_named_as_left_out() {
    let folder = folder("hosts");
    let mut builder = FabricBuilder::new(2);
    builder.cable(0, 1);
    for (endpoint, (switch, name, port)) in
        [(0, "server1:eth0", "eth0"), (1, "server1:eth1", "eth1"), (1, "server2", "eth0"), (1, "server3", "")]
            .into_iter()
            .enumerate()
    {
        builder.endpoints(switch, 1);
        builder.endpoint_name(endpoint as u32, name);
        builder.host_port(endpoint as u32, port);
    }
    let fabric = builder.finish("edges", Default::default()).unwrap();
    let hosts = |fabric: &Fabric| (0..4).map(|at| fabric.host(at).map(str::to_owned)).collect::<Vec<_>>();
    assert_eq!(hosts(&fabric), [Some("server1".into()), Some("server1".into()), Some("server2".into()), None]);
    let other = again_as(&fabric, &folder, "fabric").unwrap();
    assert_eq!(description(&other), description(&fabric));
    assert_eq!(hosts(&other), hosts(&fabric));
    let left = tulle_formats::left_out(&fabric, Path::new("x"), Some("csv")).unwrap();
    assert!(left.iter().any(|line| line.contains("ports of hosts")), "{left:?}");
    // A port of a host keeps its name when the cable of the host's other port fails.
    let damaged = fabric.without(&"switches=ids:0".parse().unwrap(), 0).unwrap();
    assert_eq!((damaged.host(0), damaged.host_port(0)), (Some("server1"), Some("eth1")));
}

#[test]
fn links_names_and_levels_are_kept() {
    let folder = folder("labelled");
    let fabric = labelled();
    for word in ["csv", "graphml", "fabric", "node-link", "dot"] {
        let other = again_as(&fabric, &folder, word).unwrap();
        assert_same_graph(&fabric, &other);
        assert_eq!(description(&other), description(&fabric), "{word}");
        assert_eq!(other.warnings(), &[] as &[String]);
        assert_eq!(tulle_formats::left_out(&fabric, Path::new("x"), Some(word)).unwrap(), &[] as &[String], "{word}");
        // Every port of the damaged fabric has a name in the file, so that a reader does not renumber ports.
        let damaged = fabric.without(&"switches=spine1".parse().unwrap(), 0).unwrap();
        let damaged = damaged.without(&"leaf1--spine2".parse().unwrap(), 0).unwrap();
        assert_eq!(description(&again_as(&damaged, &folder, word).unwrap()), description(&damaged), "{word}");
    }
    let tree = build("fattree:levels=3,radix=4", 0).unwrap();
    for rules in [
        &["up:rate=1Gbps,latency=1ns"][..],
        &["up:rate=1Gbps,latency=1ns", "down:rate=2Gbps,latency=1us", "endpoint:rate=3Gbps"],
    ] {
        let rules: Vec<_> = rules.iter().map(|rule| rule.parse().unwrap()).collect();
        let tree = tree.with_links(&rules).unwrap();
        for word in ["csv", "graphml", "fabric", "node-link", "dot"] {
            let other = again_as(&tree, &folder, word).unwrap();
            assert_eq!((other.levels(), other.links()), (tree.levels(), tree.links()), "{word}");
        }
    }
}

#[test]
fn left_out_properties_are_listed() {
    let fabric = labelled();
    let said = |fabric: &Fabric, name: &str| tulle_formats::left_out(fabric, Path::new(name), None).unwrap();
    let lost = "names of cables, ports of cables, rates, latencies, lengths, media, costs, \
             differences between the two directions of cables";
    assert_eq!(
        said(&fabric, "x.edges"),
        [format!("x.edges: left out, because this format (edge list) cannot store it: {lost}")]
    );
    let slimfly = build("slimfly:q=5", 0).unwrap();
    assert_eq!(said(&slimfly, "x.json"), &[] as &[String]);
    let end = "cannot store it: coordinates, classes of channels";
    assert!(said(&slimfly, "x.csv")[0].ends_with(end), "{:?}", said(&slimfly, "x.csv"));
    let ports = "x.ibnet: ports of 4 switches are renumbered: their names are not numbers from 1 to 254";
    assert_eq!(said(&fabric, "x.ibnet")[1], ports);
    let mut alike = FabricBuilder::new(2);
    alike.cable(0, 1);
    alike.labels(vec!["edge".to_owned(); 2]);
    let alike = alike.finish("edges", tulle_spec::Parameters::new()).unwrap();
    let names = "x.ibnet: names that several nodes share are followed by the nodes' GUIDs when the file is read";
    assert_eq!(said(&alike, "x.ibnet"), [names]);
}

#[test]
fn link_properties_are_read_strictly() {
    let folder = folder("strict");
    let path = folder.join("x.csv");
    for (content, fragment) in [
        ("a,b,rate\n0,1,fast\n", ":2:5: rate 'fast' is not a rate; legal: above 0, for example 100Gbps"),
        ("a,b,latency\n0,1,2s\n", ":2:5: link: latency=2s is out of range; legal: 0 to 1s"),
        ("a,b,rate,rate_back\n0,1,1Gbps,1x\n", ":2:11: rate_back '1x' is not a rate"),
    ] {
        fs::write(&path, content).unwrap();
        let error = read(&path, None).unwrap_err().to_string();
        assert!(error.contains(fragment), "{error}");
    }
    let nodes = folder.join("n.csv");
    fs::write(&path, "a,b\n0,1\n").unwrap();
    for (content, fragment) in [
        ("node,switch,level\n,0,300\n", ":2:4: level '300' is not a valid level; legal: 0 to 255"),
        ("node,switch,level\n5,0,3\n", ":2:5: level is given for an endpoint; legal: only in rows without a node"),
        ("node,switch,ports\n,0,0\n", ":2:4: ports '0' is not a valid number of ports; legal: 1 to 1048576"),
    ] {
        fs::write(&nodes, content).unwrap();
        let error = read(&path, Some(&nodes)).unwrap_err().to_string();
        assert!(error.contains(fragment), "{error}");
    }
}

#[test]
fn topologies_of_hpcc_are_read_and_written() {
    let folder = folder("hpcc");
    let path = folder.join("x.hpcc");
    let text =
        "5 2 5\n3 4\n0 3 25Gbps 500ns 0\n1 3 25Gbps 500ns 0\n2 4 100Gbps 1us 0\n3 4 400Gbps 2us 0\n3 4 400Gbps 0ns 0\n";
    fs::write(&path, text).unwrap();
    let fabric = build(&format!("file:edges={}", path.display()), 0).unwrap();
    assert_eq!((fabric.num_switches(), fabric.num_cables(), fabric.endpoint_switch()), (2, 2, &[0, 0, 1][..]));
    assert_eq!((fabric.link_rate(0), fabric.link_latency(0)), (Some(400_000_000_000), Some(2_000_000)));
    assert_eq!((fabric.endpoint_rate(2), fabric.endpoint_latency(0)), (Some(100_000_000_000), Some(500_000)));
    tulle_formats::write(&fabric, &folder.join("y.hpcc"), None).unwrap();
    assert_eq!(fs::read_to_string(folder.join("y.hpcc")).unwrap(), text);
    let tree = build("fattree:levels=3,radix=4", 0).unwrap();
    let error = tulle_formats::write(&tree, &path, None).unwrap_err().to_string();
    assert!(
        error.contains("has no rate or no latency; legal: both set, for example with --link all:rate=100Gbps"),
        "{error}"
    );
    let tree = tree.with_links(&["all:rate=100Gbps,latency=1us".parse().unwrap()]).unwrap();
    let other = again(&tree, &path);
    assert_eq!(
        (other.targets(), other.endpoint_switch(), other.links()),
        (tree.targets(), tree.endpoint_switch(), tree.links())
    );
    for (content, fragment) in [
        ("5 2\n", ":1:4: the file ends before the number of links"),
        ("3 2 1\n1 1\n", ":2:3: switch 1 is listed twice; legal: 2 different ids"),
        ("3 1 2\n2\n0 2 1Gbps 1us 0\n", ":3:16: the file ends before the source of a link"),
        ("999999999 1 2\n2\n", ":1:1: '999999999' is not a valid number of nodes; legal: a number from 0 to 268435456"),
        ("3 1 1\n2\n0 1 1Gbps 1us 0\n", ":3:1: a link joins nodes 0 and 1, which are not switches"),
        ("3 1 1\n2\n0 2 1Gbps 1us 0.1\n", ":3:15: loss '0.1' is not read"),
        ("3 1 1\n2\n0 2 1 1us 0\n", ":3:5: '1 1us' lacks a unit"),
        ("3 1 1\n2\n0 2 1Gbps 1us 0\n", ":1: node 1 has no link"),
    ] {
        fs::write(&path, content).unwrap();
        let error = read(&path, None).unwrap_err().to_string();
        assert!(error.contains(fragment), "{error}");
    }
}
