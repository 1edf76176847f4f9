//! Maps from service levels to virtual channels (VCs). Equal parts are stored once.

use std::collections::HashMap;

use super::NUM_VCS;

/// The VCs of all service levels for a switch, an input port and an output port.
type Row = [u8; NUM_VCS];

/// Several maps. Most switches have equal maps, so input ports with equal rows share one stored copy. This makes look-ups faster than in
/// separate copies, because they touch less memory.
pub(super) struct Maps {
    /// For each switch and input port, at index `switch * ports + input port`: the number that identifies its rows in `rows`. Input ports
    /// with equal rows have the same number.
    number: Vec<u32>,
    /// The rows of all output ports. The index is `(number * ports + output port) * maps`, and the rows of all maps follow each other.
    rows: Vec<Row>,
    ports: usize,
    /// The number of different maps.
    maps: usize,
}

impl Maps {
    /// Returns the maps of [`super::Choices::maps`]. `ports` is the number of ports of every switch.
    pub fn of(maps: &[Vec<u8>], ports: usize) -> Self {
        let mut different: Vec<&[u8]> = maps.iter().map(Vec::as_slice).collect();
        different.sort_unstable();
        different.dedup();
        let width = ports * NUM_VCS;
        let inputs = different.first().map_or(0, |map| map.len() / width.max(1));
        let of_input = |input: usize| different.iter().map(move |map| &map[input * width..(input + 1) * width]);
        let (mut numbers, mut rows) = (HashMap::<Vec<&[u8]>, u32>::new(), Vec::new());
        let mut number: Vec<u32> = Vec::with_capacity(inputs);
        for input in 0..inputs {
            // The same port of the previous switch usually has equal rows.
            let found = match input.checked_sub(ports) {
                Some(before) if of_input(input).eq(of_input(before)) => number[before],
                _ => {
                    let count = numbers.len() as u32;
                    *numbers.entry(of_input(input).collect()).or_insert_with(|| {
                        for out in 0..ports {
                            rows.extend(of_input(input).map(|map| row(&map[out * NUM_VCS..])));
                        }
                        count
                    })
                }
            };
            number.push(found);
        }
        Self { number, rows, ports, maps: different.len() }
    }

    /// Returns the rows for an input port and an output port `out`: one per different map. `input` is `switch * ports + input port`.
    #[inline]
    pub fn rows(&self, input: usize, out: usize) -> &[Row] {
        let first = (self.number[input] as usize * self.ports + out) * self.maps;
        &self.rows[first..first + self.maps]
    }
}

fn row(map: &[u8]) -> Row {
    map[..NUM_VCS].try_into().expect("a row has an entry per service level")
}
