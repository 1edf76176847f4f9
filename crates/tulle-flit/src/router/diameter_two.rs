//! The switch of Kathareios et al. (SC15): the virtual cut-through model with preset parameters.

use tulle_spec::plugin;

use super::dispatch::RunnableModel;
use super::virtual_cut_through::VirtualCutThrough;
use super::{CommonParameters, RouterPlugin};

plugin! {
    #[derive(Debug, Clone)]
    pub(crate) struct DiameterTwo {
        pub common: CommonParameters;
    }
    name: "diameter-two",
    summary: "the switch of Kathareios et al. (SC15): virtual cut-through, 100 KB of buffers per port and \
        direction, a delay of 100 ns",
    paper: "Kathareios et al. (SC15) §4.1: 100 KB of buffers per port and direction, a switch delay of 100 ns, links of \
        100 Gb/s and 50 ns, packets of 256 bytes",
    limitations: "A cycle is the time of a 256-byte packet at 100 Gb/s: 20.48 ns. The switch delay of 100 ns takes 5 \
        cycles. The link latency of 50 ns is rounded to 2 cycles (set link_latency=2, endpoint_latency=2 and \
        packet=1). Switch and link together take 143 ns instead of 150 ns. A port's 390 packets are divided evenly among its \
        virtual channels. The paper only says that the switch has buffers at inputs and outputs. The rest is our \
        interpretation: virtual output queues, a crossbar of speedup 1 with maximal matching, and priority for packets \
        from other switches. One queue per virtual channel loses too much throughput at speedup 1. At speedup 2 the \
        Slim Fly with p = 9 accepts 0.99 of uniform traffic; in the paper it accepts 0.96 to 0.98.",
    examples: ["diameter-two", "diameter-two:vcs=2"],
    rejects: [("diameter-two:buffer=3", "unknown parameter 'buffer=3'")],
}

impl RouterPlugin for DiameterTwo {
    fn model(&self) -> Box<dyn RunnableModel> {
        Box::new(VirtualCutThrough::preset(self.common))
    }
}
