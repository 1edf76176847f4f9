//! The words and signs of DOT.

use super::super::text::{Text, shown};
use tulle_fabric::Error;

/// A word or sign.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Name { text: String, quoted: bool },
    Sign(&'static str),
}

/// The words and signs of a file.
pub(super) struct Tokens<'t> {
    pub text: &'t Text,
    at: usize,
    /// The next token, its start position and its end position.
    next: Option<(Token, usize, usize)>,
}

impl<'t> Tokens<'t> {
    pub fn new(text: &'t Text) -> Result<Self, Error> {
        let mut tokens = Self { text, at: 0, next: None };
        tokens.advance()?;
        Ok(tokens)
    }

    /// Returns the next token; `None` at the end.
    pub fn peek(&self) -> Option<&Token> {
        self.next.as_ref().map(|(token, ..)| token)
    }

    /// Returns the position of the next token, or of the end of the text.
    pub fn place(&self) -> usize {
        self.next.as_ref().map_or(self.text.content.trim_end().len(), |(_, place, _)| *place)
    }

    pub fn error<T>(&self, legal: &str) -> Result<T, Error> {
        let found = match &self.next {
            None => "the file ends here".to_owned(),
            Some((Token::Sign(sign), ..)) => format!("'{sign}'"),
            Some((Token::Name { text, .. }, ..)) => format!("'{}'", shown(text)),
        };
        Err(self.text.error_at(self.place(), format!("{found}; legal: {legal}")))
    }

    /// Takes the next token out.
    pub fn take(&mut self) -> Result<Option<(Token, usize)>, Error> {
        let taken = self.next.take().map(|(token, place, _)| (token, place));
        self.advance()?;
        Ok(taken)
    }

    /// Takes `sign` out if it is next.
    pub fn sign(&mut self, sign: &str) -> Result<bool, Error> {
        let is_next = matches!(&self.next, Some((Token::Sign(next), ..)) if *next == sign);
        if is_next {
            self.take()?;
        }
        Ok(is_next)
    }

    /// Takes a name out, if one is next.
    pub fn name(&mut self) -> Result<Option<(String, usize)>, Error> {
        match &self.next {
            Some((Token::Name { .. }, ..)) => {
                let Some((Token::Name { text, .. }, place)) = self.take()? else { return Ok(None) };
                Ok(Some((text, place)))
            }
            _ => Ok(None),
        }
    }

    /// Whether the next token is this keyword, in upper or lower case.
    pub fn is_word(&self, word: &str) -> bool {
        matches!(&self.next, Some((Token::Name { text, quoted: false }, ..)) if text.eq_ignore_ascii_case(word))
    }

    fn advance(&mut self) -> Result<(), Error> {
        let content = &self.text.content;
        loop {
            let rest = &content[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            let comment = if trimmed.starts_with("//") || (trimmed.starts_with('#') && self.at_line()) {
                trimmed.find('\n').unwrap_or(trimmed.len())
            } else if trimmed.starts_with("/*") {
                let end = trimmed.find("*/");
                end.ok_or_else(|| self.text.error_at(self.at, "an unterminated comment; legal: /* … */"))? + 2
            } else {
                break;
            };
            self.at += comment;
        }
        let (place, rest) = (self.at, &content[self.at..]);
        let Some(first) = rest.chars().next() else {
            self.next = None;
            return Ok(());
        };
        let signs = ["--", "->", "{", "}", "[", "]", ";", ",", "=", ":"];
        let (token, length) = if let Some(sign) = signs.into_iter().find(|sign| rest.starts_with(sign)) {
            (Token::Sign(sign), sign.len())
        } else if first == '"' {
            quoted(self.text, place, rest)?
        } else if first == '<' {
            markup(self.text, place, rest)?
        } else {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.' || !c.is_ascii();
            let sign = usize::from(first == '-');
            let length = sign + rest[sign..].find(|c: char| !is_part(c) || c.is_control()).unwrap_or(rest.len() - sign);
            if length == sign {
                let found = shown(&first.to_string());
                return Err(self
                    .text
                    .error_at(place, format!("'{found}' is not a legal token; legal: names, in quotes if necessary")));
            }
            (Token::Name { text: rest[..length].to_owned(), quoted: false }, length)
        };
        self.at += length;
        self.next = Some((token, place, self.at));
        Ok(())
    }

    /// Whether the line has only blanks before this position.
    fn at_line(&self) -> bool {
        let before = &self.text.content[..self.at];
        before[before.rfind('\n').map_or(0, |end| end + 1)..].trim().is_empty()
    }
}

/// Returns the HTML text at the start of `rest`, from `<` to the matching `>`, with its length.
fn markup(text: &Text, place: usize, rest: &str) -> Result<(Token, usize), Error> {
    let mut depth = 0;
    for (at, sign) in rest.match_indices(['<', '>']) {
        depth += if sign == "<" { 1 } else { -1 };
        if depth == 0 {
            return Ok((Token::Name { text: rest[1..at].to_owned(), quoted: true }, at + 1));
        }
    }
    Err(text.error_at(place, "an unterminated HTML text; legal: <…>"))
}

/// Returns the quoted text at the start of `rest`, with its length.
fn quoted(text: &Text, place: usize, rest: &str) -> Result<(Token, usize), Error> {
    let mut inside = String::new();
    let mut letters = rest.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Ok((Token::Name { text: inside, quoted: true }, at + 1)),
            '\\' => match letters.next() {
                Some((_, escaped @ ('"' | '\\'))) => inside.push(escaped),
                Some((_, other)) => inside.extend(['\\', other]),
                None => break,
            },
            letter => inside.push(letter),
        }
    }
    Err(text.error_at(place, "an unterminated quoted text; legal: \"…\""))
}
