//! Reader of the binary form of GOAL, which LogGOPSim's txt2bin writes on a little-endian machine.
//!
//! The file begins with a magic number of 8 bytes. All offsets count from byte 8. Next come the number of ranks (4 bytes), the maximum
//! numbers of processors and interfaces (1 byte each), the start and end of each rank's block (8 bytes each), and the blocks. A block has
//! the number of operations and the number of roots (4 bytes each), the roots (operations without dependencies), the operations (39 bytes
//! each), and an appendix. The appendix lists, for each operation, the operations that depend on it (4 bytes each).

use super::super::file::File;
use super::{Kind, Operation, Rank, Schedule};
use crate::Error;
use crate::error::Position;

/// The magic number: 4223.
pub(super) const MAGIC: [u8; 8] = 4223u64.to_le_bytes();

/// Size of an operation in bytes.
const NODE: usize = 39;

/// Reads a binary file of at most `most` ranks.
pub(super) fn read(file: &File, most: usize) -> Result<Schedule, Error> {
    let ranks = u32::from_le_bytes(bytes(file, 8)?) as usize;
    if ranks == 0 || ranks > most {
        return Err(
            file.at_byte(8, format!("{ranks} ranks are out of range; legal: 1 to {most}, the number of placed ranks"))
        );
    }
    (0..ranks)
        .map(|rank| {
            let entry = 14 + 16 * rank;
            let [start, end] = [entry, entry + 8].map(|at| bytes(file, at).map(u64::from_le_bytes));
            let place = |offset: u64| usize::try_from(offset).ok()?.checked_add(8).filter(|&at| at <= file.bytes.len());
            match (place(start?), place(end?)) {
                (Some(start), Some(end)) if start <= end => Block { file, start, end }.read(),
                _ => Err(file
                    .at_byte(entry, format!("the block of rank {rank} lies outside the file; legal: a complete file"))),
            }
        })
        .collect()
}

/// Reads `N` bytes of a file.
fn bytes<const N: usize>(file: &File, at: usize) -> Result<[u8; N], Error> {
    let found = at.checked_add(N).and_then(|end| file.bytes.get(at..end));
    found.map(|found| found.try_into().expect("the slice has N bytes")).ok_or_else(|| {
        file.at_byte(
            file.bytes.len(),
            format!("the file ends before byte {}; legal: a complete file", at.saturating_add(N)),
        )
    })
}

/// The block of one rank.
struct Block<'a> {
    file: &'a File,
    start: usize,
    end: usize,
}

impl Block<'_> {
    fn word(&self, at: usize) -> Result<u32, Error> {
        if at.saturating_add(4) > self.end {
            return Err(self.file.at_byte(
                self.end,
                format!("the rank's block ends before byte {}; legal: a complete block", at.saturating_add(4)),
            ));
        }
        Ok(u32::from_le_bytes(bytes(self.file, at)?))
    }

    fn read(&self) -> Result<Rank, Error> {
        let count = self.word(self.start)? as usize;
        let roots = self.word(self.start + 4)? as usize;
        let nodes = self.start + 8 + 4 * roots;
        let appendix = nodes + NODE * count;
        if appendix > self.end {
            let problem = format!(
                "{count} operations and {roots} roots do not fit into the rank's block; legal: a complete block"
            );
            return Err(self.file.at_byte(self.start, problem));
        }
        let mut rank = Rank::default();
        let mut waits = vec![0u32; count];
        // The lists of dependent operations must not overlap, so all lists together must fit into the appendix.
        let mut room = (self.end - appendix) / 4;
        for number in 0..count {
            let at = nodes + NODE * number;
            rank.operations.push(self.operation(at)?);
            for (field, list) in [(23, &mut rank.requires), (31, &mut rank.irequires)] {
                let (length, first) = (self.word(at + field)? as usize, self.word(at + field + 4)? as usize);
                room = room.checked_sub(length).ok_or_else(|| {
                    let problem = format!(
                        "a list of {length} operations; legal: at most {room}, the space left in the rank's block"
                    );
                    self.file.at_byte(at + field, problem)
                })?;
                for place in 0..length {
                    let entry = appendix + 4 * (first + place);
                    let later = self.word(entry)?;
                    let Some(waits) = waits.get_mut(later as usize) else {
                        let problem = format!("operation {later} is out of range; legal: below {count}");
                        return Err(self.file.at_byte(entry, problem));
                    };
                    *waits += 1;
                    list.push((later, number as u32));
                }
            }
        }
        for (number, &waits) in waits.iter().enumerate() {
            let at = nodes + NODE * number;
            let declared = self.word(at)?;
            if declared != waits {
                return Err(self.file.at_byte(
                    at,
                    format!("an operation requires {declared} other operations; legal: {waits}, the number listed"),
                ));
            }
        }
        Ok(rank)
    }

    fn operation(&self, at: usize) -> Result<Operation, Error> {
        let kind = match self.file.bytes[at + 4] {
            1 => Kind::Send,
            2 => Kind::Receive,
            3 => Kind::Compute,
            other => {
                let problem = format!("an operation has the unknown type {other}; legal: 1 (send), 2 (recv), 3 (calc)");
                return Err(self.file.at_byte(at + 4, problem));
            }
        };
        let size = u64::from_le_bytes(bytes(self.file, at + 9)?);
        Ok(Operation { kind, peer: self.word(at + 5)?, size, tag: self.word(at + 17)?, at: Position::Byte(at) })
    }
}
