//! The tests of the crate's public interface. They are one program, because linking a program per file takes a minute.

mod arrays;
mod papers;
mod paths;
mod quality;
mod routing_file;
mod schemes;
mod spread;
mod spread_groups;
mod tables;
mod weights;
