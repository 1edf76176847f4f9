//! Writing DOT.

use std::collections::HashSet;
use std::io::{self, Write};

use super::super::properties;
use super::{ENDPOINT, unnamed};
use tulle_fabric::Fabric;

pub(super) fn write(fabric: &Fabric, names: &[String], out: &mut dyn Write) -> io::Result<()> {
    let endpoints = 0..fabric.num_endpoints() as u32;
    // The nodes of endpoints get the endpoints' names. But if two nodes would then have the same name, all endpoints' nodes get generated
    // names.
    let switches: HashSet<&str> = names.iter().map(String::as_str).collect();
    let mut taken = HashSet::new();
    let as_nodes = endpoints.clone().all(|endpoint| match fabric.given_endpoint_name(endpoint) {
        Some(name) => {
            !switches.contains(name)
                && name.trim_start_matches('_') != unnamed(endpoint)
                && taken.insert(name.to_owned())
        }
        None => !switches.contains(&*unnamed(endpoint)) && taken.insert(unnamed(endpoint)),
    });
    let mut prefix = String::new();
    while !as_nodes && endpoints.clone().any(|endpoint| switches.contains(&*format!("{prefix}{}", unnamed(endpoint)))) {
        prefix.push('_');
    }
    let node = |endpoint: u32| match fabric.given_endpoint_name(endpoint).filter(|_| as_nodes) {
        Some(name) => name.to_owned(),
        None => format!("{prefix}{}", unnamed(endpoint)),
    };
    writeln!(out, "graph {{")?;
    let of_switches = properties::switch_columns(fabric);
    for (row, name) in names.iter().enumerate() {
        writeln!(
            out,
            "  {}{};",
            quote(name),
            attributes_of(of_switches.iter().map(|(name, values)| (*name, &*values[row])))
        )?;
    }
    for endpoint in endpoints.clone() {
        let id = endpoint.to_string();
        let given = fabric.given_endpoint_name(endpoint).unwrap_or_default();
        let name = if as_nodes { "" } else { given };
        let attribute_values = attributes_of([(ENDPOINT, &*id), ("name", name)].into_iter());
        writeln!(out, "  {}{attribute_values};", quote(&node(endpoint)))?;
    }
    let ports = properties::Ports::new(fabric);
    let port = |name: &str| if name.is_empty() { String::new() } else { format!(":{}", quote(name)) };
    for endpoint in endpoints {
        let switch = quote(&names[fabric.endpoint_switch()[endpoint as usize] as usize]);
        let at = port(&ports.of_endpoint(endpoint));
        let texts = properties::texts([fabric.endpoint_link(endpoint); 2]);
        let attribute_values = attributes_of(properties::LINK.into_iter().zip(texts.iter().map(String::as_str)));
        writeln!(out, "  {switch}{at} -- {}{attribute_values};", quote(&node(endpoint)))?;
    }
    for cable in fabric.cables() {
        let [a, b] = [fabric.sources(), fabric.targets()].map(|ends| quote(&names[ends[cable as usize] as usize]));
        let [name, from, to] = ports.of_cable(cable);
        let texts = properties::texts([fabric.link(cable), fabric.link(fabric.reverse()[cable as usize])]);
        let attribute_values = [(properties::CABLE[0], &*name)]
            .into_iter()
            .chain(properties::LINK.into_iter().zip(texts.iter().map(String::as_str)));
        writeln!(out, "  {a}{} -- {b}{}{};", port(&from), port(&to), attributes_of(attribute_values))?;
    }
    writeln!(out, "}}")
}

fn attributes_of<'a>(attribute_values: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let attribute_values: Vec<String> = attribute_values
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| format!("{name}={}", quote(text)))
        .collect();
    if attribute_values.is_empty() { String::new() } else { format!(" [{}]", attribute_values.join(", ")) }
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
