//! Computes, for each switch, its cone: the upward part of the virtual topology that starts at this switch.

use rayon::prelude::*;
use tulle_base::task;
use tulle_fabric::Fabric;

/// The nodes and links that a switch can reach by going upward from its lowest virtual layer.
///
/// The virtual topology splits a switch v into nodes (v, j), one per virtual layer j. A link leads from (v, j) up to (v, j + 1), which
/// belongs to the same switch. For each cable between layer j of v and layer j + 1 of another switch w, a link leads from (v, j) up to (w,
/// j + 1).
///
/// The downward part of the virtual topology is the mirror image of the upward part (Flattened Clos (NSDI23) §3.2.1, step 2), so one graph
/// serves both directions.
#[derive(Debug, Default)]
pub(crate) struct Cone {
    /// The switch of every node, ordered by layer. Node 0 is the switch itself in its lowest layer.
    pub switches: Vec<u32>,
    /// The first node in the top layer.
    pub top: usize,
    /// The links, ordered by layer, the lowest layer first.
    pub links: Vec<Link>,
}

/// A link from a node to a node one virtual layer higher.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link {
    /// The lower node.
    pub below: u32,
    /// The upper node.
    pub above: u32,
    /// The channel of the link; `None` if both nodes belong to the same switch.
    pub channel: Option<u32>,
}

/// Returns the cones of all switches of `fabric`, which has `layers` virtual layers.
pub(crate) fn cones(fabric: &Fabric, layers: u8) -> Vec<Cone> {
    let switches = fabric.num_switches();
    (0..switches as u32)
        .into_par_iter()
        .map_init(|| vec![None; switches], |node_of, switch| cone(fabric, layers, switch, node_of))
        .collect()
}

/// Returns the cone of `switch`. `node_of` is working memory: all its entries are `None` before and after the call. During the call, it
/// maps switches to their nodes in the layer above.
fn cone(fabric: &Fabric, layers: u8, switch: u32, node_of: &mut [Option<u32>]) -> Cone {
    task::check();
    let mut cone = Cone { switches: vec![switch], top: 0, links: Vec::new() };
    for layer in 0..layers - 1 {
        let nodes = cone.top..cone.switches.len();
        cone.top = nodes.end;
        for below in nodes {
            let from = cone.switches[below];
            let cables =
                fabric.channels_of(from).filter(|&channel| fabric.virtual_layers()[channel] == [layer, layer + 1]);
            let links = cables.map(|channel| (fabric.targets()[channel], Some(channel as u32)));
            for (to, channel) in std::iter::once((from, None)).chain(links) {
                let above = *node_of[to as usize].get_or_insert_with(|| {
                    cone.switches.push(to);
                    cone.switches.len() as u32 - 1
                });
                cone.links.push(Link { below: below as u32, above, channel });
            }
        }
        cone.switches[cone.top..].iter().for_each(|&switch| node_of[switch as usize] = None);
    }
    cone
}
