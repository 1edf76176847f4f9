//! Adjacency lists as networkx writes them: one line per switch with its neighbours. Every cable is listed once (in the line of one of its
//! switches) or twice (in the lines of both its switches). A colon may follow the switch. Blanks, commas or semicolons separate the names.

use std::collections::{HashMap, HashSet};

use super::Format;
use super::listing::{Listing, Order};
use super::text::Text;
use tulle_fabric::Error;

pub const FORMAT: Format = Format::read_only("adjacency-list", "adjacency list", &["adjlist"], read);

/// Returns the names in a line: the switch and its neighbours.
fn names(line: &str) -> impl Iterator<Item = &str> {
    let said = line.split('#').next().unwrap_or_default();
    said.split(|letter: char| letter.is_whitespace() || ",;".contains(letter)).filter(|word| !word.is_empty())
}

/// Returns the switch of a line, without the colon that may follow it.
fn bare(head: &str) -> &str {
    head.strip_suffix(':').unwrap_or(head)
}

/// Returns whether a text is an adjacency list rather than a list of cables. This is the case if every line has a colon after its first
/// name, unless the lines look like settings (`Nodes: 4`). It is also the case if every line starts with a different switch, all cables are
/// listed at both of their switches, and at least one line has several neighbours.
pub fn is_one(text: &Text) -> bool {
    let lines = || text.content.lines().map(names).filter_map(|mut names| Some((names.next()?, names)));
    if lines().next().is_none() {
        return false;
    }
    if lines().all(|(head, _)| head.ends_with(':') && head.len() > 1) {
        let heads: HashSet<&str> = lines().map(|(head, _)| bare(head)).collect();
        let is_number = |head: &&str| head.bytes().all(|byte| byte.is_ascii_digit());
        // A line such as `Nodes: 4` is a setting, not a switch with a neighbour.
        return heads.iter().all(is_number) || lines().any(|(_, mut others)| others.any(|other| heads.contains(other)));
    }
    if lines().all(|(_, others)| others.count() < 2) {
        return false;
    }
    let mut heads = HashMap::new();
    let differ = lines().all(|(head, _)| heads.insert(bare(head), heads.len() as i64).is_none());
    // If every cable is listed at both its switches, each pair of switches is listed equally often in both orders. One order adds 1 to the
    // sum of the pair, and the other order subtracts 1. So all sums are 0 at the end.
    let mut sums: HashMap<(i64, i64), i64> = HashMap::new();
    let known = differ
        && lines().all(|(head, mut others)| {
            let from = heads[bare(head)];
            others.all(|other| {
                let Some(&to) = heads.get(other) else { return false };
                *sums.entry((from.min(to), from.max(to))).or_default() += (to - from).signum();
                true
            })
        });
    known && sums.values().all(|&sum| sum == 0)
}

fn read(text: &Text) -> Result<Listing, Error> {
    let mut listing = Listing::of(Order::Ends);
    let mut heads = HashSet::new();
    for line in text.content.lines() {
        let mut words = names(line);
        let Some(head) = words.next() else { continue };
        let name = bare(head);
        let switch = listing.switch(name).map_err(|problem| text.error_in(head, problem))?;
        if !heads.insert(switch) {
            let problem = format!("a second line of switch '{}'; legal: one line per switch", super::text::shown(name));
            return Err(text.error_in(head, problem));
        }
        for word in words {
            let other = listing.switch(word).map_err(|problem| text.error_in(word, problem))?;
            listing.cable_between([switch, other]).map_err(|problem| text.error_in(word, problem))?;
        }
    }
    Ok(listing)
}
