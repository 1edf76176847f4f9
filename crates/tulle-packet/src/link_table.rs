//! A table of the kinds of links in a network. A kind is a combination of rate and latency, and every port has one kind.
//!
//! If the fabric does not describe its links, all links have the rate and latency of the configuration and are of one kind. A look-up then
//! always reads the first row of the table.

use std::ops::Index;

use tulle_fabric::Fabric;

use crate::config::Link;
use crate::port::Port;
use crate::{Config, Error};

/// Maximum number of kinds of links: a port stores its kind in a byte.
pub(crate) const MAX_KINDS: usize = 256;

/// A table with one value per kind of link. Look-ups need no bounds check.
#[derive(Debug, Clone)]
pub(crate) struct ByKind<T>(Box<[T; MAX_KINDS]>);

impl<T: Copy> ByKind<T> {
    /// Returns a table with these values, at least one. Further kinds get the first value.
    pub(crate) fn new(mut values: Vec<T>) -> Self {
        values.resize(MAX_KINDS, values[0]);
        Self(values.into_boxed_slice().try_into().ok().expect("a value per kind"))
    }
}

impl<T> Index<u8> for ByKind<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, kind: u8) -> &T {
        &self.0[usize::from(kind)]
    }
}

/// The kinds of links of a simulation.
#[derive(Debug, Clone)]
pub(crate) struct LinkTable {
    kinds: ByKind<Link>,
    count: usize,
}

impl LinkTable {
    /// Returns the links of `fabric` and the kind of every port.
    ///
    /// `config` supplies rates and latencies that the fabric does not define. The list of kinds is empty if all links are of the
    /// same kind.
    ///
    /// # Errors
    /// Fails if `config` contains an illegal number, or if there are more than [`MAX_KINDS`] kinds of links.
    pub(crate) fn new(fabric: &Fabric, config: &Config) -> Result<(Self, Vec<u8>), Error> {
        let usual = Link::new(config)?;
        let Some(links) = fabric.links() else { return Ok((Self::uniform(usual), Vec::new())) };
        let mut kinds: Vec<Link> = Vec::new();
        let mut numbers = Vec::with_capacity(links.kinds().len());
        for known in links.kinds() {
            let link = usual.with(known.rate.unwrap_or(config.rate), known.latency.unwrap_or(config.link_latency));
            let same = |other: &Link| (other.rate, other.latency) == (link.rate, link.latency);
            let number = kinds.iter().position(same).unwrap_or_else(|| {
                kinds.push(link);
                kinds.len() - 1
            });
            numbers.push(number);
        }
        if kinds.len() > MAX_KINDS {
            return Err(Error::Shape {
                problem: format!("the links have {} different combinations of rate and latency", kinds.len()),
                legal: format!("legal: at most {MAX_KINDS}"),
            });
        }
        let of = |kinds: &[u32]| kinds.iter().map(|&kind| numbers[kind as usize] as u8).collect::<Vec<u8>>();
        let [channels, endpoints] = [of(links.channels()), of(links.endpoints())];
        let ports = if kinds.len() == 1 { Vec::new() } else { [&channels[..], &endpoints, &endpoints].concat() };
        let count = kinds.len();
        Ok((Self { kinds: ByKind::new(kinds), count }, ports))
    }

    /// Returns a table in which all links are of one kind.
    pub(crate) fn uniform(link: Link) -> Self {
        Self { kinds: ByKind::new(vec![link]), count: 1 }
    }

    /// Returns whether all links are of one kind.
    #[inline]
    pub(crate) fn is_uniform(&self) -> bool {
        self.count == 1
    }

    /// Returns every kind of link once.
    pub(crate) fn kinds(&self) -> &[Link] {
        &self.kinds.0[..self.count]
    }

    /// Returns the link of `port`.
    #[inline(always)]
    pub(crate) fn of(&self, port: &Port) -> &Link {
        &self.kinds[port.kind]
    }

    /// Returns the link of this kind.
    #[inline]
    pub(crate) fn kind(&self, kind: u8) -> &Link {
        &self.kinds[kind]
    }

    /// Returns the kind of link with the longest transmission time of a full packet, regardless of latency.
    pub(crate) fn slowest(&self) -> &Link {
        self.kinds().iter().max_by_key(|link| link.time(link.mtu)).expect("there is a kind")
    }
}
