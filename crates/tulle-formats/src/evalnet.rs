//! Adjacency lists in the format of EvalNet: a line with the numbers of switches and cables, then one line per switch with its neighbours.
//! A cable is in the lines of the switches at both its ends.
//!
//! Source: spcl/EvalNet, `read_listgraph` in topogen/common.py. EvalNet ignores the text after the last space of a line, so it writes a
//! space after every number; this reader accepts any blank after a number.

use std::io::{self, Write};

use super::Format;
use super::listing::{Listing, MAX_SIZE};
use super::parts::Part;
use super::text::{Text, counted, shown};
use tulle_fabric::{Error, Fabric};

pub const FORMAT: Format = Format {
    word: "evalnet",
    name: "adjacency of EvalNet",
    extensions: &["adj.txt", "adj"],
    nodes_beside: true,
    either_order: false,
    read,
    refuses: |_| None,
    holds: &[Part::OF_SWITCHES, Part::OF_ENDPOINTS],
    alters: |_| Vec::new(),
    can_name: |_| false,
    sorts: true,
    write: Some(write),
};

fn read(text: &Text) -> Result<Listing, Error> {
    let number = |word: &str, most: usize| {
        let number = word.parse::<usize>().ok().filter(|&number| number <= most);
        number
            .ok_or_else(|| text.error_in(word, format!("'{}' is not a valid number; legal: 0 to {most}", shown(word))))
    };
    let mut lines = text.content.lines();
    let head = lines.next().unwrap_or_default();
    let words: Vec<&str> = head.split_whitespace().collect();
    let &[switches, cables] = words.as_slice() else {
        let found = counted(words.len(), "word");
        let problem = format!("the first line has {found}; legal: 2, the numbers of switches and cables");
        return Err(text.error_in(head, problem));
    };
    // Every switch takes a line of the file. So numbers that exceed the size of the file are refused before memory is allocated.
    let (count, edges) = (number(switches, MAX_SIZE.min(text.content.len()))?, number(cables, MAX_SIZE)?);
    let mut listing = Listing::default();
    for switch in 0..count {
        listing.switch(&switch.to_string()).map_err(|problem| text.error_in(switches, problem))?;
    }
    // Per entry of the file: the two switches (the lower one first), whether the entry is in the line of the lower switch, and its text.
    let mut entries: Vec<([usize; 2], bool, &str)> = Vec::new();
    let (mut listed, mut loops) = (0, 0);
    for line in lines {
        if listed == count {
            if line.trim().is_empty() {
                continue;
            }
            return Err(text.error_in(
                line,
                format!("a line after the lines of all {count} switches; legal: one line per switch"),
            ));
        }
        for word in line.split_whitespace() {
            let other = number(word, count.saturating_sub(1))?;
            if other == listed {
                let ends = [listed as u32; 2];
                listing.cable_between(ends).map_err(|problem| text.error_in(word, problem))?;
                loops += 1;
                continue;
            }
            entries.push(([listed.min(other), listed.max(other)], listed < other, word));
        }
        listed += 1;
    }
    // Lines of switches without cables may be missing at the end, because editors remove blank lines. The header may or may not count
    // cables from a switch to itself. In the switch's line, such a cable may have one entry or two entries.
    if ![0, loops, 2 * loops].contains(&(2 * edges).wrapping_sub(entries.len())) {
        let problem =
            format!("the lines list {} ends of cables for {edges} cables; legal: two ends per cable", entries.len());
        return Err(text.error_in(cables, problem));
    }
    entries.sort_by_key(|&(ends, lower, _)| (ends, !lower));
    for of_pair in entries.chunk_by(|a, b| a.0 == b.0) {
        let lower = of_pair.iter().filter(|(_, lower, _)| *lower).count();
        let ([a, b], _, word) = of_pair[0];
        if 2 * lower != of_pair.len() {
            let back = of_pair.len() - lower;
            let problem = format!(
                "{a} lists {b} as its neighbour {lower} times, but {b} lists {a} {back} times; legal: equally often"
            );
            return Err(text.error_in(word, problem));
        }
        for _ in 0..lower {
            listing.cable(&a.to_string(), &b.to_string()).map_err(|fault| text.error_in(word, fault.problem))?;
        }
    }
    Ok(listing)
}

fn write(fabric: &Fabric, _names: &[String], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} {} ", fabric.num_switches(), fabric.num_cables())?;
    for switch in 0..fabric.num_switches() as u32 {
        for other in fabric.neighbours(switch) {
            write!(out, "{other} ")?;
        }
        writeln!(out)?;
    }
    Ok(())
}
