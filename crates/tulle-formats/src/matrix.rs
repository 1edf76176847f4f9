//! Adjacency matrices: one row per switch, in which 1 is a cable and 0 is no cable. Blanks, commas or semicolons separate the columns. A
//! row of names may come before the first row, and a column of names before the first column.

use super::Format;
use super::csv::ENDS;
use super::listing::{Listing, Order};
use super::text::{Text, shown};
use tulle_fabric::Error;

pub const FORMAT: Format = Format::read_only("matrix", "adjacency matrix", &["mat", "mat.txt", "mat.csv"], read);

/// Returns the non-empty lines without the brackets of Python's lists.
fn line_texts(text: &Text) -> impl Iterator<Item = &str> {
    let said = text.content.lines().map(|line| line.split('#').next().unwrap_or_default());
    let bare = said.map(|line| line.trim().trim_end_matches([',', ']']).trim_start_matches('['));
    bare.filter(|line| !line.is_empty())
}

fn separator(text: &Text) -> Option<char> {
    [',', ';'].into_iter().find(|separator| text.content.contains(*separator))
}

/// The cells of every row.
fn rows(text: &Text) -> Vec<Vec<&str>> {
    let separator = separator(text);
    line_texts(text).map(|line| cells(line, separator)).collect()
}

/// Returns the cells of every row if the last row has about as many cells as there are rows, otherwise `None`. The code looks at the last
/// row first, because it would take long to split a long list of cables into cells.
fn nearly_square(text: &Text) -> Option<Vec<Vec<&str>>> {
    let last = line_texts(text).last().map_or(0, |line| cells(line, separator(text)).len());
    line_texts(text).take(last + 3).count().abs_diff(last).le(&1).then(|| rows(text))
}

fn cells(line: &str, separator: Option<char>) -> Vec<&str> {
    match separator {
        Some(separator) => line.split(separator).map(|cell| cell.trim().trim_matches('"')).collect(),
        None => line.split_whitespace().collect(),
    }
}

/// Whether a matrix entry is a cable (1) or not (0); `None` for other entries.
fn entry(cell: &str) -> Option<bool> {
    match cell.parse::<f64>() {
        Ok(0.0) => Some(false),
        Ok(1.0) => Some(true),
        _ => None,
    }
}

/// Whether a text is an adjacency matrix of three switches or more. The matrix must be square. It may contain only 0 and 1, besides a row
/// and a column of names. Smaller matrices could be lists of cables.
pub fn is_one(text: &Text) -> bool {
    let Some(rows) = nearly_square(text) else { return false };
    let square = |rows: &[Vec<&str>], from: usize| {
        is_square(rows, from) && rows.iter().all(|row| row[from..].iter().all(|cell| entry(cell).is_some()))
    };
    square(&rows, 0) || rows.split_first().is_some_and(|(_, rest)| square(rest, 0) || square(rest, 1))
}

/// Whether a text is a matrix with equal names in the first row and in the first column. Entries other than 0 and 1 are accepted.
pub fn is_labelled(text: &Text) -> bool {
    let Some(rows) = nearly_square(text) else { return false };
    let Some((head, rest)) = rows.split_first() else { return false };
    let (names, least) = match head.split_first() {
        Some((&"", names)) => (names, 2),
        // The corner cell holds a text. The first line and first column of an adjacency list can also be equal. But in a matrix, only
        // numbers follow the first cell of a line; in an adjacency list, names follow.
        Some((corner, names)) if names.len() == rest.len() && !is_number(corner) => (names, 3),
        // Otherwise the corner cell is empty. If blanks separate the columns, an empty cell is invisible, and the row has one cell less.
        _ => (head.as_slice(), 2),
    };
    let is_entry = |cell: &&str| cell.is_empty() || is_number(cell);
    let is_row = |row: &[&str]| match (least, names.len() < head.len()) {
        (2, true) => true,
        (_, corner) => (corner || row.len() == names.len() + 1) && row[1..].iter().all(is_entry),
    };
    names.len() >= least
        && names.len() == rest.len()
        && rest.iter().zip(names).all(|(row, name)| row[0] == *name && is_row(row))
}

fn is_number(cell: &str) -> bool {
    cell.parse::<f64>().is_ok()
}

/// Whether a text is a matrix of three or more switches, whose entries may differ from 0 and 1. The matrix must have as many rows as
/// columns and consist of numbers. It must be symmetric with zeros on the diagonal, or have four or more rows of floats only. No list of
/// cables has this form.
pub fn is_weighted(text: &Text) -> bool {
    let Some(rows) = nearly_square(text) else { return false };
    let weighted = |rows: &[Vec<&str>], from: usize| {
        if !is_square(rows, from) || !rows.iter().flat_map(|row| &row[from..]).all(|cell| is_number(cell)) {
            return false;
        }
        let value = |a: usize, b: usize| rows[a][from + b].parse::<f64>().unwrap_or(f64::NAN);
        let symmetric = (0..rows.len()).all(|a| {
            value(a, a) == 0.0
                && (0..a).all(|b| {
                    let [there, back] = [value(a, b), value(b, a)];
                    there == back || there.is_nan() && back.is_nan()
                })
        });
        let floats = || rows.len() > 3 && rows.iter().all(|row| row[from..].iter().all(|cell| cell.contains('.')));
        symmetric || floats()
    };
    let names_ends =
        |head: &[&str]| ENDS.iter().all(|end| head.iter().any(|cell| end[1..].contains(&cell.to_lowercase().as_str())));
    weighted(&rows, 0)
        || rows.iter().all(|row| !is_number(row[0])) && weighted(&rows, 1)
        || rows.split_first().is_some_and(|(head, rest)| {
            !head.iter().all(|cell| is_number(cell)) && !names_ends(head) && (weighted(rest, 0) || weighted(rest, 1))
        })
}

/// Whether a matrix has at least three rows, and each row, without its first `from` cells, has as many cells as the matrix has rows.
fn is_square(rows: &[Vec<&str>], from: usize) -> bool {
    rows.len() > 2 && rows.iter().all(|row| row.len() == rows.len() + from)
}

fn read(text: &Text) -> Result<Listing, Error> {
    let all = rows(text);
    // The first row contains names if it has as many cells as there are further rows, or if it contains a word that is not a number.
    let named = all.first().is_some_and(|first| first.iter().any(|cell| cell.parse::<f64>().is_err()))
        || all.len() > 1 && all[0].len() + 1 == all.len();
    let (names, rows) = if named { all.split_at(1) } else { all.split_at(0) };
    let count = rows.len();
    // The first column contains names if there is one column more than there are rows, and if the first row contains names or the first
    // column contains a word. A matrix of only numbers with one column too many is an error, because a row may be missing.
    let is_named = named || rows.iter().filter_map(|row| row.first()).any(|cell| cell.parse::<f64>().is_err());
    let before = usize::from(is_named && rows.first().is_some_and(|row| row.len() == count + 1));
    let mut listing = Listing::default();
    for (switch, row) in rows.iter().enumerate() {
        if row.len() != count + before {
            let place = row.last().copied().unwrap_or_default();
            let problem = format!(
                "the row has {} entries; legal: {count}, the number of rows",
                row.len() - before.min(row.len())
            );
            return Err(text.error_in(place, problem));
        }
        let above = names.first().and_then(|names| names.get(names.len().saturating_sub(count) + switch));
        let name = match (before, above) {
            (1, _) => row[0].to_owned(),
            (_, Some(name)) => (*name).to_owned(),
            _ => switch.to_string(),
        };
        if listing.switch_number(&name).is_some() {
            return Err(
                text.error_in(row[0], format!("two rows have the name '{}'; legal: names that differ", shown(&name)))
            );
        }
        listing.switch(&name).map_err(|problem| text.error_in(row[0], problem))?;
    }
    let mut entries = Vec::with_capacity(count);
    for row in rows {
        let mut of_row = Vec::with_capacity(count);
        for cell in &row[before..] {
            let cable = entry(cell).ok_or_else(|| {
                let legal = "0 or 1 (a list of cables, with a line 'source target weight' per cable, can also hold parallel cables or \
                    weights)";
                text.error_in(cell, format!("'{}' in the adjacency matrix; legal: {legal}", shown(cell)))
            })?;
            of_row.push(cable);
        }
        entries.push(of_row);
    }
    add(&entries, &mut listing).map_err(|problem| text.error(problem))?;
    Ok(listing)
}

/// Adds the cables of a matrix. If the matrix is symmetric or triangular, each cable is added once; otherwise entries are the edges of a
/// directed graph.
fn add(entries: &[Vec<bool>], listing: &mut Listing) -> Result<(), String> {
    let count = entries.len();
    let pairs = || (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    let symmetric = pairs().all(|(a, b)| entries[a][b] == entries[b][a]);
    let triangle = pairs().all(|(a, b)| !entries[a][b]) || pairs().all(|(a, b)| !entries[b][a]);
    if !symmetric && !triangle {
        listing.order = Order::Directed;
    }
    for (a, row) in (0u32..).zip(entries) {
        for (b, _) in (0u32..).zip(row).filter(|(b, cable)| **cable && !(symmetric && *b < a)) {
            listing.cable_between([a, b])?;
        }
    }
    Ok(())
}
