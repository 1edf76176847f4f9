//! The tests of the crate's public interface. They are one program, because linking a program per file takes a minute.

#[path = "../../../tulle-topologies/tests/all/support/data.rs"]
mod data;
#[path = "support/files.rs"]
mod files;
mod formats;
mod malformed;
#[path = "../../../tulle-topologies/tests/all/support/mod.rs"]
mod support;
