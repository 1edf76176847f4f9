//! A Dragonfly whose global cables are read from a file.

use std::path::Path;

use super::arrangement::MAX_GROUPS;
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder, MAX_SIZE, RackStructure};
use tulle_spec::plugin;

/// One end of a global cable: a group, and a switch in this group.
type End = [u32; 2];

plugin! {
    /// A Dragonfly of fully connected groups whose global cables are listed in a file (the map).
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct DragonflyMap(arguments) -> Error {
        /// switches per group
        a: u32 = integer(1, 8191);
        /// a CSV file with the header `group,switch,to_group,to_switch` and one line per global cable; groups, and the switches of each
        /// group, are numbered from 0
        map: String = path("a .csv file");
        /// endpoints per switch
        concentration "p": u32 = integer(0, 4095), default "1";
        /// groups
        groups "g": Option<u32> = integer(1, MAX_GROUPS), or "the largest group number in the map plus one";
        cables: Vec<[End; 2]> => read(Path::new(&map), a)?;
    }
    check {
        let last = cables.iter().flatten().map(|[group, _]| group + 1).max().unwrap_or(1);
        if let Some(given) = groups {
            arguments.check("g", given.into(), u64::from(last)..=MAX_GROUPS)?;
        }
        let count = groups.unwrap_or(last);
        let legal = "legal: a map that connects all groups";
        // This check comes before the search for paths, because the search needs memory for every group. The check ensures that the number
        // of groups is at most the number of cables plus one.
        if cables.len() as u64 + 1 < u64::from(count) {
            let problem = format!("has {} cables, too few to connect {count} groups", cables.len());
            return Err(arguments.bad("map", &map, &problem, legal).into());
        }
        if let Some(group) = unreached(&cables, count) {
            let problem = format!("has no path from group 0 to group {group}");
            return Err(arguments.bad("map", &map, &problem, legal).into());
        }
        groups = Some(count);
    }
    name: "dragonfly-map",
    summary: "Dragonfly with fully connected groups, whose global cables are listed in a file",
    paper: "Kim et al. (ISCA08) §3.1; Hastings et al.: Comparing global link arrangements (CLUSTER15)",
    limitations: "Every line of the map is one full-duplex cable; a repeated line is a parallel cable. All groups are \
        fully connected and have the same size. The average path length has no closed form. If the map connects every \
        two groups directly, the diameter is at most three; otherwise it has no closed form either.",
    examples: [
        "dragonfly-map:a=2,map=global.map.csv", "dragonfly-map:a=3,map=global.map.csv,p=2,g=3",
    ],
    rejects: [
        ("dragonfly-map:a=2", "needs map="),
        ("dragonfly-map:map=global.map.csv", "needs a="),
        ("dragonfly-map:a=2,map=absent.csv", "absent.csv: "),
        ("dragonfly-map:a=1,map=global.map.csv", "global.map.csv:2:3: switch 1 is out of range; legal: 0 to 0"),
        ("dragonfly-map:a=2,map=ring.csv", "ring.csv:1:1: columns "),
        ("dragonfly-map:a=2,map=global.map.csv,g=2", "g=2 is out of range; legal: 3 to"),
        ("dragonfly-map:a=2,map=global.map.csv,g=9", "has 3 cables, too few to connect 9 groups"),
        ("dragonfly-map:a=2,map=global.map.csv,g=4", "has no path from group 0 to group 3; legal: a map that connects all groups"),
    ],
}

/// The columns of a map.
const COLUMNS: [&str; 4] = ["group", "switch", "to_group", "to_switch"];

/// The most bytes of a map.
const MOST_BYTES: u64 = 1 << 30;

/// Reads a map, which lists the global cables between groups of `size` switches.
fn read(path: &Path, size: u32) -> Result<Vec<[End; 2]>, Error> {
    let failed = |source| Error::File { path: path.to_owned(), source };
    let bad =
        |line: usize, column: usize, problem: String| Error::Format { path: path.to_owned(), line, column, problem };
    let bytes = std::fs::metadata(path).map_err(failed)?.len();
    if bytes > MOST_BYTES {
        return Err(bad(1, 1, format!("{bytes} bytes are too many; legal: at most 1 GiB")));
    }
    let text = std::fs::read_to_string(path).map_err(failed)?;
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let header: Vec<&str> = lines.next().map(|(_, line)| line.split(',').map(str::trim).collect()).unwrap_or_default();
    if header != COLUMNS {
        return Err(bad(
            1,
            1,
            format!("columns are not those of a map of global cables; legal: {}", COLUMNS.join(",")),
        ));
    }
    let mut cables = Vec::new();
    for (number, line) in lines {
        let mut values = [0u32; 4];
        let mut column = 1;
        let fields: Vec<&str> = line.split(',').collect();
        if fields.len() != COLUMNS.len() {
            return Err(bad(number, 1, format!("{} values; legal: {}, as in the header", fields.len(), COLUMNS.len())));
        }
        for ((value, field), name) in values.iter_mut().zip(&fields).zip(["group", "switch", "group", "switch"]) {
            let most = if name == "group" { MAX_GROUPS - 1 } else { u64::from(size) - 1 };
            *value = match field.trim().parse::<u64>() {
                Ok(read) if read <= most => read as u32,
                Ok(read) => {
                    return Err(bad(number, column, format!("{name} {read} is out of range; legal: 0 to {most}")));
                }
                Err(_) => {
                    let shown: String = field.trim().chars().take(60).collect();
                    return Err(bad(number, column, format!("{name} {shown:?} is not a number; legal: 0 to {most}")));
                }
            };
            column += field.chars().count() + 1;
        }
        let [from, switch, to, other] = values;
        if from == to {
            return Err(bad(number, 1, format!("a global cable within group {from}; legal: between two groups")));
        }
        if cables.len() as u64 == MAX_SIZE {
            return Err(bad(number, 1, format!("too many cables; legal: at most {}", MAX_SIZE)));
        }
        cables.push([[from, switch], [to, other]]);
    }
    Ok(cables)
}

/// Returns the first of `count` groups that cannot be reached from group 0 over global cables.
fn unreached(cables: &[[End; 2]], count: u32) -> Option<u32> {
    let mut neighbours = vec![Vec::new(); count as usize];
    for [[a, _], [b, _]] in cables {
        neighbours[*a as usize].push(*b);
        neighbours[*b as usize].push(*a);
    }
    let mut is_reached = vec![false; count as usize];
    is_reached[0] = true;
    let mut open = vec![0u32];
    while let Some(group) = open.pop() {
        for &next in &neighbours[group as usize] {
            if !std::mem::replace(&mut is_reached[next as usize], true) {
                open.push(next);
            }
        }
    }
    is_reached.iter().zip(0..).find(|&(&reached, _)| !reached).map(|(_, group)| group)
}

impl DragonflyMap {
    fn groups(&self) -> u32 {
        self.groups.unwrap_or(1)
    }

    /// Returns whether a cable connects every two groups.
    fn joins_all(&self) -> bool {
        let mut pairs: Vec<[u32; 2]> = self.cables.iter().map(|[[a, _], [b, _]]| [*a.min(b), *a.max(b)]).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs.len() as u64 == u64::from(self.groups()) * u64::from(self.groups() - 1) / 2
    }

    /// Returns the maximum number of global cables of a switch.
    fn global(&self) -> u64 {
        let mut ends: Vec<&End> = self.cables.iter().flatten().collect();
        ends.sort_unstable();
        ends.chunk_by(|a, b| a == b).map(|run| run.len() as u64).max().unwrap_or(0)
    }
}

impl Family for DragonflyMap {
    const RACKS: RackStructure = RackStructure::Groups;

    fn expect(&self) -> Expect {
        let [a, groups, concentration] = [self.a, self.groups(), self.concentration].map(u64::from);
        let network_radix = a - 1 + self.global();
        Expect {
            switches: a * groups,
            endpoints: a * groups * concentration,
            cables: groups * a * (a - 1) / 2 + self.cables.len() as u64,
            network_radix,
            concentration,
            radix: network_radix + concentration,
            diameter: if self.joins_all() { Diameter::AtMost(3) } else { Diameter::Unknown },
            hops: Hops::Unknown,
        }
    }

    /// Returns an upper bound on the throughput. It follows from the capacity of the global channels, because all traffic between groups
    /// crosses a global channel.
    fn all_to_all(&self) -> Option<f64> {
        let [a, groups] = [self.a, self.groups()].map(u128::from);
        let crossing = groups * (groups - 1) * a * a;
        (crossing > 0).then(|| self.expect().carried(2 * self.cables.len() as u64, crossing))
    }

    /// Switch r of group G has the id G·a + r.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let a = self.a;
        let mut builder = FabricBuilder::new(a * self.groups());
        builder.classes(&["local", "global"]);
        for first in (0..self.groups()).map(|group| group * a) {
            for one in 0..a {
                (one + 1..a).for_each(|other| builder.cable_of(first + one, first + other, 0, 0));
            }
        }
        for [one, other] in &self.cables {
            let [one, other] = [one, other].map(|[group, switch]| group * a + switch);
            builder.cable_of(one, other, 1, 1);
        }
        builder.coordinates(&["group", "switch"], |switch| vec![switch / a, switch % a]);
        builder.endpoints_each(self.concentration as usize);
        builder.member(self)
    }
}

#[cfg(test)]
mod tests {
    use crate::build;

    fn map(name: &str, text: &str) -> String {
        let path = std::env::temp_dir().join(format!("tulle-map-{}-{name}.csv", std::process::id()));
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    #[test]
    fn the_map_of_an_arrangement_gives_its_dragonfly() {
        let dragonfly = build("dragonfly:p=2,arrangement=relative", 0).unwrap();
        let mut text = String::from("group,switch,to_group,to_switch\n");
        for cable in dragonfly.cables().filter(|&cable| dragonfly.classes()[cable as usize] == 1) {
            let [a, b] = [dragonfly.sources(), dragonfly.targets()].map(|ends| ends[cable as usize]);
            text += &format!("{},{},{},{}\n", a / 4, a % 4, b / 4, b % 4);
        }
        let path = map("relative", &text);
        let mapped = build(&format!("dragonfly-map:a=4,map={path},p=2"), 0).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!((mapped.targets(), mapped.classes()), (dragonfly.targets(), dragonfly.classes()));
        assert_eq!(mapped.coordinates(), dragonfly.coordinates());
    }

    #[test]
    fn bad_maps_are_refused_where_they_are_bad() {
        for (name, text, fragment) in [
            ("few", "group,switch,to_group,to_switch\n0,0,1\n", ":2:1: 3 values; legal: 4"),
            ("word", "group,switch,to_group,to_switch\n\n0,0,x,1\n", ":3:5: group \"x\" is not a number"),
            ("within", "group,switch,to_group,to_switch\n1,0,1,1\n", "a global cable within group 1"),
            ("far", "group,switch,to_group,to_switch\n0,0,1,9\n", "switch 9 is out of range; legal: 0 to 3"),
            ("empty", "", "columns are not those of a map of global cables"),
        ] {
            let path = map(name, text);
            let error = build(&format!("dragonfly-map:a=4,map={path}"), 0).unwrap_err().to_string();
            std::fs::remove_file(&path).unwrap();
            assert!(error.contains(fragment), "{name}: {error}");
        }
    }
}
