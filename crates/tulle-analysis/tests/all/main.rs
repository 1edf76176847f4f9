//! The tests of the crate's public interface. They are one program, because linking a program per file takes a minute.

mod bounds;
mod connectivity;
mod demands;
mod diversity;
mod path_flow;
mod stress;
mod weights;
