//! Link properties: rate, latency, length, medium and routing cost of cables, and all but the cost of the links of endpoints,
//! as far as they are known.
//!
//! A fabric without any costs nothing: whoever asks is told `None`, and decides what that means (the simulators take the
//! rate and latency of their configuration).

use std::collections::HashMap;
use std::sync::Arc;

use crate::columns::pick;

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
