//! Finds the levels of switches in trees and Clos networks read from files: by roles, names, or distance to endpoints.

use tulle_spec::words;

use crate::Fabric;

words! {
    /// Where levels come from.
    pub enum LevelSource {
        /// Tries the other sources in the order of their declaration. The first source that gives the two ends of every cable different
        /// levels is used.
        Auto = "auto",
        /// The levels that the fabric already has.
        Given = "given",
        /// Roles, as leaf, spine, core.
        Roles = "roles",
        /// Words in names, as in `dc1-spine-03`.
        Names = "names",
        /// The level of a switch is the number of hops to the nearest switch with endpoints.
        Distance = "distance",
    }
}

/// Words for levels in names, from the endpoints upward. Operators combine these words differently (ToR, leaf, spine; edge, aggregation,
/// core; leaf, spine, superspine). So only their order counts: the words in use are numbered consecutively.
const TIERS: [&[&str]; 5] = [
    &["tor", "access", "edge", "rack"],
    &["leaf", "leafs", "leaves", "lf"],
    &["agg", "aggr", "aggregation", "distribution", "dist", "pod"],
    &["spine", "spines", "sp"],
    &["core", "cores", "superspine", "superspines", "ssp"],
];

/// Maximum number of hops to endpoints, because a level is stored in a byte.
const MOST: u32 = 255;

/// Returns the levels of the switches of `fabric`, computed from `source`; `None` if they are unknown, or if a cable joins two switches of
/// the same level.
pub fn levels_by(fabric: &Fabric, source: LevelSource) -> Option<Vec<u8>> {
    let levels = match source {
        LevelSource::Auto => {
            let sources = [LevelSource::Given, LevelSource::Roles, LevelSource::Names, LevelSource::Distance];
            return sources.into_iter().find_map(|source| levels_by(fabric, source));
        }
        LevelSource::Given => fabric.levels().to_vec(),
        LevelSource::Roles => by_words(fabric, |switch| fabric.switch_role(switch).map(str::to_owned))?,
        LevelSource::Names => by_words(fabric, |switch| Some(fabric.label(switch)))?,
        LevelSource::Distance => by_distance(fabric)?,
    };
    let level = |switch: u32| levels[switch as usize];
    let ends = |cable: u32| (fabric.sources()[cable as usize], fabric.targets()[cable as usize]);
    fabric.cables().map(ends).all(|(a, b)| level(a) != level(b)).then_some(levels)
}

fn by_words(fabric: &Fabric, text: impl Fn(u32) -> Option<String>) -> Option<Vec<u8>> {
    let tiers: Option<Vec<usize>> = (0..fabric.num_switches() as u32).map(|switch| tier(&text(switch)?)).collect();
    let tiers = tiers?;
    let mut used = tiers.clone();
    used.sort_unstable();
    used.dedup();
    tiers.iter().map(|tier| used.binary_search(tier).ok().map(|level| level as u8)).collect()
}

/// Returns the tier that the words of `text` name; `None` if the text names no tier or several tiers.
fn tier(text: &str) -> Option<usize> {
    let text = text.to_lowercase().replace("super-spine", "superspine").replace("super_spine", "superspine");
    let words = text.split(|letter: char| !letter.is_alphabetic());
    let mut found = words.filter_map(|word| TIERS.iter().position(|tier| tier.contains(&word)));
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

fn by_distance(fabric: &Fabric) -> Option<Vec<u8>> {
    let switches = fabric.num_switches();
    let mut levels = vec![MOST + 1; switches];
    let mut queue: Vec<u32> = (0..switches as u32).filter(|&switch| !fabric.endpoints_of(switch).is_empty()).collect();
    queue.iter().for_each(|&switch| levels[switch as usize] = 0);
    let mut at = 0;
    while let Some(&switch) = queue.get(at) {
        at += 1;
        for &next in fabric.neighbours(switch) {
            if levels[next as usize] > MOST {
                levels[next as usize] = levels[switch as usize] + 1;
                queue.push(next);
            }
        }
    }
    levels.into_iter().map(|level| u8::try_from(level).ok()).collect()
}

impl Fabric {
    /// Returns this fabric with other levels, one per switch.
    #[must_use]
    pub fn with_levels(&self, levels: Vec<u8>) -> Self {
        assert_eq!(levels.len(), self.num_switches(), "one level per switch");
        let mut fabric = self.clone();
        fabric.levels = levels;
        fabric
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FabricBuilder;

    #[test]
    fn names_of_levels_are_recognised() {
        for (text, tier_of) in [
            ("leaf1", Some(1)),
            ("DC1-Spine-03", Some(3)),
            ("super-spine 2", Some(4)),
            ("MF0;leaf01:MQM8700/U1", Some(1)),
            ("tor_7", Some(0)),
            ("s1", None),
            ("leaf-to-spine", None),
            ("ringleader", None),
        ] {
            assert_eq!(tier(text), tier_of, "{text}");
        }
    }

    /// A two-level tree with 3 leaves and 2 spines, whose levels are not stored.
    fn tree(names: &[&str], endpoints: bool) -> Fabric {
        let mut builder = FabricBuilder::new(5);
        (0..3).for_each(|leaf| (3..5).for_each(|spine| builder.cable(leaf, spine)));
        if endpoints {
            (0..3).for_each(|leaf| builder.endpoints(leaf, 2));
        }
        if !names.is_empty() {
            builder.labels(names.iter().map(|&name| name.to_owned()).collect());
        }
        builder.finish("tree", tulle_spec::Parameters::default()).unwrap()
    }

    #[test]
    fn levels_come_from_names_or_from_the_distance_to_endpoints() {
        let names = ["tor1", "tor2", "tor3", "spine1", "spine2"];
        assert_eq!(levels_by(&tree(&names, false), LevelSource::Auto), Some(vec![0, 0, 0, 1, 1]));
        assert_eq!(levels_by(&tree(&names, true), LevelSource::Roles), None);
        assert_eq!(levels_by(&tree(&[], true), LevelSource::Names), None);
        assert_eq!(levels_by(&tree(&[], true), LevelSource::Auto), Some(vec![0, 0, 0, 1, 1]));
        assert_eq!(levels_by(&tree(&[], false), LevelSource::Auto), None);
    }
}
