//! LetFlow: switches pick a random shortest path per flowlet.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use tulle_base::random::{fnv1a, mix};
use tulle_spec::plugin;

use super::{Choices, Flows, Path, ReversePath, Select, View};
use crate::Error;
use crate::packet::Packet;

/// The flowlet of a flow at a switch.
#[derive(Debug, Clone, Copy)]
struct Flowlet {
    last: u64,
    entropy: u32,
}

/// A hasher for `u64` keys, which only mixes the bits of the key.
#[derive(Debug, Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 ^= fnv1a(bytes);
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = mix(key);
    }
}

plugin! {
    /// Chooses a random port in layer 0 for each switch, flow and flowlet.
    #[derive(Debug)]
    pub(crate) struct LetFlow(arguments, flows: Flows<'a>) -> Error {
        /// pause of a flow at a switch after which the flow's next packet starts a flowlet at this switch
        gap: u64 = duration(), default "50us";
        seed: u64 => mix(flows.seed ^ fnv1a(b"packet/letflow"));
        /// The flowlets by switch, flow and direction.
        flowlets: HashMap<u64, Flowlet, BuildHasherDefault<Mixed>> => HashMap::default();
    }
    check {
        if let Choices::Paths(_) = flows.choices {
            return Err(Error::Config {
                name: "selector",
                value: "letflow".to_owned(),
                problem: "picks ports in switches, but the routing is a set of explicit paths",
                legal: "legal: any other selector, for example flowlet; or a routing of layers".to_owned(),
            });
        }
    }
    name: "letflow",
    summary: "each switch picks a random shortest path per flowlet",
    paper: "Vanini et al., LetFlow, NSDI 2017; FatPaths §VII-A6 (gap of 50 us, precise timestamps)",
    limitations: "Uses layer 0 only, and does not support path sets. Flow tables have space for every flow, so two \
        flows never share an entry.",
    examples: ["letflow:gap=50us", "letflow", "letflow:gap=0"],
    rejects: [("letflow:gap=50", "gap=50 has no unit"), ("letflow:first=minimal", "unknown parameter")],
}

impl Select for LetFlow {
    const STAYS: bool = true;
    const IN_SWITCH: bool = true;

    #[inline]
    fn data(&mut self, _flow: u32, _now: u64) -> Path {
        Path::any(0)
    }

    #[inline]
    fn control(&mut self, _flow: u32, _back: &ReversePath) -> Path {
        Path::any(0)
    }

    fn at_switch(&mut self, packet: &mut Packet, view: &View) {
        let direction = u64::from(packet.kind.is_forward());
        let key = u64::from(view.switch) << 33 | u64::from(packet.flow) << 1 | direction;
        let fresh = || (mix(mix(self.seed ^ key) ^ view.now) >> 32) as u32;
        let flowlet = self.flowlets.entry(key).or_insert_with(|| Flowlet { last: view.now, entropy: fresh() });
        if view.now - flowlet.last >= self.gap {
            flowlet.entropy = fresh();
        }
        flowlet.last = view.now;
        packet.entropy = flowlet.entropy;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;
    use crate::config::Link;
    use crate::forwarding::Forwarding;
    use crate::link_table::{ByKind, LinkTable};
    use crate::packet::data;
    use tulle_spec::Plugin;

    #[test]
    fn a_pause_at_a_switch_starts_a_flowlet_there() {
        let fabric = tulle_topologies::build("clique:degree=2", 0).unwrap();
        let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
        let forwarding = Forwarding::new(&fabric, &routing);
        let links = LinkTable::uniform(Link::new(&Config::default()).unwrap());
        let flows = Flows {
            source: &[0],
            destination: &[1],
            endpoint_switch: &[],
            bytes: &[1],
            choices: &Choices::Layers(1),
            seed: 5,
        };
        let mut letflow = LetFlow::parse("letflow:gap=1us", &flows).unwrap();
        let mut entropy = |now, switch| {
            let mut packet = data(0, 0);
            letflow.at_switch(
                &mut packet,
                &View::new(now, switch, false, &forwarding, &links, &[], &ByKind::new(vec![u64::MAX])),
            );
            packet.entropy
        };
        let first = entropy(7, 0);
        assert_ne!(entropy(7, 1), first);
        for now in [8, 1_000_007, 2_000_006] {
            assert_eq!(entropy(now, 0), first);
        }
        let second = entropy(3_000_006, 0);
        assert_ne!(second, first);
        assert_eq!(entropy(3_000_007, 0), second);
    }
}
