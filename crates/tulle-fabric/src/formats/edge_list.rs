//! Edge lists: `u v` a line, `#` comments; what follows the two names is ignored. A line of one name is a switch
//! without cables.

use std::io::{self, Write};

use super::Format;
use super::listing::Listing;
use super::text::Text;
use crate::{Error, Fabric};

pub const FORMAT: Format = Format {
    name: "edge list",
    extensions: &["edges", "txt"],
    nodes_beside: true,
    read,
    refuses: |_| None,
    can_name: |name| !name.contains(|c: char| c.is_whitespace() || c == '#'),
    write,
};

fn read(text: &Text) -> Result<Listing, Error> {
    let mut listing = Listing::default();
    for (line, content) in text.content.lines().enumerate() {
        let content = content.split('#').next().unwrap_or_default();
        let mut names = content.split_whitespace();
        let added = match (names.next(), names.next()) {
            (Some(a), Some(b)) => listing.cable(a, b),
            (Some(switch), None) => listing.switch(switch).map(drop),
            (None, _) => Ok(()),
        };
        added.map_err(|problem| text.error(line + 1, problem))?;
    }
    Ok(listing)
}

fn write(fabric: &Fabric, names: &[String], out: &mut dyn Write) -> io::Result<()> {
    for switch in (0..fabric.num_switches() as u32).filter(|&switch| fabric.degree(switch) == 0) {
        writeln!(out, "{}", names[switch as usize])?;
    }
    for cable in fabric.cables() {
        let [a, b] = [fabric.sources(), fabric.targets()].map(|ends| &names[ends[cable as usize] as usize]);
        writeln!(out, "{a} {b}")?;
    }
    Ok(())
}
