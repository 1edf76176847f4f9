//! The tests of the crate's public interface. They are one program, because linking a program per file takes a minute.

mod ethernet;
mod written_files;
