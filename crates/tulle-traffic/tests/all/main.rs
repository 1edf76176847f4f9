//! The tests of the crate's public interface. They are one program, because linking a program per file takes a minute.

mod collectives;
mod fuzz;
mod longest_matching;
mod patterns;
mod with_background;
mod worst_case;
