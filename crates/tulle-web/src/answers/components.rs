//! The components that the page offers, with their parameters.

use serde_json::{Value, json};
use tulle_spec::{DefaultValue, Info};

use crate::files;
use crate::limits::{MAX_ENDPOINTS, MAX_FLOWS, MAX_PACKETS, MAX_SWITCHES, MAX_TABLE_ENTRIES};

/// Returns the fabrics, routings, traffic patterns and transports, in the order of `tulle list`, and the limits. Components and parameters
/// that read files are left out.
pub fn components() -> Value {
    let fabrics = tulle_topologies::families().iter().map(|entry| entry.info);
    let routings = tulle_routing::schemes().iter().map(|entry| entry.info);
    let traffics = tulle_traffic::patterns().iter().map(|entry| entry.info);
    let transports = tulle_packet::transports();
    json!({
        "fabrics": described(fabrics),
        "routings": described(routings),
        "traffics": described(traffics),
        "transports": described(transports),
        "limits": {
            "switches": MAX_SWITCHES,
            "endpoints": MAX_ENDPOINTS,
            "flows": MAX_FLOWS,
            "packets": MAX_PACKETS,
            "table_entries": MAX_TABLE_ENTRIES,
        },
    })
}

fn described(infos: impl IntoIterator<Item = &'static Info>) -> Vec<Value> {
    let described = |info: &'static Info| {
        json!({
            "name": info.name,
            "aliases": info.aliases,
            "summary": info.summary,
            "paper": info.paper,
            "limitations": info.limitations,
            "examples": info.examples,
            "parameters": info.parameters.iter().filter(|parameter| !files::path(&parameter.kind)).map(|parameter| json!({
                "name": parameter.name,
                "legal": parameter.legal(),
                "default": parameter.default_words(),
                "derived": matches!(parameter.default, DefaultValue::Derived(_)),
                "help": parameter.help,
            })).collect::<Vec<_>>(),
        })
    };
    infos.into_iter().filter(|info| !files::always_read(info)).map(described).collect()
}
