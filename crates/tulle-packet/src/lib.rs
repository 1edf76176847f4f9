//! The packet-level simulator: switches, queues, transports and selectors, driven by events.
//!
//! The model: a link has the rate and latency of the fabric's link if it is known, otherwise those of the configuration, in both
//! directions. A switch has one output queue per link and stores and forwards packets: it sends a packet once it has arrived completely. An
//! endpoint has one link to its switch. So a packet from endpoint to endpoint crosses h + 2 links, where h is the number of hops between
//! their switches.
//!
//! On an idle fabric a flow of N full packets, N at most the window, over H links finishes after (N − 1)·s + H·(s + L) + H·(a + L), where s
//! and a are the transmission times of a packet and an acknowledgement and L is the latency. If links differ, s in (N − 1)·s belongs to the
//! slowest link and the other terms are sums over links, as long as acknowledgements do not queue. [`ideal_fct`] computes the general case.
//!
//! Time is in picoseconds. Simultaneous events have a fixed order (see the calendar), and random choices are hashes of their purpose: the
//! same inputs give the same outcome, bit for bit.

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
