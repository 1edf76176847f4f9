//! The paths between two switches.

use serde_json::{Value, json};
use tulle_fabric::Fabric;
use tulle_routing::Routing;

use crate::Error;

/// Returns the fields of `tulle path --json` that the page shows, and, for the drawing, the ids of the paths' switches and cables. Cable
/// ids are those of the fabric before cables are cut. Switch ids stay the same, because only cables can be cut.
pub fn paths(fabric: &Fabric, routing: &Routing, [source, destination]: [u32; 2]) -> Result<Value, Error> {
    let switches = fabric.num_switches() as u32;
    for (name, switch) in [("source", source), ("destination", destination)] {
        if switch >= switches {
            return Err(format!("{name}: no switch {switch}; legal: 0 to {}", switches - 1).into());
        }
    }
    if source == destination {
        return Err(format!("source and destination are both switch {source}; legal: two different switches").into());
    }
    let target = |channel: u32| fabric.targets()[channel as usize];
    let cable = |channel: u32| {
        let id = channel.min(fabric.reverse()[channel as usize]);
        fabric.origin().map_or(id, |origin| origin.channels[id as usize])
    };
    let step = |channel: u32| {
        json!({
            "source": fabric.label(fabric.sources()[channel as usize]),
            "target": fabric.label(target(channel)),
            "cable": fabric.cable_name(channel),
        })
    };
    let path = |(number, channels): (usize, &Vec<u32>)| {
        let passed: Vec<u32> = std::iter::once(source).chain(channels.iter().map(|&channel| target(channel))).collect();
        json!({
            "number": number,
            "hops": channels.len(),
            "steps": channels.iter().map(|&channel| step(channel)).collect::<Vec<_>>(),
            "switches": passed,
            "cables": channels.iter().map(|&channel| cable(channel)).collect::<Vec<_>>(),
        })
    };
    let found = routing.paths(fabric, source, destination);
    Ok(json!({
        "fabric": fabric.spec(),
        "faults": fabric.faults(),
        "routing": routing.spec(),
        "form": if routing.path_set().is_some() { "paths" } else { "layers" },
        "source": fabric.label(source),
        "destination": fabric.label(destination),
        "paths": found.iter().enumerate().map(path).collect::<Vec<_>>(),
    }))
}
