//! The hops of a routing's paths.

use serde_json::{Value, json};
use tulle_fabric::Fabric;
use tulle_routing::{PathSet, Routing, hop_counts};

/// Returns the fields of `tulle route --json` that the page shows. `hops` has, for each layer, the mean and maximum hop count, and the
/// number of switch pairs at each hop count. A path set has no layers; then `hops` is empty.
pub fn route(fabric: &Fabric, routing: &Routing) -> Value {
    let hops = |(layer, table)| {
        let counts = hop_counts(fabric, table);
        json!({ "layer": layer, "mean": counts.mean(), "max": counts.max(), "pairs": counts.pairs })
    };
    json!({
        "fabric": fabric.spec(),
        "faults": fabric.faults(),
        "routing": routing.spec(),
        "switches": fabric.num_switches(),
        "layers": (routing.num_layers() > 0).then(|| routing.num_layers()),
        "paths": routing.path_set().map(PathSet::num_paths),
        "hops": routing.layers().iter().enumerate().map(hops).collect::<Vec<_>>(),
    })
}
