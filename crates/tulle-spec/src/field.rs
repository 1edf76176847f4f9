//! The Rust types of fields that hold parameter values.

use crate::{Raw, Sort};

/// A Rust type for a field that holds the value of a parameter.
pub trait Field: Sized {
    /// The type ([`Sort`]) of the parsed values that this Rust type can hold.
    const SORT: Sort;
    /// The maximum of this type if it is a number type.
    const MAX: u64 = u64::MAX;

    /// Converts a parsed value into this Rust type.
    ///
    /// # Errors
    /// Returns the reason why the value is refused, for example `is not a hop limit`.
    fn from_raw(raw: Raw) -> Result<Self, &'static str>;

    /// Converts the value of the field back into a parsed value; `None` if the field has no value.
    fn raw(&self) -> Option<Raw>;

    /// Returns the value for a parameter that is not given and has no default; `None` if this type has no such value.
    fn absent() -> Option<Self> {
        None
    }
}

/// The error if a value does not fit the Rust type of its field. It never occurs for declared parameters, because the macro that declares
/// them compares types and ranges at compile time.
const UNFIT: &str = "does not fit the type of its field";

macro_rules! integers {
    ($($integer:ty),+) => {
        $(impl Field for $integer {
            const SORT: Sort = Sort::Integer;
            const MAX: u64 = <$integer>::MAX as u64;

            fn from_raw(raw: Raw) -> Result<Self, &'static str> {
                match raw {
                    Raw::Integer(value) => Self::try_from(value).map_err(|_| UNFIT),
                    _ => Err(UNFIT),
                }
            }

            fn raw(&self) -> Option<Raw> {
                Some(Raw::Integer(*self as u64))
            }
        }

        impl Field for Vec<$integer> {
            const SORT: Sort = Sort::Sizes;
            const MAX: u64 = <$integer>::MAX as u64;

            fn from_raw(raw: Raw) -> Result<Self, &'static str> {
                match raw {
                    Raw::Sizes(sizes) => sizes.into_iter().map(|size| <$integer>::try_from(size).map_err(|_| UNFIT)).collect(),
                    _ => Err(UNFIT),
                }
            }

            fn raw(&self) -> Option<Raw> {
                Some(Raw::Sizes(self.iter().map(|&size| size as u64).collect()))
            }
        })+
    };
}

integers!(u8, u16, u32, u64, usize);

macro_rules! fields {
    ($($field:ty: $raw:ident),+ $(,)?) => {
        $(impl Field for $field {
            const SORT: Sort = Sort::$raw;

            fn from_raw(raw: Raw) -> Result<Self, &'static str> {
                match raw {
                    Raw::$raw(value) => Ok(value),
                    _ => Err(UNFIT),
                }
            }

            fn raw(&self) -> Option<Raw> {
                Some(Raw::$raw(self.clone()))
            }
        })+
    };
}

fields! { f64: Real, bool: Flag, &'static str: Word, String: Text }

/// Holds the lines of [`Kind::Specs`](crate::Kind::Specs), one spec per line.
impl Field for Vec<String> {
    const SORT: Sort = Sort::Text;

    fn from_raw(raw: Raw) -> Result<Self, &'static str> {
        match raw {
            Raw::Text(text) => Ok(text.lines().map(str::to_owned).collect()),
            _ => Err(UNFIT),
        }
    }

    fn raw(&self) -> Option<Raw> {
        Some(Raw::Text(self.join("\n")))
    }
}

/// Holds the lines of [`Kind::Counts`](crate::Kind::Counts), each a name and a number.
impl Field for Vec<(String, u32)> {
    const SORT: Sort = Sort::Text;

    fn from_raw(raw: Raw) -> Result<Self, &'static str> {
        let Raw::Text(text) = raw else { return Err(UNFIT) };
        let count = |line: &str| {
            let (name, count) = line.split_once('=')?;
            Some((name.to_owned(), count.parse().ok()?))
        };
        text.lines().map(count).collect::<Option<_>>().ok_or(UNFIT)
    }

    fn raw(&self) -> Option<Raw> {
        let lines: Vec<String> = self.iter().map(|(name, count)| format!("{name}={count}")).collect();
        Some(Raw::Text(lines.join("\n")))
    }
}

impl<F: Field> Field for Option<F> {
    const SORT: Sort = F::SORT;
    const MAX: u64 = F::MAX;

    fn from_raw(raw: Raw) -> Result<Self, &'static str> {
        match raw {
            Raw::Absent => Ok(None),
            raw => F::from_raw(raw).map(Some),
        }
    }

    fn raw(&self) -> Option<Raw> {
        self.as_ref().and_then(F::raw)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// Declares an enum whose variants are written as words in specs.
///
/// ```
/// tulle_spec::words! {
///     /// The queue whose length is compared.
///     pub enum Estimate {
///         /// The queue of the port.
///         All = "all",
///         /// The queue of the virtual channel that the packet uses.
///         Class = "class",
///     }
/// }
/// assert_eq!((Estimate::WORDS, Estimate::Class.word()), (&["all", "class"][..], "class"));
/// ```
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name {
            $($(#[$doc])* $variant),+
        }

        impl $name {
            /// The words, in the order of the variants.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// Returns the word of this variant.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl $crate::Field for $name {
            const SORT: $crate::Sort = $crate::Sort::Word;

            fn from_raw(raw: $crate::Raw) -> Result<Self, &'static str> {
                match raw {
                    $($crate::Raw::Word($word) => Ok(Self::$variant),)+
                    _ => Err("is not a choice"),
                }
            }

            fn raw(&self) -> Option<$crate::Raw> {
                Some($crate::Raw::Word(self.word()))
            }
        }
    };
}
