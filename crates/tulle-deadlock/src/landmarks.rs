//! Landmarks are selected channels. For each landmark, all preceding and following channels are stored.

/// The number of landmarks. A set of landmarks has one bit per landmark.
const LANDMARKS: usize = 128;

/// A set of landmarks.
type Set = u128;

/// For each channel, the landmarks that lead to it and the landmarks to which it leads.
///
/// If a channel leads to a landmark, and this landmark leads to another channel, then the first channel leads to the second. In a graph
/// with many dependencies, this answers most reachability queries without a search. Landmarks ignore dependencies that were added after the
/// last `renew`. So a landmark may miss a connection, but every connection that it reports exists.
#[derive(Debug, Default)]
pub(crate) struct Landmarks {
    before: Vec<Set>,
    after: Vec<Set>,
}

impl Landmarks {
    /// Returns whether a landmark shows that `channel` leads to `other`. A landmark also leads to itself.
    #[inline]
    pub fn joins(&self, channel: u32, other: u32) -> bool {
        match (self.after.get(channel as usize), self.before.get(other as usize)) {
            (Some(after), Some(before)) => after & before != 0,
            _ => false,
        }
    }

    /// Removes all landmarks.
    pub fn clear(&mut self) {
        self.before.clear();
        self.after.clear();
    }

    /// Recomputes the landmarks of an acyclic graph. `order` contains every channel once, and every dependency follows it. `onto` returns
    /// the channels to which a channel leads.
    pub fn renew<I: Iterator<Item = u32>>(&mut self, order: &[u32], onto: impl Fn(u32) -> I) {
        self.clear();
        self.before.resize(order.len(), 0);
        self.after.resize(order.len(), 0);
        for landmark in 0..LANDMARKS.min(order.len()) {
            let channel = order[landmark * order.len() / LANDMARKS.min(order.len())];
            self.before[channel as usize] = 1 << landmark;
            self.after[channel as usize] = 1 << landmark;
        }
        for &channel in order {
            let own = self.before[channel as usize];
            if own != 0 {
                onto(channel).for_each(|next| self.before[next as usize] |= own);
            }
        }
        for &channel in order.iter().rev() {
            let reached = onto(channel).fold(0, |reached, next| reached | self.after[next as usize]);
            self.after[channel as usize] |= reached;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn joins_what_leads_from_one_to_the_other(
            nodes in 1u32..300,
            dependencies in prop::collection::vec((0u32..300, 0u32..300), 0..600),
            shuffle in any::<u32>(),
        ) {
            // `order` is a pseudo-random permutation of the channels. It lists the multiples of an odd number modulo 512, but omits numbers
            // that are not below `nodes`.
            let order: Vec<u32> = (0..512u32).map(|at| at.wrapping_mul(shuffle | 1) % 512).filter(|&c| c < nodes).collect();
            let mut onto = vec![Vec::new(); nodes as usize];
            let mut reached = vec![vec![false; nodes as usize]; nodes as usize];
            for (from, to) in dependencies {
                let (low, high) = (from.min(to) as usize, from.max(to) as usize);
                if low < high && high < order.len() {
                    onto[order[low] as usize].push(order[high]);
                }
            }
            for &channel in order.iter().rev() {
                reached[channel as usize][channel as usize] = true;
                for &next in &onto[channel as usize] {
                    let onward = reached[next as usize].clone();
                    reached[channel as usize].iter_mut().zip(onward).for_each(|(here, onward)| *here |= onward);
                }
            }
            let mut landmarks = Landmarks::default();
            prop_assert!(!landmarks.joins(0, 0));
            landmarks.renew(&order, |channel| onto[channel as usize].iter().copied());
            for (from, to) in (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to))) {
                let leads = reached[from as usize][to as usize];
                prop_assert!(leads || !landmarks.joins(from, to));
                // If every channel is a landmark, the landmarks must find every connection.
                prop_assert!(!leads || nodes as usize > LANDMARKS || landmarks.joins(from, to));
            }
            landmarks.clear();
            prop_assert!(!landmarks.joins(0, 0));
        }
    }
}
