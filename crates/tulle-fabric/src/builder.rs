//! Builds a fabric: converts cables in any order to compressed rows.

use std::ops::Range;

use crate::fabric::{Coordinates, Fabric};
use crate::links::{Link, Links};
use crate::names::{Address, Names};
use crate::shape::Shape;
use crate::{Error, NO_VIRTUAL_LAYER};
use tulle_base::{memory, task};
use tulle_spec::{Parameters, Registered};

/// A builder that collects switches, cables and endpoints, and builds a [`Fabric`] from them.
///
/// ```
/// use tulle_fabric::FabricBuilder;
/// let mut builder = FabricBuilder::new(3);
/// builder.cable(0, 1);
/// builder.cable(1, 2);
/// builder.endpoints_each(2);
/// let path = builder.finish("edges", Default::default())?;
/// assert_eq!(path.neighbours(1), [0, 2]);
/// # Ok::<(), tulle_fabric::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct FabricBuilder {
    switches: u32,
    cables: Vec<Cable>,
    class_names: Vec<&'static str>,
    levels: Vec<u8>,
    coordinates: Coordinates,
    labels: Vec<String>,
    endpoint_switch: Vec<u32>,
    /// Properties of both channels of every cable. The list ends with the last cable that has known properties.
    links: Vec<Link>,
    endpoint_links: Vec<Link>,
    /// The names of ports and cables have two entries per cable, like `links`: one for each channel.
    names: Names,
}

#[derive(Debug, Clone, Copy)]
struct Cable {
    ends: [u32; 2],
    /// The class of the channel that leaves each end of the cable.
    classes: [u8; 2],
    /// Virtual layer at either end.
    layers: [u8; 2],
}

impl FabricBuilder {
    /// Returns a builder with this number of switches, without cables and endpoints.
    pub fn new(switches: u32) -> Self {
        Self {
            switches,
            cables: Vec::new(),
            class_names: vec!["link"],
            levels: vec![0; switches as usize],
            coordinates: Coordinates::default(),
            labels: Vec::new(),
            endpoint_switch: Vec::new(),
            links: Vec::new(),
            endpoint_links: Vec::new(),
            names: Names::default(),
        }
    }

    /// Names the channel classes; a cable added with [`FabricBuilder::cable`] has the first class.
    pub fn classes(&mut self, names: &[&'static str]) {
        self.class_names = names.to_vec();
    }

    /// Adds a cable between `a` and `b`, of class 0 in both directions.
    pub fn cable(&mut self, a: u32, b: u32) {
        self.cable_of(a, b, 0, 0);
    }

    /// Adds a cable whose channel from `a` to `b` has class `there`, and whose reverse channel has class `back`.
    pub fn cable_of(&mut self, a: u32, b: u32, there: u8, back: u8) {
        self.cable_between_layers(a, b, [there, back], [NO_VIRTUAL_LAYER; 2]);
    }

    /// Adds a cable between virtual layer `layers[0]` of `a` and `layers[1]` of `b` (Flattened Clos (NSDI23) §3.1).
    pub fn cable_between_layers(&mut self, a: u32, b: u32, classes: [u8; 2], layers: [u8; 2]) {
        task::step();
        memory::push("cables", &mut self.cables, Cable { ends: [a, b], classes, layers });
    }

    /// Returns the number of cables added so far.
    pub fn num_cables(&self) -> usize {
        self.cables.len()
    }

    /// Sets the level of `switch`. Without this call, its level is 0.
    pub fn level(&mut self, switch: u32, level: u8) {
        self.levels[switch as usize] = level;
    }

    /// Sets the coordinates of every switch. `names` are the names of the coordinates. `of` returns the coordinates of a switch, one per
    /// name.
    pub fn coordinates(&mut self, names: &[&'static str], of: impl Fn(u32) -> Vec<u32>) {
        let values: Vec<u32> = (0..self.switches).flat_map(of).collect();
        assert_eq!(
            values.len(),
            names.len() * self.switches as usize,
            "every switch needs one coordinate per coordinate name"
        );
        self.coordinates = Coordinates { names: names.to_vec(), values };
    }

    /// Sets the label of every switch.
    pub fn labels(&mut self, labels: Vec<String>) {
        assert_eq!(labels.len(), self.switches as usize, "every switch needs one label");
        self.labels = labels;
    }

    /// Attaches `count` more endpoints to `switch`; endpoint ids ascend in the order of attachment.
    pub fn endpoints(&mut self, switch: u32, count: usize) {
        (0..count).for_each(|_| memory::push("endpoints", &mut self.endpoint_switch, switch));
    }

    /// Attaches `count` endpoints to every switch, switch by switch.
    pub fn endpoints_each(&mut self, count: usize) {
        for switch in 0..self.switches {
            self.endpoints(switch, count);
        }
    }

    /// Sets the link properties of cable number `cable`: first of the channel from the cable's first end, then of the reverse channel.
    pub fn link(&mut self, cable: usize, links: [Link; 2]) {
        for (channel, link) in (2 * cable..).zip(links) {
            put(&mut self.links, channel, link);
        }
    }

    /// Sets the properties of the link of `endpoint`, in both directions. A cost is ignored, because only cables between switches have
    /// costs.
    pub fn endpoint_link(&mut self, endpoint: u32, link: Link) {
        put(&mut self.endpoint_links, endpoint as usize, Link { cost: None, ..link });
    }

    /// Names the `cable`-th cable.
    pub fn cable_name(&mut self, cable: usize, name: &str) {
        (0..2).for_each(|side| put(&mut self.names.cables, 2 * cable + side, name.to_owned()));
    }

    /// Names the ports of cable number `cable`: first the port at the cable's first end, then the port at its second end. An empty text
    /// means no name.
    pub fn cable_ports(&mut self, cable: usize, ports: [&str; 2]) {
        (0..2).for_each(|side| put(&mut self.names.ports, 2 * cable + side, ports[side].to_owned()));
    }

    /// Names `endpoint`.
    pub fn endpoint_name(&mut self, endpoint: u32, name: &str) {
        put(&mut self.names.endpoints, endpoint as usize, name.to_owned());
    }

    /// Names the switch port to which `endpoint` is attached.
    pub fn endpoint_port(&mut self, endpoint: u32, port: &str) {
        put(&mut self.names.endpoint_ports, endpoint as usize, port.to_owned());
    }

    /// Names the host port that `endpoint` represents.
    pub fn host_port(&mut self, endpoint: u32, port: &str) {
        put(&mut self.names.host_ports, endpoint as usize, port.to_owned());
    }

    /// Sets the role of `switch`, for example `leaf` or `spine`.
    pub fn role(&mut self, switch: u32, role: &str) {
        put(&mut self.names.roles, switch as usize, role.to_owned());
    }

    /// Sets the number of ports of `switch`, used or not.
    pub fn switch_ports(&mut self, switch: u32, ports: u32) {
        put(&mut self.names.switch_ports, switch as usize, ports);
    }

    /// Sets the InfiniBand address of `switch`.
    pub fn switch_address(&mut self, switch: u32, address: Address) {
        put(&mut self.names.switch_addresses, switch as usize, address);
    }

    /// Sets the InfiniBand address of `endpoint`'s adapter port.
    pub fn endpoint_address(&mut self, endpoint: u32, address: Address) {
        put(&mut self.names.endpoint_addresses, endpoint as usize, address);
    }

    /// Builds the fabric of `plugin`, a member of a topology family.
    ///
    /// # Errors
    /// Fails under the same conditions as [`FabricBuilder::finish`].
    pub fn member(self, plugin: &impl Registered) -> Result<Fabric, Error> {
        self.finish(plugin.info().name, plugin.parameters())
    }

    /// Builds the fabric; its spec consists of the name `family` and `parameters`.
    ///
    /// # Errors
    /// Fails if a cable connects a switch to itself, if a cable or endpoint is at a switch that does not exist, if a property belongs to a
    /// part that does not exist, or if a link property is out of range.
    pub fn finish(mut self, family: &'static str, parameters: Parameters) -> Result<Fabric, Error> {
        self.check()?;
        let switches = self.switches as usize;
        let channels = self.cables.len() * 2;
        let (links, names) = (std::mem::take(&mut self.links), std::mem::take(&mut self.names));
        let end = |channel: u32, side: usize| self.cables[channel as usize / 2].ends[(channel as usize + side) % 2];
        // Each row is sorted by target switch, and parallel cables by insertion order. So the k-th of several parallel channels in one
        // direction pairs with the k-th channel in the reverse direction. A target is stored with its channel's number, so that sorting a
        // row needs no other memory.
        let (mut rows, offsets) =
            bucket(0..channels as u32, switches, |channel| end(channel, 0), |channel| (end(channel, 1), channel));
        for row in offsets.windows(2) {
            rows[row[0] as usize..row[1] as usize].sort_unstable();
        }
        let (targets, order): (Vec<u32>, Vec<u32>) = rows.into_iter().unzip();
        let mut position = vec![0u32; channels];
        for (at, &channel) in order.iter().enumerate() {
            position[channel as usize] = at as u32;
        }
        let cable = |channel: u32| &self.cables[channel as usize / 2];
        let layered = self.cables.iter().any(|cable| cable.layers != [NO_VIRTUAL_LAYER; 2]);
        let endpoints = 0..self.endpoint_switch.len() as u32;
        let (endpoint_order, endpoint_offsets) =
            bucket(endpoints, switches, |endpoint| self.endpoint_switch[endpoint as usize], |endpoint| endpoint);
        let known = |links: &'_ [Link], at: u32| links.get(at as usize).unwrap_or(&Link::UNKNOWN).clone();
        let (links, endpoint_links) = match links.is_empty() && self.endpoint_links.is_empty() {
            true => (Vec::new(), Vec::new()),
            false => (
                order.iter().map(|&channel| known(&links, channel)).collect(),
                (0..self.endpoint_switch.len() as u32).map(|endpoint| known(&self.endpoint_links, endpoint)).collect(),
            ),
        };
        let names = names.padded(switches, channels, self.endpoint_switch.len()).ordered(&order).some();
        Ok(Fabric {
            spec: parameters.spec(family),
            family,
            parameters: parameters.0,
            faults: Vec::new(),
            sources: order.iter().map(|&channel| end(channel, 0)).collect(),
            targets,
            reverse: order.iter().map(|&channel| position[channel as usize ^ 1]).collect(),
            classes: order.iter().map(|&channel| cable(channel).classes[channel as usize % 2]).collect(),
            class_names: self.class_names,
            virtual_layers: if layered {
                let sides = |channel: u32| {
                    let [a, b] = cable(channel).layers;
                    if channel.is_multiple_of(2) { [a, b] } else { [b, a] }
                };
                order.iter().map(|&channel| sides(channel)).collect()
            } else {
                Vec::new()
            },
            offsets,
            levels: self.levels,
            coordinates: if self.coordinates.names.is_empty() { Coordinates::default() } else { self.coordinates },
            labels: self.labels,
            endpoint_switch: self.endpoint_switch,
            endpoint_offsets,
            endpoint_order,
            links: Links::new(&links, &endpoint_links),
            link_rules: Vec::new(),
            names,
            origin: None,
            warnings: Vec::new(),
            shape: Shape::default(),
        })
    }

    fn check(&self) -> Result<(), Error> {
        let switches = self.switches;
        if self.cables.len() > (u32::MAX / 2 - 1) as usize {
            return Err(Error::Graph(format!("{} cables are too many; legal: below 2^31 - 1", self.cables.len())));
        }
        for Cable { ends: [a, b], .. } in &self.cables {
            if a == b {
                return Err(Error::Graph(format!("a cable from switch {a} to itself; its ends must differ")));
            }
            if let Some(end) = [a, b].into_iter().find(|&&end| end >= switches) {
                return Err(Error::Graph(format!("a cable to switch {end}; legal: below {switches}")));
            }
        }
        if let Some(switch) = self.endpoint_switch.iter().find(|&&switch| switch >= switches) {
            return Err(Error::Graph(format!("an endpoint on switch {switch}; legal: below {switches}")));
        }
        let names = &self.names;
        let rows = [
            ("cable", self.links.len().max(names.cables.len()).max(names.ports.len()).div_ceil(2), self.cables.len()),
            (
                "endpoint",
                [&names.endpoints, &names.endpoint_ports, &names.host_ports]
                    .map(Vec::len)
                    .into_iter()
                    .chain([names.endpoint_addresses.len()])
                    .fold(self.endpoint_links.len(), usize::max),
                self.endpoint_switch.len(),
            ),
            (
                "switch",
                names.roles.len().max(names.switch_ports.len()).max(names.switch_addresses.len()),
                switches as usize,
            ),
        ];
        for (part, said, count) in rows {
            if said > count {
                return Err(Error::Graph(format!("a property is given for {part} {}; legal: below {count}", said - 1)));
            }
        }
        self.links.iter().chain(&self.endpoint_links).try_for_each(Link::check)?;
        Ok(())
    }
}

/// Stores `value` at index `at`, and extends `values` with defaults if the index is beyond the end.
fn put<T: Clone + Default>(values: &mut Vec<T>, at: usize, value: T) {
    if values.len() <= at {
        values.resize(at + 1, T::default());
    }
    values[at] = value;
}

/// Groups items by `key`. Returns the `entry` of every item in ascending order of keys (items with equal keys keep their order), and the
/// position of each key's first item.
pub(crate) fn bucket<T: Copy + Default>(
    items: Range<u32>,
    keys: usize,
    key: impl Fn(u32) -> u32,
    entry: impl Fn(u32) -> T,
) -> (Vec<T>, Vec<u32>) {
    let mut offsets = vec![0u32; keys + 1];
    for item in items.clone() {
        offsets[key(item) as usize + 1] += 1;
    }
    for at in 1..=keys {
        offsets[at] += offsets[at - 1];
    }
    let mut next = offsets.clone();
    let mut entries = vec![T::default(); items.len()];
    for item in items {
        let slot = &mut next[key(item) as usize];
        entries[*slot as usize] = entry(item);
        *slot += 1;
    }
    (entries, offsets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_cables_pair_up() {
        let mut builder = FabricBuilder::new(3);
        builder.classes(&["up", "down"]);
        builder.cable_of(1, 0, 0, 1);
        builder.cable_of(0, 2, 1, 0);
        builder.cable_of(0, 1, 1, 0);
        builder.endpoints(2, 1);
        builder.endpoints(0, 2);
        let fabric = builder.finish("edges", Parameters::new()).unwrap();
        assert_eq!(fabric.targets(), [1, 1, 2, 0, 0, 0]);
        assert_eq!(fabric.reverse(), [3, 4, 5, 0, 1, 2]);
        assert_eq!(fabric.classes(), [1, 1, 1, 0, 0, 0]);
        assert_eq!(fabric.endpoints_of(0), [1, 2]);
        assert_eq!(fabric.endpoint_switch(), [2, 0, 0]);
        assert_eq!(fabric.cables().collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn illegal_parts_are_refused() {
        let finish = |build: fn(&mut FabricBuilder)| {
            let mut builder = FabricBuilder::new(2);
            build(&mut builder);
            builder.finish("edges", Parameters::new()).unwrap_err().to_string()
        };
        assert!(finish(|b| b.cable(1, 1)).contains("to itself"));
        assert!(finish(|b| b.cable(0, 2)).contains("legal: below 2"));
        assert!(finish(|b| b.endpoints(2, 1)).contains("legal: below 2"));
    }
}
