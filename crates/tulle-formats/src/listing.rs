//! The content of graph files: switches by name, cables and endpoints. [`Listing::into_graph`] converts it to a graph with ids.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::indexed_error::{AtIndex, IndexedError};
use super::properties::Reader;
use super::text::{are, counted, shown};
use tulle_fabric::{Address, Coordinates, Fabric, FabricBuilder, Link, NO_VIRTUAL_LAYER};

/// Maximum number of switches, cables and endpoints of a file.
pub const MAX_SIZE: usize = tulle_fabric::MAX_SIZE as usize;

/// Maximum number of ports of a switch.
pub const MAX_PORTS: u32 = 1 << 20;

/// The longest name of a switch, cable, port or other part, in bytes.
const LONGEST_NAME: usize = 256;

/// A graph as a file lists it. Switches are numbered in the order in which their names appear.
#[derive(Debug, Default)]
pub struct Listing {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    pub(super) cables: Vec<[u32; 2]>,
    endpoints: Endpoints,
    pub(super) properties: Properties,
    /// Whether the ids of the graph keep the order of the file. Otherwise switches are sorted by name.
    in_order: bool,
    /// Number of cables from a switch to itself. These cables are left out.
    loops: usize,
    /// Whether the last cable in the file joined a switch to itself. Such a cable is left out, and so are its properties.
    at_loop: bool,
    /// The meaning of the order of a cable's two ends in the file.
    pub order: Order,
    /// The parser of link properties.
    pub reader: Reader,
    /// Warnings about content of the file that is ignored, one line each.
    pub warnings: Vec<String>,
}

/// The properties in a file besides the graph. A column ends at the last switch, cable or endpoint that has a value. So a column may have
/// fewer entries than there are switches, cables or endpoints.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Properties {
    /// Per cable, the link in each direction.
    pub links: Vec<[Link; 2]>,
    /// Per cable, its name and the ports at its ends.
    pub cables: Vec<[String; 3]>,
    /// Per switch: level, role, ports.
    pub switches: Vec<(u8, String, u32)>,
    /// Per endpoint: its name, the port of its switch, and its link.
    pub endpoints: Vec<(String, String, Link)>,
    /// Per endpoint, the name of the port on its host.
    pub host_ports: Vec<String>,
    /// InfiniBand addresses per switch and per endpoint. This field and the following fields are set only for files that number switches by
    /// their order.
    pub addresses: [Vec<Address>; 2],
    pub coordinates: Coordinates,
    /// The names of the channel classes; and per cable, the classes of its two channels.
    pub classes: (Vec<&'static str>, Vec<[u8; 2]>),
    /// Per cable, the virtual layers that it connects (in a Flattened Clos; [`NO_VIRTUAL_LAYER`] in other fabrics).
    pub layers: Vec<[u8; 2]>,
}

impl Properties {
    /// Adds `cables` to the builder of a fabric, each with its classes and layers.
    pub fn add_cables(&self, cables: &[[u32; 2]], builder: &mut FabricBuilder) {
        let (names, classes) = &self.classes;
        if !names.is_empty() {
            builder.classes(names);
        }
        for (cable, &[a, b]) in cables.iter().enumerate() {
            let classes = classes.get(cable).copied().unwrap_or_default();
            let layers = self.layers.get(cable).copied().unwrap_or([NO_VIRTUAL_LAYER; 2]);
            builder.cable_between_layers(a, b, classes, layers);
        }
    }

    /// Passes the remaining properties to the builder of a fabric with the same parts.
    pub fn apply_to(&self, builder: &mut FabricBuilder) {
        if !self.coordinates.names.is_empty() {
            builder.coordinates(&self.coordinates.names, |switch| self.coordinates.of(switch).to_vec());
        }
        let [switches, endpoints] = &self.addresses;
        (0..).zip(switches).for_each(|(switch, &address)| builder.switch_address(switch, address));
        (0..).zip(endpoints).for_each(|(endpoint, &address)| builder.endpoint_address(endpoint, address));
        for (cable, links) in self.links.iter().enumerate() {
            builder.link(cable, links.clone());
        }
        for (cable, [name, a, b]) in self.cables.iter().enumerate() {
            if !name.is_empty() {
                builder.cable_name(cable, name);
            }
            if !a.is_empty() || !b.is_empty() {
                builder.cable_ports(cable, [a, b]);
            }
        }
        for (switch, (level, role, ports)) in (0..).zip(&self.switches) {
            builder.level(switch, *level);
            if !role.is_empty() {
                builder.role(switch, role);
            }
            if *ports > 0 {
                builder.switch_ports(switch, *ports);
            }
        }
        for (endpoint, port) in (0..).zip(&self.host_ports).filter(|(_, port)| !port.is_empty()) {
            builder.host_port(endpoint, port);
        }
        for (endpoint, (name, port, link)) in (0..).zip(&self.endpoints) {
            if !name.is_empty() {
                builder.endpoint_name(endpoint, name);
            }
            if !port.is_empty() {
                builder.endpoint_port(endpoint, port);
            }
            if *link != Link::UNKNOWN {
                builder.endpoint_link(endpoint, link.clone());
            }
        }
    }
}

/// Stores `value` at index `at`, and extends `values` with defaults if the index is beyond the end.
fn put<T: Clone + Default>(values: &mut Vec<T>, at: usize, value: T) {
    if values.len() <= at {
        values.resize(at + 1, T::default());
    }
    values[at] = value;
}

/// The meaning of the order of a cable's two ends in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The order has no meaning: every cable is listed once.
    Listed,
    /// The order has no meaning, but the file may list every cable in both orders.
    #[default]
    Maybe,
    /// The order has no meaning: the file lists every cable at one of its ends, or at both ends.
    Ends,
    /// The file states that its graph is directed.
    Directed,
}

#[derive(Debug, Default)]
enum Endpoints {
    /// The file does not tell whether switches have endpoints.
    #[default]
    NotGiven,
    /// The switch of each endpoint, in the order of endpoints.
    At(Vec<u32>),
}

/// A graph whose switches, cables and endpoints have ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    /// The number of switches.
    pub switches: u32,
    /// Names by switch; empty if the names equal the ids.
    pub labels: Vec<String>,
    /// The two switches of every cable.
    pub cables: Vec<[u32; 2]>,
    /// Per endpoint, its switch; `None` if no file gives endpoints.
    pub endpoint_switch: Option<Vec<u32>>,
    /// The properties besides the graph.
    pub properties: Properties,
    /// Warnings about content of the files that is ignored, one line each.
    pub warnings: Vec<String>,
}

impl Listing {
    /// Returns an empty listing. `order` says what the order of a cable's two ends means in the file.
    pub fn of(order: Order) -> Self {
        Self { order, ..Self::default() }
    }

    /// Returns the number of the switch called `name`. Adds a switch if the name is new.
    ///
    /// # Errors
    /// Fails if the name is empty, is too long, or has control characters, or if there are too many switches.
    pub fn switch(&mut self, name: &str) -> Result<u32, String> {
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        check_name(name, "switch")?;
        if self.names.len() >= MAX_SIZE {
            return Err(format!("too many switches; legal: at most {MAX_SIZE}"));
        }
        let number = self.names.len() as u32;
        self.numbers.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        Ok(number)
    }

    /// Adds the next switch. The file numbers its switches in the order in which it lists them. Several switches may have the same name.
    ///
    /// # Errors
    /// Fails if the name is empty, is too long, or has control characters, or if there are too many switches.
    pub fn next_switch(&mut self, name: &str) -> Result<u32, String> {
        self.in_order = true;
        check_name(name, "switch")?;
        if self.names.len() >= MAX_SIZE {
            return Err(format!("too many switches; legal: at most {MAX_SIZE}"));
        }
        let number = self.names.len() as u32;
        self.numbers.entry(name.to_owned()).or_insert(number);
        self.names.push(name.to_owned());
        Ok(number)
    }

    /// Returns the properties that are known so far, so that the caller can add more.
    pub fn properties_mut(&mut self) -> &mut Properties {
        &mut self.properties
    }

    /// Returns the number of the switch called `name`, if it is known.
    pub fn switch_number(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// Adds a cable. A cable from a switch to itself is counted and left out.
    ///
    /// # Errors
    /// Fails if a name is illegal or if there are too many cables. An error about a name contains its index, 0 or 1.
    pub fn cable(&mut self, a: &str, b: &str) -> Result<(), IndexedError> {
        let ends = [self.switch(a).at_index(0)?, self.switch(b).at_index(1)?];
        self.cable_between(ends).at_index(0)
    }

    /// Adds a cable between two switches. A cable from a switch to itself is counted and left out.
    ///
    /// # Errors
    /// Too many cables.
    pub fn cable_between(&mut self, ends: [u32; 2]) -> Result<(), String> {
        self.at_loop = ends[0] == ends[1];
        if self.at_loop {
            self.loops += 1;
            return Ok(());
        }
        if self.cables.len() >= MAX_SIZE {
            return Err(format!("too many cables; legal: at most {MAX_SIZE}"));
        }
        self.cables.push(ends);
        Ok(())
    }

    /// Adds properties to the last cable, from the texts of the columns [`super::properties::LINK`] and [`super::properties::CABLE`].
    ///
    /// # Errors
    /// Fails if a text is not a quantity, or if a name is illegal. The error contains the index of the text that causes it.
    pub fn set_cable_properties(&mut self, link: [&str; 8], names: [&str; 3]) -> Result<(), IndexedError> {
        if self.at_loop {
            return Ok(());
        }
        let at = self.cables.len() - 1;
        if link.iter().any(|text| !text.is_empty()) {
            let links = self.reader.links(link)?;
            put(&mut self.properties.links, at, links);
        }
        if names.iter().any(|text| !text.is_empty()) {
            for (part, (name, kind)) in names.iter().zip(["cable", "port", "port"]).enumerate() {
                if !name.is_empty() {
                    check_name(name, kind).at_index(link.len() + part)?;
                }
            }
            put(&mut self.properties.cables, at, names.map(str::to_owned));
        }
        Ok(())
    }

    /// Sets the properties of the last cable's link in both directions.
    pub fn set_link_properties(&mut self, links: [Link; 2]) {
        if !self.at_loop {
            put(&mut self.properties.links, self.cables.len() - 1, links);
        }
    }

    /// Numbers switches by their names, regardless of the order in the file.
    pub fn sort_by_name(&mut self) {
        self.in_order = false;
    }

    /// Returns the note on the number of cables from a switch to itself; `None` if there are no such cables.
    pub fn loops(&self) -> Option<String> {
        let (cables, are) = (counted(self.loops, "cable"), are(self.loops));
        (self.loops > 0).then(|| format!("{cables} from a switch to itself {are} left out"))
    }

    /// Returns a note on cables that repeat an earlier cable with the same properties, if neither has a name or a port; `None` if there are
    /// no such cables.
    pub fn repeated(&self) -> Option<String> {
        let (links, names) = (&self.properties.links, &self.properties.cables);
        let is_unnamed = |cable: usize| names.get(cable).is_none_or(|texts| texts.iter().all(String::is_empty));
        let mut seen = HashSet::new();
        let mut repeated = (0..self.cables.len()).filter(|&cable| {
            is_unnamed(cable)
                && !seen
                    .insert((self.cables[cable], links.get(cable).filter(|links| **links != <[Link; 2]>::default())))
        });
        let first = self.cables[repeated.next()?].map(|switch| shown(&self.names[switch as usize]));
        let (count, example) = (1 + repeated.count(), format!("'{}' and '{}'", first[0], first[1]));
        let what = if count == 1 { "1 cable repeats".to_owned() } else { format!("{count} cables repeat") };
        let is_read = if count == 1 { "it is read as a parallel cable" } else { "they are read as parallel cables" };
        Some(format!("{what} an earlier cable and names no ports (between {example}); {is_read}"))
    }

    /// Adds properties to switch `number`, from the texts of the columns [`super::properties::SWITCH`].
    ///
    /// # Errors
    /// Fails if the level or the number of ports is not a valid number, or if the role is not a legal name.
    pub fn set_switch_properties(&mut self, number: u32, [level, role, ports]: [&str; 3]) -> Result<(), IndexedError> {
        if [level, role, ports].iter().all(|text| text.is_empty()) {
            return Ok(());
        }
        let level = match level {
            "" => 0,
            text => text
                .parse::<u8>()
                .map_err(|_| format!("level '{}' is not a valid level; legal: 0 to 255", shown(text)))
                .at_index(0)?,
        };
        let ports = match ports {
            "" => 0,
            text => text
                .parse::<u32>()
                .ok()
                .filter(|ports| (1..=MAX_PORTS).contains(ports))
                .ok_or_else(|| {
                    format!("ports '{}' is not a valid number of ports; legal: 1 to {MAX_PORTS}", shown(text))
                })
                .at_index(2)?,
        };
        if !role.is_empty() {
            check_name(role, "role").at_index(1)?;
        }
        put(&mut self.properties.switches, number as usize, (level, role.to_owned(), ports));
        Ok(())
    }

    /// Sets the properties of all endpoints, in their order: name, port and link of each endpoint.
    pub fn set_endpoint_properties(&mut self, known: Vec<(String, String, Link)>) {
        if known.iter().any(|known| *known != Default::default()) {
            self.properties.endpoints = known;
        }
    }

    /// Returns the names of the switches, and the number of cables.
    pub fn listed(&self) -> (&[String], usize) {
        (&self.names, self.cables.len())
    }

    /// Sets the switch of each endpoint, in the order of endpoints.
    ///
    /// # Errors
    /// Too many endpoints.
    pub fn endpoints(&mut self, at: Vec<u32>) -> Result<(), String> {
        if at.len() > MAX_SIZE {
            return Err(format!("too many endpoints; legal: at most {MAX_SIZE}"));
        }
        self.endpoints = Endpoints::At(at);
        Ok(())
    }

    /// Whether the file contains endpoints.
    pub fn has_endpoints(&self) -> bool {
        matches!(&self.endpoints, Endpoints::At(at) if !at.is_empty())
    }

    /// Returns the graph. Ids follow the order of names, unless the file's own order numbers the switches.
    ///
    /// # Errors
    /// Fails if the listing has no switch.
    pub fn into_graph(self) -> Result<Graph, String> {
        if self.names.is_empty() {
            return Err("the file contains no cable; legal: one or more".to_owned());
        }
        let mut order: Vec<u32> = (0..self.names.len() as u32).collect();
        if !self.in_order {
            order.sort_by(|&a, &b| compare(&self.names[a as usize], &self.names[b as usize]));
        }
        let mut id = vec![0u32; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| id[old as usize] = new as u32);
        let mut properties = self.properties;
        properties.links.iter_mut().for_each(|links| self.reader.without_bare(links));
        if !properties.switches.is_empty() {
            properties.switches.resize(order.len(), Default::default());
            properties.switches = order.iter().map(|&old| properties.switches[old as usize].clone()).collect();
        }
        let labels: Vec<String> = order.iter().map(|&old| self.names[old as usize].clone()).collect();
        Ok(Graph {
            switches: order.len() as u32,
            labels: if labels.iter().enumerate().all(|(id, name)| number(name) == Some(id as u64)) {
                Vec::new()
            } else {
                labels
            },
            cables: self.cables.iter().map(|ends| ends.map(|end| id[end as usize])).collect(),
            endpoint_switch: match self.endpoints {
                Endpoints::NotGiven => None,
                Endpoints::At(switches) => Some(switches.iter().map(|&switch| id[switch as usize]).collect()),
            },
            properties,
            warnings: self.warnings,
        })
    }
}

/// Checks the name of a `kind`.
///
/// # Errors
/// Fails if the name is empty, is too long, or has control characters.
pub fn check_name(name: &str, kind: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err(format!("a {kind} without a name; legal: 1 to {LONGEST_NAME} bytes"));
    }
    if name.len() > LONGEST_NAME {
        return Err(format!("the name '{}' has {} bytes; legal: 1 to {LONGEST_NAME} bytes", shown(name), name.len()));
    }
    if name.contains(char::is_control) {
        return Err(format!("the name '{}' contains a control character; legal: no control characters", shown(name)));
    }
    Ok(())
}

/// Returns the number that a name represents in canonical form; `7` is canonical, but `07` and `+7` are not.
fn number(name: &str) -> Option<u64> {
    let plain = name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    plain.then(|| name.parse().ok()).flatten()
}

/// Compares names: numbers come first, ordered by value; other names follow, ordered by their bytes.
pub fn compare(a: &str, b: &str) -> Ordering {
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

/// Returns the names under which the switches of `fabric` are written: labels, or otherwise ids. Labels are used if the format can store
/// all of them. If readers of the format sort switches by name (`sorts`), the sorted labels must also give every switch the id that it has
/// now.
pub fn names_to_write(fabric: &Fabric, can_name: fn(&str) -> bool, sorts: bool) -> Vec<String> {
    let labels = fabric.labels();
    let legal = |label: &String| check_name(label, "switch").is_ok() && can_name(label);
    let ordered = || labels.is_sorted_by(|a, b| compare(a, b) == Ordering::Less);
    if !labels.is_empty() && labels.iter().all(legal) && (!sorts || ordered()) {
        return labels.to_vec();
    }
    (0..fabric.num_switches()).map(|switch| switch.to_string()).collect()
}
