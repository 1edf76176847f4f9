//! UGAL-L: minimal or by way of an intermediate switch, whichever first queue looks shorter.

use tulle_fabric::spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::{Estimate, Over, QUEUE, Queues, Select, Start, Way, queue_word, read_queue};

/// Compares the minimal way with some indirect ones.
#[derive(Debug)]
pub(crate) struct Ugal {
    /// c, or c_SF with the ratio of lengths.
    penalty: f64,
    /// n_I.
    candidates: u32,
    /// T as a share of the buffers of a port.
    threshold: f64,
    /// Whether the penalty is multiplied by the ratio of lengths.
    ratio: bool,
    /// Whether there is one shortest path per pair.
    one_path: bool,
    estimate: Estimate,
}

impl Select for Ugal {
    const INFO: Info = Info {
        name: "ugal",
        summary: "minimal, or the best of some indirect ways, by the queues at the first switch (UGAL-L)",
        parameters: &[
            Parameter {
                name: "cost",
                legal: "ratio or constant",
                default: "ratio",
                help: "whether the penalty is c times the ratio of lengths, L_I/L_M (original UGAL; SF-A), or c alone (MLFM-A, OFT-A)",
            },
            Parameter { name: "c", legal: "above 0", default: "1", help: "penalty of an indirect way: c, or c_SF" },
            Parameter {
                name: "candidates",
                legal: "1 to 64",
                default: "1",
                help: "indirect ways drawn per packet, n_I",
            },
            Parameter {
                name: "threshold",
                legal: "0 to 1 or 0% to 100%",
                default: "0",
                help: "T: minimal wherever its queue is below this share of the port's buffers",
            },
            Parameter {
                name: "paths",
                legal: "all or one",
                default: "all",
                help: "of several shortest paths any, drawn switch by switch, or one per pair, that of single",
            },
            QUEUE,
        ],
        nested: false,
        paper: "diameter-two §3.3 (generic UGAL-L, threshold, SF-A); Jellyfish §III-B (vanilla UGAL, paths=all or one)",
        limitations: "Sees queues of the first switch only. Ties are minimal. Of several shortest first ports it compares one, \
                      drawn at random. Intermediate switches are those of valiant.",
        examples: &[
            "ugal",
            "ugal:cost=constant,c=2,candidates=4",
            "ugal:c=1,candidates=4,threshold=10%,queue=class",
            "ugal:paths=one",
        ],
        rejects: &[
            ("ugal:candidates=0", "candidates=0 is out of range; legal: 1 to 64"),
            ("ugal:c=0", "c=0 is not a positive number"),
            ("ugal:queue=next", "queue=next is not a choice"),
            ("ugal:paths=two", "paths=two is not a choice"),
        ],
    };
    const OVER: Over = Over::Tables;
    const PHASES: u8 = 2;
    const DISTANCES: bool = true;

    fn read(arguments: &Arguments) -> Result<Self, SpecError> {
        Ok(Self {
            penalty: arguments.positive("c")?.unwrap_or(1.0),
            candidates: arguments.integer("candidates", 1..=64)?.unwrap_or(1) as u32,
            threshold: arguments.fraction("threshold", true)?.unwrap_or(0.0),
            ratio: arguments.word("cost", &["ratio", "constant"])? != Some("constant"),
            one_path: arguments.word("paths", &["all", "one"])? == Some("one"),
            estimate: read_queue(arguments)?,
        })
    }

    fn parameters(&self) -> Parameters {
        Parameters::new()
            .word("cost", if self.ratio { "ratio" } else { "constant" })
            .real("c", self.penalty)
            .integer("candidates", self.candidates)
            .real("threshold", self.threshold)
            .word("paths", if self.one_path { "one" } else { "all" })
            .word("queue", queue_word(self.estimate))
    }

    fn one_port(&self) -> bool {
        self.one_path
    }

    fn start<Q: Queues>(&self, start: &mut Start<'_, Q>) -> Way {
        let (queue, mut best) = start.first_port(self.estimate, Way::minimal());
        // An indirect way never costs less than nothing.
        if queue == 0 || f64::from(queue) < self.threshold * f64::from(start.queues.capacity(self.estimate)) {
            return best;
        }
        let (from, to) = (start.from, start.to);
        let direct = f64::from(start.ways.distance(from, to));
        let mut least = f64::from(queue);
        for _ in 0..self.candidates {
            let way = start.ways.indirect(from, to, start.generator);
            let Some(via) = way.via else { continue };
            let (queue, way) = start.first_port(self.estimate, way);
            let via = u32::from(via);
            let length = f64::from(start.ways.distance(from, via)) + f64::from(start.ways.distance(via, to));
            let penalty = if self.ratio { self.penalty * length / direct } else { self.penalty };
            let cost = penalty * f64::from(queue);
            if cost < least {
                (least, best) = (cost, way);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use crate::{Config, Traffic, simulate};

    #[test]
    fn one_path_is_that_of_single() {
        let fabric = tulle_fabric::build("jellyfish:switches=20,degree=6,p=2", 1).unwrap();
        let routing = tulle_routing::build(&fabric, "minimal", 1).unwrap();
        let traffic = Traffic::new(&fabric, "permutation", 1).unwrap();
        // Up to the threshold, here whole buffers, UGAL is minimal; policy free has the same virtual channels for both.
        let run = |selector: &str| {
            let config = Config {
                selector: selector.to_owned(),
                policy: "free".to_owned(),
                may_deadlock: true,
                window: 500,
                ..Config::default()
            };
            simulate(&fabric, &routing, &traffic, &config, &mut |_| ControlFlow::Continue(())).unwrap()
        };
        let [single, one, all] = ["single", "ugal:threshold=1,paths=one", "ugal:threshold=1"].map(run);
        assert_eq!((one.minimal, one.latency, &one.channel_load), (1.0, single.latency, &single.channel_load));
        assert_ne!(one.channel_load, all.channel_load);
        // Where it may, it leaves that path.
        assert!(run("ugal:paths=one").minimal < 1.0);
    }
}
