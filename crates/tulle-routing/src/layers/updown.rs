//! The scheme `updown`: in fabrics with levels, paths lead up to a common ancestor and then down.

mod ascent;

use std::borrow::Cow;

use rand::RngExt;
use rayon::prelude::*;
use tulle_base::random::stream;
use tulle_fabric::{Fabric, LevelSource, levels_by};
use tulle_spec::{Plugin, plugin, words};

use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::scheme::Scheme;
use crate::{Error, Routes, Table, TableBuilder};
use ascent::Ascent;

words! {
    enum Choice {
        DModK = "dmodk",
        Random = "random",
        All = "all",
    }
}

plugin! {
    pub struct UpDown(arguments) {
        /// choice among equally good next hops; dmodk: by the number of the destination (D-mod-k); random: one at random; all: all of them
        /// (ECMP)
        choice: Choice = word(Choice::WORDS), default "dmodk";
        /// number of layers n, each with different choices; with dmodk, a layer consists of one address of every switch
        layers: u8 = integer(1, 255), default "1";
        /// source of the switches' levels; given: the fabric; roles, names: the roles or names of switches; distance: the hops to the
        /// nearest switch with endpoints; auto: the first of these sources that gives different levels to the two switches of every cable
        levels: LevelSource = word(LevelSource::WORDS), implied "auto";
    }
    check {
        if choice == Choice::All && layers > 1 {
            let values = format!("choice=all,layers={layers}");
            return Err(arguments.clash(values, "give equal layers", "legal: layers=1, or another value of choice="));
        }
    }
    name: "updown",
    summary: "up to the nearest common ancestor and then down, in trees, Clos networks and other fabrics with levels",
    paper: "Kathareios et al. (SC15) §3, FatPaths §VII-A3 (fat trees); D-mod-k: Zahavi, Fat-tree routing and node ordering \
        providing contention free traffic for MPI global collectives, JPDC 2012",
    limitations: "A switch forwards down if the destination is below it, otherwise up. So paths between switches with \
        endpoints are up-down paths and cannot deadlock. To some switches without endpoints (spines), no up-down path \
        may exist; packets then use the shortest path to a switch at which an up-down path begins. In one layer, \
        D-mod-k routes all traffic to a switch over one common ancestor, so it balances links only if there are as \
        many layers as endpoints per switch. With levels=roles or names, every role or name must contain a known word, \
        for example tor, leaf, aggregation, spine or core.",
    examples: ["updown", "updown:levels=distance", "updown:choice=random,layers=2", "updown:choice=all"],
    rejects: [
        ("updown:choice=first", "choice=first is not a choice; legal: dmodk, random, all"),
        ("updown:levels=height", "levels=height is not a choice; legal: auto, given, roles, names, distance"),
        ("updown:layers=0", "layers=0 is out of range; legal: 1 to 255"),
        ("updown:choice=all,layers=2", "choice=all,layers=2 give equal layers"),
    ],
}

impl Scheme for UpDown {
    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error> {
        connected_distances(&UpDown::INFO, fabric, &LayerLinks::all(fabric))?;
        let with_levels = self.with_levels(fabric)?;
        let fabric = &*with_levels;
        let ascent = Ascent::new(fabric);
        if let Some((source, destination)) = ascent.first_without_path(fabric) {
            return Err(Error::Fabric {
                scheme: UpDown::INFO.name.to_owned(),
                problem: format!(
                    "{} has no up-down path from switch {} to {}",
                    fabric.spec(),
                    fabric.called(source),
                    fabric.called(destination)
                ),
                legal: "legal: fabrics in which any two switches with endpoints have a common ancestor".to_owned(),
            });
        }
        let numbers = numbers(fabric);
        let strides = strides(fabric);
        let layers = (0..u64::from(self.layers)).map(|layer| {
            self.table(fabric, &ascent, |switch, destination, ports| match self.choice {
                Choice::All => {}
                Choice::DModK => {
                    let number = numbers[destination as usize] * u64::from(self.layers) + layer;
                    let port = match side_by_side(fabric, switch, ports) {
                        // Downward, the chosen port is that of the cable over which the switch below would send upward. If that switch
                        // spreads destinations evenly over its upward cables, the load on the downward cables is also even.
                        Some(below) => {
                            let upward = number / strides[below as usize] % upward(fabric, below);
                            ports[(upward % ports.len() as u64) as usize]
                        }
                        None => ports[(number / strides[switch as usize] % ports.len() as u64) as usize],
                    };
                    ports.clear();
                    ports.push(port);
                }
                Choice::Random => {
                    let pairs = (fabric.num_switches() as u64).pow(2);
                    let pair = u64::from(switch) * fabric.num_switches() as u64 + u64::from(destination);
                    let mut rng = stream(seed, "routing/updown", layer * pairs + pair);
                    let port = ports[rng.random_range(0..ports.len())];
                    ports.clear();
                    ports.push(port);
                }
            })
        });
        Ok(Routes::Layers(layers.collect()))
    }

    fn notes(&self, fabric: &Fabric) -> Vec<String> {
        let sources = [LevelSource::Given, LevelSource::Roles, LevelSource::Names, LevelSource::Distance];
        let sources = sources.into_iter().filter(|&source| [source, LevelSource::Auto].contains(&self.levels));
        let found = sources.filter_map(|source| Some((source, levels_by(fabric, source)?))).next();
        let Some((source, levels)) = found else { return Vec::new() };
        let origin = match source {
            LevelSource::Auto | LevelSource::Given => return Vec::new(),
            LevelSource::Roles => "the roles of switches",
            LevelSource::Names => "the names of switches",
            LevelSource::Distance => "the hops to the nearest switch with endpoints",
        };
        let top = levels.iter().copied().max().unwrap_or(0);
        let counts: Vec<String> =
            (0..=top).map(|level| levels.iter().filter(|&&of| of == level).count().to_string()).collect();
        vec![format!(
            "updown: the levels come from {origin}; numbers of switches on levels 0, 1, …: {}; the parameter levels= selects another \
             source",
            counts.join(", ")
        )]
    }
}

impl UpDown {
    /// Returns `fabric` with levels such that the two switches of every cable are on different levels.
    fn with_levels<'a>(&self, fabric: &'a Fabric) -> Result<Cow<'a, Fabric>, Error> {
        match levels_by(fabric, self.levels) {
            Some(levels) if levels == fabric.levels() => Ok(Cow::Borrowed(fabric)),
            Some(levels) => Ok(Cow::Owned(fabric.with_levels(levels))),
            None => Err(no_levels(fabric, self.levels)),
        }
    }

    /// Returns a table with the next hops that `choose` selects among the equally good next hops.
    fn table(&self, fabric: &Fabric, ascent: &Ascent, choose: impl Fn(u32, u32, &mut Vec<u16>) + Sync) -> Table {
        let switches = fabric.num_switches() as u32;
        let mut builder = TableBuilder::new(fabric);
        builder.rows().for_each_init(Vec::new, |ports, mut row| {
            let switch = row.switch;
            for destination in (0..switches).filter(|&destination| destination != switch) {
                ascent.next_hops(fabric, switch, destination, ports);
                choose(switch, destination, ports);
                row.set(destination, ports);
            }
        });
        builder.finish()
    }
}

/// Returns the error for a fabric whose switches get no levels from `source`, or in which some cable joins two switches of equal level.
fn no_levels(fabric: &Fabric, source: LevelSource) -> Error {
    let level = |switch: u32| fabric.levels()[switch as usize];
    let ends = |cable: u32| (fabric.sources()[cable as usize], fabric.targets()[cable as usize]);
    let level_cable = fabric.cables().map(ends).find(|&(a, b)| level(a) == level(b));
    let why = match (source, level_cable) {
        (LevelSource::Auto | LevelSource::Given, Some((a, b))) => format!(
            "has a cable between switches {} and {}, both on level {}",
            fabric.called(a),
            fabric.called(b),
            level(a)
        ),
        _ => format!(
            "cannot get levels from {}: some switch has no level, or some cable joins two switches of equal level",
            source.word()
        ),
    };
    Error::Fabric {
        scheme: UpDown::INFO.name.to_owned(),
        problem: format!("{} {why}", fabric.spec()),
        legal:
            "legal: trees, Clos networks and other fabrics in which every cable joins two different levels; or levels \
            from levels=roles, levels=names, levels=distance, or a column `level` in the nodes file"
                .to_owned(),
    }
}

/// Returns, per switch, its number as a destination of D-mod-k. Switches with endpoints are numbered from 0. Switches without endpoints
/// have a separate numbering, also from 0. If there are as many layers as endpoints per switch, each pair of a destination number and a
/// layer stands for one endpoint.
fn numbers(fabric: &Fabric) -> Vec<u64> {
    let mut next = [0; 2];
    let number = |switch| {
        let next = &mut next[usize::from(fabric.endpoints_of(switch).is_empty())];
        *next += 1;
        *next - 1
    };
    (0..fabric.num_switches() as u32).map(number).collect()
}

/// If there are several `ports` and all of them lead down to the same switch, returns this switch.
fn side_by_side(fabric: &Fabric, switch: u32, ports: &[u16]) -> Option<u32> {
    let next = |port: u16| fabric.neighbours(switch)[usize::from(port)];
    let below = next(*ports.first()?);
    let is_below = fabric.levels()[below as usize] < fabric.levels()[switch as usize];
    (is_below && ports.len() > 1 && ports.iter().all(|&port| next(port) == below)).then_some(below)
}

/// Returns the number of ports of `switch` that lead upward.
fn upward(fabric: &Fabric, switch: u32) -> u64 {
    let level = |switch: u32| fabric.levels()[switch as usize];
    fabric.neighbours(switch).iter().filter(|&&next| level(next) > level(switch)).count() as u64
}

/// Returns, per switch, how many consecutive destinations use the same port. This number is a product with one factor per lower level: the
/// maximum number of upward ports of a switch on that level, but at least 1.
fn strides(fabric: &Fabric) -> Vec<u64> {
    let levels = fabric.levels();
    let mut most = [0u64; 256];
    for switch in 0..fabric.num_switches() as u32 {
        let level = levels[switch as usize];
        most[usize::from(level)] = most[usize::from(level)].max(upward(fabric, switch));
    }
    let below =
        |level: u8| most[..usize::from(level)].iter().fold(1u64, |stride, &up| stride.saturating_mul(up.max(1)));
    levels.iter().map(|&level| below(level)).collect()
}
