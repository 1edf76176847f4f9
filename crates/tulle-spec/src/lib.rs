//! The grammar of specs, `name:key=value,key=value`. All specs of tulle follow it.
//!
//! A spec names a plug-in (a fabric, a routing, a traffic pattern, a transport) and gives its parameters. Values have units (`100Gbps`,
//! `1us`, `9KB`, `5%`). A value that contains a comma or a quote is put in double quotes. Some plug-ins take another whole spec after the
//! colon, for example `jellyfish-like:slimfly:q=19`.
//!
//! Parsing is strict. These are errors: an unknown name, an unknown or repeated parameter, a missing required parameter, and a value
//! outside its legal range. Each error message is one line with the offending value and the legal values.

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
