//! The floor: distances between racks, capacity of racks, and the reach of copper.

use tulle_spec::{Plugin, SpecError, plugin};

/// The height of a rack unit (EIA-310: 1.75 inches).
pub const UNIT_MICROMETRES: u64 = 44_450;

/// Upper limit of distances and slack, in millimetres.
const FAR: u64 = 1_000_000;

/// Maximum number of racks in a column. No fabric has more switches and endpoints than this.
const MOST_ROWS: u64 = 1 << 29;

plugin! {
    /// Cables between racks run along rows and columns, so their length is the Manhattan distance.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Floor(arguments) {
        /// distance from a column of racks to the next
        pub column: u64 = length_of(0, FAR), default "210cm";
        /// distance from a rack to the next in its column
        pub row: u64 = length_of(0, FAR), default "60cm";
        /// length added to every cable between racks, for its vertical parts and slack
        pub slack: u64 = length_of(0, FAR), default "2m";
        /// slack added to the height difference of a cable inside a rack, if inside=by-height
        pub extra: u64 = length_of(0, FAR), default "1m";
        /// length of every cable inside a rack; by-height computes it from the heights of both ends
        pub inside: Option<u64> = or("by-height", &length_of(0, FAR)), default "by-height";
        /// height of a rack in rack units (U)
        pub units: u32 = integer(1, 1000), default "42";
        /// number of hosts of 1 U that share one rack unit (U)
        pub density: u32 = integer(1, 64), default "2";
        /// number of endpoints per host: the ports of all its NICs
        pub nics: u32 = integer(1, 64), implied "1";
        /// height of a host in rack units (U)
        pub host: u32 = integer(1, 1000), note "at most units", implied "1";
        /// number of racks in a column; grids and trees of three or more levels define their own columns
        pub rows: Option<u32> = or("auto", &integer(1, MOST_ROWS)), default "auto";
        /// number of spine switches in a rack
        pub spines: u32 = integer(1, 1000), note "at most units", default "24";
        /// number of optical switches or patch panels in a rack
        pub devices: u32 = integer(1, 1000), note "at most units", default "4";
        /// where cables may be copper: within a rack, within the racks of a group, or everywhere
        pub copper: Copper = word(Copper::WORDS), default "group";
        /// maximum length of copper cables
        pub reach: u64 = length_of(0, FAR), default "5m";
    }
    check {
        for (name, count) in [("spines", spines), ("devices", devices), ("host", host)] {
            let given = arguments.has(name) || arguments.has("units");
            if count > units && given {
                return Err(arguments.clash(
                    format!("{name}={count}, units={units}"), "do not fit in a rack", format!("legal: {name}=1 to {units}"),
                ));
            }
        }
    }
    name: "floor",
    summary: "racks on a floor: distances, heights, slack, and which cables are copper",
    paper: "Flattened Clos (NSDI23) App. A.4 (Manhattan lengths, four OCSs or 24 spines to a rack); Slim Fly deployment (NSDI24) §3.1 \
        (copper inside racks, fibre between them)",
    limitations: "Racks are points: the position of a device in its rack does not change the length of a cable to \
        another rack. The default pitches fit a raised floor of 0.6 m tiles: one rack per tile, and 3.5 tiles from a column \
        of racks to the next. 5 m is the reach of 100GBASE-CR4. Switches are 1 U high.",
    examples: ["floor", "floor:column=2.5m,row=1.5m,slack=1m,inside=2m,copper=rack", "floor:units=1,spines=1,devices=1", "floor:nics=8,host=8"],
    rejects: [
        ("floor:column=5", "column=5 has no unit; did you mean 5m or 5mm?"),
        ("floor:row=2km", "row=2km is out of range; legal: 0 to 1km"),
        ("floor:units=0", "units=0 is out of range; legal: 1 to 1000"),
        ("floor:copper=some", "copper=some is not a choice; legal: rack, group, all"),
        ("floor:spines=43", "spines=43, units=42 do not fit in a rack; legal: spines=1 to 42"),
        ("floor:units=10", "spines=24, units=10 do not fit in a rack; legal: spines=1 to 10"),
        ("floor:host=43", "host=43, units=42 do not fit in a rack; legal: host=1 to 42"),
        ("floor:nics=0", "nics=0 is out of range; legal: 1 to 64"),
        ("floor:colum=2m", "unknown parameter 'colum=2m'"),
    ],
}

/// The cables that may be copper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copper {
    /// Cables inside a rack.
    Rack,
    /// Cables within the racks of a group, for example a Slim Fly's column or a Dragonfly's group.
    Group,
    /// All cables.
    All,
}

impl Copper {
    const WORDS: &[&str] = &["rack", "group", "all"];
}

impl tulle_spec::Field for Copper {
    const SORT: tulle_spec::Sort = tulle_spec::Sort::Word;

    fn from_raw(raw: tulle_spec::Raw) -> Result<Self, &'static str> {
        match raw {
            tulle_spec::Raw::Word("rack") => Ok(Self::Rack),
            tulle_spec::Raw::Word("group") => Ok(Self::Group),
            tulle_spec::Raw::Word("all") => Ok(Self::All),
            _ => Err("is not a choice"),
        }
    }

    fn raw(&self) -> Option<tulle_spec::Raw> {
        Some(tulle_spec::Raw::Word(Self::WORDS[*self as usize]))
    }
}

impl Default for Floor {
    fn default() -> Self {
        Self::parse("floor", &()).expect("every parameter of a floor has a default")
    }
}

/// The place of a rack: column and row, which can be negative.
pub type Place = [i32; 2];

impl Floor {
    /// Parses a floor from `key=value,…`.
    ///
    /// # Errors
    /// Fails if the text has an unknown key or an illegal value.
    pub fn read(text: &str) -> Result<Self, SpecError> {
        let text = text.trim();
        if text.is_empty() { Self::parse("floor", &()) } else { Self::parse(&format!("floor:{text}"), &()) }
    }

    /// Returns the length of a cable between racks at two places, in millimetres.
    pub fn between(&self, a: Place, b: Place) -> u64 {
        let [columns, rows] = [0, 1].map(|at| u64::from(a[at].abs_diff(b[at])));
        columns * self.column + rows * self.row + self.slack
    }

    /// Returns the length of a cable inside a rack between two heights in U, in millimetres.
    pub fn within(&self, a: u16, b: u16) -> u64 {
        let height = u64::from(a.abs_diff(b)) * UNIT_MICROMETRES;
        self.inside.unwrap_or(self.extra + (height + 500) / 1000)
    }

    /// Returns the number of rack units that the hosts of `endpoints` endpoints need.
    pub(crate) fn height(&self, endpoints: u64) -> u64 {
        endpoints.div_ceil(u64::from(self.together())) * u64::from(self.host)
    }

    /// Returns the number of endpoints in a rack unit. If a host is higher than one unit, returns the number of endpoints of one host.
    pub(crate) fn together(&self) -> u32 {
        if self.host == 1 { self.density * self.nics } else { self.nics }
    }

    /// Returns the number of racks per column. If the floor description does not set this number, it is chosen so that `racks` racks fill
    /// about a square area.
    pub(crate) fn rows_for(&self, racks: u64) -> u64 {
        if let Some(rows) = self.rows {
            return rows.into();
        }
        let square = (racks as f64 * self.column.max(1) as f64 / self.row.max(1) as f64).sqrt().ceil();
        (square as u64).clamp(1, racks.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tulle_spec::Registered;

    #[test]
    fn examples_are_read_and_rejects_are_refused() {
        for example in Floor::INFO.examples {
            let floor = Floor::parse(example, &()).unwrap();
            assert_eq!(Floor::parse(&floor.spec(), &()).unwrap(), floor);
        }
        for (reject, fragment) in Floor::INFO.rejects {
            let error = Floor::parse(reject, &()).unwrap_err().to_string();
            assert!(error.contains(fragment) && !error.contains('\n'), "{reject}: {error}");
        }
    }

    #[test]
    fn lengths_are_manhattan_and_by_height() {
        let floor = Floor::default();
        assert_eq!(floor.between([-1, 2], [1, 5]), 2 * 2100 + 3 * 600 + 2000);
        assert_eq!(floor.within(42, 1), 1000 + 1822);
        assert_eq!(Floor::read("inside=2m").unwrap().within(42, 1), 2000);
        // Lengths are rounded to the nearest millimetre: 1 U is 44.45 mm, 10 U are 444.5 mm.
        assert_eq!([1, 2, 10].map(|up| floor.within(1 + up, 1)), [1044, 1089, 1445]);
    }

    #[test]
    fn racks_stand_in_about_a_square() {
        // The distance between columns is 3.5 times the distance between rows. So the numbers of rows are √(14 · 3.5) = 7 and √(15 · 3.5) =
        // 7.2, rounded up. A column never has more rows than there are racks.
        let floor = Floor::default();
        assert_eq!([14, 15, 1, 0].map(|racks| floor.rows_for(racks)), [7, 8, 1, 1]);
        assert_eq!(Floor::read("rows=3").unwrap().rows_for(14), 3);
        // A distance of 0 between columns or rows is legal.
        assert_eq!(Floor::read("row=0m").unwrap().rows_for(10), 10);
        assert_eq!(Floor::read("column=0m").unwrap().rows_for(10), 1);
    }

    #[test]
    fn endpoints_share_units() {
        let height = |text: &str, endpoints| Floor::read(text).unwrap().height(endpoints);
        assert_eq!([0, 1, 2, 3].map(|endpoints| height(" ", endpoints)), [0, 1, 1, 2]);
        assert_eq!(height("density=5", 11), 3);
    }
}
