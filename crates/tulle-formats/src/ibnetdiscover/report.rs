//! Reads the report of ports that `ibnetdiscover -p` prints. The report has one line per port of every node:
//!
//! ```text
//! SW     1  3 0x0002c90300000010 4x EDR - CA     7  1 0x0002c90300000021 ( 'leaf1' - 'n1 HCA-1' )
//! SW     1  4 0x0002c90300000010 4x SDR                                    'leaf1'
//! ```
//!
//! The GUIDs are those of ports. All ports of a switch have the same GUID. Ports of one adapter have the same description, and GUIDs that
//! differ by as much as their port numbers.

use std::collections::HashMap;

use super::lines::{Cursor, Node, Port, guid};
use super::rate;
use tulle_fabric::{Address, Error};

/// The nodes of a report, from the lines that have been read.
#[derive(Default)]
pub(super) struct Report<'t> {
    pub nodes: Vec<Node<'t>>,
    at: HashMap<&'t str, usize>,
    adapters: HashMap<&'t str, usize>,
}

/// One end of a cable in a line: whether the node is a switch, its LID, its port, and its GUID as text.
struct End<'t> {
    switch: bool,
    lid: u16,
    port: u32,
    guid: &'t str,
}

impl<'t> Report<'t> {
    /// Whether a line belongs to a report of ports.
    pub fn has(line: &str) -> bool {
        let mut words = line.split_whitespace();
        let kind = words.next().is_some_and(|word| ["SW", "CA", "RT"].contains(&word));
        let number = |word: Option<&str>| word.is_some_and(|word| word.parse::<u32>().is_ok());
        kind && number(words.next()) && number(words.next()) && words.next().is_some_and(|word| word.starts_with("0x"))
    }

    /// Reads one line.
    pub fn line(&mut self, cursor: &mut Cursor<'t>, line: &'t str) -> Result<(), Error> {
        let (ends, names) = line.split_once(" ( '").unwrap_or((line, ""));
        let (here, there) = match ends.split_once(" - ") {
            Some((here, there)) if !names.is_empty() => (here, Some(there)),
            _ => (ends, None),
        };
        let Some(((end, width), speed)) = end(here).zip(word(here, 4)).zip(word(here, 5)) else {
            return cursor.error("TYPE LID PORT GUID WIDTH SPEED, and maybe - TYPE LID PORT GUID ( 'NAME' - 'NAME' )");
        };
        guid(cursor.text, end.guid)?;
        let Some(there) = there else {
            let Some(name) = line.split_once('\'').and_then(|(_, rest)| rest.strip_suffix('\'')) else {
                return cursor.error("TYPE LID PORT GUID WIDTH SPEED and 'NAME', or - and the other end");
            };
            let at = self.node(cursor, &end, name)?;
            self.nodes[at].ports = self.nodes[at].ports.max(end.port);
            return Ok(());
        };
        let names = names.strip_suffix('\'').or_else(|| names.strip_suffix("' )"));
        let Some(((name, other_name), other)) = names.and_then(|names| names.split_once("' - '")).zip(self::end(there))
        else {
            return cursor.error("TYPE LID PORT GUID ( 'NAME' - 'NAME' ) at the other end");
        };
        guid(cursor.text, other.guid)?;
        let at = self.node(cursor, &end, name)?;
        let other_at = self.node(cursor, &other, other_name)?;
        let other_id = self.nodes[other_at].id;
        let node = &mut self.nodes[at];
        node.ports = node.ports.max(end.port);
        let address = Address {
            node_guid: node.address.node_guid,
            port_guid: guid(cursor.text, end.guid)?,
            lid: end.lid,
            lmc: 0,
            port: end.port.min(254) as u8,
        };
        let rate = rate(&format!("{width}{speed}"));
        node.connected.push(Port { number: end.port, line, other: (other_id, other.port), rate, address });
        Ok(())
    }

    /// Returns the index of the node at an end of a cable. Adds the node if it is new.
    fn node(&mut self, cursor: &Cursor<'t>, end: &End<'t>, name: &'t str) -> Result<usize, Error> {
        if let Some(&at) = self.at.get(end.guid) {
            return Ok(at);
        }
        let value = guid(cursor.text, end.guid)?;
        // Ports of one adapter have the same description and different port numbers. GUIDs tell adapters with equal descriptions apart:
        // ports of one adapter have GUIDs that differ by as much as the port numbers.
        if let Some(&at) = self.adapters.get(name).filter(|_| !end.switch && !name.is_empty()) {
            let port = u64::from(end.port);
            let first = self.nodes[at].address;
            if value.wrapping_sub(first.port_guid) == port.wrapping_sub(first.port.into()) {
                self.at.insert(end.guid, at);
                return Ok(at);
            }
        }
        let at = self.nodes.len();
        let address = Address {
            node_guid: if end.switch { value } else { 0 },
            port_guid: value,
            lid: if end.switch { end.lid } else { 0 },
            lmc: 0,
            port: if end.switch { 0 } else { end.port.min(254) as u8 },
        };
        let description = name.trim();
        self.nodes.push(Node {
            switch: end.switch,
            id: end.guid,
            description,
            ports: end.port,
            address,
            connected: vec![],
        });
        self.at.insert(end.guid, at);
        if !end.switch {
            self.adapters.entry(name).or_insert(at);
        }
        Ok(at)
    }
}

fn word(text: &str, at: usize) -> Option<&str> {
    text.split_whitespace().nth(at)
}

fn end(text: &str) -> Option<End<'_>> {
    let switch = match word(text, 0)? {
        "SW" => true,
        "CA" | "RT" => false,
        _ => return None,
    };
    let port = word(text, 2)?.parse().ok().filter(|port| (1..=255).contains(port))?;
    Some(End { switch, lid: word(text, 1)?.parse().unwrap_or(0), port, guid: word(text, 3)? })
}
