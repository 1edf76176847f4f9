//! An event-driven packet-level simulator of switches, queues, transports and path selectors.
//!
//! Each direction of a link has the rate and latency that the fabric defines. If the fabric defines none, the values of the configuration
//! apply. A switch has one output queue per link. Switches store and forward: they send a packet only after it has arrived completely. An
//! endpoint has one link to its switch. A packet therefore crosses h + 2 links, where h is the number of hops between the two switches.
//!
//! On an idle fabric, a flow of N full packets over H links finishes after (N − 1)·s + H·(s + L) + H·(a + L) if the window holds all
//! N packets. Here s and a are the transmission times of a packet and of an acknowledgement, and L is the link latency. If the
//! links differ, (N − 1)·s uses the slowest link, and the other terms become sums over the links. This holds while acknowledgements
//! do not queue behind each other; [`ideal_fct`] computes the general case.
//!
//! Time is in picoseconds. Simultaneous events have a fixed order (see the calendar), and each random choice is a hash of its inputs.
//! The same inputs therefore give bit-identical results.

mod calendar;
mod config;
mod engine;
mod error;
mod faults;
mod fifo;
mod forwarding;
mod gather;
mod ideal_fct;
mod lanes;
mod link_names;
mod link_table;
mod nic;
mod outcome;
mod packet;
mod partition;
mod path;
mod port;
mod queue;
mod reachability;
mod selector;
mod simulate;
mod transport;
mod units;

pub use config::{Config, OPTIONS};
pub use error::Error;
pub use faults::faults;
pub use ideal_fct::ideal_fct;
pub use nic::nics;
pub use outcome::{
    Counters, Deadlock, FaultReport, Flows, HeldPort, LinkSamples, Links, NEVER, Outcome, PacketTime, Profile,
    Progress, Samples, Stall,
};
pub use packet::HEADER;
pub use queue::queues;
pub use selector::selectors;
pub use simulate::{check, resolve, simulate, simulate_with_plan};
pub use transport::{default_queue, default_selector, transports};
