//! Reader of placement files. A file has the endpoint of every rank, one per line. Empty lines and text after a `#` are
//! ignored.

use std::path::Path;

use tulle_fabric::Fabric;

use super::file::File;
use crate::Error;

/// Reads the endpoint of each rank.
///
/// # Errors
/// Fails if the file cannot be read, or if it has an unknown or a repeated endpoint.
pub fn load(path: &Path, fabric: &Fabric) -> Result<Vec<u32>, Error> {
    read(&File::load(path)?, fabric.num_endpoints())
}

fn read(file: &File, endpoints: usize) -> Result<Vec<u32>, Error> {
    let most = endpoints.saturating_sub(1);
    let mut line_of = vec![0; endpoints];
    let mut places = Vec::new();
    for (number, line) in (1..).zip(file.text()?.lines()) {
        let text = line.split('#').next().unwrap_or_default().trim();
        if text.is_empty() {
            continue;
        }
        let endpoint: u32 = file.number(number, "endpoint", text, most)?;
        let Some(earlier) = line_of.get_mut(endpoint as usize) else {
            return Err(file.at_line(number, format!("endpoint {endpoint} is out of range; legal: 0 to {most}")));
        };
        if *earlier > 0 {
            let problem = format!("endpoint {endpoint} is already on line {earlier}; legal: every endpoint once");
            return Err(file.at_line(number, problem));
        }
        *earlier = number;
        places.push(endpoint);
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_ranks() {
        assert_eq!(read(&File::of("3\n# none\n\n 0 # first\n1"), 4).unwrap(), [3, 0, 1]);
        let error = |text| read(&File::of(text), 4).unwrap_err().to_string();
        assert_eq!(error("0\n4"), "test:2: endpoint 4 is out of range; legal: 0 to 3");
        assert_eq!(error("+1"), "test:1: endpoint '+1' is not a whole number; legal: 0 to 3");
        assert_eq!(error("2\n\n2"), "test:3: endpoint 2 is already on line 1; legal: every endpoint once");
        assert!(read(&File::of(vec![b'1', b'\n', 0xff]), 4).unwrap_err().to_string().starts_with("test:2: byte 0xff"));
    }
}
