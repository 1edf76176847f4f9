//! The spec grammar, alike everywhere in tulle: `name:key=value,key=value`.
//!
//! A spec names something registered (a fabric, a routing, a traffic pattern, a transport) and gives its parameters.
//! Values carry their units (`100Gbps`, `1us`, `9KB`, `5%`); a value that holds a comma or a quote is put in double quotes.
//! Some names take another spec whole after the colon, as `jellyfish-like:slimfly:q=19`.
//!
//! Reading is strict: an unknown name or parameter, a repeated or missing one, and a value outside its legal range are
//! each an error of one line that names the value and what would be legal.

mod arguments;
mod error;
mod field;
mod info;
mod kind;
mod parameter;
mod parameters;
mod plugin;
mod raw;
mod registry;
pub mod units;
mod value;

pub use arguments::{Arguments, split};
pub use error::SpecError;
pub use field::Field;
#[doc(hidden)]
pub use info::is_nested;
pub use info::{Info, did_you_mean, find};
pub use kind::{Kind, MAX_QUANTITY, kinds};
pub use parameter::{DefaultValue, Parameter};
#[doc(hidden)]
pub use parameter::{count, documentation, flatten};
pub use parameters::{NESTED, Parameters};
pub use plugin::{Group, Plugin, Registered};
pub use raw::{Raw, Sort};
pub use registry::{Entry, Registrable, Registry};
pub use value::Value;
