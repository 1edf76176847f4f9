//! Writes netlists. Parts of the fabric without GUIDs and port numbers get generated ones from a [`Subnet`].

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};

use super::{LONGEST, speed};
use tulle_fabric::{Address, Fabric, Link, Subnet};

pub(super) fn can_name(name: &str) -> bool {
    name.len() <= LONGEST && name.trim() == name && !name.contains('"')
}

pub(super) fn refuses(fabric: &Fabric) -> Option<String> {
    Subnet::of(fabric).refuses(fabric)
}

pub(super) fn alters(fabric: &Fabric) -> Vec<String> {
    let subnet = Subnet::of(fabric);
    let mut lines = Vec::new();
    if subnet.renumbered > 0 {
        let switches = match subnet.renumbered {
            1 => "1 switch".to_owned(),
            count => format!("{count} switches"),
        };
        lines.push(format!(
            "ports of {switches} are renumbered: their names are not numbers from 1 to {}",
            Subnet::MAX_PORTS
        ));
    }
    let links = fabric.cables().map(|cable| fabric.link(cable));
    let endpoints = (0..fabric.num_endpoints() as u32).map(|endpoint| fabric.endpoint_link(endpoint));
    if links.chain(endpoints).any(|link| link.rate.is_some_and(|rate| speed(rate).is_none())) {
        lines.push("rates that do not exist in InfiniBand are left out".to_owned());
    }
    let renamed = |endpoint: u32| {
        let number = subnet.endpoints[endpoint as usize].port;
        fabric.host_port(endpoint).is_some_and(|port| port != number.to_string())
    };
    if (0..fabric.num_endpoints() as u32).any(renamed) {
        lines.push("host ports are written as port numbers of their adapters".to_owned());
    }
    let in_order = |addresses: &[Address]| addresses.is_sorted_by_key(|address| address.node_guid);
    if !in_order(&subnet.switches) || !subnet.endpoints.is_sorted_by_key(|address| address.port_guid) {
        lines.push("switches and endpoints are numbered by their GUIDs when the file is read".to_owned());
    }
    let mut seen = HashSet::new();
    let again = (0..fabric.num_endpoints() as u32).any(|endpoint| !seen.insert(fabric.endpoint_name(endpoint)));
    let mut seen = HashSet::new();
    if again || (0..fabric.num_switches() as u32).any(|switch| !seen.insert(fabric.label(switch))) {
        lines.push("names that several nodes share are followed by the nodes' GUIDs when the file is read".to_owned());
    }
    let illegal = |endpoint| fabric.given_endpoint_name(endpoint).is_some_and(|name| !can_name(name));
    if (0..fabric.num_endpoints() as u32).any(illegal) {
        lines.push(format!("names of endpoints that contain quotes or have more than {LONGEST} bytes are left out"));
    }
    lines
}

pub(super) fn write(fabric: &Fabric, names: &[String], out: &mut dyn Write) -> io::Result<()> {
    let subnet = Subnet::of(fabric);
    let name = |switch: u32| match fabric.labels().is_empty() {
        true => fabric.label(switch),
        false => names[switch as usize].clone(),
    };
    let id = |address: &Address, kind: char| format!("{kind}-{:016x}", address.node_guid);
    let of_link = |link: &Link| link.rate.and_then(speed).map_or_else(String::new, |speed| format!(" {speed}"));
    // Adapters by GUID, each with its endpoints.
    let mut adapters: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for (endpoint, address) in (0u32..).zip(&subnet.endpoints) {
        adapters.entry(address.node_guid).or_default().push(endpoint);
    }
    let described = |endpoint: u32| {
        let named = fabric.endpoint_name(endpoint);
        let name = if can_name(&named) { named } else { endpoint.to_string() };
        let Address { node_guid, port, .. } = subnet.endpoints[endpoint as usize];
        let several = adapters[&node_guid].len() > 1;
        if several { name.strip_suffix(&format!(":{port}")).unwrap_or(&name).to_owned() } else { name }
    };
    for switch in 0..fabric.num_switches() as u32 {
        let Address { node_guid, port_guid, lid, lmc, .. } = subnet.switches[switch as usize];
        let channels = fabric.channels_of(switch);
        let at = fabric.endpoints_of(switch);
        let used = subnet.ports[channels.clone()].iter().copied();
        let used = used.chain(at.iter().map(|&endpoint| subnet.endpoint_ports[endpoint as usize])).max().unwrap_or(1);
        let ports = fabric.switch_ports(switch).unwrap_or(0).clamp(used, Subnet::MAX_PORTS);
        writeln!(out, "sysimgguid=0x{node_guid:x}\nswitchguid=0x{node_guid:x}({port_guid:x})")?;
        let node = id(&subnet.switches[switch as usize], 'S');
        writeln!(out, "Switch\t{ports} \"{node}\"\t\t# \"{}\" base port 0 lid {lid} lmc {lmc}", name(switch))?;
        for &endpoint in at {
            let address = &subnet.endpoints[endpoint as usize];
            let (port, lid, guid) = (address.port, address.lid, address.port_guid);
            let (here, speed) = (subnet.endpoint_ports[endpoint as usize], of_link(fabric.endpoint_link(endpoint)));
            let (node, name) = (id(address, 'H'), described(endpoint));
            writeln!(out, "[{here}]\t\"{node}\"[{port}]({guid:x}) \t\t# \"{name}\" lid {lid}{speed}")?;
        }
        for channel in channels {
            let other = fabric.targets()[channel];
            let address = &subnet.switches[other as usize];
            let (here, there) = (subnet.ports[channel], subnet.ports[fabric.reverse()[channel] as usize]);
            // If a cable has two rates, the one from its lower switch is written.
            let cable = fabric.reverse()[channel].min(channel as u32);
            let (node, name, speed) = (id(address, 'S'), name(other), of_link(fabric.link(cable)));
            writeln!(out, "[{here}]\t\"{node}\"[{there}]\t\t# \"{name}\" lid {}{speed}", address.lid)?;
        }
        writeln!(out)?;
    }
    for (guid, endpoints) in &adapters {
        let most = endpoints.iter().map(|&endpoint| subnet.endpoints[endpoint as usize].port).max().unwrap_or(1);
        let (node, adapter) = (id(&subnet.endpoints[endpoints[0] as usize], 'H'), described(endpoints[0]));
        writeln!(out, "sysimgguid=0x{guid:x}\ncaguid=0x{guid:x}\nCa\t{most} \"{node}\"\t\t# \"{adapter}\"")?;
        for &endpoint in endpoints {
            let Address { port_guid, lid, lmc, port, .. } = subnet.endpoints[endpoint as usize];
            let switch = fabric.endpoint_switch()[endpoint as usize];
            let address = &subnet.switches[switch as usize];
            let (there, speed) = (subnet.endpoint_ports[endpoint as usize], of_link(fabric.endpoint_link(endpoint)));
            let (node, name) = (id(address, 'S'), name(switch));
            let there = format!("\"{node}\"[{there}]\t\t# lid {lid} lmc {lmc} \"{name}\" lid {}{speed}", address.lid);
            writeln!(out, "[{port}]({port_guid:x}) \t{there}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}
