//! A routing: layers of paths over one fabric.

use crate::Table;

/// Layers of next-hop tables over one fabric; layer 0 is the one of minimal paths.
#[derive(Debug, Clone, PartialEq)]
pub struct Routing {
    spec: String,
    layers: Vec<Table>,
}

impl Routing {
    /// A routing called `spec` with `layers`.
    pub fn new(spec: String, layers: Vec<Table>) -> Self {
        assert!(!layers.is_empty(), "a routing has at least one layer");
        Self { spec, layers }
    }

    /// The canonical spec.
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// The number of layers, n.
    pub fn num_layers(&self) -> usize {
        self.layers.len()
    }

    /// The layers.
    pub fn layers(&self) -> &[Table] {
        &self.layers
    }
}
