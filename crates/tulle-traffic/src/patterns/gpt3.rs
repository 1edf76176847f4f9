//! Training of GPT-3 with data, operator and pipeline parallelism.

use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use super::Pattern;
use crate::collectives::{Group, allreduce};
use crate::training::Training;
use crate::{Error, Program, Workload};

/// Number of values in an activation: 2048 tokens of 12,288 numbers. An activation is sent between stages, and
/// allreduced twice per layer and pass.
const ACTIVATION: u64 = 25_165_824;

/// Number of gradients of a layer: 12 · 12,288². The proxy divides them among 4 shards.
const GRADIENTS: u64 = 4 * 452_984_832;

/// Computing time per layer and micro-batch in microseconds, summed over the 4 shards of the proxy. The backward pass
/// takes twice as long as the forward pass.
const FORWARD: u64 = 4 * 15_915;
const BACKWARD: u64 = 4 * 31_830;

plugin! {
    pub struct Gpt3 {
        /// number of pipeline stages; each stage has one layer
        stages: usize = integer(1, 65_535), default "10";
        /// number of ranks that divide the work of each operator
        shards: usize = integer(1, 65_535), default "4";
        /// number of micro-batches per iteration; each is one sequence of 2048 tokens
        batches: Option<u64> = integer(1, 65_535), or "stages";
        training: Training;
    }
    name: "gpt3",
    summary: "training of GPT-3: a pipeline of stages with one layer each, whose operators are divided among several ranks; \
        one pipeline per shard of the data",
    paper: "Slim Fly deployment (NSDI24) §7.2 and Fig. 14; Hoefler et al., HammingMesh, SC 2022; sizes and times of \
        spcl/DNN-cpp-proxies",
    limitations: "The number of ranks must be a multiple of stages times shards. All micro-batches pass forward, then \
        all pass backward. In the original proxy a stage sends to the next stage before it has received; in this \
        pattern a stage sends after it has computed. The Slim Fly deployment and HammingMesh papers do not say how \
        their 40 to 200 ranks were divided.",
    examples: ["gpt3:stages=2,shards=1,size=0.001,time=0.001", "gpt3:ranks=40,size=0.0001,batches=2,iterations=2"],
    rejects: [
        ("gpt3:stages=0", "stages=0 is out of range"),
        ("gpt3", "ranks=42 is not a multiple of 40; legal: nearest 40, 80"),
    ],
}

impl Pattern for Gpt3 {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let mut group = Group::new(self.training.ranks.place(Gpt3::INFO.name, fabric, seed)?);
        let unit = self.stages * self.shards;
        Training::check_multiple(Gpt3::INFO.name, group.len(), unit)?;
        let (replicas, batches) = (group.len() / unit, self.batches.unwrap_or(self.stages as u64));
        let per_batch = 4 * self.training.messages_of_allreduce(self.shards as u64) + 2 * self.shards as u64;
        let in_pipelines = per_batch.saturating_mul(batches).saturating_mul((replicas * self.stages) as u64);
        let between = self.training.messages_of_allreduce(replicas as u64).saturating_mul(unit as u64);
        super::check_count(
            Gpt3::INFO.name,
            in_pipelines.saturating_add(between).saturating_mul(self.training.iterations),
        )?;
        let gradients = self.training.bytes(GRADIENTS / self.shards as u64);
        let messages = self.training.algorithm.messages(replicas as u64, gradients).saturating_mul(unit as u64);
        super::check_memory(Gpt3::INFO.name, messages.saturating_mul(self.training.iterations), messages)?;
        let mut program = Program::default();
        for _ in 0..self.training.iterations {
            for replica in 0..replicas {
                for _ in 0..batches {
                    self.pass(&mut program, &mut group, replica, (0..self.stages).collect(), FORWARD);
                }
                for _ in 0..batches {
                    self.pass(&mut program, &mut group, replica, (0..self.stages).rev().collect(), BACKWARD);
                }
            }
            for first in 0..unit {
                let same_part: Vec<usize> = (first..group.len()).step_by(unit).collect();
                group.among(&same_part, |part| allreduce(&mut program, part, self.training.algorithm, gradients));
            }
        }
        Ok(program.finish())
    }
}

impl Gpt3 {
    /// Adds the pass of one micro-batch through the stages of a replica.
    ///
    /// A stage receives activations, computes, and allreduces the activations twice among its shards. It does not wait
    /// until its message to the next stage has arrived.
    fn pass(&self, program: &mut Program, group: &mut Group, replica: usize, stages: Vec<usize>, time: u64) {
        let bytes = self.training.bytes(ACTIVATION);
        let time = self.training.picoseconds(time) / self.shards as u64;
        // The stages of one shard have consecutive ranks.
        let places = |stage: usize| -> Vec<usize> {
            let first = replica * self.stages * self.shards;
            (0..self.shards).map(|shard| first + shard * self.stages + stage).collect()
        };
        for (at, &stage) in stages.iter().enumerate() {
            let here = places(stage);
            group.among(&here, |shards| {
                shards.compute(program, time);
                for _ in 0..2 {
                    allreduce(program, shards, self.training.algorithm, bytes);
                }
            });
            let Some(&next) = stages.get(at + 1) else { break };
            for (&from, to) in here.iter().zip(places(next)) {
                let sent = program.message(group.members[from], group.members[to], bytes, &group.ready[from]);
                group.ready[to].push(sent);
            }
        }
    }
}
