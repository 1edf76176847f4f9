//! Edge-disjoint spanning trees as layers.

use rayon::prelude::*;
use tulle_fabric::Fabric;
use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use crate::columns::Columns;
use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::schemes::Scheme;
use crate::spanning::{Seeds, spanning_trees};
use crate::tree::tree_column;
use crate::{Error, Routes};

/// What this scheme says of itself.
pub const INFO: Info = Info {
    name: "edst",
    summary: "edge-disjoint spanning trees, one per layer: no two layers share a link, and none can deadlock",
    parameters: PARAMETERS,
    nested: false,
    paper: "Flattened Clos §4.1, the EDST baseline (its references [42, 43, 47, 48]): matroid union",
    limitations: "No layer holds all minimal paths, and paths are long: trees are not chosen for their height.",
    examples: &["edst", "edst:trees=1", "edst:seeded=bfs"],
    rejects: &[
        ("edst:trees=0", "trees=0 is out of range; legal: 1 to 255"),
        ("edst:trees=most", "trees=most is not a whole number"),
        ("edst:seeded=dfs", "seeded=dfs is not a choice; legal: none, bfs"),
    ],
};

/// The parameters of spanning trees, as layers and as path sets.
pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter::prose(
        "trees",
        "1 to 255, or all",
        "all",
        "edge-disjoint trees; all are as many as the fabric has, ⌊s/2⌋ at switches of s network ports",
    ),
    Parameter::prose(
        "seeded",
        "none, bfs",
        "none",
        "what trees start from: nothing, or breadth-first trees over the links left, which keeps paths shorter",
    ),
];

/// Which spanning trees are wanted.
pub(crate) struct Trees {
    /// `None` for all there are.
    trees: Option<u8>,
    seeds: Seeds,
}

struct Edst(Trees);

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Scheme>, SpecError> {
    Ok(Box::new(Edst(Trees::read(arguments)?)))
}

impl Trees {
    /// Reads the parameters.
    ///
    /// # Errors
    /// A value outside its legal range.
    pub fn read(arguments: &Arguments) -> Result<Self, SpecError> {
        let trees = match arguments.text("trees") {
            Some("all") | None => None,
            Some(_) => arguments.integer("trees", 1..=255)?.map(|trees| trees as u8),
        };
        let seeds = match arguments.word("seeded", &["none", "bfs"])? {
            Some("bfs") => Seeds::Bfs,
            _ => Seeds::None,
        };
        Ok(Self { trees, seeds })
    }

    /// The resolved parameters in canonical order.
    pub fn parameters(&self) -> Parameters {
        let parameters = match self.trees {
            Some(trees) => Parameters::new().integer("trees", trees),
            None => Parameters::new().word("trees", "all"),
        };
        let seeded = match self.seeds {
            Seeds::None => "none",
            Seeds::Bfs => "bfs",
        };
        parameters.word("seeded", seeded)
    }

    /// The trees of connected `fabric`, each as its cables; errors go by `scheme`.
    ///
    /// # Errors
    /// Fewer trees than wanted.
    pub fn of(&self, scheme: &Info, fabric: &Fabric, seed: u64) -> Result<Vec<Vec<u32>>, Error> {
        let trees = spanning_trees(fabric, self.trees.map_or(usize::MAX, usize::from), self.seeds, seed);
        let wanted = self.trees.map_or(trees.len(), usize::from);
        if trees.is_empty() || trees.len() != wanted || trees.len() > 255 {
            let (has, most) = (trees.len(), trees.len().min(255));
            return Err(Error::Fabric {
                scheme: scheme.name.to_owned(),
                problem: format!("{} has {has} edge-disjoint spanning trees, not {wanted}", fabric.spec()),
                legal: format!("legal: 1 to {most}"),
            });
        }
        Ok(trees)
    }
}

impl Scheme for Edst {
    fn parameters(&self) -> Parameters {
        self.0.parameters()
    }

    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error> {
        connected_distances(&INFO, fabric, &LayerLinks::all(fabric))?;
        let trees = self.0.of(&INFO, fabric, seed)?;
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
