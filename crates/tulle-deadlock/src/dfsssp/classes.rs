//! Divides paths among virtual channels.
//!
//! At first, all paths are on the first virtual channel. The scheme chooses an order of its channels that many paths follow. Paths that all
//! follow one order cannot form a cycle. Another path also stays if it closes no cycle with the paths that stay. The remaining paths move to
//! the next virtual channel, where the scheme repeats this step.

use rayon::prelude::*;
use tulle_fabric::Fabric;
use tulle_routing::{Error, Routing};
use tulle_spec::Plugin;

use super::cycles;
use super::insertion::{Demand, down_then_up, ranks, up_then_down};
use crate::acyclic_vc::{AcyclicVc, even_out};
use crate::members::{Members, any_class, waits_for_itself};
use crate::online_order::OnlineOrder;
use crate::turns::Turns;

/// The maximum number of turns (pairs of consecutive channels), summed over all paths, for which the scheme also tries to break cycles. On
/// tori, with their long paths, breaking cycles needs fewer virtual channels than insertion. On large fabrics, it takes ten times as long
/// as insertion and needs more virtual channels.
const CYCLES_UP_TO: usize = 1_000_000;

/// Returns the virtual channel of each route, and the number of virtual channels. A number of 256 means that more than 255 virtual channels
/// are needed.
pub(super) fn classes(fabric: &Fabric, routing: &Routing, own_first_hop: bool) -> Result<(Vec<u8>, u16), Error> {
    let turns = Turns::of(fabric);
    let partition = Partition {
        fabric,
        turns: &turns,
        before: &turns.channels_before(),
        members: &Members::of(fabric, &turns, routing, own_first_hop)?,
        none: any_class(routing),
    };
    let unfit = |number| waits_for_itself(super::Dfsssp::INFO.name, fabric, routing, number);
    if partition.members.num_turns() > CYCLES_UP_TO {
        return partition.by(&[Partition::inserted]).map_err(unfit);
    }
    let (both, cycles) = rayon::join(
        || partition.by(&[Partition::inserted, Partition::without_cycles]),
        || partition.by(&[Partition::without_cycles]),
    );
    let (both, cycles) = (both.map_err(unfit)?, cycles.map_err(unfit)?);
    Ok(if cycles.1 < both.1 { cycles } else { both })
}

/// The members that the scheme divides among virtual channels. A member is a route with at least one turn (pair of consecutive channels).
struct Partition<'a> {
    fabric: &'a Fabric,
    turns: &'a Turns,
    /// Per turn, the channel before it.
    before: &'a [u32],
    members: &'a Members,
    /// The initial class of every route: `ANY`. Routes that are no members keep it.
    none: Vec<u8>,
}

/// A function that computes an order of channels for the given members (routes). It also gets the order of the previous virtual channel.
type Ordered<'a> = fn(&Partition<'a>, &Members, Option<&[u32]>) -> Vec<u32>;

impl<'a> Partition<'a> {
    /// Returns the virtual channel of each route, and the number of virtual channels. For each virtual channel, every function of `ways`
    /// computes an order of channels. The order that most routes follow is used.
    ///
    /// # Errors
    /// Returns the number of a route that closes a cycle by itself.
    fn by(&self, ways: &[Ordered<'a>]) -> Result<(Vec<u8>, u16), u32> {
        let mut class = self.none.clone();
        let (mut left, mut last) = (None, None);
        let mut vcs = Vec::new();
        for vc in 0..=u8::MAX {
            let members = left.as_ref().unwrap_or(self.members);
            if members.len() == 0 {
                even_out(&mut vcs, self.members, &mut class);
                return Ok((class, u16::from(vc)));
            }
            let (order, follows) = self.most_followed(members, ways, last.as_deref());
            let mut held = vec![false; self.turns.len()];
            for member in (0..members.len()).filter(|&member| follows[member]) {
                members.turns(member).iter().for_each(|&turn| held[turn as usize] = true);
            }
            // A path that violates this order may still close no cycle together with the paths that follow the order.
            let online = OnlineOrder::of(self.fabric, self.turns, &order, |turn| held[turn]);
            let mut open = AcyclicVc::new(online, self.before);
            let stays: Vec<bool> =
                (0..members.len()).map(|member| follows[member] || open.take(members.turns(member))).collect();
            if !stays.contains(&true) {
                return Err(members.route(0));
            }
            for member in (0..members.len()).filter(|&member| stays[member]) {
                class[members.route(member) as usize] = vc;
            }
            vcs.push(open);
            left = Some(members.filter(|member| !stays[member]));
            last = Some(order);
        }
        Ok((class, 256))
    }

    /// Computes one order per function of `ways`. Returns the order that most of `members` (routes) follow, and for each member whether it
    /// follows this order.
    fn most_followed(&self, members: &Members, ways: &[Ordered<'a>], last: Option<&[u32]>) -> (Vec<u32>, Vec<bool>) {
        let followed = ways.iter().map(|way| {
            let order = way(self, members, last);
            let follows = self.followers(members, &order);
            (follows.iter().filter(|&&follows| follows).count(), order, follows)
        });
        let best = followed.reduce(|best, other| if other.0 > best.0 { other } else { best });
        let (_, order, follows) = best.expect("there is a way");
        (order, follows)
    }

    /// Computes an order of channels by insertion. The reversed order of the previous virtual channel is one starting point, because the
    /// turns that the previous virtual channel refused follow this reversed order.
    fn inserted(&self, members: &Members, last: Option<&[u32]>) -> Vec<u32> {
        let mut starts = vec![up_then_down(self.fabric)];
        if let Some(last) = last {
            starts.extend([down_then_up(self.fabric), last.iter().rev().copied().collect()]);
        }
        Demand::of(self.fabric, self.turns, members).best_order(starts)
    }

    /// Computes an order of channels by breaking cycles.
    fn without_cycles(&self, members: &Members, _: Option<&[u32]>) -> Vec<u32> {
        cycles::order(self.turns, self.before, members)
    }

    /// Returns, for each route in `members`, whether its turns follow `order`.
    fn followers(&self, members: &Members, order: &[u32]) -> Vec<bool> {
        let rank = ranks(order);
        let after = |turn| self.turns.leads_to(self.before[turn], turn);
        let forward: Vec<bool> = (0..self.turns.len())
            .into_par_iter()
            .map(|turn| rank[self.before[turn] as usize] < rank[after(turn) as usize])
            .collect();
        let follows = |member| members.turns(member).iter().all(|&turn| forward[turn as usize]);
        (0..members.len()).into_par_iter().map(follows).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tulle_routing::{Routes, SourcePaths};

    /// Returns paths of two hops in ascending order around a ring of five switches; `counts[s]` paths start at switch s.
    fn around(fabric: &Fabric, counts: [usize; 5]) -> Routing {
        let port = |from: u32| {
            fabric.neighbours(from).iter().position(|&next| next == (from + 1) % 5).expect("the next is a neighbour")
        };
        let sources = (0..5).map(|source: u32| {
            let path = [port(source) as u16, port((source + 1) % 5) as u16];
            let mut paths = SourcePaths::default();
            for destination in 0..5 {
                let count = if destination == (source + 2) % 5 { counts[source as usize] } else { 0 };
                paths.destination(std::iter::repeat_n(&path[..], count));
            }
            paths
        });
        Routing::new("around".to_owned(), Routes::Paths(SourcePaths::join(sources.collect())))
    }

    #[test]
    fn vcs_are_evened_out_in_the_end() {
        let fabric = tulle_topologies::build("torus:shape=5,p=1", 0).unwrap();
        let (class, vcs) = classes(&fabric, &around(&fabric, [5, 4, 6, 5, 2]), false).unwrap();
        let on = |vc: u8| class.iter().filter(|&&own| own == vc).count();
        assert_eq!((vcs, on(0), on(1)), (2, 11, 11));
    }
}
