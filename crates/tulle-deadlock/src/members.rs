//! Lists the turns of all routes, for schemes in which every packet stays on one virtual channel. A turn is a pair of consecutive channels.

use rayon::prelude::*;
use tulle_fabric::Fabric;
use tulle_routing::{Error, Flaw, Routing};

use super::routes::{NO_CHANNEL, Walker, column, routes_of, senders};
use super::spread::ANY;
use super::turns::Turns;

/// The routes that have turns (members), each with the turns that its packets may take. A turn is a pair of consecutive channels. The
/// memory need is 12 bytes per route, plus 4 bytes per turn of each route.
#[derive(Debug, Clone, Default)]
pub(crate) struct Members {
    /// The route of each member.
    routes: Vec<u32>,
    /// The index in `turns` of each member's first turn; the list has one entry more than there are members.
    first: Vec<usize>,
    turns: Vec<u32>,
}

impl Members {
    /// Returns a list without members.
    pub fn new() -> Self {
        Self { first: vec![0], ..Self::default() }
    }

    /// Returns the routes of `routing` that have turns (pairs of consecutive channels), by ascending source. Routes without turns cannot be
    /// part of a cycle. If `own_first_hop` is set, first hops have virtual channels of their own, so the first turn of a route does not
    /// count.
    ///
    /// # Errors
    /// Fails if a route does not lead to its destination.
    pub fn of(fabric: &Fabric, turns: &Turns, routing: &Routing, own_first_hop: bool) -> Result<Self, Flaw> {
        let edge = senders(fabric);
        let of_source = |walker: &mut Walker<'_>, &source: &u32| {
            let (mut members, mut flaw) = (Self::new(), None);
            routes_of(routing, &edge, source, |route| {
                let walked = walker.walk(route, |step| {
                    if step.before != NO_CHANNEL && !(own_first_hop && step.hop == 1) {
                        members.turns.push(turns.turn(step.before, step.channel) as u32);
                    }
                });
                members.close(route.number);
                flaw = flaw.or(walked.err());
            });
            flaw.map_or(Ok(members), Err)
        };
        let parts: Vec<_> = edge.par_iter().map_init(|| Walker::new(fabric, routing), of_source).collect();
        let mut all = Self::new();
        for part in parts {
            all.append(&part?);
        }
        Ok(all)
    }

    /// Appends the members of `other`.
    fn append(&mut self, other: &Self) {
        let before = self.turns.len();
        self.routes.extend_from_slice(&other.routes);
        self.turns.extend_from_slice(&other.turns);
        self.first.extend(other.first[1..].iter().map(|&first| before + first));
    }

    /// Adds `route` as a member if turns (pairs of consecutive channels) were pushed after the last member. These turns belong to the new
    /// member.
    fn close(&mut self, route: u32) {
        if self.turns.len() > self.first[self.routes.len()] {
            self.routes.push(route);
            self.first.push(self.turns.len());
        }
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.routes.len()
    }

    /// Returns the number of turns, summed over all members.
    pub fn num_turns(&self) -> usize {
        self.turns.len()
    }

    /// The route of a member.
    pub fn route(&self, member: usize) -> u32 {
        self.routes[member]
    }

    /// Returns the turns of a member in the order of its hops.
    #[inline]
    pub fn turns(&self, member: usize) -> &[u32] {
        &self.turns[self.first[member]..self.first[member + 1]]
    }

    /// Returns the members (routes) sorted by number of turns, then by member number. If short paths are placed first, more paths fit on
    /// each virtual channel. For example, Slim Fly q=19 with 9 random layers then needs 5 virtual channels instead of 8.
    pub fn short_first(&self) -> Vec<usize> {
        let mut members: Vec<usize> = (0..self.len()).collect();
        members.sort_by_key(|&member| self.turns(member).len());
        members
    }

    /// Returns the members for which `kept` is true, in the same order.
    pub fn filter(&self, kept: impl Fn(usize) -> bool) -> Self {
        let mut filtered = Self::new();
        for member in (0..self.len()).filter(|&member| kept(member)) {
            filtered.turns.extend_from_slice(self.turns(member));
            filtered.close(self.routes[member]);
        }
        filtered
    }
}

/// Returns an array with the virtual channel of every route of `routing`. All values are [`ANY`].
pub(crate) fn any_class(routing: &Routing) -> Vec<u8> {
    vec![ANY; column(routing).expect("routes were counted")]
}

/// Returns the error for a route that closes a cycle by itself, so that not even an empty virtual channel accepts it.
pub(crate) fn waits_for_itself(scheme: &str, fabric: &Fabric, routing: &Routing, number: u32) -> Error {
    let edge = senders(fabric);
    let mut name = String::new();
    for &source in &edge {
        routes_of(routing, &edge, source, |route| {
            if route.number == number {
                name = format!("from switch {} to {}", fabric.label(source), fabric.label(route.destination));
            }
        });
    }
    Error::Deadlock {
        scheme: scheme.to_owned(),
        problem: format!("a path of {} {name} crosses a channel twice and so waits for itself", routing.spec()),
        legal: "legal: paths that visit no switch twice".to_owned(),
    }
}
