//! Short flows keep to the layer of shortest paths, long ones spread over all layers.

use tulle_spec::{Arguments, Info, Parameter, Parameters};

use super::flowlet::Flowlet;
use super::{Flows, Path, ReversePath, Select};
use crate::Error;
use crate::units;

/// [`Flowlet`] with layer 0 alone for flows up to a size.
#[derive(Debug)]
pub(crate) struct SizeAware {
    flowlets: Flowlet,
    most: u64,
}

impl Select for SizeAware {
    const INFO: Info = Info {
        name: "size-aware",
        summary: "short flows, which latency matters to, keep to shortest paths; long ones take flowlets over all layers",
        parameters: &[
            Parameter::prose("bytes", "1 byte to 1TB", "100KB", "flows up to this size are short"),
            Parameter::prose("gap", "a duration", "50us", "pause after which a flowlet starts"),
        ],
        nested: false,
        paper: "FatPaths §V-F, §VIII-A1 (minimal layer first); the bound of short flows as in pFabric, SIGCOMM 2013 §5",
        limitations: "Sizes are known when a flow starts.",
        examples: &["size-aware:bytes=100KB", "size-aware", "size-aware:bytes=1MiB,gap=10us"],
        rejects: &[
            ("size-aware:bytes=0", "bytes=0 is not a size"),
            ("size-aware:bytes=2000GB", "is out of range; legal: 1B to 1TB"),
        ],
    };

    fn read(arguments: &Arguments, flows: &Flows) -> Result<Self, Error> {
        let most = units::read_bytes(arguments, "bytes", 1..=1_000_000_000_000)?.unwrap_or(100_000);
        let gap = arguments.duration("gap")?.unwrap_or(50 * units::MICROSECOND);
        let minimal = |flow: u32| flows.bytes[flow as usize] <= most;
        Ok(Self { flowlets: Flowlet::new(flows, gap, minimal), most })
    }

    fn parameters(&self) -> Parameters {
        Parameters::new().bytes("bytes", self.most).word("gap", units::duration(self.flowlets.gap()))
    }

    #[inline]
    fn data(&mut self, flow: u32, now: u64) -> Path {
        self.flowlets.data(flow, now)
    }

    #[inline]
    fn control(&mut self, flow: u32, back: &ReversePath) -> Path {
        self.flowlets.control(flow, back)
    }

    fn leave(&mut self, flow: u32, layer: u8) {
        self.flowlets.leave(flow, layer);
    }

    fn changes(&self, flow: u32) -> u32 {
        self.flowlets.changes(flow)
    }
}
