//! The requests of the page.

use serde::Deserialize;

/// A request of the page. Its string fields are specs, as on the command line.
#[derive(Debug, Deserialize)]
#[serde(tag = "request", rename_all = "lowercase")]
pub enum Request {
    /// Lists the components, their parameters and examples, and the limits of this program.
    Components,
    /// Builds a fabric; returns its sizes, its distances, and the data for drawing it.
    Fabric(Network),
    /// Routes a fabric; returns the hops of the paths in each layer.
    Route(Routed),
    /// Returns the path of every layer, or all explicit paths, from one switch to another.
    Paths(Pair),
    /// Simulates a workload packet by packet; returns statistics of the flow completion times.
    Simulate(Simulation),
}

/// A fabric.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Network {
    /// Spec of the fabric.
    pub fabric: String,
    /// Ids of the cut cables: the lower id of each cable's two channels.
    #[serde(default)]
    pub cut: Vec<u32>,
    /// Seed of all random choices.
    #[serde(default)]
    pub seed: u64,
}

/// A fabric with a routing.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Routed {
    /// The fabric.
    #[serde(flatten)]
    pub network: Network,
    /// Spec of the routing.
    pub routing: String,
}

/// A pair of switches.
#[derive(Debug, Deserialize)]
pub struct Pair {
    /// The fabric and its routing.
    #[serde(flatten)]
    pub routed: Routed,
    /// Id of the first switch of the paths.
    pub source: u32,
    /// Id of the last switch of the paths.
    pub destination: u32,
}

/// A packet simulation.
#[derive(Debug, Deserialize)]
pub struct Simulation {
    /// The fabric and its routing.
    #[serde(flatten)]
    pub routed: Routed,
    /// Spec of the traffic.
    pub traffic: String,
    /// Spec of the transport.
    pub transport: String,
}
