//! Dimension order: a packet corrects its coordinates one after the other.

use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;
use tulle_routing::{Table, TableBuilder};
use tulle_spec::plugin;

use super::{Over, Queues, Route, RouteRequest, Select};
use crate::Error;

plugin! {
    /// Routes along the first coordinate in which the current switch and the destination differ.
    #[derive(Debug)]
    pub(crate) struct DimensionOrder {}
    name: "dimension-order",
    summary: "moves along the first dimension to the destination's coordinate, then along the second, and so on",
    paper: "Dally and Towles: Principles and Practices of Interconnection Networks, §8.4.2",
    limitations: "Only for fabrics with links along their coordinates: hyperx, mesh, torus, hypercube. In a ring, packets take \
        the shorter direction; if the two directions are equally long, packets take the lower port. On a torus, the \
        selector needs policy datelines (two virtual channels), or a virtual channel per hop.",
    examples: ["dimension-order"],
    rejects: [("dimension-order:first=1", "unknown parameter 'first=1'; it takes none")],
}

impl Select for DimensionOrder {
    const OVER: Over = Over::Tables;

    fn one_port(&self) -> bool {
        true
    }

    fn table(&self, fabric: &Fabric) -> Result<Option<Table>, Error> {
        let refuse = |why: String| Error::shape(why, "hyperx, mesh, torus, hypercube");
        let coordinates = fabric.coordinates();
        if coordinates.names.is_empty() {
            return Err(refuse(format!(
                "selector 'dimension-order' does not support {}, which has no coordinates",
                fabric.spec()
            )));
        }
        let distances = Distances::of(fabric);
        let switches = fabric.num_switches() as u32;
        let find: std::collections::HashMap<&[u32], u32> = (0..switches).map(|s| (coordinates.of(s), s)).collect();
        let mut builder = TableBuilder::new(fabric);
        for switch in 0..switches {
            let here = coordinates.of(switch);
            for destination in (0..switches).filter(|&destination| destination != switch) {
                let there = coordinates.of(destination);
                let port = here.iter().zip(there).position(|(a, b)| a != b).and_then(|dimension| {
                    let mut turn = here.to_vec();
                    turn[dimension] = there[dimension];
                    let row = distances.row(*find.get(&turn[..])?);
                    let along =
                        |next: u32| (0..here.len()).all(|d| d == dimension || coordinates.of(next)[d] == here[d]);
                    let closer = |next: u32| row[next as usize] < row[switch as usize];
                    fabric.neighbours(switch).iter().position(|&next| along(next) && closer(next))
                });
                let Some(port) = port else {
                    let (a, b) = (fabric.label(switch), fabric.label(destination));
                    return Err(refuse(format!("no dimension leads from switch {a} toward {b} on {}", fabric.spec())));
                };
                builder.set(switch, destination, &[port as u16]);
            }
        }
        Ok(Some(builder.finish()))
    }

    #[inline]
    fn choose<Q: Queues>(&self, _: &mut RouteRequest<'_, Q>) -> Route {
        Route::minimal()
    }
}
