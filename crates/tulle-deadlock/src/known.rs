//! Cached data about a plan and its routing, which [`crate::reroute_undisturbed`] needs before its search.
//!
//! A program that reroutes after many failures often starts from the same plan, or from the plan that the last search returned. So a plan
//! caches these data.

use std::sync::{Arc, OnceLock};

use tulle_base::acyclic::Successors;
use tulle_fabric::Fabric;
use tulle_routing::{Error, NO_GROUP, Routing, hop_counts};

use crate::assignment::Assignment;
use crate::dependencies::Dependencies;
use crate::turns::Turns;
use crate::{collect, order};

/// The cached data about a routing with its virtual channels.
#[derive(Debug)]
pub(crate) struct Known {
    /// The routing, and the targets of the channels of its fabric. They show whether the data belong to a given routing.
    routing: Routing,
    targets: Vec<u32>,
    /// The channel dependencies, in ascending order.
    pub edges: Vec<[u32; 2]>,
    /// A rank per node. Ranks rise along all dependencies.
    pub ranks: Vec<u32>,
    channel_use: OnceLock<Use>,
}

/// How a routing uses channels.
#[derive(Debug)]
pub(crate) struct Use {
    /// The number of hops of the longest path.
    pub longest: usize,
    /// For each channel, the number of forwarding entries that lead over it.
    pub load: Vec<u32>,
}

impl Known {
    /// Collects the dependencies. Returns `None` if they have a cycle.
    ///
    /// # Errors
    /// Fails if a path does not lead to its destination.
    pub fn of(fabric: &Fabric, routing: &Routing, assignment: &Assignment) -> Result<Option<Self>, Error> {
        let turns = Turns::of(fabric);
        let graph = collect::dependencies(fabric, &turns, routing, assignment)?;
        Ok(order::ranks(&graph).ok().map(|ranks| Self {
            routing: routing.clone(),
            targets: fabric.targets().to_vec(),
            edges: edges(&graph),
            ranks,
            channel_use: OnceLock::new(),
        }))
    }

    /// Returns how the routing uses the channels of `fabric`, which must be its fabric.
    pub fn channel_use(&self, fabric: &Fabric) -> &Use {
        self.channel_use.get_or_init(|| {
            let mut load = vec![0; fabric.num_channels()];
            for table in self.routing.layers() {
                for switch in 0..fabric.num_switches() as u32 {
                    let load = &mut load[fabric.channels_of(switch)];
                    for &port in table.row(switch).iter().filter(|&&port| port != NO_GROUP) {
                        load[usize::from(port)] += 1;
                    }
                }
            }
            let longest = self.routing.layers().iter().map(|table| hop_counts(fabric, table).max()).max();
            Use { longest: longest.unwrap_or(0), load }
        })
    }
}

/// Returns the dependencies of a graph, in ascending order of the first node.
pub(crate) fn edges(graph: &Dependencies<'_>) -> Vec<[u32; 2]> {
    let mut edges = Vec::new();
    for node in 0..graph.num_nodes() {
        graph.successors(node, |next| edges.push([node as u32, next as u32]));
    }
    edges
}

/// The cache of a plan. It has no influence on the comparison of plans, because its data follow from the plan and its routing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept(OnceLock<Arc<Known>>);

impl PartialEq for Kept {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl From<Known> for Kept {
    fn from(known: Known) -> Self {
        Self(OnceLock::from(Arc::new(known)))
    }
}

impl Kept {
    /// Returns the data about `routing`. If the cache is empty or belongs to another routing, `find` computes them.
    pub fn get(
        &self,
        fabric: &Fabric,
        routing: &Routing,
        find: impl FnOnce() -> Result<Option<Known>, Error>,
    ) -> Result<Option<Arc<Known>>, Error> {
        if let Some(known) = self.0.get().filter(|known| known.targets == fabric.targets() && known.routing == *routing)
        {
            return Ok(Some(Arc::clone(known)));
        }
        let Some(known) = find()?.map(Arc::new) else { return Ok(None) };
        // If the cache already has data about another routing, it keeps these data.
        let _ = self.0.set(Arc::clone(&known));
        Ok(Some(known))
    }
}
