//! Adjacency lists as networkx writes them: a switch and its neighbours a line, every cable in the line of one of its ends,
//! or every cable in those of both. A colon may follow the switch, commas the neighbours.

use super::Format;
use super::listing::{Listing, Order};
use super::text::Text;
use crate::Error;

pub const FORMAT: Format = Format {
    word: "adjacency-list",
    name: "adjacency list",
    extensions: &["adjlist"],
    nodes_beside: true,
    either_order: true,
    read,
    refuses: |_| None,
    holds: &[],
    alters: |_| Vec::new(),
    can_name: |_| false,
    sorts: true,
    write: None,
};

fn read(text: &Text) -> Result<Listing, Error> {
    let mut listing = Listing::of(Order::Ends);
    let mut heads = std::collections::HashSet::new();
    for line in text.content.lines() {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let Some(head) = words.next() else { continue };
        let name = head.strip_suffix(':').unwrap_or(head);
        let switch = listing.switch(name).map_err(|problem| text.error_in(head, problem))?;
        if !heads.insert(switch) {
            let problem = format!("a second line of switch '{}'; legal: one each", super::text::shown(name));
            return Err(text.error_in(head, problem));
        }
        for word in words.flat_map(|word| word.split(',')).filter(|word| !word.is_empty()) {
            let other = listing.switch(word).map_err(|problem| text.error_in(word, problem))?;
            listing.cable_between([switch, other]).map_err(|problem| text.error_in(word, problem))?;
        }
    }
    Ok(listing)
}
