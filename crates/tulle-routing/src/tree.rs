//! Builds the tree toward one destination by a breadth-first search over some links, and changes the root of a tree.

use tulle_fabric::Fabric;

use crate::columns::{NO_PORT, channel, port};
use crate::links::LayerLinks;

/// Writes a breadth-first tree over `links` toward `destination` to `column`, whose entries must all be [`NO_PORT`]. If a switch has
/// several next hops on shortest paths, the function uses the one that the search found first, over its lowest port. (In a forest, each
/// switch has only one.) Switches without a path keep [`NO_PORT`]. Afterwards, `order` lists all switches with a path, the nearest first.
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

/// Makes `destination` the root of the tree `column`.
pub(crate) fn reroot(fabric: &Fabric, column: &mut [u16], destination: u32) {
    let (mut switch, mut onward) = (destination, NO_PORT);
    loop {
        let toward_root = std::mem::replace(&mut column[switch as usize], onward);
        if toward_root == NO_PORT {
            return;
        }
        let out = channel(fabric, switch, toward_root);
        onward = port(fabric, fabric.reverse()[out as usize]);
        switch = fabric.targets()[out as usize];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_turn_round() {
        // A path 0–1–2–3, and a leaf 4 at switch 1.
        let mut builder = tulle_fabric::FabricBuilder::new(5);
        for (a, b) in [(0, 1), (1, 2), (2, 3), (1, 4)] {
            builder.cable(a, b);
        }
        let fabric = builder.finish("edges", Default::default()).unwrap();
        let links = LayerLinks::all(&fabric);
        let tree = |destination| {
            let mut column = [NO_PORT; 5];
            tree_column(&fabric, &links, destination, &mut column, &mut Vec::new());
            column
        };
        assert_eq!(tree(3), [0, 1, 1, NO_PORT, 0]);
        for (from, to) in [(0, 3), (4, 0), (1, 1)] {
            let mut column = tree(from);
            reroot(&fabric, &mut column, to);
            assert_eq!(column, tree(to));
        }
    }
}
