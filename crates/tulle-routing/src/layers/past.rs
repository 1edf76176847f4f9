//! The scheme `past`: one spanning tree per destination.

use rand::{Rng, RngExt};
use rayon::prelude::*;
use tulle_base::random::stream;
use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;
use tulle_spec::{Plugin, plugin, words};

use crate::columns::{Columns, NO_PORT, beyond};
use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::loads::{Least, Loads, by_distance};
use crate::scheme::Scheme;
use crate::tree::{reroot, tree_column};
use crate::{Error, Routes, Table};

words! {
    enum Trees {
        Bfs = "bfs",
        Random = "random",
        Weighted = "weighted",
        Valiant = "valiant",
    }
}

plugin! {
    pub struct Past(arguments) {
        /// choice among the next hops on shortest paths when a tree is built; bfs: the switch that the breadth-first search found first;
        /// random: uniformly at random; weighted: at random, and less often a switch that has many endpoints below it in earlier trees;
        /// valiant: random trees whose roots are random switches
        trees: Trees = word(Trees::WORDS), default "random";
        /// addresses per switch, each with its own tree; a layer consists of one address of every switch
        layers: u8 = integer(1, 255), default "1";
    }
    check {
        if trees == Trees::Bfs && layers > 1 {
            let values = format!("trees=bfs,layers={layers}");
            return Err(arguments.clash(values, "give equal layers", "legal: layers=1, or another value of trees="));
        }
    }
    name: "past",
    summary: "one spanning tree per destination: breadth-first from the destination or, with trees=valiant, from a \
        random switch",
    paper: "FatPaths appendix C-C, Listing 5; Stephens et al.: PAST, CoNEXT 2012",
    limitations: "PAST has a tree per host. In tulle, each switch has one tree per layer, and all its hosts share \
        these trees. With trees=bfs, all layers would have the same trees. With trees=valiant, paths are not minimal, \
        not even in layer 0.",
    examples: ["past", "past:trees=bfs", "past:trees=weighted,layers=2", "past:trees=valiant,layers=2"],
    rejects: [
        ("past:trees=dfs", "trees=dfs is not a choice; legal: bfs, random, weighted, valiant"),
        ("past:layers=0", "layers=0 is out of range; legal: 1 to 255"),
        ("past:trees=bfs,layers=2", "trees=bfs,layers=2 give equal layers"),
    ],
}

impl Scheme for Past {
    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error> {
        let links = LayerLinks::all(fabric);
        let distances = connected_distances(&Past::INFO, fabric, &links)?;
        let loads = Loads::new(fabric);
        let mut below = vec![0; fabric.num_switches()];
        let layers = (0..u64::from(self.layers)).map(|layer| match self.trees {
            Trees::Bfs => breadth_first(fabric, &links),
            Trees::Random => random(fabric, &distances, seed, layer),
            Trees::Weighted => weighted(fabric, &distances, &loads.endpoints, &mut below, seed, layer),
            Trees::Valiant => valiant(fabric, &distances, seed, layer),
        });
        Ok(Routes::Layers(layers.collect()))
    }
}

fn breadth_first(fabric: &Fabric, links: &LayerLinks) -> Table {
    let mut columns = Columns::new(fabric.num_switches());
    columns.par_columns().for_each_init(Vec::new, |order, (destination, column)| {
        tree_column(fabric, links, destination, column, order);
    });
    columns.table(fabric)
}

fn random(fabric: &Fabric, distances: &Distances, seed: u64, layer: u64) -> Table {
    let switches = fabric.num_switches();
    let mut columns = Columns::new(switches);
    columns.par_columns().for_each(|(destination, column)| {
        let mut rng = stream(seed, "routing/past", layer * switches as u64 + u64::from(destination));
        random_tree(fabric, distances, destination, column, &mut rng);
    });
    columns.table(fabric)
}

/// Returns the table of the Valiant variant. Each destination gets a random tree whose root is a random switch. The tree is then directed
/// toward the destination.
fn valiant(fabric: &Fabric, distances: &Distances, seed: u64, layer: u64) -> Table {
    let switches = fabric.num_switches();
    let mut columns = Columns::new(switches);
    columns.par_columns().for_each(|(destination, column)| {
        let mut rng = stream(seed, "routing/past", layer * switches as u64 + u64::from(destination));
        let root = rng.random_range(0..switches as u32);
        random_tree(fabric, distances, root, column, &mut rng);
        reroot(fabric, column, destination);
    });
    columns.table(fabric)
}

/// Fills `column` with a random breadth-first tree toward `root`. Each next hop is chosen uniformly at random among the neighbours that are
/// one hop nearer to the root.
fn random_tree(fabric: &Fabric, distances: &Distances, root: u32, column: &mut [u16], rng: &mut impl Rng) {
    let hops = distances.row(root);
    for switch in (0..fabric.num_switches() as u32).filter(|&switch| switch != root) {
        let mut drawn = Least::new();
        for (port, &next) in fabric.neighbours(switch).iter().enumerate() {
            if hops[next as usize] + 1 == hops[switch as usize] {
                drawn.offer(0, port as u16, rng);
            }
        }
        column[switch as usize] = drawn.port;
    }
}

/// Returns a table of random trees, which are chosen one after another. `below` counts, per switch, the endpoints below it in all earlier
/// trees. A next hop is chosen with a probability inversely proportional to 1 plus its count. Every new tree updates `below`.
fn weighted(
    fabric: &Fabric,
    distances: &Distances,
    endpoints: &[u64],
    below: &mut [u64],
    seed: u64,
    layer: u64,
) -> Table {
    let switches = fabric.num_switches();
    let mut columns = Columns::new(switches);
    let (mut order, mut subtree, mut choices) = (Vec::new(), Vec::new(), Vec::new());
    for destination in 0..switches as u32 {
        let mut rng = stream(seed, "routing/past", layer * switches as u64 + u64::from(destination));
        let column = columns.column_mut(destination);
        let hops = distances.row(destination);
        by_distance(hops, &mut order);
        for &switch in &order[1..] {
            choices.clear();
            let mut sum = 0.0;
            for (port, &next) in fabric.neighbours(switch).iter().enumerate() {
                if hops[next as usize] + 1 == hops[switch as usize] {
                    sum += 1.0 / (1 + below[next as usize]) as f64;
                    choices.push((sum, port as u16));
                }
            }
            let drawn = rng.random::<f64>() * sum;
            // Because of rounding, the random number may exceed the bound of the last choice.
            let at = choices.partition_point(|&(up_to, _)| up_to <= drawn).min(choices.len() - 1);
            column[switch as usize] = choices[at].1;
        }
        subtree.clear();
        subtree.resize(switches, 0);
        for &switch in order.iter().rev() {
            let port = column[switch as usize];
            if port != NO_PORT {
                let own = subtree[switch as usize] + endpoints[switch as usize];
                subtree[beyond(fabric, switch, port) as usize] += own;
            }
        }
        below.iter_mut().zip(&subtree).for_each(|(below, subtree)| *below += subtree);
    }
    columns.table(fabric)
}

#[cfg(test)]
mod tests {
    use crate::path;

    #[test]
    fn weighted_trees_spread_over_the_spines() {
        // Leaf switches 0 to 7 are connected to spines 8 to 11, so each tree attaches every leaf to one of four spines. Over all weighted
        // trees, the spines have almost equally many children. With uniform random choices, the numbers of children vary more: they have a
        // binomial distribution.
        let mut builder = tulle_fabric::FabricBuilder::new(12);
        for leaf in 0..8 {
            (8..12).for_each(|spine| builder.cable(leaf, spine));
            builder.endpoints(leaf, 4);
        }
        let fabric = builder.finish("edges", Default::default()).unwrap();
        let spread = |spec: &str| -> f64 {
            let spreads = (0..20).map(|seed| {
                let routing = crate::build(&fabric, spec, seed).unwrap();
                let mut children = [0i64; 4];
                for destination in 0..8 {
                    for leaf in (0..8).filter(|&leaf| leaf != destination) {
                        let first = path(&fabric, &routing.layers()[0], leaf, destination)[0];
                        children[fabric.targets()[first as usize] as usize - 8] += 1;
                    }
                }
                children.iter().map(|&children| (children - 14).pow(2)).sum::<i64>() as f64
            });
            spreads.sum::<f64>() / 20.0
        };
        let (random, weighted) = (spread("past:trees=random"), spread("past:trees=weighted"));
        assert!(weighted < 0.8 * random, "{weighted} of {random}");
    }
}
