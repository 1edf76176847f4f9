//! Converts routings to and from arrays of channel numbers, so that programs can provide their own routings.

mod next_hop;

use rayon::prelude::*;
use tulle_base::{memory, task};
use tulle_fabric::Fabric;

use crate::columns::port;
use crate::quality::PairPaths;
use crate::{Error, Routes, Routing, SourcePaths, verify_paths};
pub use next_hop::NextHops;

/// Maximum number of switches, and of ports of a switch. Groups have 16-bit numbers, and a switch can have one group per port plus one
/// group per destination.
const MAX_IDS: usize = 32_767;

/// Paths as arrays. Each array has one entry per path, except `offsets` and `channels`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PathColumns {
    /// The first switch of each path.
    pub source: Vec<u32>,
    /// The last switch of each path.
    pub destination: Vec<u32>,
    /// The position of each path's first channel in `channels`. The array has one further entry at the end: the number of channels.
    pub offsets: Vec<u64>,
    /// The channels of all paths, one path after the other.
    pub channels: Vec<u32>,
}

impl PathColumns {
    fn bytes(&self) -> u64 {
        (size_of_val(&*self.source) * 2 + size_of_val(&*self.offsets) + size_of_val(&*self.channels)) as u64
    }
}

impl Routing {
    /// Returns a path set. Path `i` has the channels `channels[offsets[i]..offsets[i + 1]]`, and leads from the source of its first channel
    /// to the target of its last channel. The paths of each pair of switches stay in the order of the arrays.
    ///
    /// # Errors
    /// Fails if the offsets do not ascend from 0 to the number of channels. Also fails if a path is empty, contains an unknown channel, or
    /// visits a switch twice. Each channel of a path must start where the previous channel ends.
    pub fn from_paths(fabric: &Fabric, offsets: &[i64], channels: &[i64]) -> Result<Self, Error> {
        let switches = fits(fabric)?;
        let ends = (offsets.first().copied(), offsets.last().copied());
        if ends != (Some(0), i64::try_from(channels.len()).ok()) {
            let problem = format!("first entry {}, last entry {}", text(ends.0), text(ends.1));
            return Err(array(
                "offsets",
                problem,
                format!("legal: first entry 0, last entry {}, the number of channels", channels.len()),
            ));
        }
        let mut by_source: Vec<Vec<(u32, Vec<u16>)>> = vec![Vec::new(); switches];
        for (number, bounds) in offsets.windows(2).enumerate() {
            let path = usize::try_from(bounds[0]).ok().zip(usize::try_from(bounds[1]).ok());
            let path = path.and_then(|(from, to)| channels.get(from..to)).ok_or_else(|| {
                array(
                    "offsets",
                    format!("{} is followed by {}", bounds[0], bounds[1]),
                    "legal: ascending entries".to_owned(),
                )
            })?;
            let (source, destination, ports) = read_path(fabric, number, path)?;
            by_source[source as usize].push((destination, ports));
        }
        let sources = by_source.into_par_iter().map(|mut paths| {
            // The sort is stable, so the paths of each pair stay in the order of the arrays.
            paths.sort_by_key(|&(destination, _)| destination);
            let mut source = SourcePaths::default();
            let mut rest = &paths[..];
            for destination in 0..switches as u32 {
                let (mine, others) = rest.split_at(rest.partition_point(|&(to, _)| to <= destination));
                source.destination(mine.iter().map(|(_, ports)| &ports[..]));
                rest = others;
            }
            source
        });
        let set = SourcePaths::join(sources.collect());
        verify_paths(fabric, &set)?;
        Ok(Self::new("paths".to_owned(), Routes::Paths(set)))
    }

    /// Returns the paths of all ordered pairs of distinct switches, ordered by source, then by destination. If the routing consists of
    /// tables, each pair has one path per layer, which uses the lowest port of every group. If it is a path set, each pair has all its
    /// paths, in order.
    pub fn path_columns(&self, fabric: &Fabric) -> PathColumns {
        let switches = 0..fabric.num_switches() as u32;
        let what = || format!("the paths of {} as columns", self.spec());
        let made = memory::Parts::new(fabric.num_switches() as u64);
        let parts: Vec<PathColumns> = switches
            .clone()
            .into_par_iter()
            .map(|source| {
                let (mut part, mut paths) = (PathColumns::default(), PairPaths::new());
                for destination in switches.clone() {
                    task::check();
                    paths.fill(fabric, self, source, destination);
                    for path in paths.iter() {
                        part.source.push(source);
                        part.destination.push(destination);
                        part.channels.extend_from_slice(path);
                        part.offsets.push(part.channels.len() as u64);
                    }
                }
                memory::must(made.made(what, part.bytes()));
                part
            })
            .collect();
        let paths = parts.iter().map(|part| part.source.len()).sum();
        let mut all = PathColumns {
            source: memory::must(memory::reserved(what, paths)),
            destination: memory::must(memory::reserved(what, paths)),
            offsets: memory::must(memory::reserved(what, paths + 1)),
            channels: memory::must(memory::reserved(what, parts.iter().map(|part| part.channels.len()).sum())),
        };
        all.offsets.push(0);
        for part in parts {
            let before = all.channels.len() as u64;
            all.source.extend(part.source);
            all.destination.extend(part.destination);
            all.offsets.extend(part.offsets.iter().map(|end| before + end));
            all.channels.extend(part.channels);
        }
        all
    }
}

/// Returns the number of switches. Fails if port numbers or group numbers do not fit in 16 bits.
fn fits(fabric: &Fabric) -> Result<usize, Error> {
    let widest = (0..fabric.num_switches() as u32).map(|switch| fabric.degree(switch)).max().unwrap_or(0);
    if fabric.num_switches() > MAX_IDS || widest > MAX_IDS {
        let problem = format!("{} switches with up to {widest} ports", fabric.num_switches());
        return Err(array("fabric", problem, format!("legal: at most {MAX_IDS} of each")));
    }
    Ok(fabric.num_switches())
}

/// Returns the source, the destination and the ports of path number `number`.
fn read_path(fabric: &Fabric, number: usize, path: &[i64]) -> Result<(u32, u32, Vec<u16>), Error> {
    let told = |problem: String, legal: String| array(&format!("path {number}"), problem, legal);
    if path.is_empty() || path.len() >= fabric.num_switches().max(1) {
        let most = fabric.num_switches().saturating_sub(1);
        return Err(told(format!("{} hops", path.len()), format!("legal: 1 to {most}")));
    }
    let mut ports = Vec::with_capacity(path.len());
    let mut ends: Option<(u32, u32)> = None;
    for &channel in path {
        let there = usize::try_from(channel).ok().filter(|&channel| channel < fabric.num_channels());
        let Some(there) = there else {
            let most = fabric.num_channels().saturating_sub(1);
            return Err(told(format!("channel {channel}"), format!("legal: 0 to {most}")));
        };
        let (from, to) = (fabric.sources()[there], fabric.targets()[there]);
        if let Some((_, at)) = ends.filter(|&(_, at)| at != from) {
            let problem = format!("channel {channel} leaves switch {from}");
            let legal = format!("a channel of switch {at}, where the previous channel ends");
            let hint = if is_walk(fabric, path) {
                " (this path seems to list switch numbers instead of channel numbers)"
            } else {
                ""
            };
            return Err(told(problem, format!("legal: {legal}{hint}")));
        }
        ends = Some((ends.map_or(from, |(source, _)| source), to));
        ports.push(port(fabric, there as u32));
    }
    let (source, destination) = ends.expect("the path has a channel");
    if source == destination {
        return Err(told(format!("leads from switch {source} to itself"), "legal: two switches".to_owned()));
    }
    Ok((source, destination, ports))
}

/// Returns whether `numbers` are ids of switches, each adjacent to the previous one.
fn is_walk(fabric: &Fabric, numbers: &[i64]) -> bool {
    let switches: Option<Vec<u32>> = numbers.iter().map(|&number| u32::try_from(number).ok()).collect();
    let there = |switch: &u32| (*switch as usize) < fabric.num_switches();
    switches.is_some_and(|switches| {
        switches.iter().all(there) && switches.windows(2).all(|two| fabric.neighbours(two[0]).contains(&two[1]))
    })
}

fn array(what: &str, problem: String, legal: String) -> Error {
    Error::Array { what: what.to_owned(), problem, legal }
}

fn text(value: Option<i64>) -> String {
    value.map_or("missing".to_owned(), |value| value.to_string())
}
