//! Matrices in the Matrix Market format: each nonzero entry is a cable, but two entries that mirror each other are one cable. Switches have
//! the row numbers, from 1, as names.
//!
//! Source: Boisvert, Pozo, Remington: The Matrix Market exchange formats, NISTIR 5935.

use super::Format;
use super::listing::{Listing, MAX_SIZE, Order};
use super::text::{Text, shown};
use tulle_fabric::Error;

pub const FORMAT: Format = Format::read_only("matrix-market", "Matrix Market", &["mtx"], read);

/// The first line. It gives the layout of the entries, their type, and the symmetry of the matrix. In a symmetric matrix, one entry also
/// stands for its mirror image.
struct Banner {
    dense: bool,
    /// Number of values per entry.
    values: usize,
    symmetric: bool,
    /// Whether the diagonal is not stored (skew-symmetric matrices).
    skew: bool,
}

impl Banner {
    fn read(text: &Text) -> Result<Self, Error> {
        let line = text.content.lines().next().unwrap_or_default();
        let words: Vec<String> = line.split_whitespace().map(str::to_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let legal = "%%MatrixMarket matrix coordinate|array pattern|integer|real|complex \
                     general|symmetric|skew-symmetric|hermitian";
        let error = || text.error_in(line, format!("'{}'; legal: {legal}", shown(line)));
        let &["%%matrixmarket", "matrix", layout, field, symmetry] = words.as_slice() else { return Err(error()) };
        let values = match field {
            "pattern" => 0,
            "integer" | "real" | "double" => 1,
            "complex" => 2,
            _ => return Err(error()),
        };
        let dense = layout == "array";
        if !["array", "coordinate"].contains(&layout) || dense && values == 0 {
            return Err(error());
        }
        let symmetric = ["symmetric", "skew-symmetric", "hermitian"].contains(&symmetry);
        if !symmetric && symmetry != "general" {
            return Err(error());
        }
        Ok(Self { dense, values, symmetric, skew: symmetry == "skew-symmetric" })
    }
}

fn read(text: &Text) -> Result<Listing, Error> {
    let banner = Banner::read(text)?;
    let lines = text.content.lines().skip(1).filter(|line| !line.trim_start().starts_with('%'));
    let mut words = lines.flat_map(str::split_whitespace);
    let end = &text.content[text.content.trim_end().len()..];
    let mut next = |what: &str| words.next().ok_or_else(|| text.error_in(end, format!("the file ends before {what}")));
    let number = |word: &str, least: usize, most: usize| {
        let number = word.parse::<usize>().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| {
            text.error_in(word, format!("'{}' is not a valid number; legal: {least} to {most}", shown(word)))
        })
    };
    let (word, columns) = (next("the number of rows")?, next("the number of columns")?);
    // The number of rows is limited by the size of the file, so that a wrong number does not allocate much memory.
    let rows = number(word, 1, MAX_SIZE.min(text.content.len()))?;
    if number(columns, 1, MAX_SIZE)? != rows {
        let problem =
            format!("the matrix has {rows} rows and {} columns; legal: as many rows as columns", shown(columns));
        return Err(text.error_in(columns, problem));
    }
    let mut listing = Listing::default();
    let mut entries = Entries { rows, weighted: false, all: Vec::new() };
    if banner.dense {
        for column in 0..rows {
            let first = if banner.symmetric { column + usize::from(banner.skew) } else { 0 };
            for row in first..rows {
                entries.add(text, row, column, banner.values, &mut next)?;
            }
        }
    } else {
        let word = next("the number of entries")?;
        for _ in 0..number(word, 0, MAX_SIZE)? {
            let [row, column] = [next("a row")?, next("a column")?];
            let (row, column) = (number(row, 1, rows)? - 1, number(column, 1, rows)? - 1);
            entries.add(text, row, column, banner.values, &mut next)?;
        }
    }
    if let Some(more) = words.next() {
        return Err(text.error_in(more, "more entries than the header states; legal: as many entries as stated"));
    }
    for row in 1..=rows {
        listing.switch(&row.to_string()).map_err(|problem| text.error(problem))?;
    }
    for &ends in &entries.all {
        listing.cable_between(ends).map_err(|problem| text.error(problem))?;
    }
    if entries.weighted {
        listing.warnings.push(text.warning("values other than 1 are ignored"));
    }
    listing.order = match banner.symmetric {
        true => Order::Listed,
        false if listing.has_both_ends() => Order::Ends,
        false => Order::Directed,
    };
    Ok(listing)
}

/// The entries that are not zero.
struct Entries {
    rows: usize,
    /// Whether the value of any entry differs from 1.
    weighted: bool,
    all: Vec<[u32; 2]>,
}

impl Entries {
    fn add<'t>(
        &mut self,
        text: &Text,
        row: usize,
        column: usize,
        values: usize,
        next: &mut impl FnMut(&str) -> Result<&'t str, Error>,
    ) -> Result<(), Error> {
        debug_assert!(row < self.rows && column < self.rows);
        let mut zero = values > 0;
        for part in 0..values {
            let word = next("a value")?;
            let value = word.parse::<f64>().ok().filter(|value| value.is_finite());
            let value = value.ok_or_else(|| {
                text.error_in(word, format!("'{}' is not a valid value; legal: a number", shown(word)))
            })?;
            zero &= value == 0.0;
            self.weighted |= value != 0.0 && (value != 1.0 || part > 0);
        }
        if !zero {
            self.all.push([row as u32, column as u32]);
        }
        Ok(())
    }
}
