//! Reader of cumulative distributions of message sizes. Each row has a size and the share of messages of at most this size. Values
//! are separated by commas or by white space, so the distributions of HPCC's traffic generator can be read too. A row of
//! names, `bytes,share`, may come first. Blank lines and lines that start with `#` are ignored.

use std::path::Path;

use rand::RngExt;
use tulle_base::random::Xoshiro256PlusPlus;
use tulle_spec::{MAX_QUANTITY, units};

use super::file::{File, excerpt};
use crate::Error;

/// A cumulative distribution of sizes. Between two rows, sizes are interpolated linearly.
#[derive(Debug, Clone, PartialEq)]
pub struct Cdf {
    /// Per row: the size in bytes, ascending, and the share of messages of at most this size, from 0 to 1 and never descending. The
    /// last share is 1.
    rows: Vec<(u64, f64)>,
}

impl Cdf {
    /// Reads the distribution in the file at `path`.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or if it is not a distribution. The error states the line.
    pub fn load(path: &Path) -> Result<Self, Error> {
        Self::read(&File::load(path)?)
    }

    fn read(file: &File) -> Result<Self, Error> {
        let text = file.text()?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines =
            (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let mut rows: Vec<(usize, u64, f64)> = Vec::new();
        if let Some((line, first)) = lines.next().filter(|(_, first)| !is_header(first)) {
            rows.push(row(file, line, first)?);
        }
        for (line, text) in lines {
            rows.push(row(file, line, text)?);
        }
        let Some(&(line, largest, last)) = rows.last() else {
            return Err(file.at_line(1, "no row has a size and a share; legal: one or more rows, for example 1500,1"));
        };
        if last != 1.0 && last != 100.0 {
            return Err(file.at_line(line, format!("the last share is {last}; legal: 1, or 100 if shares are percent")));
        }
        if largest == 0 {
            return Err(file.at_line(line, "the largest size is 0 bytes; legal: 1 or more"));
        }
        let mut before = None;
        for &(line, bytes, share) in &rows {
            if share > last {
                return Err(file.at_line(line, format!("share {share} is out of range; legal: 0 to {last}")));
            }
            if let Some((size, least)) = before {
                if bytes <= size {
                    let problem = format!("bytes {bytes} follows {size}; legal: more than {size}");
                    return Err(file.at_line(line, problem));
                }
                if share < least {
                    let problem = format!("share {share} follows {least}; legal: {least} to {last}");
                    return Err(file.at_line(line, problem));
                }
            }
            before = Some((bytes, share));
        }
        Ok(Self { rows: rows.into_iter().map(|(_, bytes, share)| (bytes, share / last)).collect() })
    }

    /// Draws a size in bytes; sizes below 1 byte become 1 byte.
    pub fn draw(&self, rng: &mut Xoshiro256PlusPlus) -> u64 {
        self.at(rng.random())
    }

    /// Returns the size at a quantile of at least 0 and below 1.
    fn at(&self, quantile: f64) -> u64 {
        let next = self.rows.partition_point(|&(_, share)| share <= quantile);
        let (size, share) = self.rows[next];
        // Quantiles below the share of the first row give the size of the first row, because there is no smaller size to interpolate from.
        let bytes = match next.checked_sub(1).map(|before| self.rows[before]) {
            None => size,
            Some((from, least)) => {
                from + ((size - from) as f64 * ((quantile - least) / (share - least))).round() as u64
            }
        };
        bytes.max(1)
    }
}

/// Returns the values of a row.
fn values(text: &str) -> Vec<&str> {
    if text.contains(',') { text.split(',').map(str::trim).collect() } else { text.split_whitespace().collect() }
}

fn is_header(text: &str) -> bool {
    values(text) == ["bytes", "share"]
}

/// Reads a row: its line, its size and its share.
fn row(file: &File, line: usize, text: &str) -> Result<(usize, u64, f64), Error> {
    let values = values(text);
    let &[bytes, share] = &values[..] else {
        let legal = "legal: two values, for example 1500,0.5";
        return Err(file.at_line(line, format!("'{}' is not a size and a share; {legal}", excerpt(text))));
    };
    let whole = || bytes.parse().ok().filter(|_| bytes.bytes().all(|byte| byte.is_ascii_digit()));
    let size = whole().or_else(|| units::bytes(bytes).ok()).filter(|&size| size <= MAX_QUANTITY).ok_or_else(|| {
        let legal = format!("legal: 0 to {MAX_QUANTITY}, for example 1500, 9KB, 1MiB");
        file.at_line(line, format!("bytes '{}' is not a size; {legal}", excerpt(bytes)))
    })?;
    let share = units::fraction(share).filter(|share| (0.0..=100.0).contains(share)).ok_or_else(|| {
        let legal = "legal: 0 to 1, or 0 to 100 if the last share is 100";
        file.at_line(line, format!("share '{}' is not a share; {legal}", excerpt(share)))
    })?;
    Ok((line, size, share))
}

#[cfg(test)]
mod tests {
    use tulle_base::random::stream;

    use super::*;

    fn of(text: &str) -> Result<Cdf, String> {
        Cdf::read(&File::of(text)).map_err(|error| error.to_string())
    }

    #[test]
    fn shares_are_fractions_or_percent() {
        let cdf = of("\u{feff}# flows\nbytes,share\n1KB,0\r\n\n10KB, 50%\n1000000,1\n").unwrap();
        assert_eq!(cdf.rows, [(1000, 0.0), (10_000, 0.5), (1_000_000, 1.0)]);
        // HPCC's traffic generator separates values by spaces, and its shares are percent.
        let hpcc = of("1000 0\n10000\t50\n1000000 100\n").unwrap();
        assert_eq!(hpcc, cdf);
        assert_eq!(of("1500,1").unwrap().rows, [(1500, 1.0)]);
    }

    #[test]
    fn sizes_are_interpolated_between_rows() {
        let cdf = of("1000,0.1\n3000,0.5\n5000,0.5\n9000,1").unwrap();
        // A tenth of all messages has the first size. No message is larger than 3000 and smaller than 5000 bytes.
        for (quantile, bytes) in [(0.0, 1000), (0.09, 1000), (0.1, 1000), (0.3, 2000), (0.5, 5000), (0.75, 7000)] {
            assert_eq!(cdf.at(quantile), bytes, "{quantile}");
        }
        assert_eq!(cdf.at(1.0_f64.next_down()), 9000);
        assert_eq!(of("0,0\n100,1").unwrap().at(0.0), 1, "no message is empty");
        assert_eq!(of("1500,1").unwrap().at(0.7), 1500);
    }

    #[test]
    fn drawn_sizes_have_the_distribution() {
        let cdf = of("1000,0\n2000,0.8\n100000,1").unwrap();
        let mut rng = stream(1, "traffic/flows", 0);
        let drawn: Vec<u64> = (0..10_000).map(|_| cdf.draw(&mut rng)).collect();
        // The mean is 0.8 · 1500 + 0.2 · 51,000 = 11,400 bytes. Its standard deviation over 10,000 draws is about 240 bytes, and the count
        // of small messages has a standard deviation of 40.
        let mean = drawn.iter().sum::<u64>() as f64 / 1e4;
        assert!((10_400.0..12_400.0).contains(&mean), "{mean}");
        let small = drawn.iter().filter(|&&bytes| bytes <= 2000).count();
        assert!((7800..8200).contains(&small), "{small}");
    }

    #[test]
    fn errors_have_their_line() {
        for (text, error) in [
            ("", "test:1: no row has a size and a share; legal: one or more rows"),
            ("bytes,share\n", "test:1: no row has a size and a share"),
            ("size,share\n1,1\n", "test:1: bytes 'size' is not a size; legal: 0 to 9007199254740992"),
            ("1000,0\n\n2000\n", "test:3: '2000' is not a size and a share; legal: two values, for example 1500,0.5"),
            ("1000 0 1\n", "test:1: '1000 0 1' is not a size and a share"),
            ("1000,0\n-5,1\n", "test:2: bytes '-5' is not a size"),
            ("9007199254740993,1\n", "test:1: bytes '9007199254740993' is not a size"),
            ("1000,x\n", "test:1: share 'x' is not a share; legal: 0 to 1, or 0 to 100 if the last share is 100"),
            ("1000,-0.1\n2000,1\n", "test:1: share '-0.1' is not a share"),
            ("1000,nan\n2000,1\n", "test:1: share 'nan' is not a share"),
            ("1000,0\n2000,0.9\n", "test:2: the last share is 0.9; legal: 1, or 100 if shares are percent"),
            ("1000,0\n2000,50\n3000,1\n", "test:2: share 50 is out of range; legal: 0 to 1"),
            ("1000,0\n1000,0.5\n3000,1\n", "test:2: bytes 1000 follows 1000; legal: more than 1000"),
            ("1000,0.5\n2000,0.4\n3000,1\n", "test:2: share 0.4 follows 0.5; legal: 0.5 to 1"),
            ("0,1\n", "test:1: the largest size is 0 bytes; legal: 1 or more"),
        ] {
            let found = of(text).unwrap_err();
            assert!(found.starts_with(error) && !found.contains('\n'), "{text:?}: {found}");
        }
    }
}
