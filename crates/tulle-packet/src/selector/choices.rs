//! The layers or explicit paths among which selectors choose.

use std::collections::HashMap;
use std::sync::Arc;

use tulle_fabric::Fabric;
use tulle_routing::{PathSet, Routing, Table, turns};
use tulle_traffic::Workload;

use super::scale;

/// The layers or explicit paths that a selector can choose: at least 1, at most 255.
///
/// Each flow has a list of choices, and a *turn* is an index into this list. If the layers of the routing have weights (integers, called
/// shares in the code), each layer occurs in the list as often as its weight says. Otherwise, each layer or explicit path occurs once.
#[derive(Debug, Clone)]
pub(crate) enum Choices {
    /// The number of layers, which is the same for every flow.
    Layers(u32),
    /// For each flow, its number of explicit paths.
    Paths(Arc<[u8]>),
    /// The lists of choices, if layers have weights.
    Turns(Arc<Turns>),
}

/// The lists of choices of all flows, if layers have weights: each layer occurs in a list as often as its weight says.
#[derive(Debug)]
pub(crate) struct Turns {
    layers: u32,
    /// For each flow, the range of its list of choices in `turns`: the first index, and the index after the last one.
    flows: Box<[(u32, u32)]>,
    /// The lists of choices, one after the other.
    turns: Box<[u8]>,
}

impl Choices {
    /// Returns the choices for the flows of `workload`. The flows must have been checked before.
    pub(crate) fn new(fabric: &Fabric, routing: &Routing, workload: &Workload) -> Self {
        let switch = |endpoint: u32| fabric.endpoint_switch()[endpoint as usize];
        let ends = workload.source.iter().zip(&workload.destination).map(|(&from, &to)| (switch(from), switch(to)));
        match routing.path_set() {
            Some(paths) => Self::Paths(ends.map(|(from, to)| number(paths, from, to)).collect()),
            None if routing.layers().iter().any(Table::is_weighted) => {
                Self::Turns(Arc::new(Turns::new(routing.layers(), ends)))
            }
            None => Self::Layers(routing.num_layers() as u32),
        }
    }

    /// Returns the length of the list of choices of `flow`.
    #[inline]
    pub(crate) fn of(&self, flow: u32) -> u32 {
        match self {
            Self::Layers(layers) => *layers,
            Self::Paths(paths) => paths[flow as usize].into(),
            Self::Turns(turns) => turns.of(flow).len() as u32,
        }
    }

    /// Returns the number of layers or explicit paths, whatever their weights are.
    #[inline]
    pub(crate) fn num_layers(&self, flow: u32) -> u32 {
        match self {
            Self::Turns(turns) => turns.layers,
            _ => self.of(flow),
        }
    }

    /// Returns the layer or explicit path at index `turn` of the flow's list of choices.
    #[inline]
    pub(crate) fn layer(&self, flow: u32, turn: u32) -> u8 {
        match self {
            Self::Turns(turns) => turns.of(flow)[turn as usize],
            _ => turn as u8,
        }
    }

    /// Returns how often `layer` occurs in the list of choices of `flow`; 1 if `layer` is an explicit path.
    pub(crate) fn share(&self, flow: u32, layer: u8) -> u32 {
        match self {
            Self::Turns(turns) => turns.of(flow).iter().filter(|&&turn| turn == layer).count() as u32,
            _ => 1,
        }
    }

    /// Returns the layer or explicit path that `hash` selects from the flow's list of choices.
    #[inline]
    pub(crate) fn draw(&self, flow: u32, hash: u32) -> u8 {
        self.layer(flow, scale(hash, self.of(flow)).into())
    }

    /// Returns a random layer or path other than `layer`. If `layer` is the flow's only choice, returns `layer`.
    #[inline]
    pub(crate) fn draw_other(&self, flow: u32, layer: u8, hash: u32) -> u8 {
        if let Self::Turns(turns) = self {
            let others = || turns.of(flow).iter().filter(|&&turn| turn != layer);
            return others().nth(scale(hash, others().count() as u32).into()).copied().unwrap_or(layer);
        }
        match self.of(flow) {
            1 => 0,
            choices => (u32::from(layer) + 1 + u32::from(scale(hash, choices - 1))).rem_euclid(choices) as u8,
        }
    }
}

/// Returns the number of choices of a flow from switch `from` to switch `to`: its explicit paths. If both endpoints are at the same switch,
/// the flow needs no path and has a single choice.
fn number(paths: &PathSet, from: u32, to: u32) -> u8 {
    paths.between(from, to).len().max(1) as u8
}

impl Turns {
    fn of(&self, flow: u32) -> &[u8] {
        let (first, end) = self.flows[flow as usize];
        &self.turns[first as usize..end as usize]
    }

    fn new(layers: &[Table], ends: impl Iterator<Item = (u32, u32)>) -> Self {
        let (mut all, mut pairs) = (Vec::new(), HashMap::new());
        let of_pair = |(from, to): (u32, u32)| {
            // Flows between endpoints of the same switch use layer 0.
            let pair = if from == to { (0, 0) } else { (from, to) };
            *pairs.entry(pair).or_insert_with(|| {
                let first = all.len() as u32;
                all.extend(if from == to { vec![0] } else { turns(layers, from, to) });
                (first, all.len() as u32)
            })
        };
        let flows = ends.map(of_pair).collect();
        Self { layers: layers.len() as u32, flows, turns: all.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_come_as_often_as_their_shares() {
        let fabric = tulle_topologies::build("hyperx:shape=4x4,p=2", 0).unwrap();
        let routing = tulle_routing::build(&fabric, "spread-groups:layers=2,shares=16", 0).unwrap();
        let workload = tulle_traffic::build(&fabric, "uniform:bytes=1KiB", 0).unwrap();
        let choices = Choices::new(&fabric, &routing, &workload);
        for (flow, (&from, &to)) in workload.source.iter().zip(&workload.destination).enumerate() {
            let (flow, from, to) =
                (flow as u32, fabric.endpoint_switch()[from as usize], fabric.endpoint_switch()[to as usize]);
            let turns: Vec<u8> = (0..choices.of(flow)).map(|turn| choices.layer(flow, turn)).collect();
            for layer in 0..2 {
                let count = turns.iter().filter(|&&turn| turn == layer).count() as u32;
                match from == to {
                    true => assert_eq!(count, u32::from(layer == 0)),
                    false => {
                        let share = u32::from(routing.layers()[usize::from(layer)].layer_share(from, to));
                        assert_eq!(count * 16, share * turns.len() as u32, "{from} {to}");
                    }
                }
            }
        }
    }
}
