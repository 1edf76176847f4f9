//! Racks on a floor: positions of switches and endpoints, lengths and media of cables, parts lists, and cabling through optical switches or
//! patch panels.
//!
//! ```
//! use tulle_layout::{Floor, Layout};
//! let fabric = tulle_topologies::build("slimfly:q=5", 0)?;
//! let layout = Layout::of(&fabric, Floor::default(), None, 0)?;
//! assert_eq!(layout.racks.len(), 5);
//! assert_eq!(layout.items(&fabric).fibre.values().sum::<u64>(), 100);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod closed_forms;
pub mod through;

mod arrange;
mod error;
mod fill;
mod floor;
mod items;
mod layout;
mod position;
mod structures;

pub use arrange::{Cell, Plan};
pub use error::Error;
pub use floor::{Copper, Floor, Place, UNIT_MICROMETRES};
pub use items::Items;
pub use layout::{Layout, Medium, Rack};
pub use position::Position;
