//! Writes the large files: OpenSM's forwarding tables, and the SL-to-VL tables with the service levels of paths. Also reads forwarding
//! tables.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use rayon::prelude::*;
use tulle_base::task;
use tulle_fabric::Fabric;

use super::{Deployment, NO_PORT, Owner, Parts, Tables};
use crate::Error;

/// Number of switches whose text is in memory at the same time. The limit is needed because files can be several gigabytes long.
const AT_ONCE: usize = 16;

/// Number of bytes of a line before its comment: `0x0034 001`.
const ENTRY: usize = 10;

/// The VL in an SL-to-VL table that makes a switch discard the packet (InfiniBand Architecture Specification, volume 1, SL-to-VL mapping).
const DISCARD: u8 = 15;

/// The lines of a table. The lines are the same for every switch, except for the ports.
struct Lines {
    text: Vec<u8>,
    /// The LID and the offset of the line, for every assigned LID.
    starts: Vec<(usize, usize)>,
}

impl Lines {
    fn of(deployment: &Deployment, compact: bool) -> Self {
        let (fabric, subnet) = (&*deployment.parts.fabric, &deployment.subnet);
        let (mut text, mut starts) = (Vec::new(), Vec::new());
        for (lid, owner) in deployment.lids.owners().into_iter().enumerate() {
            let (kind, guid, name) = match owner {
                Owner::Nobody => continue,
                Owner::Switch(switch) => ("Switch", subnet.switches[switch as usize].port_guid, fabric.label(switch)),
                Owner::Endpoint { endpoint, .. } => {
                    ("Channel Adapter", subnet.endpoints[endpoint as usize].port_guid, fabric.endpoint_name(endpoint))
                }
            };
            starts.push((lid, text.len()));
            let comment = match compact {
                true => String::new(),
                false => format!(" # {kind} portguid 0x{guid:016x}: '{}'", shown(&name)),
            };
            text.extend(format!("0x{lid:04x} 000{comment}\n").bytes());
        }
        Self { text, starts }
    }

    /// Appends the lines of a switch to `out`, with the ports in `row`. LIDs without a port are left out.
    fn filled(&self, row: &[u8], out: &mut Vec<u8>) {
        let begin = out.len();
        if self.starts.iter().all(|&(lid, _)| row[lid] != NO_PORT) {
            out.extend_from_slice(&self.text);
            for &(lid, start) in &self.starts {
                put(&mut out[begin + start..], row[lid]);
            }
            return;
        }
        let ends = self.starts.iter().skip(1).map(|&(_, start)| start).chain([self.text.len()]);
        for (&(lid, start), end) in self.starts.iter().zip(ends) {
            if row[lid] != NO_PORT {
                let line = out.len();
                out.extend_from_slice(&self.text[start..end]);
                put(&mut out[line..], row[lid]);
            }
        }
    }
}

/// Writes a port number into a line.
fn put(line: &mut [u8], port: u8) {
    line[ENTRY - 3..ENTRY].copy_from_slice(&[b'0' + port / 100, b'0' + port / 10 % 10, b'0' + port % 10]);
}

/// Returns a name without characters that are illegal in a comment.
fn shown(name: &str) -> String {
    name.chars().filter(|&letter| letter != '\'' && !letter.is_control()).collect()
}

/// Writes to `path` the text that `make` returns for every switch, in the order of switches.
fn by_switch(path: &Path, fabric: &Fabric, make: impl Fn(u32, &mut Vec<u8>) + Sync) -> Result<(), Error> {
    let write = || -> io::Result<()> {
        let mut file = File::create(path)?;
        let switches: Vec<u32> = (0..fabric.num_switches() as u32).collect();
        let mut texts = vec![Vec::new(); AT_ONCE];
        for some in switches.chunks(AT_ONCE) {
            task::check();
            texts.par_iter_mut().zip(some).for_each(|(text, &switch)| {
                text.clear();
                make(switch, text);
            });
            for text in &texts[..some.len()] {
                file.write_all(text)?;
            }
        }
        Ok(())
    };
    write().map_err(|source| Error::File { path: path.to_owned(), source })
}

/// Writes the forwarding tables in the format of OpenSM's file engine. With `compact`, lines have no comments. Comments contain the ports'
/// GUIDs, by which OpenSM recognises ports; without comments, OpenSM uses the LIDs as written.
///
/// # Errors
/// Fails if the operating system refuses to write the file.
pub fn write_lfts(deployment: &Deployment, path: &Path, compact: bool) -> Result<(), Error> {
    let lines = Lines::of(deployment, compact);
    let Deployment { parts: Parts { fabric, .. }, subnet, lids, tables, .. } = deployment;
    by_switch(path, fabric, |switch, out| {
        let head = format!(
            "Unicast lids [0-{}] of switch Lid {} guid 0x{:016x} ('{}'):\n",
            lids.top(),
            lids.switches()[switch as usize],
            subnet.switches[switch as usize].node_guid,
            shown(&fabric.label(switch))
        );
        out.extend(head.bytes());
        lines.filled(tables.row(switch), out);
        out.push(b'\n');
    })
}

/// Writes the SL-to-VL tables and the service levels of all paths for tulle's OpenSM plug-in. A line `slvl GUID IN OUT VL0 … VL15` is a row
/// of an SL-to-VL table; IN and OUT are 0 for adapters. A line `psl GUID DIGITS` has the service levels of paths from the endpoints of the
/// switch with this GUID. It has one hexadecimal digit per destination LID, from LID 0 on.
///
/// # Errors
/// Fails if the operating system refuses to write the file.
pub fn write_sl2vl(deployment: &Deployment, path: &Path) -> Result<(), Error> {
    let Deployment { parts: Parts { fabric, .. }, subnet, lanes, .. } = deployment;
    let owners = deployment.lids.owners();
    // If an adapter has ports at several switches, it is listed under the switch with the lowest id.
    let mut first_switch: HashMap<u64, u32> = HashMap::new();
    for (address, &switch) in subnet.endpoints.iter().zip(fabric.endpoint_switch()) {
        first_switch.entry(address.node_guid).and_modify(|first| *first = switch.min(*first)).or_insert(switch);
    }
    let row = |vls: &[u8; 16]| vls.map(|vl| vl.to_string()).join(" ");
    // No path of the routing turns back at a switch. But while switches load new tables one after another, packets could be sent back over
    // their input port. Two such switches could deadlock, so the row discards these packets.
    let u_turn = row(&[DISCARD; 16]);
    by_switch(path, fabric, |switch, out| {
        let guid = subnet.switches[switch as usize].node_guid;
        let mut ins = vec![(0, true)];
        let channels = fabric.channels_of(switch);
        ins.extend(channels.map(|channel| (subnet.ports[channel], false)));
        let at = fabric.endpoints_of(switch);
        ins.extend(at.iter().map(|&endpoint| (subnet.endpoint_ports[endpoint as usize], true)));
        ins.sort_unstable();
        let rows = [false, true].map(|injected| row(lanes.row(switch, injected)));
        for &(from, injected) in &ins {
            for &(to, _) in &ins[1..] {
                let row = if from == to && !injected { &u_turn } else { &rows[usize::from(injected)] };
                out.extend(format!("slvl 0x{guid:016x} {from} {to} {row}\n").bytes());
            }
        }
        let mut adapters: Vec<u64> = at.iter().map(|&at| subnet.endpoints[at as usize].node_guid).collect();
        adapters.sort_unstable();
        adapters.dedup();
        for guid in adapters.into_iter().filter(|guid| first_switch[guid] == switch) {
            out.extend(format!("slvl 0x{guid:016x} 0 0 {}\n", row(lanes.adapters())).bytes());
        }
        out.extend(format!("psl 0x{guid:016x} ").bytes());
        out.extend(owners.iter().map(|&owner| b"0123456789abcdef"[usize::from(deployment.sl(switch, owner))]));
        out.push(b'\n');
    })
}

/// Reads forwarding tables written by [`write_lfts`] or by `dump_lfts`, which may write ports with fewer digits. `guids` has the node GUIDs
/// of the switches. The tables are returned in the order of `guids`.
///
/// # Errors
/// Fails if the file cannot be read, if a switch is unknown, repeated or missing, or if a line is malformed.
pub fn read_lfts(path: &Path, guids: &[u64]) -> Result<Tables, Error> {
    let refused = |source| Error::File { path: path.to_owned(), source };
    let mut file = BufReader::with_capacity(1 << 20, File::open(path).map_err(refused)?);
    let places: HashMap<u64, usize> = guids.iter().copied().zip(0..).collect();
    let mut rows: Vec<Option<Vec<u8>>> = vec![None; guids.len()];
    let (mut line, mut number, mut current) = (Vec::new(), 0, None);
    loop {
        line.clear();
        if file.read_until(b'\n', &mut line).map_err(refused)? == 0 {
            break;
        }
        number += 1;
        if number % 65536 == 0 {
            task::check();
        }
        let wrong = |problem: String| Error::Format { path: path.to_owned(), line: number, problem };
        let text = line.trim_ascii();
        if let Some(entry) = text.strip_prefix(b"0x") {
            let Some((row, _)) = current.and_then(|place: usize| rows[place].as_mut().map(|row| (row, place))) else {
                return Err(wrong(
                    "an entry before the first switch; legal: Unicast lids … of switch … guid 0x…".to_owned(),
                ));
            };
            let (lid, port) = entry_of(entry).ok_or_else(|| {
                wrong(format!(
                    "'{}' is not an entry; legal: a LID and a port, for example 0x0034 001",
                    text.escape_ascii()
                ))
            })?;
            row.resize(row.len().max(usize::from(lid) + 1), NO_PORT);
            row[usize::from(lid)] = port;
        } else if text.starts_with(b"Unicast lids") {
            let guid =
                guid_of(text).ok_or_else(|| wrong("the line has no 'guid 0x…', which names the switch".to_owned()))?;
            let place = *places.get(&guid).ok_or_else(|| {
                wrong(format!("switch 0x{guid:016x} is not in the fabric; legal: tables of the fabric's switches"))
            })?;
            if rows[place].replace(Vec::new()).is_some() {
                return Err(wrong(format!("switch 0x{guid:016x} occurs twice; legal: once")));
            }
            current = Some(place);
        }
    }
    if let Some(place) = rows.iter().position(Option::is_none) {
        let problem = format!("no table of switch 0x{:016x}; legal: one table per switch", guids[place]);
        return Err(Error::Format { path: path.to_owned(), line: number, problem });
    }
    let width = rows.iter().flatten().map(Vec::len).max().unwrap_or(0);
    let mut ports = Vec::with_capacity(width * rows.len());
    for row in rows.iter().flatten() {
        ports.extend_from_slice(row);
        ports.resize(ports.len() + width - row.len(), NO_PORT);
    }
    Ok(Tables::from_ports(width, ports))
}

/// Parses the LID and the port of an entry; `text` starts after the entry's `0x`.
fn entry_of(text: &[u8]) -> Option<(u16, u8)> {
    let mut words = text.splitn(3, |byte| byte.is_ascii_whitespace());
    let digits = words.next()?;
    let lid = match digits.len() {
        1..=4 => digits.iter().try_fold(0u16, |lid, &digit| Some(lid << 4 | (digit as char).to_digit(16)? as u16))?,
        _ => return None,
    };
    let digits = words.next()?;
    let port = match digits.len() {
        1..=3 => digits.iter().try_fold(0u16, |port, &digit| Some(port * 10 + (digit as char).to_digit(10)? as u16))?,
        _ => return None,
    };
    Some((lid, u8::try_from(port).ok()?))
}

/// The GUID that a line names.
fn guid_of(line: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(line).ok()?;
    let (_, rest) = text.split_once(" guid 0x")?;
    let end = rest.find(|letter: char| !letter.is_ascii_hexdigit()).unwrap_or(rest.len());
    u64::from_str_radix(&rest[..end], 16).ok()
}
