//! The VCs of policy `plan`, per phase, service level and hop.

use tulle_deadlock::VcPlan;
use tulle_fabric::Fabric;
use tulle_routing::{Routes, Routing};

/// The plan of a deadlock scheme, as a table that routers can read quickly.
#[derive(Debug)]
pub(super) struct Planned {
    plan: VcPlan,
    /// The VC for each phase, service level and hop, as a flat table in this order.
    table: Vec<u8>,
    levels: u32,
    hops: u32,
}

impl Planned {
    /// Creates the table of VCs from the plan. Each entry has one value, because at a given hop all routes of a service level use the same
    /// VC.
    pub fn new(plan: VcPlan, fabric: &Fabric, routing: &Routing) -> Self {
        let (phases, levels) = (u32::from(plan.num_phases()), plan.num_sls() as u32);
        let edge = fabric.endpoint_switches();
        // Per service level: the number of hops of the longest route, and that route. The hops of this route fill the
        // row of the service level in the table.
        let mut best = vec![(0usize, 0u32, 0u32, 0u32); levels as usize];
        let mut offer = |level: u8, hops: usize, number: u32, from: u32, to: u32| {
            let best = &mut best[usize::from(level)];
            if hops > best.0 {
                *best = (hops, number, from, to);
            }
        };
        for (&from, &to) in edge.iter().flat_map(|from| edge.iter().map(move |to| (from, to))).filter(|(a, b)| a != b) {
            match routing.routes() {
                Routes::Paths(paths) => paths
                    .between(from, to)
                    .for_each(|path| offer(plan.sl(path, from, to), paths.hops(path).len(), path, from, to)),
                Routes::Layers(layers) => layers.iter().zip(0u32..).for_each(|(table, layer)| {
                    let hops = tulle_routing::path(fabric, table, from, to).len();
                    offer(plan.sl(layer, from, to), hops, layer, from, to);
                }),
            }
        }
        let hops = best.iter().map(|best| best.0).max().unwrap_or(0) as u32;
        let mut table = vec![0; (phases * levels * hops) as usize];
        for phase in 0..phases {
            for (level, &(known, number, from, to)) in best.iter().enumerate() {
                for hop in 0..known {
                    let at = (phase * levels + level as u32) * hops + hop as u32;
                    table[at as usize] = plan.vc_in_phase(phase as u8, number, from, to, hop, from);
                }
            }
        }
        Self { plan, table, levels, hops }
    }
    /// Returns the service level of layer or path `number` between two different switches.
    #[inline]
    pub fn level(&self, number: u32, from: u32, to: u32) -> u8 {
        self.plan.sl(number, from, to)
    }

    /// Returns the VC of a hop in phase `phase`; `hop` is counted from the start of the phase.
    #[inline]
    pub fn vc(&self, phase: u8, level: u8, hop: u32) -> u8 {
        let row = u32::from(phase) * self.levels + u32::from(level);
        self.table[(row * self.hops + hop) as usize]
    }
}
