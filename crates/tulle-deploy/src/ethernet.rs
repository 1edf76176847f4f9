//! Ethernet and IP: what switches hold of a routing whose layers are address ranges.
//!
//! Layers are told apart by the destination address (FatPaths §V-D, "Implementation of Layers": "for commodity architectures
//! and systems"), so that a switch needs one prefix entry per layer and destination switch (§V-E: "a prefix-match forwarding
//! scheme, combining destination router address with the layer tag").

mod changes;
mod entries;
mod walk;

pub use changes::{Change, changes};
pub use entries::{Entries, Hop, Row};
pub use walk::Walked;
