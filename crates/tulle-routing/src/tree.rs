//! Paths over a tree, or breadth-first ones over any links, toward one destination.

use tulle_fabric::Fabric;

use crate::columns::{NO_PORT, channel, port};
use crate::links::LayerLinks;

/// Sets `column`, which holds no next hops, to a breadth-first tree over `links` toward `destination`: of two ways as
/// short, the one by the switch found first, then by the lowest port. Over a forest these are its only paths; switches
/// that have none keep [`NO_PORT`]. `order` then lists the switches by distance.
pub(crate) fn tree_column(
    fabric: &Fabric,
    links: &LayerLinks,
    destination: u32,
    column: &mut [u16],
    order: &mut Vec<u32>,
) {
    order.clear();
    order.push(destination);
    let mut at = 0;
    while let Some(&switch) = order.get(at) {
        at += 1;
        for (next, out) in links.of_switch(switch) {
            if next != destination && column[next as usize] == NO_PORT {
                let back = fabric.reverse()[channel(fabric, switch, out) as usize];
                column[next as usize] = port(fabric, back);
                order.push(next);
            }
        }
    }
}
