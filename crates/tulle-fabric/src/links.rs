//! The known properties of links: rate, latency, length and medium. Cables between switches can also have a routing cost.
//!
//! A fabric without link properties stores nothing. Unset values are `None`, and each consumer applies its own default (the simulators use
//! the rate and latency of their configuration).

use std::collections::HashMap;
use std::sync::Arc;

use crate::columns::pick;

/// The known properties of one direction of a link.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Link {
    /// Bits per second.
    pub rate: Option<u64>,
    /// Latency in picoseconds: from the end of a transmission until the packet is at the next port (propagation and switch delay).
    pub latency: Option<u64>,
    /// Millimetres of cable.
    pub length: Option<u64>,
    /// The medium of the cable, as the source names it: `copper`, `om4`, ….
    pub medium: Option<Arc<str>>,
    /// The cost of this direction in link-state routing: dimensionless, at least 1. Only cables between switches have costs.
    pub cost: Option<u32>,
}

impl Link {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { rate: None, latency: None, length: None, medium: None, cost: None };

    /// Returns this link, with the known properties of `other` in place of its own.
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

/// The links of a fabric. Links with equal properties share one entry of `kinds`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Links {
    /// The different links, ordered by the first channel or endpoint that has them. Therefore fabrics with the same links have equal
    /// values.
    kinds: Vec<Link>,
    /// Per channel, its kind.
    channels: Vec<u32>,
    /// The kind of each endpoint's link, which is the same in both directions.
    endpoints: Vec<u32>,
}

impl Links {
    /// Returns the links of these channels and endpoints; `None` if no property of any link is known.
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

    /// Returns the different links of the fabric, each once.
    pub fn kinds(&self) -> &[Link] {
        &self.kinds
    }

    /// Returns the kind of each channel: an index into [`Links::kinds`].
    pub fn channels(&self) -> &[u32] {
        &self.channels
    }

    /// Returns the kind of each endpoint's link.
    pub fn endpoints(&self) -> &[u32] {
        &self.endpoints
    }

    /// Returns the links of these channels and endpoints only.
    pub(crate) fn kept(&self, channels: &[u32], endpoints: &[u32]) -> Option<Arc<Self>> {
        let kind = |&kind: &u32| &self.kinds[kind as usize];
        let [channels, endpoints] =
            [pick(&self.channels, channels, |kind| kind), pick(&self.endpoints, endpoints, |kind| kind)];
        Self::new(channels.iter().map(kind), endpoints.iter().map(kind))
    }
}
