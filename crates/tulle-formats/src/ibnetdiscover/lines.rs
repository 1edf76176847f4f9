//! Parses the lines about nodes and their ports in netlists and reports of `ibnetdiscover`.

use super::super::text::{Text, shown};
use tulle_fabric::{Address, Error};

/// A node of the subnet.
pub(super) struct Node<'t> {
    pub switch: bool,
    pub id: &'t str,
    pub description: &'t str,
    pub ports: u32,
    pub address: Address,
    pub connected: Vec<Port<'t>>,
}

/// A connected port.
pub(super) struct Port<'t> {
    pub number: u32,
    pub line: &'t str,
    /// The other end of the port's cable: the id of a node, and the port number at this node.
    pub other: (&'t str, u32),
    pub rate: Option<u64>,
    pub address: Address,
}

/// Parses a hexadecimal GUID, written with or without `0x`.
pub(super) fn guid(text: &Text, word: &str) -> Result<u64, Error> {
    let digits = word.trim().trim_start_matches("0x");
    let legal = (1..=16).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let guid = Some(digits).filter(|_| legal).and_then(|digits| u64::from_str_radix(digits, 16).ok());
    guid.ok_or_else(|| {
        text.error_in(word, format!("'{}' is not a valid GUID; legal: 1 to 16 hexadecimal digits", shown(word)))
    })
}

/// The part of a line that is not parsed yet.
pub(super) struct Cursor<'t> {
    pub text: &'t Text,
    pub rest: &'t str,
}

impl<'t> Cursor<'t> {
    pub fn error<T>(&self, legal: &str) -> Result<T, Error> {
        let found =
            if self.rest.is_empty() { "the line ends here".to_owned() } else { format!("'{}'", shown(self.rest)) };
        Err(self.text.error_in(self.rest, format!("{found}; legal: {legal}")))
    }

    pub fn blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Returns the text between `start` and `end`, if the next character is `start`.
    pub fn between(&mut self, start: char, end: char) -> Result<Option<&'t str>, Error> {
        let Some(inside) = self.rest.strip_prefix(start) else { return Ok(None) };
        let Some((inside, rest)) = inside.split_once(end) else {
            return self.error(&format!("{start}…{end}"));
        };
        self.rest = rest;
        Ok(Some(inside))
    }

    /// Parses a port such as `[7]`, and what may follow it: `[ext 3]` and `(GUID)`.
    pub fn port(&mut self, most: u32) -> Result<(u32, u64), Error> {
        let Some(inside) = self.between('[', ']')? else { return self.error("[PORT]") };
        let number = inside.parse::<u32>().ok().filter(|number| (1..=most).contains(number));
        let number = number.ok_or_else(|| {
            self.text.error_in(inside, format!("'{}' is not a valid port; legal: 1 to {most}", shown(inside)))
        })?;
        if self.rest.starts_with("[ext ") {
            self.between('[', ']')?;
        }
        let port_guid = self.between('(', ')')?.map_or(Ok(0), |inside| guid(self.text, inside))?;
        if self.rest.starts_with("[ext ") {
            self.between('[', ']')?;
        }
        Ok((number, port_guid))
    }

    /// Returns the comment at the end of the line.
    pub fn comment(&mut self) -> Result<&'t str, Error> {
        self.blanks();
        match self.rest.strip_prefix('#') {
            Some(comment) => Ok(comment.trim()),
            None if self.rest.is_empty() => Ok(""),
            None => self.error("a comment after #, or the end of the line"),
        }
    }
}
