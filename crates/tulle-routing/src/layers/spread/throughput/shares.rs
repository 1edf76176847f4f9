//! Counts how many paths of a pair use each cable, for all pairs of one destination.

use super::super::context::Context;
use super::super::forest::Forest;

/// Per switch, counts the paths over each cable. First hops, last hops and the cables in between are counted separately.
///
/// Each port of the switch has a counter for first hops, and each port of the destination has a counter for last hops. There are many
/// cables in between, and paths use few of them. So each of these cables only has a hash bucket, which tells whether some path may use the
/// cable. If so, the paths are examined.
pub(super) struct Shares {
    /// The number of layers whose paths are counted: all layers, except while [`Self::begin`] adds the layers one by one.
    layers: usize,
    /// The maximum number of ports of a switch.
    ports: usize,
    /// Per switch and port, the number of paths that leave the switch over this port.
    first: Vec<u8>,
    /// Per switch and port of the destination, the number of paths of the switch that enter over this port. Paths of one hop are not
    /// counted.
    last: Vec<u8>,
    /// Per switch and bucket, the number of channels of its paths that fall into the bucket. First and last hops are not counted.
    between: Vec<u16>,
    buckets: usize,
    /// 32 minus the binary logarithm of `buckets`.
    shift: u32,
    /// Per switch, the sum of m (m − 1) / 2 over all cables, where m is the number of its paths over the cable.
    shared: Vec<u32>,
}

/// The number of hash buckets per channel that is neither the first nor the last of its path.
const ROOM: usize = 8;

impl Shares {
    pub fn new(context: &Context) -> Self {
        let switches = context.switches();
        let ports = (0..switches as u32).map(|switch| context.fabric.degree(switch)).max().unwrap_or(0);
        // The number of buckets is chosen for paths with at most four channels between the first and the last hop. On longer paths, which
        // are rare, several channels fall into one bucket. This takes more time, but results stay correct.
        let between = context.layers * context.longest.saturating_sub(2).min(4);
        let buckets = (ROOM * between).next_power_of_two().max(2);
        Self {
            layers: 0,
            ports,
            first: vec![0; switches * ports],
            last: vec![0; switches * ports],
            between: vec![0; switches * buckets],
            buckets,
            shift: 32 - buckets.trailing_zeros(),
            shared: vec![0; switches],
        }
    }

    /// Counts all paths of `forest` that the search improves.
    pub fn begin(&mut self, context: &Context, forest: &Forest) {
        self.first.fill(0);
        self.last.fill(0);
        self.between.fill(0);
        self.shared.fill(0);
        for layer in 0..context.layers {
            self.layers = layer;
            for switch in (0..context.switches() as u32).filter(|&s| s != forest.destination && context.counts(s)) {
                self.add(context, forest, layer, switch);
            }
        }
        self.layers = context.layers;
    }

    /// Returns the number of pairs of paths of `switch` that share a cable, summed over all cables: the sum of m (m − 1) / 2, where m is
    /// the number of paths over a cable.
    #[inline]
    pub fn of(&self, switch: u32) -> u32 {
        self.shared[switch as usize]
    }

    /// Adds the path of `switch` in `layer` to the counts.
    pub fn add(&mut self, context: &Context, forest: &Forest, layer: usize, switch: u32) {
        self.shared[switch as usize] += self.on_path(context, forest, layer, switch);
        self.count(context, forest, layer, switch, |paths| *paths += 1, |channels| *channels += 1);
    }

    /// Removes the path of `switch` in `layer` from the counts.
    pub fn remove(&mut self, context: &Context, forest: &Forest, layer: usize, switch: u32) {
        self.count(context, forest, layer, switch, |paths| *paths -= 1, |channels| *channels -= 1);
        self.shared[switch as usize] -= self.on_path(context, forest, layer, switch);
    }

    /// Returns how often the path of `switch` in `layer` shares a cable with another path of the switch, counted per cable and per other
    /// path. The path in `layer` must have been added.
    pub fn with_others(&self, context: &Context, forest: &Forest, layer: usize, switch: u32) -> u32 {
        let ends = if forest.path(layer, switch).len() > 1 { 2 } else { 1 };
        self.on_path(context, forest, layer, switch) - ends
    }

    /// Returns the number of added paths of `switch` over each cable of its path in `layer`, summed over these cables. The path itself is
    /// counted at its first and its last hop only.
    fn on_path(&self, context: &Context, forest: &Forest, layer: usize, switch: u32) -> u32 {
        let (&first, rest) = forest.path(layer, switch).split_last().expect("only the destination has no path");
        let mut shared = self.on_first(context, switch, first);
        if let Some((_, between)) = rest.split_first() {
            shared += self.on_last(switch, forest.entry(layer, switch));
            shared += between.iter().map(|&c| self.on_between(context, forest, layer, switch, c)).sum::<u32>();
        }
        shared
    }

    /// Returns the number of added paths that leave `switch` over `channel`.
    #[inline]
    pub fn on_first(&self, context: &Context, switch: u32, channel: u32) -> u32 {
        self.first[switch as usize * self.ports + context.port(switch, channel)].into()
    }

    /// Returns the number of added paths from `switch` that enter the destination over its port `entry`. Paths of one hop are not counted.
    #[inline]
    pub fn on_last(&self, switch: u32, entry: u16) -> u32 {
        self.last[switch as usize * self.ports + usize::from(entry)].into()
    }

    /// Returns the number of paths of `switch`, except the path in `layer`, that cross the cable of `channel` between their first and last
    /// hop.
    #[inline]
    pub fn on_between(&self, context: &Context, forest: &Forest, layer: usize, switch: u32, channel: u32) -> u32 {
        let back = context.reverse(channel);
        if self.between[self.bucket(switch, channel.min(back))] == 0 {
            return 0;
        }
        let goes = |&on: &u32| on == channel || on == back;
        let others = (0..self.layers).filter(|&other| other != layer);
        others.map(|other| u32::from(forest.between(other, switch).iter().any(goes))).sum()
    }

    #[inline]
    fn bucket(&self, switch: u32, cable: u32) -> usize {
        // Fibonacci hashing: the constant is the golden ratio as a 32-bit fraction.
        switch as usize * self.buckets + (cable.wrapping_mul(0x9E37_79B9) >> self.shift) as usize
    }

    /// Changes the counters for the first hop, the last hop and the channels in between of a path.
    #[inline]
    fn count(
        &mut self,
        context: &Context,
        forest: &Forest,
        layer: usize,
        switch: u32,
        end: impl Fn(&mut u8),
        middle: impl Fn(&mut u16),
    ) {
        let row = switch as usize * self.ports;
        let (&first, rest) = forest.path(layer, switch).split_last().expect("only the destination has no path");
        end(&mut self.first[row + context.port(switch, first)]);
        if let Some((_, between)) = rest.split_first() {
            end(&mut self.last[row + usize::from(forest.entry(layer, switch))]);
            for &channel in between {
                let bucket = self.bucket(switch, channel.min(context.reverse(channel)));
                middle(&mut self.between[bucket]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use tulle_base::random::stream;
    use tulle_fabric::distances::Distances;

    use super::super::super::aim::Aim;
    use super::super::super::marks::Marks;
    use super::super::super::trees::plant;
    use super::*;

    #[test]
    fn counts_are_those_of_the_paths() {
        for (spec, layers) in [("slimfly:q=5", 12), ("dragonfly:p=2", 7), ("torus:shape=4x4", 5)] {
            let fabric = tulle_topologies::build(spec, 0).unwrap();
            let context = Context::new(&fabric, Distances::of(&fabric), None, layers, Aim::Throughput);
            let mut forest = Forest::new(&context);
            let mut rng = stream(1, "test", 0);
            forest.take_loads(&vec![0; fabric.num_channels()]);
            forest.clear(&context, 3);
            plant(&context, &mut forest, &mut Marks::new(&context), 10.0, &mut rng);
            let mut shares = Shares::new(&context);
            shares.begin(&context, &forest);
            let recount = |switch: u32, left_out: Option<usize>| {
                let mut paths = HashMap::new();
                for layer in (0..layers).filter(|&layer| Some(layer) != left_out) {
                    for &channel in forest.path(layer, switch) {
                        *paths.entry(channel.min(fabric.reverse()[channel as usize])).or_insert(0u32) += 1;
                    }
                }
                paths.values().map(|paths| paths * (paths - 1) / 2).sum::<u32>()
            };
            for switch in (0..context.switches() as u32).filter(|&switch| switch != 3) {
                assert_eq!(shares.of(switch), recount(switch, None), "{spec}, {switch}");
                for layer in 0..layers {
                    let others = shares.of(switch) - shares.with_others(&context, &forest, layer, switch);
                    assert_eq!(
                        others,
                        recount(switch, Some(layer)),
                        "{spec}: paths of switch {switch} without its path in layer {layer}"
                    );
                    shares.remove(&context, &forest, layer, switch);
                    assert_eq!(
                        shares.of(switch),
                        recount(switch, Some(layer)),
                        "{spec}: paths of switch {switch} after its path in layer {layer} was removed"
                    );
                    shares.add(&context, &forest, layer, switch);
                }
                assert_eq!(shares.of(switch), recount(switch, None), "{spec}, {switch} again");
            }
        }
    }
}
