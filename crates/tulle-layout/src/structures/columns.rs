//! Racks of columns, for example of a Slim Fly: rack i holds column i of both subgraphs (Slim Fly deployment (NSDI24) §3.2, App. A.4).

use super::{Structure, by};
use crate::arrange::{Cell, Plan};

/// Each rack holds one group of switches of each subgraph: the first subgraph's group at the top of the rack, the second subgraph's group
/// at the foot.
pub static STRUCTURE: Structure = Structure {
    name: "columns",
    plan: |fabric, _, _| {
        let columns = by(fabric, |switch| fabric.coordinates().of(switch)[1]);
        let cells = columns.into_iter().map(|(column, switches)| {
            let blocks = [0, 1].map(|subgraph| {
                let of = |&switch: &u32| fabric.coordinates().of(switch)[0] == subgraph;
                switches.iter().copied().filter(of).collect()
            });
            Cell { name: format!("rack{column}"), blocks: blocks.to_vec() }
        });
        Plan::line(cells.collect())
    },
};
