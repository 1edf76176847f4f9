//! Maps from service levels to virtual channels (VCs). Equal rows are stored once.

use std::collections::HashMap;

use super::NUM_VCS;

/// The VCs of all service levels for a switch, an input port and an output port.
type Row = [u8; NUM_VCS];

/// Several maps. Most rows of a map are equal, so each combination of rows is stored only once. This makes look-ups fast, because they need
/// less memory.
pub(super) struct Maps {
    /// For each switch, input port and output port, the number of its combination of rows.
    combination: Vec<u32>,
    /// The rows of all combinations. Each combination has one row per different map.
    rows: Vec<Row>,
    /// The number of different maps.
    maps: usize,
}

impl Maps {
    /// Returns the maps of [`super::Choices::maps`].
    pub fn of(maps: &[Vec<u8>]) -> Self {
        let mut different: Vec<&[u8]> = maps.iter().map(Vec::as_slice).collect();
        different.sort_unstable();
        different.dedup();
        let places = different.first().map_or(0, |map| map.len() / NUM_VCS);
        let of_place = |place: usize| different.iter().map(move |map| row(map, place));
        let (mut numbers, mut rows) = (HashMap::<Vec<Row>, u32>::new(), Vec::new());
        let mut combination: Vec<u32> = Vec::with_capacity(places);
        for place in 0..places {
            let number = match combination.last() {
                // Output ports of the same switch usually have equal rows.
                Some(&last) if of_place(place).eq(of_place(place - 1)) => last,
                _ => {
                    let count = numbers.len() as u32;
                    *numbers.entry(of_place(place).collect()).or_insert_with(|| {
                        rows.extend(of_place(place));
                        count
                    })
                }
            };
            combination.push(number);
        }
        Self { combination, rows, maps: different.len() }
    }

    /// Returns the VCs to which the maps send service level `level`. `place` is `(switch * ports + input port) * ports + output port`.
    #[inline]
    pub fn vcs(&self, place: usize, level: usize) -> impl Iterator<Item = u8> {
        let first = self.combination[place] as usize * self.maps;
        self.rows[first..first + self.maps].iter().map(move |row| row[level])
    }
}

fn row(map: &[u8], place: usize) -> Row {
    map[place * NUM_VCS..(place + 1) * NUM_VCS].try_into().expect("a row has an entry per service level")
}
