//! Finds the missing switches *behind* (upstream of) another missing switch. A missing switch has no next hop left toward the destination.
//! The old paths of the upstream switches crossed the other switch, so the upstream switches may keep their next hops.
//!
//! The entry of an upstream switch stays valid if its path stays within the hop limit. So fewer upstream entries change if the other switch
//! gets a next hop with fewer hops to the destination.

use std::collections::HashMap;

// circle: `choose` and `upstream` import each other, because both choose next hops, and each calls the other for each switch.
use super::choose::Choice;
use super::column::Column;
use tulle_routing::columns::beyond;

/// Records which switches without a next hop forwarded to the destination through other switches that have lost their next hops, too.
pub(super) struct Upstream {
    /// Pairs of two switches without a next hop, in ascending order. The second switch of a pair forwarded to the first over a surviving
    /// cable.
    pairs: Vec<[u32; 2]>,
    /// For each switch without a next hop: its minimum number of hops if its new next hop is a neighbour that already reaches the
    /// destination.
    fewest_hops: HashMap<u32, u16>,
    /// Cached results of [`Upstream::changes`], by switch and number of hops.
    known: HashMap<(u32, u16), u32>,
}

impl Upstream {
    /// Collects, for each switch of `column` without a next hop, the upstream switches that have no next hop either.
    pub fn of(choice: &Choice<'_>, column: &Column) -> Self {
        let fabric = choice.damage.new;
        let forwarded =
            |switch: u32| choice.had(column, switch).map(move |port| [beyond(fabric, switch, port), switch]);
        let mut pairs: Vec<[u32; 2]> = column.missing.iter().flat_map(|&switch| forwarded(switch)).collect();
        pairs.sort_unstable();
        let fewest = |&switch: &u32| Some((switch, choice.fewest_hops(column, switch)?));
        let fewest_hops = column.missing.iter().filter_map(fewest).collect();
        Self { pairs, fewest_hops, known: HashMap::new() }
    }

    /// Returns the traffic to the destination of `column` that comes from `switch` and from all switches upstream of it that have no next
    /// hop.
    pub fn amount(&self, choice: &Choice<'_>, column: &Column, switch: u32) -> f64 {
        let own = choice.demand.of(choice.layer, switch, column.destination);
        own + self.forwarded_to(switch).iter().map(|&[_, before]| self.amount(choice, column, before)).sum::<f64>()
    }

    /// Returns the minimum number of upstream entries that must change if the new path of `switch` has `hops` hops. If the path of an
    /// upstream switch exceeds the hop limit, its own entry must change, or the entry of a switch between it and `switch`.
    pub fn changes(&mut self, choice: &Choice<'_>, column: &Column, switch: u32, hops: u16) -> u32 {
        if let Some(&known) = self.known.get(&(switch, hops)) {
            return known;
        }
        let mut changes = 0;
        for [_, before] in self.forwarded_to(switch).to_vec() {
            let most = choice.most_hops(column, before);
            let other = self.fewest_hops.get(&before).copied().unwrap_or(most);
            let moves = 1 + self.changes(choice, column, before, other.min(most));
            let stays = if hops < most { self.changes(choice, column, before, hops + 1) } else { moves };
            changes += stays.min(moves);
        }
        self.known.insert((switch, hops), changes);
        changes
    }

    /// Returns all pairs of `switch` and a switch that forwarded to it. Both switches of a pair have no next hop now.
    fn forwarded_to(&self, switch: u32) -> &[[u32; 2]] {
        let first = self.pairs.partition_point(|pair| pair[0] < switch);
        let count = self.pairs[first..].partition_point(|pair| pair[0] == switch);
        &self.pairs[first..first + count]
    }
}
