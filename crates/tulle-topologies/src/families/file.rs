//! Fabrics read from files.

use std::path::Path;

use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder};
use tulle_formats::{Choices, Graph, ReverseEntries};
use tulle_spec::plugin;

plugin! {
    /// A graph read from a file.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct File(arguments) -> Error {
        /// a file in one of these formats: CSV of cables with columns a and b (or, for example, switch_a and switch_b, source and target,
        /// or from and to); edge list with two names per line, and further columns that are numbers or have names in a header; GraphML with
        /// an optional node attribute endpoints; fabric.json, which stores the whole fabric; …
        edges: String = path("a file of cables, for example .csv, .edges, .graphml or .json");
        /// CSV of endpoints with columns node (endpoint, host) and switch (router); a row without a node describes a switch: its level,
        /// role and ports
        nodes: Option<String> = path("a .csv file"), or "none";
        /// endpoints per switch, if no nodes file is given
        concentration "p": Option<u32> = integer(0, 65_535), or "0, or as given by the files";
        /// the format of edges
        format: Option<&'static str> = word(tulle_formats::WORDS), or "given by the file extension or the content";
        /// how to read SHARP's aggregation nodes in an InfiniBand subnet; keep: as endpoints
        aggregation: Option<&'static str> = word(&["keep"]), or "left out";
        /// how to read cables that the file lists in both directions (0 1 and 1 0); merge: as one cable; parallel: as two cables
        both: Option<&'static str> = word(&["merge", "parallel"]), or "merge if every cable is listed in both directions";
        /// how to read a directed graph; undirected: every edge becomes a cable
        directed: Option<&'static str> = word(&["undirected"]), or "directed graphs are refused";
        /// part of a disconnected network to read; largest: only the connected component with the most switches
        component: Option<&'static str> = word(&["largest"]), or "all";
        graph: Graph => tulle_formats::read(Path::new(&edges), Choices {
            nodes: nodes.as_deref().map(Path::new),
            format,
            both: both.map(|both| if both == "merge" { ReverseEntries::Merge } else { ReverseEntries::Parallel }),
            undirected: directed.is_some(),
            largest: component.is_some(),
            each: concentration.unwrap_or(0),
            keep_aggregation: aggregation.is_some(),
        })?;
    }
    check {
        let holds_endpoints = graph.endpoint_switch.as_ref().is_some_and(|at| !at.is_empty());
        if let Some(p) = concentration.filter(|_| holds_endpoints) {
            let (name, file) = nodes.as_ref().map_or(("edges", &edges), |nodes| ("nodes", nodes));
            let values = format!("p={p}, {name}={file}");
            return Err(arguments.clash(values, "cannot be given together", "legal: one of them").into());
        }
        if concentration.is_none() && graph.endpoint_switch.is_none() {
            graph.warnings.extend(tulle_formats::endpoints_beside(Path::new(&edges), format));
            concentration = Some(0);
        }
    }
    name: "file",
    summary: "a network read from files: CSV, edge list, GraphML, JSON, netlists, …",
    paper: "none: any network",
    limitations: "Every line or edge is one full-duplex cable. If a file lists every cable from both ends, tulle \
        recognises this. Cables from a switch to itself are left out with a warning. So are switches with neither \
        cables nor endpoints, except those of fabric.json. If the names are 0 to S − 1, they are the switch ids. \
        Otherwise, names become labels, and ids follow their order: first numbers by value, then text (fabric.json and \
        a few other formats state the order). CSV, GraphML and other formats may contain properties of links (rate, \
        latency, length, medium, cost), names and ports. Other columns and attributes are ignored, and a warning names \
        them. Paths are relative to the current directory. A file has at most 1 GiB.",
    examples: [
        "file:edges=ring.csv,nodes=ring.nodes.csv", "file:edges=ring.edges,p=2", "file:edges=ring.graphml",
        "file:edges=named.csv,nodes=named.nodes.csv", "file:edges=named.csv,format=csv,p=1",
    ],
    rejects: [
        ("file", "needs edges="),
        ("file:edges=absent.csv", "absent.csv: "),
        ("file:edges=ring.dat", "ring.dat:1:1: '.dat' is not a known extension; legal: .csv or .tsv (CSV"),
        ("file:edges=ring.csv,nodes=ring.nodes.csv,p=2", "cannot be given together"),
        ("file:edges=ring.graphml,p=2", "cannot be given together"),
        ("file:edges=ring.graphml,nodes=ring.nodes.csv", "has its own endpoints"),
    ],
}

impl Family for File {
    fn expect(&self) -> Expect {
        let switches = self.graph.switches as usize;
        let mut degrees = vec![0u64; switches];
        self.graph.cables.iter().flatten().for_each(|&end| degrees[end as usize] += 1);
        let mut endpoints = vec![u64::from(self.concentration.unwrap_or(0)); switches];
        self.graph.endpoint_switch.iter().flatten().for_each(|&switch| endpoints[switch as usize] += 1);
        let radix = degrees.iter().zip(&endpoints).map(|(&degree, &count)| degree + count).max().unwrap_or(0);
        let bare = endpoints.iter().all(|&count| count == 0);
        let at_edge = degrees.iter().zip(&endpoints).filter(|&(_, &count)| bare || count > 0);
        Expect {
            switches: switches as u64,
            endpoints: endpoints.iter().sum(),
            cables: self.graph.cables.len() as u64,
            network_radix: at_edge.map(|(&degree, _)| degree).max().unwrap_or(0),
            concentration: endpoints.iter().copied().max().unwrap_or(0),
            radix,
            diameter: Diameter::Unknown,
            hops: Hops::Unknown,
        }
    }

    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let mut builder = FabricBuilder::new(self.graph.switches);
        self.graph.properties.add_cables(&self.graph.cables, &mut builder);
        if let Some(concentration) = self.concentration {
            builder.endpoints_each(concentration as usize);
        }
        self.graph.endpoint_switch.iter().flatten().for_each(|&switch| builder.endpoints(switch, 1));
        if !self.graph.labels.is_empty() {
            builder.labels(self.graph.labels.clone());
        }
        self.graph.properties.apply_to(&mut builder);
        Ok(builder.member(self)?.with_warnings(self.graph.warnings.clone()))
    }
}
