//! Training of CosmoFlow with data and operator parallelism.

use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use super::Pattern;
use crate::collectives::{Allgather, Group, ReduceScatter, allgather, allreduce, reduce_scatter, send_to_neighbours};
use crate::training::Training;
use crate::{Error, Program, Workload};

/// Number of ranks that divide the work of each operator. They form a 2 × 2 grid.
const SHARDS: usize = 4;

/// Computing time per layer in microseconds, in the order in which the layers run. The forward pass has five
/// convolutions, then three dense layers; the backward pass has the reverse order.
const FORWARD: [u64; 8] = [6567, 13_135, 6567, 3283, 1641, 5, 3, 1];
const BACKWARD: [u64; 8] = [2, 6, 10, 3283, 6567, 13_135, 26_270, 13_135];

/// Number of values in a halo. In the forward pass, halos are exchanged before convolutions 1 to 4. In the backward pass, they are
/// exchanged after the steps of these convolutions.
const HALO_FORWARD: [u64; 4] = [2_097_152, 1_048_576, 524_288, 262_144];
const HALO_BACKWARD: [u64; 4] = [131_072, 262_144, 524_288, 1_048_576];

/// Number of values that each rank contributes to the allgather before a dense layer. The reduce-scatter after the layer's backward step
/// leaves the same number of values at each rank.
const GATHERED: [u64; 3] = [65_536, 256, 128];
const SCATTERED: [u64; 3] = [128, 256, 65_536];

/// Number of gradients per rank. The first entry is for all dense layers together; the other entries are for convolutions 4 to 0.
const GRADIENTS: [u64; 6] = [1_050_737, 3_539_456, 884_992, 221_312, 55_360, 3488];

plugin! {
    pub struct Cosmoflow {
        training: Training;
    }
    name: "cosmoflow",
    summary: "training of CosmoFlow: every operator is divided among 4 ranks, and each group of 4 ranks has a shard of the data",
    paper: "Slim Fly deployment (NSDI24) §7.2 and Fig. 14; Hoefler et al., HammingMesh, SC 2022; sizes and times of \
        spcl/DNN-cpp-proxies",
    limitations: "The number of ranks must be a multiple of 4. Allgathers use the ring algorithm; reduce-scatters use \
        recursive halving. Allreduces run concurrently with the backward pass.",
    examples: ["cosmoflow:ranks=40,size=0.01,time=0.001"],
    rejects: [("cosmoflow:ranks=42", "ranks=42 is not a multiple of 4; legal: nearest 40, 44")],
}

impl Pattern for Cosmoflow {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let training = &self.training;
        let mut group = Group::new(training.ranks.place(Cosmoflow::INFO.name, fabric, seed)?);
        Training::check_multiple(Cosmoflow::INFO.name, group.len(), SHARDS)?;
        let per_layer = training.messages_of_allreduce(group.len() as u64) + 16 * group.len() as u64;
        super::check_count(Cosmoflow::INFO.name, per_layer.saturating_mul(16 * training.iterations))?;
        let of_layer = |&gradients: &u64| training.algorithm.messages(group.len() as u64, training.bytes(gradients));
        let messages = GRADIENTS[1..].iter().map(of_layer).sum::<u64>().saturating_mul(training.iterations);
        super::check_memory(Cosmoflow::INFO.name, messages, messages)?;
        let mut program = Program::default();
        for _ in 0..training.iterations {
            self.forward(&mut program, &mut group);
            self.backward(&mut program, &mut group);
        }
        Ok(program.finish())
    }
}

impl Cosmoflow {
    fn forward(&self, program: &mut Program, group: &mut Group) {
        for (layer, time) in FORWARD.into_iter().enumerate() {
            match layer {
                0 => {}
                1..5 => self.halo(program, group, HALO_FORWARD[layer - 1]),
                _ => {
                    for first in (0..group.len()).step_by(SHARDS) {
                        let bytes = self.training.bytes(GATHERED[layer - 5]);
                        let shards: Vec<usize> = (first..first + SHARDS).collect();
                        group.among(&shards, |shards| allgather(program, shards, Allgather::Ring, bytes));
                    }
                }
            }
            group.compute(program, self.training.picoseconds(time));
        }
    }

    fn backward(&self, program: &mut Program, group: &mut Group) {
        let mut reduced = Vec::new();
        for (step, time) in BACKWARD.into_iter().enumerate() {
            group.compute(program, self.training.picoseconds(time));
            match step {
                0..3 => {
                    let bytes = self.training.bytes(SCATTERED[step] * SHARDS as u64);
                    for first in (0..group.len()).step_by(SHARDS) {
                        let shards: Vec<usize> = (first..first + SHARDS).collect();
                        group.among(&shards, |shards| {
                            reduce_scatter(program, shards, ReduceScatter::RecursiveHalving, bytes);
                        });
                    }
                }
                3..7 => self.halo(program, group, HALO_BACKWARD[step - 3]),
                _ => {}
            }
            // The gradients of dense layers are divided among the 4 ranks of a group. The gradients of convolutions are
            // not divided, so all ranks take part in one allreduce.
            let mut concurrent = group.clone();
            match step {
                0 | 1 => continue,
                2 => {
                    for shard in 0..SHARDS {
                        let same_shard: Vec<usize> = (shard..group.len()).step_by(SHARDS).collect();
                        concurrent.among(&same_shard, |part| self.allreduce(program, part, GRADIENTS[0]));
                    }
                }
                _ => self.allreduce(program, &mut concurrent, GRADIENTS[step - 2]),
            }
            reduced.push(concurrent);
        }
        reduced.into_iter().for_each(|concurrent| group.await_also(concurrent));
        group.compute(program, 0);
    }

    fn allreduce(&self, program: &mut Program, group: &mut Group, gradients: u64) {
        allreduce(program, group, self.training.algorithm, self.training.bytes(gradients));
    }

    /// Exchanges halos between every rank and its two neighbours in the 2 × 2 grid.
    fn halo(&self, program: &mut Program, group: &mut Group, numbers: u64) {
        let neighbours: Vec<Vec<usize>> = (0..group.len()).map(|rank| vec![rank ^ 1, rank ^ 2]).collect();
        send_to_neighbours(program, group, &neighbours, self.training.bytes(numbers));
    }
}
