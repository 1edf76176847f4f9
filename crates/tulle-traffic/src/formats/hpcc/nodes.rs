//! Maps the nodes of a flow file to endpoints of a fabric.

use std::collections::BTreeMap;

use tulle_fabric::Fabric;

/// The endpoints of each node of a flow file.
pub struct Nodes {
    endpoints: BTreeMap<usize, Node>,
}

struct Node {
    endpoints: Vec<u32>,
    /// Number of flows that the node has sent so far.
    sent: usize,
}

impl Nodes {
    /// Maps node n to endpoint `places[n]`.
    pub fn in_order(places: &[u32]) -> Self {
        Self::of(places.iter().copied().enumerate())
    }

    /// Maps nodes to endpoints by the names of the endpoints. The name `2` means node 2 of the topology. The name `2:0` means port 0 of
    /// node 2, a server with several ports. If all names have one of these forms, each endpoint e whose name means node n adds `places[e]`
    /// to the endpoints of node n. Otherwise, node n has the endpoint `places[n]`.
    pub fn by_name(fabric: &Fabric, places: &[u32]) -> Self {
        let named = (0..fabric.num_endpoints() as u32).map(|endpoint| {
            let name = fabric.given_endpoint_name(endpoint)?;
            let (server, _port) = name.split_once(':').unwrap_or((name, ""));
            Some((server.parse::<usize>().ok()?, *places.get(endpoint as usize)?))
        });
        match named.collect::<Option<Vec<_>>>() {
            Some(named) if !named.is_empty() => Self::of(named.into_iter()),
            _ => Self::in_order(places),
        }
    }

    fn of(nodes: impl Iterator<Item = (usize, u32)>) -> Self {
        let mut endpoints = BTreeMap::<usize, Node>::new();
        for (node, endpoint) in nodes {
            endpoints.entry(node).or_insert(Node { endpoints: Vec::new(), sent: 0 }).endpoints.push(endpoint);
        }
        Self { endpoints }
    }

    /// Returns whether `node` has an endpoint.
    pub fn has(&self, node: usize) -> bool {
        self.endpoints.contains_key(&node)
    }

    /// Returns whether every node from 0 to the highest node has an endpoint.
    pub fn are_all(&self) -> bool {
        self.endpoints.len() == self.last() + 1
    }

    /// Returns the highest node.
    pub fn last(&self) -> usize {
        self.endpoints.last_key_value().map_or(0, |(&node, _)| node)
    }

    /// Returns the source and destination endpoint of a flow. A server sends its flows through its ports in turn. If both servers have
    /// equally many ports, each flow arrives at the destination's port with the same number, as in rail-optimised networks.
    pub fn ends(&mut self, source: usize, destination: usize) -> Option<(u32, u32)> {
        let Node { endpoints, sent } = self.endpoints.get_mut(&source)?;
        let port = *sent;
        *sent += 1;
        let from = endpoints[port % endpoints.len()];
        let others = &self.endpoints.get(&destination)?.endpoints;
        Some((from, others[port % others.len()]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_take_the_ports_of_servers_in_turn() {
        let mut nodes = Nodes::of([(0, 10), (0, 11), (1, 12), (1, 13), (4, 14)].into_iter());
        assert_eq!((nodes.last(), nodes.has(4), nodes.has(3), nodes.are_all()), (4, true, false, false));
        let ends = [(0, 1), (0, 1), (0, 4), (1, 0), (4, 1), (4, 1)].map(|(a, b)| nodes.ends(a, b).unwrap());
        assert_eq!(ends, [(10, 12), (11, 13), (10, 14), (12, 10), (14, 12), (14, 13)]);
        assert_eq!(nodes.ends(0, 3), None);
    }
}
