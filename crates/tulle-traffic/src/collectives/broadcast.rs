//! Broadcast: at the end every member has the root's vector.

use super::{Group, Send};
use crate::Program;

/// Adds a broadcast of `bytes` bytes from member `root` over a binomial tree. It takes ⌈log₂ n⌉ rounds for n members
/// (Thakur, Rabenseifner, Gropp, IJHPCA 2005, §4.2).
pub fn broadcast(program: &mut Program, group: &mut Group, root: usize, bytes: u64) {
    let members = group.len();
    let mut width = members.next_power_of_two() / 2;
    while width > 0 {
        let tree = (0..members).step_by(2 * width).filter(|from| from + width < members);
        let sends = tree.map(|from| Send { from: (root + from) % members, to: (root + from + width) % members, bytes });
        group.round(program, sends);
        width /= 2;
    }
}
