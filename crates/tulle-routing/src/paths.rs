//! Routing schemes that compute path sets: explicit paths per ordered pair of switches. Each scheme has its own file.
//!
//! Every path is simple: it visits no switch twice. The paths of a pair are ordered by length, and then by the scheme's tie rule. The rule
//! *lowest* orders paths lexicographically by ports, which is also the order by switches. The rule *random* uses the random stream
//! `routing/<scheme>` of the source.
//!
//! Sources are independent of each other and run in parallel, so the number of threads has no effect on the result. There are no paths from
//! a switch to itself.

use tulle_spec::registry;

use crate::layers::Schemes;

registry! {
    /// The schemes that compute path sets. `tulle list routings` lists them in this order, after the schemes that compute layers.
    pub static PATHS: Schemes;
    pub mod ksp: Ksp;
    pub mod rksp: Rksp;
    pub mod edksp: Edksp;
    pub mod redksp: Redksp;
    pub mod llskr: Llskr;
    pub mod disjoint: Disjoint;
    pub mod virtual_updown: VirtualUpdown;
    pub mod edst: EdstPaths;
    pub mod spain: SpainPaths;
}

mod all_pairs;
mod by_length;
mod flow;
mod lowest;
mod neighbours;
mod remove_find_pair;
mod shortest;
mod yen;
