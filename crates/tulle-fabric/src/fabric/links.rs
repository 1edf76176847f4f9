//! The links of a fabric: their properties, by channel and endpoint.

use super::Fabric;
use crate::links::{Link, Links};

impl Fabric {
    /// The known properties of the links; `None` if no property of any link is known.
    pub fn links(&self) -> Option<&Links> {
        self.links.as_deref()
    }

    /// The known properties of `channel`.
    pub fn link(&self, channel: u32) -> &Link {
        self.links().map_or(&Link::UNKNOWN, |links| &links.kinds()[links.channels()[channel as usize] as usize])
    }

    /// The known properties of the link of `endpoint`, the same in both directions.
    pub fn endpoint_link(&self, endpoint: u32) -> &Link {
        self.links().map_or(&Link::UNKNOWN, |links| &links.kinds()[links.endpoints()[endpoint as usize] as usize])
    }

    /// Rate of `channel` in bits per second, if known.
    pub fn link_rate(&self, channel: u32) -> Option<u64> {
        self.link(channel).rate
    }

    /// Latency of `channel` in picoseconds, if known.
    pub fn link_latency(&self, channel: u32) -> Option<u64> {
        self.link(channel).latency
    }

    /// The routing cost of `channel`, if known.
    pub fn link_cost(&self, channel: u32) -> Option<u32> {
        self.link(channel).cost
    }

    /// Rate of the link of `endpoint` in bits per second, the same in both directions, if known.
    pub fn endpoint_rate(&self, endpoint: u32) -> Option<u64> {
        self.endpoint_link(endpoint).rate
    }

    /// Latency of the link of `endpoint` in picoseconds, the same in both directions, if known.
    pub fn endpoint_latency(&self, endpoint: u32) -> Option<u64> {
        self.endpoint_link(endpoint).latency
    }

    /// Returns this fabric with other links: one per channel (`channels`) and one per endpoint (`endpoints`).
    ///
    /// # Panics
    /// Panics if `channels` or `endpoints` has the wrong length.
    pub fn relinked(&self, channels: &[Link], endpoints: &[Link]) -> Self {
        let counts = (self.num_channels(), self.num_endpoints());
        assert_eq!((channels.len(), endpoints.len()), counts, "one link is required per channel and per endpoint");
        Self { links: Links::new(channels, endpoints), ..self.clone() }
    }

    /// The link rules applied since the fabric was built or read, in order and in canonical form; see [`LinkRule`](crate::LinkRule).
    pub fn link_rules(&self) -> &[String] {
        &self.link_rules
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FabricBuilder;
    use tulle_spec::Parameters;

    const GIGABIT: u64 = 1_000_000_000;

    fn rate(gigabits: u64) -> Link {
        Link { rate: Some(gigabits * GIGABIT), ..Link::UNKNOWN }
    }

    #[test]
    fn links_follow_their_channels_through_building_and_faults() {
        let mut builder = FabricBuilder::new(3);
        builder.cable(2, 1);
        builder.link(0, [rate(21), rate(12)]);
        builder.cable(0, 2);
        builder.cable(0, 1);
        builder.link(2, [rate(1), rate(10)]);
        builder.endpoints_each(1);
        builder.endpoint_link(1, rate(100));
        let fabric = builder.finish("edges", Parameters::new()).unwrap();
        let rates = |fabric: &Fabric| {
            (0..fabric.num_channels() as u32)
                .map(|c| fabric.link_rate(c).map(|rate| rate / GIGABIT))
                .collect::<Vec<_>>()
        };
        // 0→1, 0→2, 1→0, 1→2, 2→0, 2→1.
        assert_eq!(rates(&fabric), [Some(1), None, Some(10), Some(12), None, Some(21)]);
        assert_eq!([0, 1, 2].map(|e| fabric.endpoint_rate(e)), [None, Some(100 * GIGABIT), None]);
        let damaged = fabric.without(&"switches=ids:0".parse().unwrap(), 0).unwrap();
        assert_eq!(rates(&damaged), [Some(12), Some(21)]);
        assert_eq!([0, 1].map(|e| damaged.endpoint_rate(e)), [Some(100 * GIGABIT), None]);
        let bare = fabric.without(&"switches=ids:1".parse().unwrap(), 0).unwrap();
        assert_eq!((rates(&bare), bare.links()), (vec![None, None], None));
    }
}
