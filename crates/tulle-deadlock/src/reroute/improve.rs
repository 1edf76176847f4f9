//! Second part of step 4 of rerouting: chooses each new single next hop again, now that all other choices are known.
//!
//! The first choice for a destination does not know the later choices for other destinations. So this module checks each changed entry
//! again. The entry returns to its old next hop if the load on that path is below the limit. Otherwise the entry changes if another next
//! hop has a lower cost for all traffic that crosses the switch.

use super::choose::{Choice, Serves};
use super::column::Column;
use super::load::Load;
use tulle_routing::columns::{beyond, channel};

impl Choice<'_> {
    /// Chooses a next hop again for each switch in `chosen`, and updates `load`. All traffic that crosses a switch takes the new next hop
    /// of that switch.
    pub fn improve(&self, column: &mut Column, chosen: &[u32], load: &mut Load) {
        let fabric = self.damage.new;
        let mut through = Vec::new();
        load.add(fabric, self.demand, self.layer, column, 0.0, &mut through);
        let mut has_moved = false;
        for &switch in chosen {
            let (amount, port) = (through[switch as usize], column.ports(switch)[0]);
            let had = self.had(column, switch).next();
            let is_quiet = |(_, busiest): (f64, f64)| busiest <= self.quiet;
            if amount == 0.0 || had == Some(port) && is_quiet(load.cost(fabric, column, switch, port, 0.0)) {
                continue;
            }
            load.add_path(fabric, column, switch, -amount);
            let now = load.cost(fabric, column, switch, port, amount).0;
            let ways = self.other_ways(column, switch);
            let back =
                had.filter(|had| ways.contains(had) && is_quiet(load.cost(fabric, column, switch, *had, amount)));
            let best = back.or_else(|| {
                let best = self.cheapest(column, load, switch, &ways, amount);
                best.filter(|&other| load.cost(fabric, column, switch, other, amount).0 < now)
            });
            if let Some(other) = best {
                column.path(fabric, switch).for_each(|next| through[next as usize] -= amount);
                column.replace(fabric, switch, other);
                has_moved = true;
                column.path(fabric, switch).for_each(|next| through[next as usize] += amount);
            }
            load.add_path(fabric, column, switch, amount);
        }
        if has_moved {
            column.settle(fabric);
        }
    }

    /// Returns by how many hops the path of `switch` may grow before this path, or a path through `switch`, exceeds the hop limit.
    fn spare_hops(&self, column: &Column, switch: u32) -> u16 {
        let mut least = u16::MAX;
        column.upstream(self.damage.new, switch, |at| {
            least = least.min(self.most_hops(column, at).saturating_sub(column.hops(at)));
        });
        least
    }

    /// Returns the ports of `switch` that can replace its current port. All paths through `switch` must stay within the hop limit, follow
    /// the channel order, and cause no loop.
    fn other_ways(&self, column: &Column, switch: u32) -> Vec<u16> {
        let fabric = self.damage.new;
        let into: Vec<u32> = column.into(fabric, switch).collect();
        let most = column.hops(switch).saturating_add(self.spare_hops(column, switch));
        let mut ways = self.within(column, switch, self.serving(column, switch, Serves::InOrder), most);
        ways.retain(|&port| {
            let taken = channel(fabric, switch, port);
            let next = beyond(fabric, switch, port);
            into.iter().all(|&before| self.damage.rises(before, taken))
                && next != switch
                && column.path(fabric, next).all(|on| on != switch)
        });
        ways
    }
}
