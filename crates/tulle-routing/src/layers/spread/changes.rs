//! Legal changes of one switch's next hop.

use super::context::Context;
use super::forest::Forest;

/// A change of next hop under consideration.
pub(super) struct Change {
    pub channel: u32,
    pub next: u32,
    /// The gain or the cost of it, as its search counts.
    pub value: f64,
}

/// The changes for one switch in one layer, and all that would follow them.
pub(super) struct Changes {
    /// The switch and those that forward through it.
    pub members: Vec<u32>,
    pub list: Vec<Change>,
    within: Vec<bool>,
}

impl Changes {
    pub fn new(context: &Context) -> Self {
        Self { members: Vec::new(), list: Vec::new(), within: vec![false; context.switches()] }
    }

    /// Collects the legal changes of the next hop of `switch` in `layer`, whose subtree is in `members`: none that leads back
    /// to it, that makes a path longer than the limit, or in layer 0 longer than minimal.
    pub fn collect(&mut self, context: &Context, forest: &Forest, layer: usize, switch: u32) {
        let hops = |switch: u32| forest.length(layer, switch);
        let slack = |&member: &u32| context.limit(forest.destination, member).saturating_sub(hops(member));
        let slack = if layer == 0 { 0 } else { self.members.iter().map(slack).min().unwrap_or(0) };
        let most = hops(switch) + slack;
        self.list.clear();
        let now = forest.next(layer, switch);
        let mut offer = |channel: u32, next: u32| {
            if hops(next) < most && channel != now {
                self.list.push(Change { channel, next, value: 0.0 });
            }
        };
        if layer == 0 {
            context.nearer(forest.destination, switch).for_each(|channel| offer(channel, context.target(channel)));
        } else {
            context.channels(switch).zip(context.fabric.neighbours(switch)).for_each(|(c, &next)| offer(c, next));
        }
        // No switch leads to itself.
        if self.members.len() > 1 {
            self.members.iter().for_each(|&member| self.within[member as usize] = true);
            self.list.retain(|change| !self.within[change.next as usize]);
            self.members.iter().for_each(|&member| self.within[member as usize] = false);
        }
    }
}
