//! The scheme `edst`: layers that are edge-disjoint spanning trees.

use rayon::prelude::*;
use tulle_fabric::Fabric;
use tulle_spec::{Info, Plugin, parameters, plugin};

use crate::columns::Columns;
use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::scheme::Scheme;
use crate::spanning::{Seeds, spanning_trees};
use crate::tree::tree_column;
use crate::{Error, Routes};

parameters! {
    /// Options of the spanning trees.
    pub struct Trees {
        /// number of edge-disjoint trees; all: the maximum number in the fabric, which is about s/2 or less if every switch is connected to
        /// s other switches
        trees: Option<u8> = or("all", &integer(1, 255)), default "all";
        /// initial trees of the search: none, or breadth-first trees (bfs), over links that earlier trees do not use; with bfs, paths
        /// are shorter
        seeds "seeded": Seeds = word(Seeds::WORDS), default "none";
    }
}

plugin! {
    pub struct Edst {
        trees: Trees;
    }
    name: "edst",
    summary: "edge-disjoint spanning trees, one per layer: no two layers share a link, and no layer can deadlock",
    paper: "Flattened Clos (NSDI23) §4.1, the EDST baseline (edge-disjoint spanning trees by matroid union; references \
        [42, 43, 47, 48] of this paper)",
    limitations: "No layer contains all minimal paths, and paths are long, because the trees' height is not minimised.",
    examples: ["edst", "edst:trees=1", "edst:seeded=bfs"],
    rejects: [
        ("edst:trees=0", "trees=0 is out of range; legal: 1 to 255"),
        ("edst:trees=most", "trees=most is not a whole number"),
        ("edst:seeded=dfs", "seeded=dfs is not a choice; legal: none, bfs"),
    ],
}

impl Trees {
    /// Returns edge-disjoint spanning trees of the connected `fabric`, each as a list of cables. Error messages name `scheme`.
    ///
    /// # Errors
    /// Fails if the fabric has fewer trees than requested.
    pub fn of(&self, scheme: &Info, fabric: &Fabric, seed: u64) -> Result<Vec<Vec<u32>>, Error> {
        let trees = spanning_trees(fabric, self.trees.map_or(usize::MAX, usize::from), self.seeds, seed);
        // A routing has at most 255 layers, so fabrics with more trees need `trees=`.
        let wanted = self.trees.map_or(trees.len().clamp(1, 255), usize::from);
        if trees.len() != wanted {
            let (has, most) = (trees.len(), trees.len().min(255));
            return Err(Error::Fabric {
                scheme: scheme.name.to_owned(),
                problem: format!("{} has {has} edge-disjoint spanning trees, not {wanted}", fabric.spec()),
                legal: format!("legal: trees=1 to {most}"),
            });
        }
        Ok(trees)
    }
}

impl Scheme for Edst {
    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error> {
        connected_distances(&Edst::INFO, fabric, &LayerLinks::all(fabric))?;
        let trees = self.trees.of(&Edst::INFO, fabric, seed)?;
        let tables = trees.iter().map(|tree| {
            let links = LayerLinks::of_cables(fabric, tree);
            let mut columns = Columns::new(fabric.num_switches());
            columns.par_columns().for_each_init(Vec::new, |queue, (destination, column)| {
                tree_column(fabric, &links, destination, column, queue);
            });
            columns.table(fabric)
        });
        Ok(Routes::Layers(tables.collect()))
    }
}
