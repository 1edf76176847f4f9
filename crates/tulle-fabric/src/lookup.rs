//! Finds the part of a fabric that has a certain name.

use crate::{Error, Fabric};
use tulle_spec::did_you_mean;

/// Maximum number of names that an error quotes.
const MAX_QUOTED: usize = 8;

/// The result of a lookup by name: a switch or a cable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A switch.
    Switch(u32),
    /// A cable, represented by the lower of its two channels.
    Cable(u32),
}

impl Fabric {
    /// Returns the switch called `name`. If switches have no names of their own, `name` may also be an id.
    ///
    /// # Errors
    /// Fails if `name` refers to no switch, or is the name of several switches.
    pub fn switch_named(&self, name: &str) -> Result<u32, Error> {
        let mut found = (0..self.num_switches() as u32).filter(|&switch| self.is_called(switch, name));
        match (found.next(), found.next()) {
            (Some(switch), None) => Ok(switch),
            (Some(a), Some(b)) => {
                Err(Error::Graph(format!("'{name}' is the name of switches {a} and {b}; legal: a unique name")))
            }
            (None, _) => match name.parse::<u32>() {
                Ok(id) if self.labels.is_empty() && (id as usize) < self.num_switches() => Ok(id),
                _ => Err(self.unknown_switch(name)),
            },
        }
    }

    fn is_called(&self, switch: u32, name: &str) -> bool {
        match self.labels.get(switch as usize) {
            Some(label) => label == name,
            None => name.starts_with('(') && self.label(switch) == name,
        }
    }

    fn unknown_switch(&self, name: &str) -> Error {
        let count = self.num_switches();
        let hint = match (count, self.labels.is_empty()) {
            (0, _) => "legal: none, there are no switches".to_owned(),
            (_, false) => near(name, &self.labels),
            (_, true) if self.coordinates.names.is_empty() => format!("legal: 0 to {}", count - 1),
            (_, true) => format!("legal: 0 to {} or coordinates as {}", count - 1, self.label(0)),
        };
        Error::Graph(format!("no switch '{name}'; {hint}"))
    }

    /// Returns the endpoint called `name`. If no endpoint has this name, `name` may also be the id of an endpoint without a name.
    ///
    /// # Errors
    /// Fails if `name` refers to no endpoint, or is the name of several endpoints.
    pub fn endpoint_named(&self, name: &str) -> Result<u32, Error> {
        let endpoints = 0..self.num_endpoints() as u32;
        let mut found = endpoints.clone().filter(|&endpoint| self.given_endpoint_name(endpoint) == Some(name));
        match (found.next(), found.next()) {
            (Some(endpoint), None) => Ok(endpoint),
            (Some(a), Some(b)) => {
                Err(Error::Graph(format!("'{name}' is the name of endpoints {a} and {b}; legal: a unique name")))
            }
            (None, _) => match name.parse::<u32>() {
                Ok(id) if endpoints.contains(&id) && self.given_endpoint_name(id).is_none() => Ok(id),
                _ => {
                    let names: Vec<String> =
                        endpoints.filter_map(|id| self.given_endpoint_name(id)).map(str::to_owned).collect();
                    let hint = match (self.num_endpoints(), names.is_empty()) {
                        (0, _) => "legal: none, there are no endpoints".to_owned(),
                        (count, true) => format!("legal: 0 to {}", count - 1),
                        (_, false) => near(name, &names),
                    };
                    Err(Error::Graph(format!("no endpoint '{name}'; {hint}")))
                }
            },
        }
    }

    /// Returns the channel from `source` to `target`.
    ///
    /// # Errors
    /// Fails if no cable or several parallel cables connect the switches.
    pub fn channel_between(&self, source: u32, target: u32) -> Result<u32, Error> {
        let [from, to] = [source, target].map(|switch| self.label(switch));
        let row = self.channels_of(source);
        let first = row.start + self.neighbours(source).partition_point(|&other| other < target);
        let beside: Vec<u32> = (first..row.end)
            .take_while(|&channel| self.targets[channel] == target)
            .map(|channel| channel as u32)
            .collect();
        match beside[..] {
            [channel] => Ok(channel),
            [] => {
                let near: Vec<String> = self.neighbours(source).iter().map(|&other| self.label(other)).collect();
                Err(Error::Graph(format!("no cable from '{from}' to '{to}'; legal neighbours: {}", quoted(&near))))
            }
            _ => {
                let names: Vec<String> = beside.iter().map(|&channel| self.cable_name(channel)).collect();
                Err(Error::Graph(format!("{} cables join '{from}' and '{to}'; legal: {}", names.len(), quoted(&names))))
            }
        }
    }

    /// Returns the channel that leaves `switch` by the port called `port`.
    ///
    /// # Errors
    /// Fails if no cable is at this port.
    pub fn channel_at(&self, switch: u32, port: &str) -> Result<u32, Error> {
        let mut row = self.channels_of(switch).map(|channel| channel as u32);
        if let Some(channel) = row.find(|&channel| self.port_name(channel) == port) {
            return Ok(channel);
        }
        let name = self.label(switch);
        if let Some(&endpoint) = self.endpoints_of(switch).iter().find(|&&at| self.endpoint_port_name(at) == port) {
            let endpoint = self.endpoint_name(endpoint);
            let problem = format!("'{name}/{port}' leads to endpoint '{endpoint}'");
            return Err(Error::Graph(format!("{problem}; legal: ports of cables between switches")));
        }
        let ports: Vec<String> = self.channels_of(switch).map(|channel| self.port_name(channel as u32)).collect();
        Err(Error::Graph(format!("no cable at port '{port}' of '{name}'; legal: {}", quoted(&ports))))
    }

    /// Returns the cable that `name` refers to. Legal forms are the cable's own name, `leaf1--spine2`, `leaf1/3--spine2/0`, and `leaf1/3`
    /// (the cable at port 3).
    ///
    /// # Errors
    /// Fails if the name refers to no cable, or to several cables.
    pub fn cable_named(&self, name: &str) -> Result<u32, Error> {
        let mut found = self.cables().filter(|&cable| self.given_cable_name(cable) == Some(name));
        match (found.next(), found.next()) {
            (Some(cable), None) => return Ok(cable),
            (Some(a), Some(b)) => {
                return Err(Error::Graph(format!("'{name}' is the name of cables {a} and {b}; legal: a unique name")));
            }
            (None, _) => {}
        }
        let channel = self.directed(name)?;
        Ok(channel.min(self.reverse[channel as usize]))
    }

    /// Returns the channel that `name` refers to. Legal forms are `leaf1--spine2` (from switch leaf1 to switch spine2),
    /// `leaf1/3--spine2/0` (from port 3 of leaf1 to port 0 of spine2) and `leaf1/3` (out of port 3 of leaf1).
    ///
    /// # Errors
    /// Fails if the name refers to no channel or to several channels. A cable's own name is not allowed either, because a cable has two
    /// directions.
    pub fn channel_named(&self, name: &str) -> Result<u32, Error> {
        if let Some(cable) = self.cables().find(|&cable| self.given_cable_name(cable) == Some(name)) {
            let ends = [cable, self.reverse[cable as usize]]
                .map(|channel| format!("{}/{}", self.label(self.sources[channel as usize]), self.port_name(channel)));
            let problem = format!("'{name}' is a cable with two directions");
            return Err(Error::Graph(format!("{problem}; legal: {} or {}", ends[0], ends[1])));
        }
        self.directed(name)
    }

    /// Returns the channel that the names of its ends or ports refer to.
    fn directed(&self, name: &str) -> Result<u32, Error> {
        let pairs = name.match_indices("--").map(|(at, dashes)| (&name[..at], &name[at + dashes.len()..]));
        let (mut found, mut failed) = (Vec::new(), None);
        // Names of switches can contain dashes themselves, so all ways to split the name are tried.
        for (a, b) in pairs {
            let channel = match (self.end(a), self.end(b)) {
                (Ok(a), Ok(b)) => self.between(a, b),
                (Err(error), _) | (_, Err(error)) => Err(error),
            };
            match channel {
                Ok(channel) => found.push(channel),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        // A port of a switch whose name contains dashes: `a--b/0`.
        if let (Some(_), Ok((_, Some(channel)))) = (&failed, self.end(name)) {
            found.push(channel);
        }
        found.sort_unstable();
        found.dedup();
        match found[..] {
            [channel] => return Ok(channel),
            [a, b, ..] => {
                let ends = [a, b].map(|channel| {
                    let end = |channel: u32| {
                        format!("{}/{}", self.label(self.sources[channel as usize]), self.port_name(channel))
                    };
                    format!("{}--{}", end(channel), end(self.reverse[channel as usize]))
                });
                return Err(Error::Graph(format!("'{name}' can be {} or {}; legal: one cable", ends[0], ends[1])));
            }
            [] => {}
        }
        if let Some(error) = failed {
            return Err(error);
        }
        match self.end(name)? {
            (_, Some(channel)) => Ok(channel),
            (switch, None) => {
                let other = self.neighbours(switch).first().map_or("…".to_owned(), |&other| self.label(other));
                let problem = format!("'{name}' is a switch, not a cable");
                Err(Error::Graph(format!("{problem}; legal: {name}/PORT or {name}--SWITCH, as {name}--{other}")))
            }
        }
    }

    /// Returns the switch or cable that `name` refers to.
    ///
    /// # Errors
    /// Fails if the name refers to neither a switch nor a cable.
    pub fn part_named(&self, name: &str) -> Result<Part, Error> {
        let error = match self.switch_named(name) {
            Ok(switch) => return Ok(Part::Switch(switch)),
            Err(error) => error,
        };
        match self.cable_named(name) {
            Ok(cable) => Ok(Part::Cable(cable)),
            Err(of_cable) if name.contains('/') || name.contains("--") => Err(of_cable),
            Err(_) => Err(error),
        }
    }

    /// One end of a cable: a switch and, if the port is named, the channel that leaves the switch through this port.
    fn end(&self, text: &str) -> Result<(u32, Option<u32>), Error> {
        let error = match self.switch_named(text) {
            Ok(switch) => return Ok((switch, None)),
            Err(error) => error,
        };
        // Names of switches and ports can contain slashes, so all ways to split the name are tried.
        let parts = || text.match_indices('/').map(|(at, slash)| (&text[..at], &text[at + slash.len()..]));
        let mut no_port = None;
        for (switch, port) in parts() {
            if let Ok(switch) = self.switch_named(switch) {
                match self.channel_at(switch, port) {
                    Ok(channel) => return Ok((switch, Some(channel))),
                    Err(error) => no_port = no_port.or(Some(error)),
                }
            }
        }
        if let Some(error) = no_port {
            return Err(error);
        }
        Err(parts().next_back().and_then(|(switch, _)| self.switch_named(switch).err()).unwrap_or(error))
    }

    fn between(&self, a: (u32, Option<u32>), b: (u32, Option<u32>)) -> Result<u32, Error> {
        let ((a, from), (b, to)) = (a, b);
        let there = from.or(to.map(|back| self.reverse[back as usize]));
        let Some(channel) = there else { return self.channel_between(a, b) };
        let ends = [self.sources[channel as usize], self.targets[channel as usize]];
        let back = self.reverse[channel as usize];
        if ends == [a, b] && to.is_none_or(|to| to == back) {
            return Ok(channel);
        }
        let end = |channel: u32| format!("{}/{}", self.label(self.sources[channel as usize]), self.port_name(channel));
        let problem = format!("the cable at '{}' leads to '{}'", end(channel), end(back));
        Err(Error::Graph(format!("{problem}; legal: the two ends of one cable")))
    }
}

/// Returns names similar to `name`, for an error message; if no name is similar, returns the first existing names.
fn near(name: &str, names: &[String]) -> String {
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    match did_you_mean(name, &all) {
        legal if legal.starts_with("legal") => format!("legal: {}", quoted(names)),
        meant => meant,
    }
}

/// Returns the first few names, separated by commas; `none` if there are no names.
fn quoted(names: &[String]) -> String {
    let more = if names.len() > MAX_QUOTED { ", …" } else { "" };
    match names {
        [] => "none".to_owned(),
        _ => format!("{}{more}", names[..names.len().min(MAX_QUOTED)].join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FabricBuilder;
    use tulle_spec::Parameters;

    /// Two leaves and two spines. leaf1 has two cables to spine1; the second one has a name and named ports.
    fn clos() -> Fabric {
        let mut builder = FabricBuilder::new(4);
        builder.labels(["leaf1", "leaf-2", "spine1", "spine/2"].map(str::to_owned).to_vec());
        for (a, b) in [(0, 2), (0, 2), (0, 3), (1, 2), (1, 3)] {
            builder.cable(a, b);
        }
        builder.cable_name(1, "red");
        builder.cable_ports(1, ["swp7", "swp8"]);
        builder.endpoints_each(1);
        builder.endpoint_name(1, "h1");
        builder.endpoint_port(1, "eth0");
        builder.role(2, "spine");
        builder.switch_ports(2, 64);
        builder.finish("edges", Parameters::new()).unwrap()
    }

    #[test]
    fn every_name_of_a_cable_means_it() {
        let fabric = clos();
        assert_eq!(
            [0, 1, 2, 3, 4].map(|channel| fabric.cable_name(channel)),
            ["leaf1/0--spine1/0", "red", "leaf1--spine/2", "leaf-2--spine1", "leaf-2--spine/2",]
        );
        for cable in fabric.cables() {
            assert_eq!(fabric.cable_named(&fabric.cable_name(cable)).unwrap(), cable);
            for channel in [cable, fabric.reverse()[cable as usize]] {
                let port =
                    format!("{}/{}", fabric.label(fabric.sources()[channel as usize]), fabric.port_name(channel));
                assert_eq!(fabric.cable_named(&port).unwrap(), cable, "{port}");
            }
        }
        let same = ["leaf1/swp7", "spine1/swp8", "leaf1/swp7--spine1/swp8", "leaf1--spine1/swp8", "spine1/swp8--leaf1"];
        assert_eq!(same.map(|name| fabric.cable_named(name).unwrap()), [1; 5]);
        // A channel has the direction in which its ends are named.
        let back = fabric.reverse()[1];
        assert_eq!(same.map(|name| fabric.channel_named(name).unwrap()), [1, back, 1, 1, back]);
        let error = fabric.channel_named("red").unwrap_err().to_string();
        assert_eq!(error, "'red' is a cable with two directions; legal: leaf1/swp7 or spine1/swp8");
    }

    #[test]
    fn names_with_dashes_are_split_in_every_way() {
        let named = |names: &[&str], cables: &[(u32, u32)]| {
            let mut builder = FabricBuilder::new(names.len() as u32);
            builder.labels(names.iter().map(|&name| name.to_owned()).collect());
            cables.iter().for_each(|&(a, b)| builder.cable(a, b));
            builder.finish("edges", Parameters::new()).unwrap()
        };
        let fabric = named(&["a--b", "c"], &[(0, 1)]);
        assert_eq!(
            ["a--b/0", "a--b--c", "c--a--b", "a--b/0--c/0"].map(|name| fabric.cable_named(name).unwrap()),
            [0; 4]
        );
        let fabric = named(&["a", "b--c", "a--b", "c"], &[(0, 1), (2, 3)]);
        let error = fabric.cable_named("a--b--c").unwrap_err().to_string();
        assert_eq!(error, "'a--b--c' can be a/0--b--c/0 or a--b/0--c/0; legal: one cable");
        assert_eq!(fabric.cable_named("a/0--b--c").unwrap(), 0);
    }

    #[test]
    fn parts_are_found_and_unknown_names_are_errors() {
        let fabric = clos();
        assert_eq!(fabric.part_named("spine/2").unwrap(), Part::Switch(3));
        assert_eq!(fabric.part_named("leaf1/0").unwrap(), Part::Cable(0));
        assert_eq!((fabric.endpoint_named("h1").unwrap(), fabric.endpoint_named("2").unwrap()), (1, 2));
        assert_eq!(
            (fabric.switch_role(2), fabric.switch_ports(2), fabric.switch_role(0)),
            (Some("spine"), Some(64), None)
        );
        let error = |name: &str| fabric.part_named(name).unwrap_err().to_string();
        assert_eq!(error("leaf3"), "no switch 'leaf3'; did you mean leaf1 or leaf-2?");
        assert_eq!(error("0"), "no switch '0'; legal: leaf1, leaf-2, spine1, spine/2");
        assert_eq!(error("leaf1/9"), "no cable at port '9' of 'leaf1'; legal: 0, swp7, 2");
        assert_eq!(
            error("leaf-2/eth0"),
            "'leaf-2/eth0' leads to endpoint 'h1'; legal: ports of cables between switches"
        );
        assert_eq!(
            error("leaf1--leaf-2"),
            "no cable from 'leaf1' to 'leaf-2'; legal neighbours: spine1, spine1, spine/2"
        );
        assert_eq!(error("leaf1--spine1"), "2 cables join 'leaf1' and 'spine1'; legal: leaf1/0--spine1/0, red");
        assert_eq!(
            error("leaf1/0--spine/2"),
            "the cable at 'leaf1/0' leads to 'spine1/0'; legal: the two ends of one cable"
        );
        assert_eq!(error("leaf1--spin"), "no switch 'spin'; did you mean spine1 or spine/2?");
        let error = fabric.cable_named("leaf-2").unwrap_err().to_string();
        assert_eq!(error, "'leaf-2' is a switch, not a cable; legal: leaf-2/PORT or leaf-2--SWITCH, as leaf-2--spine1");
        let error = fabric.endpoint_named("h2").unwrap_err().to_string();
        assert_eq!(error, "no endpoint 'h2'; legal: h1");
    }

    #[test]
    fn ports_keep_their_numbers_and_names_when_others_fail() {
        let fabric = clos().without(&"links=ids:0".parse().unwrap(), 0).unwrap();
        let again = fabric.without(&"links=ids:0".parse().unwrap(), 0).unwrap();
        assert_eq!((fabric.cable_name(0), fabric.port_name(1)), ("red".to_owned(), "2".to_owned()));
        assert_eq!((again.cable_named("leaf1/2").unwrap(), again.endpoint_port_name(0)), (0, "3".to_owned()));
        assert_eq!(again.endpoint_port_name(1), "eth0");
    }
}
