//! Collects the channel dependencies of a routing.

mod by_level;

use rayon::prelude::*;
use tulle_base::acyclic::Successors;
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_routing::{Flaw, Routes, Routing, Table};

use super::assignment::Assignment;
use super::dependencies::Dependencies;
use super::routes::{NO_CHANNEL, Route, Step, Walker, routes_of, senders};
use super::turns::Turns;

/// Returns the channel dependencies of the routes between all switches that send, with the virtual channels of `assignment`.
///
/// # Errors
/// Fails if a route does not lead to its destination. If several routes fail, the error names a route of the first source or destination.
pub(crate) fn dependencies<'a>(
    fabric: &Fabric,
    turns: &'a Turns,
    routing: &Routing,
    assignment: &Assignment,
) -> Result<Dependencies<'a>, Flaw> {
    match routing.routes() {
        Routes::Layers(layers) if assignment.is_uniform() && assignment.phases() == 1 => trees(fabric, turns, layers),
        _ => by_level::dependencies(fabric, turns, routing, assignment)
            .unwrap_or_else(|| of_routes(fabric, turns, routing, assignment, |_| true)),
    }
}

/// Returns the dependencies of the `wanted` routes.
///
/// # Errors
/// Fails under the same conditions as [`dependencies`].
pub(crate) fn of_routes<'a>(
    fabric: &Fabric,
    turns: &'a Turns,
    routing: &Routing,
    assignment: &Assignment,
    wanted: impl Fn(Route) -> bool + Sync,
) -> Result<Dependencies<'a>, Flaw> {
    let edge = senders(fabric);
    let vcs = assignment.vcs_per_phase();
    let start = || {
        let ends = if assignment.phases() > 1 { Ends::new(turns.num_channels() * vcs) } else { Ends::default() };
        (Part { dependencies: Dependencies::new(turns, vcs), ends, flaw: None }, Walker::new(fabric, routing))
    };
    let parts = edge.par_iter().fold(start, |(mut part, mut walker), &source| {
        routes_of(routing, &edge, source, |route| {
            if wanted(route) {
                let own = assignment.route_vcs(route);
                let vc = |hop, channel: u32| own.at(hop, fabric.sources()[channel as usize]);
                let walked = walker.walk(route, |step| part.add(step, vc));
                part.flaw = part.flaw.or(walked.err());
            }
        });
        (part, walker)
    });
    let part = parts.map(|(part, _)| part).reduce(|| start().0, Part::join);
    match part.flaw {
        Some(flaw) => Err(flaw),
        None if assignment.phases() > 1 => Ok(chain(fabric, assignment, &part)),
        None => Ok(part.dependencies),
    }
}

/// The results that one thread has collected.
struct Part<'a> {
    dependencies: Dependencies<'a>,
    ends: Ends,
    /// The first error.
    flaw: Option<Flaw>,
}

/// Per node (a channel on a virtual channel): whether some route starts there, and whether some route ends there.
#[derive(Default)]
struct Ends {
    first: Vec<bool>,
    last: Vec<bool>,
}

impl Ends {
    fn new(nodes: usize) -> Self {
        Self { first: vec![false; nodes], last: vec![false; nodes] }
    }
}

impl Part<'_> {
    #[inline]
    fn add(&mut self, step: Step, vc: impl Fn(usize, u32) -> u8) {
        let to = vc(step.hop, step.channel);
        if step.before != NO_CHANNEL {
            self.dependencies.insert(step.before, vc(step.hop - 1, step.before), step.channel, to);
        }
        if !self.ends.first.is_empty() {
            let node = step.channel as usize * self.dependencies.vcs() + usize::from(to);
            self.ends.first[node] |= step.before == NO_CHANNEL;
            self.ends.last[node] |= step.last;
        }
    }

    fn join(mut self, other: Self) -> Self {
        self.dependencies.join(&other.dependencies);
        let pairs = self.ends.first.iter_mut().zip(other.ends.first);
        pairs.chain(self.ends.last.iter_mut().zip(other.ends.last)).for_each(|(ours, theirs)| *ours |= theirs);
        // The results of the sources are merged in the order of the sources. So if several sources fail, the error of the first one is
        // returned.
        self.flaw = self.flaw.or(other.flaw);
        self
    }
}

/// Returns the dependencies of packets that take one route per phase; each route starts where the previous route ended. The graph contains
/// the dependencies of `part` once per phase. Between phases it contains every dependency from the last channel of a route to the first
/// channel of another route.
fn chain<'a>(fabric: &Fabric, assignment: &Assignment, part: &Part<'a>) -> Dependencies<'a> {
    let (one, vcs) = (&part.dependencies, assignment.vcs_per_phase());
    let mut all = Dependencies::new(one.turns(), assignment.num_vcs());
    for phase in 0..usize::from(assignment.phases()) {
        let vc = |node: usize| (phase * vcs + node % vcs) as u8;
        for node in 0..one.num_nodes() {
            let channel = (node / vcs) as u32;
            one.successors(node, |next| all.insert(channel, vc(node), (next / vcs) as u32, vc(next)));
        }
    }
    for phase in 1..usize::from(assignment.phases()) {
        for last in (0..one.num_nodes()).filter(|&node| part.ends.last[node]) {
            let before = (last / vcs) as u32;
            let onward = fabric.channels_of(fabric.targets()[before as usize]);
            for first in (onward.start * vcs..onward.end * vcs).filter(|&node| part.ends.first[node]) {
                let (from, to) = ((phase - 1) * vcs + last % vcs, phase * vcs + first % vcs);
                all.insert(before, from as u8, (first / vcs) as u32, to as u8);
            }
        }
    }
    all
}

/// Returns the dependencies of forwarding tables if all packets use one virtual channel. For each destination, the function visits each
/// switch only once, even if many routes cross it.
fn trees<'a>(fabric: &Fabric, turns: &'a Turns, layers: &[Table]) -> Result<Dependencies<'a>, Flaw> {
    let edge = senders(fabric);
    let trees: Vec<(&Table, u32)> =
        layers.iter().flat_map(|table| edge.iter().map(move |&destination| (table, destination))).collect();
    let start = || (Dependencies::new(turns, 1), Tree::new(fabric), None);
    let parts = trees.par_iter().fold(start, |(mut all, mut tree, flaw), &(table, destination)| {
        task::check();
        let walked = tree.walk(table, &edge, destination, &mut all);
        (all, tree, flaw.or(walked.err()))
    });
    let (all, _, flaw) = parts.reduce(start, |(mut all, tree, flaw), (other, _, theirs)| {
        all.join(&other);
        (all, tree, flaw.or(theirs))
    });
    flaw.map_or(Ok(all), Err)
}

/// A walk over all switches that packets toward one destination reach.
struct Tree<'a> {
    fabric: &'a Fabric,
    /// Per switch, whether the walk has visited it.
    visited: Vec<bool>,
    /// Visited switches whose next hops the walk has not visited yet.
    stack: Vec<u32>,
}

impl<'a> Tree<'a> {
    fn new(fabric: &'a Fabric) -> Self {
        Self { fabric, visited: vec![false; fabric.num_switches()], stack: Vec::new() }
    }

    fn walk(&mut self, table: &Table, edge: &[u32], destination: u32, all: &mut Dependencies<'_>) -> Result<(), Flaw> {
        self.visited.fill(false);
        self.visited[destination as usize] = true;
        for &source in edge {
            self.push(source);
            while let Some(switch) = self.stack.pop() {
                let ports = table.next(switch, destination);
                if ports.is_empty() {
                    return Err(Flaw::Missing { switch, destination });
                }
                for &port in ports {
                    let before = self.channel(switch, destination, port)?;
                    let next = self.fabric.targets()[before as usize];
                    for &port in table.next(next, destination) {
                        all.insert(before, 0, self.channel(next, destination, port)?, 0);
                    }
                    self.push(next);
                }
            }
        }
        Ok(())
    }

    fn channel(&self, switch: u32, destination: u32, port: u16) -> Result<u32, Flaw> {
        let row = self.fabric.channels_of(switch);
        let channel = row.start + usize::from(port);
        if channel < row.end { Ok(channel as u32) } else { Err(Flaw::Port { switch, destination, port }) }
    }

    fn push(&mut self, switch: u32) {
        if !std::mem::replace(&mut self.visited[switch as usize], true) {
            self.stack.push(switch);
        }
    }
}
