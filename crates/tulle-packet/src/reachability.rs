//! Checks that all flows have routes.

use tulle_fabric::Fabric;
use tulle_routing::{NO_GROUP, PathSet, Routes, Routing, Table};
use tulle_traffic::Workload;

use crate::Error;
use crate::transport::ANY_LAYER;

/// Checks that every flow has a path in both directions: in every layer, or, if the routing is a path set, at least one explicit path and
/// at most 255, the maximum that a packet can encode.
///
/// # Errors
/// Fails if a flow has no path or too many paths; the error describes the first such flow.
pub(crate) fn check(fabric: &Fabric, routing: &Routing, workload: &Workload) -> Result<(), Error> {
    match routing.routes() {
        Routes::Layers(layers) => {
            let tables = Tables::new(fabric, layers);
            check_pairs(fabric, workload, |from, to| tables.problem(from, to))
        }
        Routes::Paths(paths) => check_pairs(fabric, workload, |from, to| problem(fabric, paths, from, to)),
    }
}

/// A problem and the legal alternative; `None` if the routes are legal.
type Problem = Option<(String, &'static str)>;

fn check_pairs(fabric: &Fabric, workload: &Workload, problem: impl Fn(u32, u32) -> Problem) -> Result<(), Error> {
    for (flow, (&source, &destination)) in workload.source.iter().zip(&workload.destination).enumerate() {
        let switch = |endpoint: u32| fabric.endpoint_switch()[endpoint as usize];
        let (from, to) = (switch(source), switch(destination));
        if let Some((problem, legal)) = problem(from, to).or_else(|| problem(to, from)) {
            return Err(Error::Flow { flow, problem, legal: format!("legal: {legal}") });
        }
    }
    Ok(())
}

/// Returns the problem of the explicit paths from switch `from` to switch `to`, if there is one.
fn problem(fabric: &Fabric, paths: &PathSet, from: u32, to: u32) -> Problem {
    const MAX_PATHS: usize = ANY_LAYER as usize;
    let ends = || (fabric.called(from), fabric.called(to));
    match paths.between(from, to).len() {
        0 if from != to => {
            let (from, to) = ends();
            Some((format!("no path from switch {from} to switch {to}"), "a path set with a path for every flow"))
        }
        count if count > MAX_PATHS => {
            let (from, to) = ends();
            Some((format!("{count} paths from switch {from} to switch {to} are too many"), "at most 255"))
        }
        _ => None,
    }
}

/// The forwarding tables of a fabric, and the destinations for which entries are missing.
struct Tables<'a> {
    fabric: &'a Fabric,
    layers: &'a [Table],
    /// Per layer and destination, whether some switch has no entry. Connected fabrics have no missing entries; fabrics with failures
    /// can have some.
    holes: Vec<Vec<bool>>,
}

impl<'a> Tables<'a> {
    fn new(fabric: &'a Fabric, layers: &'a [Table]) -> Self {
        let of = |table: &Table| {
            let switches = table.num_switches();
            let mut holes = vec![false; switches];
            for switch in 0..switches {
                let row = table.row(switch as u32);
                if row.iter().filter(|&&group| group == NO_GROUP).count() > 1 {
                    let entries = holes.iter_mut().zip(row).enumerate();
                    entries.for_each(|(to, (hole, &group))| *hole |= group == NO_GROUP && to != switch);
                }
            }
            holes
        };
        Self { fabric, layers, holes: layers.iter().map(of).collect() }
    }

    /// Returns a problem if in some layer a choice of ports does not lead from switch `from` to switch `to`.
    fn problem(&self, from: u32, to: u32) -> Problem {
        let lacks = |&layer: &usize| self.holes[layer][to as usize] && !self.reaches(layer, from, to);
        let layer = (0..self.layers.len()).find(lacks)?;
        Some((
            format!(
                "no path from switch {} to switch {} in layer {layer}",
                self.fabric.called(from),
                self.fabric.called(to)
            ),
            "a routing with a path in every layer",
        ))
    }

    /// Returns whether every choice of ports in `layer` leads from switch `from` to switch `to`.
    fn reaches(&self, layer: usize, from: u32, to: u32) -> bool {
        let mut seen = vec![false; self.fabric.num_switches()];
        let mut stack = vec![from];
        seen[from as usize] = true;
        while let Some(switch) = stack.pop() {
            let ports = self.layers[layer].next(switch, to);
            if switch != to && ports.is_empty() {
                return false;
            }
            for &port in ports {
                let next = self.fabric.neighbours(switch)[port as usize];
                if !std::mem::replace(&mut seen[next as usize], true) {
                    stack.push(next);
                }
            }
        }
        true
    }
}
