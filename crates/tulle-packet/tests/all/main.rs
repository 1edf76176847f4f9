//! The tests of the crate's public interface. They are one program, because linking a program per file takes a minute.

#[path = "support/case.rs"]
mod case;
mod closed_form;
mod conservation;
mod deadlock;
mod dependencies;
mod errors;
mod explicit_paths;
mod faults;
mod host_costs;
mod lanes;
mod link_kinds;
mod losses;
#[path = "support/lossless_star.rs"]
mod lossless_star;
mod matrix;
mod nic;
mod pfc;
mod reordering;
mod selectors;
mod soak;
mod support;
mod threads;
mod time_limit;
#[path = "support/verdict.rs"]
mod verdict;
