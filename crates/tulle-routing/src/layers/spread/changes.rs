//! Finds the legal changes of a switch's next hop.

use rand::Rng;

use super::context::Context;
use super::forest::Forest;

/// A possible change of a switch's next hop.
pub(super) struct Change {
    pub channel: u32,
    pub next: u32,
    /// The gain of the change. Only the aim `disjoint` uses it.
    pub value: f64,
}

/// The possible changes of one switch in one layer, and the switches whose paths they affect.
pub(super) struct Changes {
    /// The switch itself and all switches that forward through it.
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

    /// Collects the legal changes of the next hop of `switch` in `layer`. A legal change causes no loop and no path beyond the hop limit.
    /// In layer 0, it also causes no path longer than minimal. `members` must be the subtree of `switch`.
    pub fn collect(&mut self, context: &Context, forest: &Forest, layer: usize, switch: u32, rng: &mut impl Rng) {
        let hops = |switch: u32| forest.length(layer, switch);
        let slack = |&member: &u32| context.limit(forest.destination, member).saturating_sub(hops(member));
        let slack = if layer == 0 { 0 } else { self.members.iter().map(slack).min().unwrap_or(0) };
        let most = hops(switch) + slack;
        self.list.clear();
        let now = forest.next(layer, switch);
        // The loop has no branch on `legal`, because the processor would mispredict half of the branches.
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
        // Remove changes whose next hop forwards through `switch`, because they cause a loop. No switch is its own neighbour, so a subtree
        // of one switch needs no check.
        if self.members.len() > 1 {
            self.members.iter().for_each(|&member| self.within[member as usize] = true);
            self.list.retain(|change| !self.within[change.next as usize]);
            self.members.iter().for_each(|&member| self.within[member as usize] = false);
        }
    }
}
