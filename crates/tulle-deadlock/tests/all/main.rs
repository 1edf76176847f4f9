//! The tests of the crate's public interface. They are one program, because linking a program per file takes a minute.

mod deadlock;
mod groups;
mod reroute;
mod reroute_balance;
mod reroute_entries;
