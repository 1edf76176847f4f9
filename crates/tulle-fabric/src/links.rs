//! Link properties: rate, latency, length, medium and routing cost of cables, and all but the cost of the links of endpoints,
//! as far as they are known.
//!
//! A fabric without any costs nothing: whoever asks is told `None`, and decides what that means (the simulators take the
//! rate and latency of their configuration).

mod rule;

use std::collections::HashMap;
use std::sync::Arc;

pub use rule::LinkRule;

use crate::Fabric;
use crate::fabric::pick;

/// The known properties of a link, in one direction.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Link {
    /// Bits per second.
    pub rate: Option<u64>,
    /// Picoseconds from the end of a transmission until the packet is at the next port: propagation, and the switch.
    pub latency: Option<u64>,
    /// Millimetres of cable.
    pub length: Option<u64>,
    /// The material of the cable, in the words of whoever said it: `copper`, `om4`, ….
    pub medium: Option<Arc<str>>,
    /// The cost of this direction as link-state routing counts it: dimensionless, at least 1. Only cables between switches
    /// have costs.
    pub cost: Option<u32>,
}

impl Link {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { rate: None, latency: None, length: None, medium: None, cost: None };

    /// This link, with what `other` says in place of what it says.
    pub fn with(&self, other: &Self) -> Self {
        let Self { rate, latency, length, medium, cost } = other;
        Self {
            rate: rate.or(self.rate),
            latency: latency.or(self.latency),
            length: length.or(self.length),
            medium: medium.clone().or_else(|| self.medium.clone()),
            cost: cost.or(self.cost),
        }
    }
}

/// The links of a fabric: which of a few kinds each is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Links {
    /// In the order of their first channel, then endpoint, so that like links are equal.
    kinds: Vec<Link>,
    /// Per channel, its kind.
    channels: Vec<u32>,
    /// Per endpoint, the kind of its link, in both directions.
    endpoints: Vec<u32>,
}

impl Links {
    /// Of a link per channel and per endpoint; `None` where nothing is known of any.
    pub(crate) fn new<'a>(
        channels: impl IntoIterator<Item = &'a Link>,
        endpoints: impl IntoIterator<Item = &'a Link>,
    ) -> Option<Arc<Self>> {
        let (mut kinds, mut numbers) = (Vec::new(), HashMap::new());
        let mut number = |link: &'a Link| {
            *numbers.entry(link).or_insert_with(|| {
                kinds.push(link.clone());
                kinds.len() as u32 - 1
            })
        };
        let channels = channels.into_iter().map(&mut number).collect();
        let endpoints = endpoints.into_iter().map(number).collect();
        let links = Self { kinds, channels, endpoints };
        links.kinds.iter().any(|kind| *kind != Link::UNKNOWN).then(|| Arc::new(links))
    }

    /// The kinds of links there are, each once.
    pub fn kinds(&self) -> &[Link] {
        &self.kinds
    }

    /// Per channel, its kind: an index into [`Links::kinds`].
    pub fn channels(&self) -> &[u32] {
        &self.channels
    }

    /// Per endpoint, the kind of its link.
    pub fn endpoints(&self) -> &[u32] {
        &self.endpoints
    }

    /// Of these channels and endpoints alone.
    pub(crate) fn kept(&self, channels: &[u32], endpoints: &[u32]) -> Option<Arc<Self>> {
        let kind = |&kind: &u32| &self.kinds[kind as usize];
        let [channels, endpoints] =
            [pick(&self.channels, channels, |kind| kind), pick(&self.endpoints, endpoints, |kind| kind)];
        Self::new(channels.iter().map(kind), endpoints.iter().map(kind))
    }
}

impl Fabric {
    /// The known properties of the links; `None` where nothing is known.
    pub fn links(&self) -> Option<&Links> {
        self.links.as_deref()
    }

    /// The known properties of `channel`.
    pub fn link(&self, channel: u32) -> &Link {
        self.links().map_or(&Link::UNKNOWN, |links| &links.kinds[links.channels[channel as usize] as usize])
    }

    /// The known properties of the link of `endpoint`, alike in both directions.
    pub fn endpoint_link(&self, endpoint: u32) -> &Link {
        self.links().map_or(&Link::UNKNOWN, |links| &links.kinds[links.endpoints[endpoint as usize] as usize])
    }

    /// Bits per second over `channel`, where known.
    pub fn link_rate(&self, channel: u32) -> Option<u64> {
        self.link(channel).rate
    }

    /// Picoseconds of latency of `channel`, where known.
    pub fn link_latency(&self, channel: u32) -> Option<u64> {
        self.link(channel).latency
    }

    /// The routing cost of `channel`, where known.
    pub fn link_cost(&self, channel: u32) -> Option<u32> {
        self.link(channel).cost
    }

    /// Bits per second over the link of `endpoint` in either direction, where known.
    pub fn endpoint_rate(&self, endpoint: u32) -> Option<u64> {
        self.endpoint_link(endpoint).rate
    }

    /// Picoseconds of latency of the link of `endpoint` in either direction, where known.
    pub fn endpoint_latency(&self, endpoint: u32) -> Option<u64> {
        self.endpoint_link(endpoint).latency
    }

    /// This fabric with these links, one per channel and one per endpoint, in place of what was known.
    ///
    /// # Panics
    /// Where they are not one each.
    pub fn relinked(&self, channels: &[Link], endpoints: &[Link]) -> Self {
        let counts = (self.num_channels(), self.num_endpoints());
        assert_eq!((channels.len(), endpoints.len()), counts, "a link per channel and endpoint");
        Self { links: Links::new(channels, endpoints), ..self.clone() }
    }

    /// The link rules applied since the fabric was built or read, in order and in canonical words; see [`LinkRule`].
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
