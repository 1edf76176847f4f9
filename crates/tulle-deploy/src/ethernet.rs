//! Ethernet and IP: the forwarding entries of switches for a routing. Each layer of the routing has its own address range.
//!
//! Layers are distinguished by the destination address (FatPaths §V-D: "a simple way to achieve separation is partitioning of the address
//! space"). A switch needs one prefix entry per layer and destination switch, because "all endpoints on one router share the routes towards
//! that router" (§V-E).

mod changes;
mod entries;
mod walk;

pub use changes::{Change, changes};
pub use entries::{Entries, Hop, Row};
pub use walk::Walked;
