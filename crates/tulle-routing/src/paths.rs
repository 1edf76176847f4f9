//! Schemes that compute path sets: explicit paths per ordered pair of switches, one file per scheme.
//!
//! Every path is simple (visits no switch twice). The paths of a pair are ordered by length, then by the scheme's tie rule: *lowest* is
//! lexicographic by ports, which is also lexicographic by switches; *random* draws from a stream of the source, `routing/<scheme>`. Sources
//! are independent and run in parallel, so the number of threads has no effect. A switch has no path to itself.

use tulle_spec::registry;

use crate::layers::Schemes;

registry! {
    /// The schemes that compute path sets, in the order of `tulle list routings`, after those of layers.
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
