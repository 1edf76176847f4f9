//! The tests of the crate's public interface. They are one program, because linking a program per file takes a minute.

mod faults;
mod levels;
mod links;
mod names;
