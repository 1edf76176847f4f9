//! The sizes of a fabric, and the data for drawing it.

use serde_json::{Map, Value, json};
use tulle_fabric::{Fabric, distances};
use tulle_spec::Value as Parameter;

/// Returns the fields of `tulle fabric --json` that the page shows, and the drawing: labels, levels, groups and endpoints of switches, and
/// the ids and ends of cables. Ids are those of the fabric before cables are cut.
pub fn fabric(fabric: &Fabric) -> Value {
    let histogram = distances::histogram(fabric);
    let pairs: u64 = histogram.pairs.iter().sum();
    let hops: u64 = histogram.pairs.iter().enumerate().map(|(hops, &pairs)| hops as u64 * pairs).sum();
    let is_connected = histogram.unreachable == 0;
    let switches = 0..fabric.num_switches() as u32;
    let origin = fabric.origin();
    let cable = |channel: u32| origin.map_or(channel, |origin| origin.channels[channel as usize]);
    let ends = |channel: u32| [fabric.sources()[channel as usize], fabric.targets()[channel as usize]];
    let parameters: Map<String, Value> =
        fabric.parameters().iter().map(|(name, value)| ((*name).to_owned(), parameter(value))).collect();
    json!({
        "fabric": fabric.spec(),
        "family": fabric.family(),
        "parameters": parameters,
        "faults": fabric.faults(),
        "switches": fabric.num_switches(),
        "endpoints": fabric.num_endpoints(),
        "cables": fabric.num_cables(),
        "network_radix": fabric.network_radix(),
        "concentration": fabric.concentration(),
        "radix": fabric.radix(),
        "diameter": is_connected.then(|| histogram.pairs.len().saturating_sub(1)),
        "average_path_length": (is_connected && pairs > 0).then(|| hops as f64 / pairs as f64),
        "drawing": {
            "labels": switches.clone().map(|switch| fabric.label(switch)).collect::<Vec<_>>(),
            "levels": fabric.levels(),
            "groups": groups(fabric),
            "endpoints": switches.map(|switch| fabric.endpoints_of(switch).len()).collect::<Vec<_>>(),
            "cables": fabric.cables().map(cable).collect::<Vec<_>>(),
            "ends": fabric.cables().map(ends).collect::<Vec<_>>(),
        },
    })
}

fn parameter(value: &Parameter) -> Value {
    match value {
        Parameter::Integer(value) => json!(value),
        Parameter::Real(value) => json!(value),
        Parameter::Shape(sizes) => json!(sizes),
        Parameter::Word(word) => json!(word),
    }
}

/// Returns the group of every switch. In families with groups, for example dragonfly, these are their groups. In other families with
/// coordinates, switches that differ only in the last coordinate form a group. `None` if the switches have fewer than two coordinates.
fn groups(fabric: &Fabric) -> Option<Vec<u32>> {
    if let Some(groups) = fabric.groups() {
        return Some(groups);
    }
    let coordinates = fabric.coordinates();
    let width = coordinates.names.len();
    if width < 2 {
        return None;
    }
    let prefixes: Vec<&[u32]> = coordinates.values.chunks_exact(width).map(|row| &row[..width - 1]).collect();
    let mut known = prefixes.clone();
    known.sort_unstable();
    known.dedup();
    Some(prefixes.iter().map(|prefix| known.partition_point(|other| other < prefix) as u32).collect())
}
