//! METIS graphs: a line with the numbers of vertices and edges, then one line per vertex with its neighbours, counted from 1. Every edge is
//! listed twice, in the lines of both its vertices. A third number in the first line announces weights, which are ignored.
//!
//! Source: the METIS manual, section 4.1.1.

use super::Format;
use super::listing::{Listing, MAX_SIZE, Order};
use super::text::{Text, counted, shown};
use tulle_fabric::Error;

pub const FORMAT: Format = Format::read_only("metis", "graph of METIS", &["metis", "graph"], read);

/// Whether a text is a METIS graph rather than a list of cables with a header: it has one line per vertex, and each edge occurs in the
/// lines of both its vertices.
pub fn is_one(text: &Text) -> bool {
    let mut lines = text.content.lines().filter(|line| !line.trim_start().starts_with('%'));
    let head: Option<Vec<usize>> =
        lines.next().unwrap_or_default().split_whitespace().map(|word| word.parse().ok()).collect();
    let Some(&[vertices, edges, ..]) = head.as_deref() else { return false };
    let has_lines = lines.by_ref().take(vertices).count() == vertices && lines.all(|line| line.trim().is_empty());
    vertices > 1 && edges > 0 && has_lines && read(text).is_ok()
}

fn read(text: &Text) -> Result<Listing, Error> {
    let number = |word: &str, least: usize, most: usize| {
        let number = word.parse::<usize>().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| {
            text.error_in(word, format!("'{}' is not a valid number; legal: {least} to {most}", shown(word)))
        })
    };
    let mut lines = text.content.lines().filter(|line| !line.trim_start().starts_with('%'));
    let head = lines.next().unwrap_or_default();
    let words: Vec<&str> = head.split_whitespace().collect();
    let &[vertices, edges, ref more @ ..] = words.as_slice() else {
        let found = counted(words.len(), "word");
        let problem = format!("the first line has {found}; legal: the numbers of vertices and edges");
        return Err(text.error_in(head, problem));
    };
    // Every vertex takes a line of the file. So numbers that exceed the size of the file are refused before memory is allocated.
    let (count, cables) = (number(vertices, 1, MAX_SIZE.min(text.content.len()))?, number(edges, 0, MAX_SIZE)?);
    let format = more.first().copied().unwrap_or("0");
    if more.len() > 2 || format.len() > 3 || !format.bytes().all(|digit| b"01".contains(&digit)) {
        return Err(text.error_in(
            head,
            format!(
                "'{}' is not a legal first line; legal: the numbers of vertices and edges, a format of up to 3 \
                 digits 0 and 1, and the number of weights per vertex",
                shown(head)
            ),
        ));
    }
    let has = |at: usize| format.bytes().rev().nth(at) == Some(b'1');
    let of_vertex = match (has(1), more.get(1)) {
        (true, Some(word)) => number(word, 1, 1 << 20)?,
        (weighted, _) => usize::from(weighted),
    };
    let (edge_weights, before) = (has(0), of_vertex + usize::from(has(2)));
    let mut listing = Listing::of(Order::Ends);
    for vertex in 1..=count {
        listing.switch(&vertex.to_string()).map_err(|problem| text.error_in(vertices, problem))?;
    }
    let (mut vertex, mut entries) = (0u32, 0);
    for line in lines {
        if vertex as usize == count {
            if line.trim().is_empty() {
                continue;
            }
            return Err(text.error_in(
                line,
                format!("a line after the lines of all {count} vertices; legal: one line per vertex"),
            ));
        }
        let mut words = line.split_whitespace().skip(before);
        while let Some(word) = words.next() {
            let other = number(word, 1, count)? as u32 - 1;
            if edge_weights && words.next().is_none() {
                return Err(text.error_in(
                    word,
                    format!("neighbour {} has no weight; legal: one weight per neighbour", shown(word)),
                ));
            }
            listing.cable_between([vertex, other]).map_err(|problem| text.error_in(word, problem))?;
            entries += 1;
        }
        vertex += 1;
    }
    if entries != 2 * cables {
        let problem = format!("the lines list {entries} neighbours for {cables} edges; legal: two neighbours per edge");
        return Err(text.error_in(edges, problem));
    }
    listing.require_both_ends().map_err(|problem| text.error(problem))?;
    if edge_weights || before > 0 {
        listing.warnings.push(text.warning("weights are ignored"));
    }
    Ok(listing)
}
