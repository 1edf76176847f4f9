//! Selects by flow size: short flows stay in the layer of shortest paths, and long flows are spread over all layers.

use tulle_spec::plugin;

use super::flowlet::Flowlet;
use super::{Flows, Path, ReversePath, Select};

plugin! {
    /// A [`Flowlet`] selector. It keeps flows in layer 0 if they are not larger than a size limit.
    #[derive(Debug)]
    pub(crate) struct SizeAware(arguments, flows: Flows<'a>) {
        /// flows up to this size are short
        bytes: u64 = bytes_of(1, 1_000_000_000_000), default "100KB";
        /// pause after which the next packet starts a flowlet
        gap: u64 = duration(), default "50us";
        flowlets: Flowlet => Flowlet::new(flows, gap, |flow| flows.bytes[flow as usize] <= bytes);
    }
    name: "size-aware",
    summary: "short flows stay on shortest paths, because latency matters to them; long flows spread flowlets over \
        all layers",
    paper: "FatPaths §V-F, §VIII-A1 (minimal layer first); size limit of short flows as in pFabric, SIGCOMM 2013 §5",
    limitations: "The size of a flow must be known when the flow starts.",
    examples: ["size-aware:bytes=100KB", "size-aware", "size-aware:bytes=1MiB,gap=10us"],
    rejects: [
        ("size-aware:bytes=0", "bytes=0 is not a size"),
        ("size-aware:bytes=2000GB", "is out of range; legal: 1B to 1TB"),
    ],
}

impl Select for SizeAware {
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
