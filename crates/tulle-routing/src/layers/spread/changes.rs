//! Finds the legal changes of one switch's next hop.

use rand::Rng;

use super::context::Context;
use super::forest::Forest;

/// A change of next hop under consideration.
pub(super) struct Change {
    pub channel: u32,
    pub next: u32,
    /// The gain or cost of the change, in the unit of the search.
    pub value: f64,
}

/// The changes for one switch in one layer, and the switches whose paths would change with it.
pub(super) struct Changes {
    /// The switch itself and the switches that forward through it.
    pub members: Vec<u32>,
    pub list: Vec<Change>,
    /// Working memory for the channels of a switch.
    channels: Vec<u32>,
    within: Vec<bool>,
}

impl Changes {
    pub fn new(context: &Context) -> Self {
        let switches = 0..context.switches() as u32;
        let ports = switches.map(|switch| context.fabric.degree(switch)).max().unwrap_or(0);
        let within = vec![false; context.switches()];
        Self { members: Vec::new(), list: Vec::new(), channels: vec![0; ports + 1], within }
    }

    /// Collects the legal changes of the next hop of `switch` in `layer`: without a loop, without a path beyond the limit, and in layer 0
    /// without a path longer than minimal. `members` must be the subtree of `switch`.
    pub fn collect(&mut self, context: &Context, forest: &Forest, layer: usize, switch: u32, rng: &mut impl Rng) {
        let hops = |switch: u32| forest.length(layer, switch);
        let slack = |&member: &u32| context.limit(forest.destination, member).saturating_sub(hops(member));
        let slack = if layer == 0 { 0 } else { self.members.iter().map(slack).min().unwrap_or(0) };
        let most = hops(switch) + slack;
        self.list.clear();
        let now = forest.next(layer, switch);
        // The code has no branch here, because the legality of a change is as good as random: half of the branches would be mispredicted.
        let mut legal = 0;
        let mut offer = |channel: u32, next: u32| {
            self.channels[legal] = channel;
            legal += usize::from((hops(next) < most) & (channel != now));
        };
        if layer == 0 {
            context.nearer(forest.destination, switch).for_each(|channel| offer(channel, context.target(channel)));
        } else {
            context
                .channels_from_any(switch, rng)
                .take(context.looks)
                .for_each(|channel| offer(channel, context.target(channel)));
        }
        let change = |&channel: &u32| Change { channel, next: context.target(channel), value: 0.0 };
        self.list.extend(self.channels[..legal].iter().map(change));
        // No switch leads to itself.
        if self.members.len() > 1 {
            self.members.iter().for_each(|&member| self.within[member as usize] = true);
            self.list.retain(|change| !self.within[change.next as usize]);
            self.members.iter().for_each(|&member| self.within[member as usize] = false);
        }
    }
}
