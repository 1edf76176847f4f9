//! Tests damaged files: each error states the position and the reason in one line.

use std::fs;
use std::path::Path;

use crate::files::{folder, read};
use crate::support::check;
use proptest::prelude::*;

#[test]
fn malformed_files_say_where_and_why() {
    let folder = folder("malformed");
    let long = format!("a,b\n0,{}\n", "x".repeat(300));
    let deep = format!("<graphml>{}{}</graphml>", "<a>".repeat(200_000), "</a>".repeat(200_000));
    let graph =
        |inside: &str| format!("<graphml>\n<graph>\n<node id=\"0\"/><node id=\"1\"/>\n{inside}\n</graph></graphml>");
    let counted = |count: &str| {
        let key = "<key id=\"k\" attr.name=\"endpoints\"/>";
        let node = format!("<node id=\"0\"><data key=\"k\">{count}</data></node>");
        format!("<graphml>\n{key}\n<graph>\n{node}\n</graph></graphml>")
    };
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("csv", b"".into(), ":1: the file is empty"),
        ("csv", b" \n\n".into(), ":1: the file is empty"),
        ("csv", b"a,b\n".into(), ":1: the file contains no cable"),
        ("csv", b"a,c\n0,1\n".into(), ":1: no column 'b' in 'a,c'; legal: b, router_b"),
        ("csv", b"0,1\n1,2\n".into(), ":1: no column 'a' in '0,1'"),
        ("csv", b"a,b\n0,1\n1\n".into(), ":3:1: the row has 1 values, without a value for column 'b'; legal: 2 values"),
        ("csv", b"# cables\n\na:b\n".into(), ":3:1: no column 'a' in 'a:b'"),
        ("csv", b"a;b\n0;1\n0\n".into(), ":3:1: the row has 1 values, without a value for column 'b'; legal: 2 values"),
        ("csv", b"a,b\n0,\n".into(), ":2:3: a switch without a name"),
        ("csv", b"a,b\n0,1\n0,\xff\n".into(), ":3: byte 0xff is not UTF-8"),
        ("csv", b"a,b\n0,\"1\n2\"\n".into(), ":2:3: the name '1\\n2' contains a control character"),
        ("csv", long.into(), "has 300 bytes; legal: 1 to 256 bytes"),
        ("csv", b"a,b,c\n0,1,2\n0,1\n".into(), ":3: the row has 2 values; legal: 3"),
        ("csv", b"a,b\n0,1,2\n".into(), ":2:5: the row has 3 values; legal: 2"),
        (
            "csv",
            b"This, by the way, is a text\nabout a network, not one.\n".into(),
            ":1: no column 'a' in 'this,by the way,",
        ),
        ("edges", b"0 1\n1 2 3\n".into(), ":2:5: the line has 3 columns; legal: 2 as in line 1, or 1"),
        (
            "edges",
            b"This text is about networks\nand is none\n".into(),
            ":2:8: the line has 3 columns; legal: 5 as in line 1",
        ),
        (
            "edges",
            b"This is prose\n".into(),
            ":1:9: column 3 holds 'prose', which is not a number; legal: two names per line, a header",
        ),
        ("edges", b"# tulle\n\ntulle is a tool\n".into(), ":3:10: column 3 holds 'a', which is not a number"),
        (
            "txt",
            b"0, 1\n1 2\n".into(),
            ":1:1: '0,' begins or ends with a separator; legal: two names per line, separated by spaces",
        ),
        ("edges", b"source target length\n0 1\n".into(), ":1:15: the line has 3 columns; legal: 2 as in line 2, or 1"),
        ("edges", b"# nothing\n".into(), ":1: the file contains no cable"),
        ("edges", b"0 \x001\n".into(), ":1:3: the name '\\01' contains a control character"),
        ("graphml", b"0 1\n".into(), ":1: not XML"),
        ("graphml", b"<graphml>\n<graph>".into(), "not XML"),
        ("graphml", b"<!DOCTYPE x [<!ENTITY a \"b\">]><graphml/>".into(), "not XML"),
        ("graphml", b"<svg/>".into(), ":1: the document is 'svg'; legal: graphml"),
        ("graphml", b"<graphml/>".into(), ":1: the document contains no graph"),
        ("graphml", b"<graphml><graph/>\n<graph/></graphml>".into(), ":2:1: a second graph"),
        ("graphml", b"<graphml><graph/></graphml>".into(), "contains no cable"),
        ("graphml", deep.into(), "contains no graph"),
        ("graphml", graph("<node/>").into(), ":4:1: a node without an id"),
        ("graphml", graph("<node id=\"1\"/>").into(), ":4:1: two nodes have the id '1'"),
        (
            "graphml",
            graph("<node id=\"2\"><graph><node id=\"0\"/></graph></node>").into(),
            ":4:21: two nodes have the id '0'",
        ),
        ("graphml", graph("<edge source=\"0\"/>").into(), ":4:1: an edge without target"),
        ("graphml", graph("<edge source=\"0\" target=\"2\"/>").into(), ":4:1: an edge to unknown node '2'"),
        (
            "graphml",
            graph("<edge source=\"0\" target=\"1\" directed=\"true\"/>").into(),
            ":1: a directed graph; legal: directed=undirected",
        ),
        ("graphml", graph("<hyperedge/>").into(), ":4:1: a hyperedge"),
        (
            "json",
            b"{\"switches\": [{}, {}],\n \"cables\": [{\"a\": 0, \"b\": 2}]}".into(),
            ":2:27: b is '2'; legal: a whole number from 0 to 1",
        ),
        ("json", b"{\"switches\": [{}}".into(), ":1:17: not JSON: expected `,` or `]`"),
        ("json", b"[1]".into(), ":1:1: the file is '[1]'; legal: an object, {…}"),
        (
            "json",
            b"{\"switches\": [{\"level\": 256}]}".into(),
            ":1:25: level '256' is not a valid level; legal: 0 to 255",
        ),
        ("json", b"{\"switches\": [{\"name\": \"a\", \"name\": \"b\"}]}".into(), ":1:37: 'name' is given twice"),
        ("json", b"{\"nodes\": []}".into(), ":1:1: no 'edges' in the file; legal: edges, or links"),
        ("json", "{\"switches\": ".repeat(10_000).into(), "not JSON: "),
        (
            "node-link.json",
            b"{\"nodes\": [{\"id\": 0}], \"links\": [{\"source\": 0, \"target\": 7}]}".into(),
            ":1:58: no node 7",
        ),
        ("anynet", b"router 0 router\n".into(), ":1:16: a router without a number; legal: router N"),
        ("anynet", b"router 0 node 0\nrouter 1 node 0\n".into(), ":2:15: node 0 is attached to routers 0 and 1"),
        ("anynet", b"The router stands\n".into(), ":1:1: 'The' is not a kind of network part; legal: router or node"),
        ("adj", b"2 1\n1\n\n".into(), ":1:3: the lines list 1 ends of cables for 1 cables; legal: two ends per cable"),
        ("adj", b"999999999 1\n1\n0\n".into(), ":1:1: '999999999' is not a valid number; legal: 0 to 16"),
        ("ibnet", b"Switch 4 \"S-1\"\n[5] \"S-2\"[1]\n".into(), ":2:2: '5' is not a valid port; legal: 1 to 4"),
        ("ibnet", b"Switch 4 \"S-1\"\n[4] \"S-2\"[1]\n".into(), ":2:6: no record of node 'S-2'"),
        ("ibnet", b"This is prose\n".into(), ":1:1: 'This is prose'; legal: Switch, Ca or Rt"),
        ("dot", b"digraph { a -> b }".into(), ":1: a directed graph; legal: directed=undirected"),
        ("dot", b"graph { a -> b }".into(), "legal: -- in this kind of graph"),
        (
            "dot",
            b"graph { a [endpoint=0]; b [endpoint=0]; s -- a; s -- b }".into(),
            ":1:25: endpoint 0 exists twice; legal: each number from 0 once",
        ),
        ("dot", b"graph { a -- b".into(), ":1:15: the file ends here; legal: a node, an edge or }"),
        ("topology", b"|V|=2\n|E|=1\n0 1\n1 0\n".into(), "|E|=1, but 2 links follow; legal: |E|=2"),
        ("dot", b"graph { a [label=\"x }".into(), ":1:18: an unterminated quoted text"),
        ("graphml", counted("many").into(), ":4:1: endpoints 'many' is not a valid count"),
        ("graphml", counted("-1").into(), ":4:1: endpoints '-1' is not a valid count"),
        (
            "graphml",
            counted("99999999999").into(),
            ":4:1: endpoints '99999999999' is not a valid count of a switch's endpoints; legal: 0 to 1048576",
        ),
    ];
    for (extension, content, fragment) in cases {
        let path = folder.join(format!("x.{extension}"));
        fs::write(&path, &content).unwrap();
        let error = read(&path, None).unwrap_err().to_string();
        let start = &content[..content.len().min(80)];
        assert!(error.contains(fragment), "{:?}: {error}", String::from_utf8_lossy(start));
        assert!(error.starts_with(&*path.to_string_lossy()) && !error.contains('\n'), "{error}");
    }
}

#[test]
fn malformed_nodes_files_say_where_and_why() {
    let folder = folder("malformed-nodes");
    let edges = folder.join("x.csv");
    fs::write(&edges, "a,b\n0,1\n").unwrap();
    for (content, fragment) in [
        ("", ":1: the file is empty"),
        ("node,where\n0,1\n", ":1: no column 'switch' in 'node,where'; legal: switch, router"),
        (
            "node,switch\n0,0\n1,7\n",
            ":3: node '1' is attached to unknown switch '7'; legal: switches that are ends of cables",
        ),
        ("node,switch\n0\n", ":2:1: the row has 1 values"),
        ("node,switch\n,\n", ":2: a switch without a name"),
    ] {
        let nodes = folder.join("x.nodes.csv");
        fs::write(&nodes, content).unwrap();
        let error = read(&edges, Some(&nodes)).unwrap_err().to_string();
        assert!(error.contains(fragment) && error.contains("x.nodes.csv:"), "{content:?}: {error}");
    }
    let error = read(&edges, Some(&folder)).unwrap_err().to_string();
    assert!(error.starts_with(&*folder.to_string_lossy()), "a folder is no file: {error}");
}

/// Returns one piece of a file: a piece of a valid file, or arbitrary text.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "0",
            "1",
            "2",
            "x",
            ",",
            "\n",
            " ",
            "a,b\n",
            "node,switch\n",
            "#",
            "\"",
            "<graphml>",
            "</graphml>",
            "<graph>",
            "</graph>",
            "<node id=\"0\"/>",
            "<node id=\"1\">",
            "</node>",
            "<edge source=\"0\" target=\"1\"/>",
            "<data key=\"k\">3</data>",
            "<key id=\"k\" for=\"node\" attr.name=\"endpoints\"/>",
            "&amp;",
            "{\"switches\": [",
            "{\"name\": \"x\"}",
            "],",
            "}",
            "\"cables\": [{\"a\": 0, \"b\": 1}]",
            "{\"nodes\": [{\"id\": 0}, {\"id\": 1}], \"links\": [",
            "{\"source\": 0, \"target\": 1}",
            "router 0 ",
            "node 1 ",
            "2 1\n",
            "graph {",
            "a -- b",
            "[rate=\"1Gbps\"]",
            "Switch 4 \"S-1\"\n",
            "[1] \"S-1\"[2]\n",
            "&#0;",
            "]]>",
            "\u{feff}",
        ])
        .prop_map(str::to_owned),
        any::<String>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_file_is_read_or_refused_in_one_line(
        pieces in prop::collection::vec(piece(), 0..12),
        nodes in prop::option::of(prop::collection::vec(piece(), 0..12)),
        extension in prop::sample::select(vec![
            "csv", "edges", "graphml", "json", "node-link.json", "anynet", "adj", "hpcc", "ibnet", "dot", "adjlist", "mat",
            "metis", "mtx", "topology", "topo",
        ]),
    ) {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("formats-fuzz");
        fs::create_dir_all(&folder).unwrap();
        let (edges, beside) = (folder.join(format!("x.{extension}")), folder.join("nodes.csv"));
        fs::write(&edges, pieces.concat()).unwrap();
        if let Some(nodes) = &nodes {
            fs::write(&beside, nodes.concat()).unwrap();
        }
        match read(&edges, nodes.map(|_| &*beside)) {
            Ok(fabric) => check(&fabric, &tulle_topologies::families::member(fabric.spec()).unwrap().1.expect(), false),
            Err(error) => prop_assert!(!error.to_string().contains(['\n', '\r']), "{}", error),
        }
    }
}
