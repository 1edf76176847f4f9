//! A routing of one fabric: layers of tables, or a path set.

use tulle_fabric::Fabric;

use crate::weights::weighted;
use crate::{Error, PathSet, Table, path};

/// The paths that packets may take in one fabric.
#[derive(Debug, Clone, PartialEq)]
pub struct Routing {
    spec: String,
    routes: Routes,
}

/// The data of a routing, in one of two forms.
#[derive(Debug, Clone, PartialEq)]
pub enum Routes {
    /// Destination-based next-hop tables, one per layer. Layer 0 holds minimal paths, unless the scheme has no minimal layer.
    Layers(Vec<Table>),
    /// Explicit paths per ordered pair of switches.
    Paths(PathSet),
}

impl Routing {
    /// Returns a routing with the spec `spec`.
    pub fn new(spec: String, routes: Routes) -> Self {
        if let Routes::Layers(layers) = &routes {
            assert!(!layers.is_empty(), "a routing with tables needs at least one layer");
        }
        Self { spec, routes }
    }

    /// Returns this routing of `fabric` with shares of layers and ports that spread the traffic of every pair over many channels. The
    /// layer shares of a pair sum to `shares`. The shares do not depend on a traffic matrix (see [`crate::weights`]). The spec of the
    /// result mentions the shares, so it is no longer a spec that can be parsed.
    ///
    /// # Errors
    /// Fails if the routing is a path set, because only tables can store shares, or if `shares` is less than the number of layers.
    ///
    /// # Panics
    /// Panics if the routing and `fabric` have different numbers of switches.
    pub fn weighted(&self, fabric: &Fabric, shares: u8) -> Result<Self, Error> {
        assert_eq!(self.num_switches(), fabric.num_switches(), "a routing can get shares only with its own fabric");
        let Routes::Layers(layers) = &self.routes else {
            let (what, legal) = ("a weighted routing".to_owned(), "legal: a routing with tables".to_owned());
            return Err(Error::Array { what, problem: format!("{} is a path set", self.spec), legal });
        };
        if usize::from(shares) < layers.len() {
            let legal = format!("legal: {} to 255, at least one share per layer", layers.len());
            return Err(Error::Array { what: "shares".to_owned(), problem: shares.to_string(), legal });
        }
        Ok(Self::new(
            format!("{} weighted by {shares} shares", self.spec),
            Routes::Layers(weighted(fabric, layers, shares)),
        ))
    }

    /// Returns the canonical spec.
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// Returns the tables or the path set.
    pub fn routes(&self) -> &Routes {
        &self.routes
    }

    /// Returns the number of switches.
    pub fn num_switches(&self) -> usize {
        match &self.routes {
            Routes::Layers(layers) => layers[0].num_switches(),
            Routes::Paths(paths) => paths.num_switches(),
        }
    }

    /// Returns the layers; empty for a path set.
    pub fn layers(&self) -> &[Table] {
        match &self.routes {
            Routes::Layers(layers) => layers,
            Routes::Paths(_) => &[],
        }
    }

    /// Returns the number of layers, n; 0 for a path set.
    pub fn num_layers(&self) -> usize {
        self.layers().len()
    }

    /// Returns the path set; `None` for tables.
    pub fn path_set(&self) -> Option<&PathSet> {
        match &self.routes {
            Routes::Layers(_) => None,
            Routes::Paths(paths) => Some(paths),
        }
    }

    /// Returns the paths from `source` to `destination` as channels. Tables give one path per layer, which uses the lowest port of every
    /// group. A path set gives all its paths for the pair. If both switches are the same, tables give an empty path per layer, and a path
    /// set gives no paths.
    pub fn paths(&self, fabric: &Fabric, source: u32, destination: u32) -> Vec<Vec<u32>> {
        match &self.routes {
            Routes::Layers(layers) => layers.iter().map(|table| path(fabric, table, source, destination)).collect(),
            Routes::Paths(paths) => paths
                .between(source, destination)
                .map(|number| paths.channels(fabric, source, number).collect())
                .collect(),
        }
    }
}
