//! The packet-level simulator: switches, queues, transports and selectors, driven by events.
//!
//! The model: a link has the rate and the latency that the fabric knows of it, in either direction, or those of the configuration. A
//! switch has one output queue per link, and packets are stored and
//! forwarded: sent on once they have arrived whole. An endpoint has one link to its switch. So a packet from endpoint
//! to endpoint crosses h + 2 links, where h is the number of hops between their switches.
//!
//! On an idle fabric a flow of N full packets, N at most the window, over H links finishes after
//! (N − 1)·s + H·(s + L) + H·(a + L), where s and a are the times of a packet and an acknowledgement on the wire and L is the
//! latency; over unlike links (N − 1)·s is of the slowest and the others are sums, as long as acknowledgements do not wait for each
//! other; [`ideal_fct`] has it in general.
//!
//! Time is in picoseconds. Simultaneous events have a fixed order (see the calendar), and random choices are hashes of what
//! they are made for: the same inputs give the same outcome, to the bit.

mod calendar;
mod config;
mod engine;
mod error;
mod faults;
mod forwarding;
mod gather;
mod ideal_fct;
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
    Counters, Deadlock, FaultReport, Flows, Held, Links, NEVER, Outcome, PacketTime, Profile, Progress, Samples, Stall,
};
pub use queue::queues;
pub use selector::selectors;
pub use simulate::{check, resolve, simulate};
pub use transport::{default_queue, transports};
