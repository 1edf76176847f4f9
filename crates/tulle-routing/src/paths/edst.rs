//! The scheme `edst-paths`: for each pair, one path in each edge-disjoint spanning tree.

use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use crate::columns::{NO_PORT, channel, port};
use crate::connected::connected_distances;
use crate::layers::edst::Trees;
use crate::links::LayerLinks;
use crate::paths::all_pairs::{Finder, Found, all_pairs};
use crate::scheme::Scheme;
use crate::tree::tree_column;
use crate::{Error, Routes};

plugin! {
    pub struct EdstPaths {
        trees: Trees;
    }
    name: "edst-paths",
    summary: "for each pair, one path in each edge-disjoint spanning tree, the shortest path first",
    paper: "Flattened Clos (NSDI23) §4.1, App. A.5.3, Table 7 (the EDST baseline)",
    limitations: "The paths are those of edst, sorted by length. The routing does not store to which tree a path \
        belongs, so it can deadlock, although the paths of a single tree cannot. Paths are long, because the trees' \
        height is not minimised.",
    examples: ["edst-paths", "edst-paths:trees=1", "edst-paths:seeded=bfs"],
    rejects: [
        ("edst-paths:trees=0", "trees=0 is out of range; legal: 1 to 255"),
        ("edst-paths:seeded=dfs", "seeded=dfs is not a choice; legal: none, bfs"),
    ],
}

impl Scheme for EdstPaths {
    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error> {
        connected_distances(&EdstPaths::INFO, fabric, &LayerLinks::all(fabric))?;
        let trees: Vec<LayerLinks> = self
            .trees
            .of(&EdstPaths::INFO, fabric, seed)?
            .iter()
            .map(|tree| LayerLinks::of_cables(fabric, tree))
            .collect();
        Ok(Routes::Paths(all_pairs(&EdstPaths::INFO, fabric, || Pair::new(fabric, &trees))?))
    }
}

struct Pair<'a> {
    fabric: &'a Fabric,
    trees: &'a [LayerLinks],
    source: u32,
    /// Per tree and switch, the port toward the source.
    columns: Vec<Vec<u16>>,
    queue: Vec<u32>,
    /// The ports of all paths of the pair, one path after the other.
    ports: Vec<u16>,
    /// Per tree, the length of its path and the position of the path in `ports`.
    paths: Vec<(usize, usize)>,
}

impl<'a> Pair<'a> {
    fn new(fabric: &'a Fabric, trees: &'a [LayerLinks]) -> Self {
        let columns = vec![vec![NO_PORT; fabric.num_switches()]; trees.len()];
        Self { fabric, trees, source: 0, columns, queue: Vec::new(), ports: Vec::new(), paths: Vec::new() }
    }
}

impl Finder for Pair<'_> {
    fn begin(&mut self, source: u32) {
        self.source = source;
        for (tree, column) in self.trees.iter().zip(&mut self.columns) {
            column.fill(NO_PORT);
            tree_column(self.fabric, tree, source, column, &mut self.queue);
        }
    }

    fn find(&mut self, destination: u32, found: &mut Found) {
        self.ports.clear();
        self.paths.clear();
        for column in &self.columns {
            let (start, mut switch) = (self.ports.len(), destination);
            while switch != self.source {
                let back = channel(self.fabric, switch, column[switch as usize]);
                self.ports.push(port(self.fabric, self.fabric.reverse()[back as usize]));
                switch = self.fabric.targets()[back as usize];
            }
            self.ports[start..].reverse();
            self.paths.push((self.ports.len() - start, start));
        }
        // Paths of equal length are sorted by their position, so the path of the earlier tree comes first.
        self.paths.sort_unstable();
        self.paths.iter().for_each(|&(hops, start)| found.push(&self.ports[start..start + hops]));
    }
}
