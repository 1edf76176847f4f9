//! Converts servers to endpoints: one endpoint per port of a server, because an endpoint has one port.

use std::collections::BTreeMap;

use super::listing::{Listing, compare};
use super::text::Text;
use tulle_fabric::{Error, Link};

/// The name of a server. Names have the order of [`compare`].
#[derive(Debug, PartialEq, Eq)]
struct Name(String);

impl Ord for Name {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        compare(&self.0, &other.0)
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// A port of a server: its name (which may be empty), the switch, the switch's port, and the link.
#[derive(Debug)]
pub struct Port {
    pub name: String,
    pub switch: u32,
    pub switch_port: String,
    pub link: Link,
}

/// Servers by name, with their ports in the order of the file.
#[derive(Debug, Default)]
pub struct Servers {
    ports: BTreeMap<Name, Vec<Port>>,
}

impl Servers {
    /// Adds a port of `server`.
    pub fn attach(&mut self, server: &str, port: Port) {
        self.ports.entry(Name(server.to_owned())).or_default().push(port);
    }

    /// Whether `server` has a port.
    pub fn has(&self, server: &str) -> bool {
        self.ports.contains_key(&Name(server.to_owned()))
    }

    /// Makes an endpoint of every port. The endpoints of a server with several ports are called `server:port`. An endpoint of a server with
    /// one port is named after the server if `named` is set or any server has several ports.
    ///
    /// # Errors
    /// Too many endpoints.
    pub fn into_endpoints(self, named: bool, text: &Text, listing: &mut Listing) -> Result<(), Error> {
        let several = self.ports.values().filter(|ports| ports.len() > 1).count();
        let (mut at, mut known) = (Vec::new(), Vec::new());
        let own = &mut listing.properties_mut().host_ports;
        for (Name(server), ports) in self.ports {
            let alone = ports.len() == 1;
            for (number, Port { name, switch, switch_port, link }) in ports.into_iter().enumerate() {
                let port = if name.is_empty() && !alone { number.to_string() } else { name };
                let name = match alone {
                    false => format!("{server}:{port}"),
                    true if named || several > 0 => server.clone(),
                    true => String::new(),
                };
                at.push(switch);
                known.push((name, switch_port, link));
                own.push(port);
            }
        }
        if several > 0 {
            let servers = if several == 1 { "server has" } else { "servers have" };
            let what = format!("{several} {servers} several ports: each port is an endpoint, called server:port");
            listing.warnings.push(text.warning(what));
        }
        listing.set_endpoint_properties(known);
        listing.endpoints(at).map_err(|problem| text.error(problem))
    }
}
