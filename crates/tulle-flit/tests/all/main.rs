//! The tests of the crate's public interface. They are one program, because linking a program per file takes a minute.

mod arbiters;
mod conservation;
mod datelines;
mod deadlock;
mod dragonfly;
mod errors;
mod hops;
mod host_costs;
mod many_ports;
mod run_to_completion;
mod support;
mod threads;
mod throughput;
mod traffics;
mod zero_load;
