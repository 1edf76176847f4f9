//! JSON values that know their position in the file, for error messages.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, de};
use serde_json::value::RawValue;

use super::text::{Text, shown};
use tulle_fabric::Error;

/// A JSON value, as written in its file.
#[derive(Clone, Copy)]
pub struct Json<'t> {
    text: &'t Text,
    raw: &'t str,
}

/// The members of an object, each with its name. Code that reads a member also removes it, so that unread members remain at the end.
pub struct Object<'t> {
    whole: Json<'t>,
    members: HashMap<String, Json<'t>>,
    order: Vec<String>,
}

impl<'t> Json<'t> {
    /// The whole of a file.
    ///
    /// # Errors
    /// Fails if the text is not JSON; the error is at the first illegal character.
    pub fn new(text: &'t Text) -> Result<Self, Error> {
        let whole = Self { text, raw: text.content.trim() };
        let raw: &RawValue = whole.parse("JSON")?;
        Ok(Self { text, raw: raw.get() })
    }

    /// The error at this value.
    pub fn error(&self, problem: impl Into<String>) -> Error {
        self.text.error_in(self.raw, problem)
    }

    /// Returns the value's text in the file, shortened for an error message.
    pub fn shown(&self) -> String {
        shown(self.raw)
    }

    fn parse<T: Deserialize<'t>>(&self, what: &str) -> Result<T, Error> {
        serde_json::from_str(self.raw).map_err(|error| {
            let lines = self.raw.split_inclusive('\n').take(error.line().saturating_sub(1));
            let line: usize = lines.map(str::len).sum();
            let at = self.text.offset(self.raw) + line + error.column().saturating_sub(1);
            let said = error.to_string();
            let said = said.split(" at line ").next().unwrap_or_default();
            self.text.error_at(at, format!("not {what}: {}", shown(said)))
        })
    }

    fn is(&self, start: char) -> bool {
        self.raw.starts_with(start)
    }

    /// An object.
    ///
    /// # Errors
    /// Fails if the value is not an object, or if the object has two members with the same name.
    pub fn object(self, what: &str) -> Result<Object<'t>, Error> {
        if !self.is('{') {
            return Err(self.error(format!("{what} is '{}'; legal: an object, {{…}}", self.shown())));
        }
        let Members(raw) = self.parse("JSON")?;
        let (mut members, mut order) = (HashMap::with_capacity(raw.len()), Vec::with_capacity(raw.len()));
        for (name, raw) in raw {
            let value = Self { text: self.text, raw: raw.get() };
            order.push(name.clone());
            if members.insert(name.clone(), value).is_some() {
                return Err(value.error(format!("'{}' is given twice; legal: once", shown(&name))));
            }
        }
        Ok(Object { whole: self, members, order })
    }

    /// The values of a list.
    ///
    /// # Errors
    /// Fails if the value is not a list.
    pub fn list(self, what: &str) -> Result<Vec<Self>, Error> {
        if !self.is('[') {
            return Err(self.error(format!("{what} is '{}'; legal: a list, […]", self.shown())));
        }
        let raw: Vec<&RawValue> = self.parse("JSON")?;
        Ok(raw.into_iter().map(|raw| Self { text: self.text, raw: raw.get() }).collect())
    }

    /// Whether it is a list.
    pub fn is_list(&self) -> bool {
        self.is('[')
    }

    /// A text.
    ///
    /// # Errors
    /// Fails if the value is not a text.
    pub fn string(self, what: &str) -> Result<String, Error> {
        match self.is('"') {
            true => self.parse("text"),
            false => Err(self.error(format!("{what} is '{}'; legal: a text, \"…\"", self.shown()))),
        }
    }

    /// Whether it is a text.
    pub fn is_string(&self) -> bool {
        self.is('"')
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        self.raw == "null"
    }

    /// Returns a text; converts a number or boolean to text.
    ///
    /// # Errors
    /// Fails if the value is not a text, number or boolean.
    pub fn word(self, what: &str) -> Result<String, Error> {
        match self.is('"') {
            true => self.parse("text"),
            false if self.is('[') || self.is('{') || self.is_null() => {
                Err(self.error(format!("{what} is '{}'; legal: a text or a number", self.shown())))
            }
            false => Ok(self.raw.to_owned()),
        }
    }

    /// A whole number from 0 to `most`.
    ///
    /// # Errors
    /// Fails if the value is not such a number.
    pub fn number(self, what: &str, most: u64) -> Result<u64, Error> {
        let number = self.raw.parse::<u64>().ok().filter(|&number| number <= most);
        number
            .ok_or_else(|| self.error(format!("{what} is '{}'; legal: a whole number from 0 to {most}", self.shown())))
    }

    /// `true` or `false`.
    ///
    /// # Errors
    /// Fails if the value is not a boolean.
    pub fn truth(self, what: &str) -> Result<bool, Error> {
        match self.raw {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(self.error(format!("{what} is '{}'; legal: true or false", self.shown()))),
        }
    }
}

impl<'t> Object<'t> {
    /// The error at this object.
    pub fn error(&self, problem: impl Into<String>) -> Error {
        self.whole.error(problem)
    }

    /// Removes and returns the member called `name`; `None` if the member is missing or `null`.
    pub fn take(&mut self, name: &str) -> Option<Json<'t>> {
        self.members.remove(name).filter(|value| !value.is_null())
    }

    /// Whether a member called `name` exists, even if it is `null`.
    pub fn has(&self, name: &str) -> bool {
        self.members.contains_key(name)
    }

    /// Removes and returns the member called `name`.
    ///
    /// # Errors
    /// A missing member.
    pub fn need(&mut self, name: &str) -> Result<Json<'t>, Error> {
        self.take(name).ok_or_else(|| self.error(format!("no '{name}' in this object; legal: a member '{name}'")))
    }

    /// Removes the list called `name` and returns its values; no values if the list is missing.
    ///
    /// # Errors
    /// A value that is not a list.
    pub fn take_list(&mut self, name: &str) -> Result<Vec<Json<'t>>, Error> {
        self.take(name).map_or(Ok(Vec::new()), |value| value.list(name))
    }

    /// Removes the text or number called `name`, and returns it with its position; an empty text if the member is missing.
    ///
    /// # Errors
    /// A value of another kind.
    pub fn take_word(&mut self, name: &str) -> Result<(String, Json<'t>), Error> {
        match self.take(name) {
            Some(value) => Ok((value.word(name)?, value)),
            None => Ok((String::new(), self.whole)),
        }
    }

    /// Returns the names of the remaining members, in order.
    pub fn unread(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(String::as_str).filter(|name| self.members.contains_key(*name))
    }
}

/// The members of an object, in order.
struct Members<'t>(Vec<(String, &'t RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit<'t>(PhantomData<&'t ()>);
        impl<'t> Visitor<'t> for Visit<'t> {
            type Value = Members<'t>;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Self::Value, A::Error>
            where
                A::Error: de::Error,
            {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Visit(PhantomData))
    }
}

/// A text as JSON writes it.
pub fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
