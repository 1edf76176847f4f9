//! Attachment of endpoints as CSV: a header row, then an endpoint and its switch a row.
//!
//! A row without an endpoint names a switch only, as isolated ones need to be. Endpoints are numbered as switches are:
//! numbers by value, then other names by their bytes.

use std::collections::HashSet;
use std::io::{self, Write};

use super::csv::Table;
use super::listing::{Listing, check_name, compare};
use super::text::{Text, shown};
use crate::{Error, Fabric};

const NODE: &[&str] = &["node", "endpoint", "host"];
const SWITCH: &[&str] = &["switch", "router"];

/// Reads a nodes file for the switches of `listing`.
///
/// # Errors
/// A missing column, an endpoint attached twice, a switch that no cable and no row without an endpoint names.
pub fn read(text: &Text, listing: &mut Listing) -> Result<(), Error> {
    let columns = |table: &Table| Ok::<_, Error>([table.column(NODE)?, table.column(SWITCH)?]);
    // Rows that only name a switch may come after those that use it.
    let table = Table::open(text)?;
    let both = columns(&table)?;
    listing.warnings.extend(table.ignored(&both));
    table.rows(both, |[node, switch]| if node.is_empty() { listing.switch(switch).map(drop) } else { Ok(()) })?;
    let mut seen = HashSet::new();
    let mut attached: Vec<(String, u32)> = Vec::new();
    Table::open(text)?.rows(both, |[node, switch]| {
        if node.is_empty() {
            return Ok(());
        }
        check_name(node, "node")?;
        let Some(number) = listing.known(switch) else {
            let problem = format!("node '{}' is attached to unknown switch '{}'", shown(node), shown(switch));
            return Err(format!("{problem}; legal: the ends of cables, and switches of rows without a node"));
        };
        if !seen.insert(node.to_owned()) {
            return Err(format!("node '{}' is attached twice; legal: once", shown(node)));
        }
        attached.push((node.to_owned(), number));
        Ok(())
    })?;
    attached.sort_by(|a, b| compare(&a.0, &b.0));
    listing
        .endpoints(attached.into_iter().map(|(_, switch)| switch).collect())
        .map_err(|problem| text.error(1, problem))
}

/// Writes the nodes file of `fabric`.
pub fn write(fabric: &Fabric, names: &[String], out: &mut dyn Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(["node", "switch"])?;
    for switch in (0..fabric.num_switches() as u32).filter(|&switch| fabric.degree(switch) == 0) {
        writer.write_record(["", &names[switch as usize]])?;
    }
    for (node, &switch) in fabric.endpoint_switch().iter().enumerate() {
        writer.write_record([&node.to_string(), &names[switch as usize]])?;
    }
    writer.flush()
}
