//! Training of ResNet-152 with data parallelism.

use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use super::Pattern;
use crate::collectives::{Group, allreduce};
use crate::training::Training;
use crate::{Error, Program, Workload};

/// Number of gradients per bucket; buckets of the last layers come first.
const BUCKETS: [u64; 10] =
    [6_511_592, 6_567_936, 5_905_920, 6_113_280, 6_176_256, 6_112_768, 6_176_256, 6_112_768, 5_321_216, 5_194_816];

/// Computing time in microseconds: of the forward pass, and of the backward pass per bucket.
const FORWARD: u64 = 119_000;
const BACKWARD: u64 = 23_800;

plugin! {
    pub struct Resnet152 {
        training: Training;
    }
    name: "resnet152",
    summary: "training of ResNet-152: every rank has a shard of the data, and gradients are allreduced in 10 buckets",
    paper: "Slim Fly deployment (NSDI24) §7.2 and Fig. 14; Hoefler et al., HammingMesh, SC 2022; sizes and times of \
        spcl/DNN-cpp-proxies",
    limitations: "Allreduces run concurrently with each other and with the computation of the next buckets. Each rank \
        trains on 128 images.",
    examples: ["resnet152:size=0.001,time=0.001", "resnet152:ranks=2,iterations=2,algorithm=rabenseifner"],
    rejects: [
        ("resnet152:size=0", "size=0 is not a positive number"),
        ("resnet152:time=1e9", "time=1000000000 is out of range"),
    ],
}

impl Pattern for Resnet152 {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let training = &self.training;
        let mut group = Group::new(training.ranks.place(Resnet152::INFO.name, fabric, seed)?);
        let per_bucket = training.messages_of_allreduce(group.len() as u64);
        super::check_count(Resnet152::INFO.name, per_bucket.saturating_mul(10 * training.iterations))?;
        let of_bucket = |&bucket: &u64| training.algorithm.messages(group.len() as u64, training.bytes(bucket));
        let messages = BUCKETS.iter().map(of_bucket).sum::<u64>().saturating_mul(training.iterations);
        super::check_memory(Resnet152::INFO.name, messages, messages)?;
        let mut program = Program::default();
        for _ in 0..training.iterations {
            group.compute(&mut program, training.picoseconds(FORWARD));
            let mut reduced = Vec::new();
            for bucket in BUCKETS {
                group.compute(&mut program, training.picoseconds(BACKWARD));
                let mut concurrent = group.clone();
                allreduce(&mut program, &mut concurrent, training.algorithm, training.bytes(bucket));
                reduced.push(concurrent);
            }
            reduced.into_iter().for_each(|concurrent| group.await_also(concurrent));
            group.compute(&mut program, 0);
        }
        Ok(program.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::BUCKETS;

    #[test]
    fn buckets_hold_all_parameters() {
        // torchvision reports 60.19 million parameters.
        assert_eq!(BUCKETS.iter().sum::<u64>(), 60_192_808);
    }
}
