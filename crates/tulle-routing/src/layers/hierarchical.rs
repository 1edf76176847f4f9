//! The scheme `hierarchical`. Among the paths with the fewest global cables, it uses the shortest paths. Most of these paths have a local,
//! a global and a local hop.

use rayon::prelude::*;
use tulle_base::memory;
use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::scheme::Scheme;
use crate::{Error, Routes, TableBuilder};

/// The class of cables that connect groups of switches.
const GLOBAL: &str = "global";
/// A cost is one number: its bits from this position upward count global cables, and its lower bits count hops. Comparing two costs thus
/// compares global cables first, then hops.
const GLOBALS: u32 = 8;
/// The maximum number of hops, and of global cables, of a path.
const MAX_HOPS: u16 = 254;
/// The cost of a switch that has no path yet.
const UNREACHED: u16 = u16::MAX;

plugin! {
    pub struct Hierarchical {}
    name: "hierarchical",
    summary: "one layer of all next hops on the paths with the fewest global cables and, among these, the fewest hops; most paths are \
        local, global, local",
    paper: "Kim et al.: Technology-driven, highly-scalable Dragonfly topology (ISCA08) §4.1 (minimal routing); Shpiner \
        et al.: Dragonfly+ (HiPINEB17)",
    limitations: "The fabric must have groups that are connected by cables of class global, like dragonfly and megafly. A path has two \
        global cables only if no path has fewer. The scheme minimal, in contrast, uses two global cables in a row if this saves a hop. If \
        all cables between two groups have failed, paths take as many global cables as they need.",
    examples: ["hierarchical"],
    rejects: [("hierarchical:layers=2", "it takes none")],
}

impl Scheme for Hierarchical {
    fn routes(&self, fabric: &Fabric, _seed: u64) -> Result<Routes, Error> {
        connected_distances(&Hierarchical::INFO, fabric, &LayerLinks::all(fabric))?;
        let refuse = |problem: String, legal: &str| Error::Fabric {
            scheme: Hierarchical::INFO.name.to_owned(),
            problem,
            legal: format!("legal: {legal}"),
        };
        if fabric.groups().is_none() {
            let problem = format!("{} has no groups that are connected by cables of class {GLOBAL}", fabric.spec());
            return Err(refuse(problem, "dragonfly, dragonfly-map, megafly"));
        }
        let global = |class: &u8| fabric.class_names()[usize::from(*class)] == GLOBAL;
        let costs: Vec<u16> = fabric.classes().iter().map(|class| 1 | u16::from(global(class)) << GLOBALS).collect();
        let switches = fabric.num_switches();
        // A cable costs the same in both directions. So the row of a switch contains the costs of paths from this switch, and also of paths
        // to this switch.
        let mut all = memory::matrix("hop distances", UNREACHED, switches, switches);
        all.par_chunks_mut(switches.max(1)).enumerate().for_each(|(from, row)| reach(fabric, &costs, from as u32, row));
        if all.contains(&UNREACHED) {
            let problem = format!("{} has paths of more than {MAX_HOPS} hops", fabric.spec());
            return Err(refuse(problem, "fabrics with shorter paths"));
        }
        let mut builder = TableBuilder::new(fabric);
        builder.rows().for_each_init(Vec::new, |ports, mut row| {
            let switch = row.switch as usize;
            for destination in (0..switches).filter(|&destination| destination != switch) {
                ports.clear();
                for (port, channel) in fabric.channels_of(row.switch).enumerate() {
                    let next = fabric.targets()[channel] as usize;
                    if all[next * switches + destination] + costs[channel] == all[switch * switches + destination] {
                        ports.push(port as u16);
                    }
                }
                row.set(destination as u32, ports);
            }
        });
        Ok(Routes::Layers(vec![builder.finish()]))
    }
}

/// Writes to `row` the cost of the cheapest path from `from` to every switch. Paths with fewer global cables are cheaper. Among paths with
/// equally many global cables, paths with fewer hops are cheaper. If a path needs more than [`MAX_HOPS`] hops, the entry stays
/// [`UNREACHED`].
fn reach(fabric: &Fabric, costs: &[u16], from: u32, row: &mut [u16]) {
    row[from as usize] = 0;
    // `found[h]` lists the switches that are reached over `globals` global cables in h hops. `beyond` lists the switches that are reached
    // over one more global cable.
    let mut found = vec![vec![from]];
    for globals in 0..=MAX_HOPS {
        let mut beyond: Vec<Vec<u32>> = Vec::new();
        let mut hops = 0;
        while hops < found.len() {
            for switch in std::mem::take(&mut found[hops]) {
                // Skip an outdated entry: the switch was reached at a lower cost after the entry was added.
                if row[switch as usize] != globals << GLOBALS | hops as u16 {
                    continue;
                }
                for channel in fabric.channels_of(switch) {
                    let (next, cost) = (fabric.targets()[channel], row[switch as usize] + costs[channel]);
                    if cost >= row[next as usize] || hops as u16 >= MAX_HOPS || globals >= MAX_HOPS {
                        continue;
                    }
                    row[next as usize] = cost;
                    let list = if cost >> GLOBALS == globals { &mut found } else { &mut beyond };
                    if list.len() <= hops + 1 {
                        list.resize(hops + 2, Vec::new());
                    }
                    list[hops + 1].push(next);
                }
            }
            hops += 1;
        }
        found = beyond;
    }
}
