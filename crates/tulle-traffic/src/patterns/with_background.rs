//! A traffic with another traffic in the background.

use rand::Rng;
use tulle_base::random::stream;
use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use super::{Pattern, pattern};
use crate::arrivals::check_count;
use crate::{Error, Workload};

plugin! {
    pub struct WithBackground(arguments) {
        /// traffic in the foreground; in quotes if it contains commas. Its messages are the first rows. With the same seed, they are the
        /// same as without background
        of: String = spec("traffic");
        foreground: Box<dyn Pattern> => {
            let (entry, pattern) = pattern(&of)?;
            // The backgrounds of such a traffic and of this traffic would have the same random numbers.
            if entry.info.name == Self::INFO.name {
                let legal = "legal: a traffic without background; background= can have a background itself";
                return Err(arguments.bad("of", Self::INFO.name, "has a background already", legal));
            }
            of = pattern.spec();
            pattern
        };
        /// traffic in the background; in quotes if it contains commas. Its random numbers differ from those of the foreground
        background: String = spec("traffic");
        behind: Box<dyn Pattern> => {
            let (_, pattern) = pattern(&background)?;
            background = pattern.spec();
            pattern
        };
    }
    name: "with-background",
    summary: "a traffic and a background traffic at the same time",
    paper: "none: any two traffics",
    limitations: "Neither traffic waits for the other. The background does not stop when the foreground ends.",
    examples: [
        "with-background:of=incast,background=\"uniform:bytes=64KiB,arrivals=10000,duration=300us\"",
        "with-background:of=\"allreduce:ranks=4,bytes=1KiB\",background=\"with-background:of=stencil,background=skewed\"",
    ],
    rejects: [
        ("with-background:of=incast", "needs background="),
        ("with-background:of=incasts,background=uniform", "unknown traffic 'incasts'"),
        ("with-background:of=incast,background=\"uniform:byte=1KB\"", "uniform: unknown parameter 'byte=1KB'"),
        (
            "with-background:of=\"with-background:of=incast,background=uniform\",background=skewed",
            "of=with-background has a background already; legal: a traffic without background",
        ),
    ],
}

impl Pattern for WithBackground {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let mut workload = self.foreground.messages(fabric, seed)?;
        // If both parts are the same pattern, they must not have the same random numbers.
        let background = self.behind.messages(fabric, stream(seed, "traffic/background", 0).next_u64())?;
        check_count(Self::INFO.name, (workload.num_steps() + background.num_steps()) as u64)?;
        workload.append(&background);
        Ok(workload)
    }
}
