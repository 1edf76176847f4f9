//! Undirected graphs in DOT, the language of Graphviz. Cabling plans for PTM (Prescriptive Topology Manager) also use it: `"leaf01":"swp1"
//! -- "spine01":"swp3"`.
//!
//! Nodes are switches and edges are cables. The name of a port follows the name of its node, and attributes have the names of the CSV
//! columns. A node with the attribute `endpoint` is the endpoint with this number. The endpoint's name is the attribute `name`, or
//! otherwise the name of the node. Source: graphviz.org/doc/info/lang.html.

mod groups;
mod read;
mod tokens;
mod write;

use super::Format;
use super::parts::Part;

pub const FORMAT: Format = Format {
    word: "dot",
    name: "DOT",
    extensions: &["dot", "gv"],
    nodes_beside: false,
    either_order: true,
    read: read::read,
    refuses: |_| None,
    holds: &[Part::OF_SWITCHES, Part::OF_CABLES, Part::OF_ENDPOINTS],
    alters: |_| Vec::new(),
    can_name: |_| true,
    sorts: true,
    write: Some(write::write),
};

/// The node attribute that contains the number of an endpoint.
const ENDPOINT: &str = "endpoint";

/// Returns the name of the node that stands for an endpoint without a name.
fn unnamed(endpoint: u32) -> String {
    format!("endpoint {endpoint}")
}
