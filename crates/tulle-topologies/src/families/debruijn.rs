//! Undirected de Bruijn graphs. A switch is a word of letters. Two switches are connected if one word becomes the other by this step: drop
//! the first letter, and append a letter.

use crate::design::Candidates;
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder, MAX_SIZE};
use tulle_spec::plugin;

plugin! {
    /// The undirected de Bruijn graph UB(d, n).
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct DeBruijn(arguments) {
        /// number of letters d; network radix k' = 2d if n is at least 3
        letters "d": u32 = integer(2, 4096);
        /// length n of a word, which equals the diameter; the graph has dⁿ switches
        length "n": u32 = integer(1, 28);
        /// endpoints per switch
        concentration "p": u32 = integer(0, 8191), default "1";
    }
    check {
        let switches = u64::from(letters).checked_pow(length);
        if switches.is_none_or(|switches| switches > MAX_SIZE) {
            let legal = format!("legal: dⁿ of at most {}", MAX_SIZE);
            return Err(arguments.clash(format!("d={letters}, n={length}"), "has too many switches", legal));
        }
    }
    name: "debruijn",
    summary: "undirected de Bruijn graph: words of n letters, connected if dropping the first letter and appending one \
        gives the other; diameter n",
    paper: "de Bruijn (1946); Pradhan, Reddy: A fault-tolerant communication architecture (IEEE Trans. Comput. 31, 1982)",
    limitations: "A cable from a switch to itself is left out, and so is a second cable between two switches, so some switches have unused \
        ports. For the average path length, tulle computes only a lower bound.",
    examples: ["debruijn:d=2,n=4", "debruijn:d=2,n=1", "debruijn:d=3,n=2,p=2", "debruijn:d=3,n=3,p=0"],
    rejects: [
        ("debruijn:n=3", "needs d="),
        ("debruijn:d=2", "needs n="),
        ("debruijn:d=1,n=3", "d=1 is out of range; legal: 2 to 4096"),
        ("debruijn:d=4,n=15", "d=4, n=15 has too many switches; legal: dⁿ of at most 268435456"),
    ],
}

impl Family for DeBruijn {
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let sizes = (2..=wanted.radix / 2).flat_map(|d| (2..=28u32).map(move |n| (d, n)));
        let sizes = sizes.filter_map(|(d, n)| Some((d, n, d.checked_pow(n).filter(|&size| size <= wanted.high)?)));
        let of = |(d, n, size): (u64, u32, u64)| {
            wanted.with_endpoints(&format!("debruijn:d={d},n={n}"), size, wanted.radix.saturating_sub(2 * d - 1))
        };
        sizes.flat_map(of).collect()
    });

    fn expect(&self) -> Expect {
        let [letters, concentration] = [self.letters, self.concentration].map(u64::from);
        let switches = letters.pow(self.length);
        // Not every arc becomes a cable. The arc of a word of one repeated letter to itself is left out. Two words with the same two
        // alternating letters have arcs in both directions, which become one cable.
        let cables = letters * switches - letters - letters * (letters - 1) / 2;
        let network_radix = match self.length {
            1 => letters - 1,
            2 => 2 * letters - 1,
            _ => 2 * letters,
        };
        Expect {
            switches,
            endpoints: switches * concentration,
            cables,
            network_radix,
            concentration,
            radix: network_radix + concentration,
            // Each hop replaces at most one letter, so a path from 00…0 to 11…1 has at least n hops.
            diameter: Diameter::Exactly(self.length),
            hops: Hops::regular(switches, network_radix),
        }
    }

    /// The id of a word is the word read as a number in base d. A word has arcs to the ids d · id + letter modulo dⁿ, one per letter.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let switches = self.letters.pow(self.length);
        let mut builder = FabricBuilder::new(switches);
        let [modulo, letters] = [switches, self.letters].map(u64::from);
        let begins_at = |word: u32| u64::from(word) * letters % modulo;
        for word in 0..switches {
            for letter in 0..letters {
                let next = ((begins_at(word) + letter) % modulo) as u32;
                // The arc back is the same cable.
                let back = (u64::from(word) + modulo - begins_at(next)) % modulo < letters;
                if next != word && (word < next || !back) {
                    builder.cable(word, next);
                }
            }
        }
        builder.endpoints_each(self.concentration as usize);
        builder.member(self)
    }
}

#[cfg(test)]
mod tests {
    use crate::build;
    use tulle_fabric::distances;

    #[test]
    fn diameters_are_the_lengths_of_words() {
        for (letters, length) in [(2, 2), (2, 3), (2, 6), (2, 9), (3, 4), (4, 3), (5, 4), (7, 3)] {
            let fabric = build(&format!("debruijn:d={letters},n={length}"), 0).unwrap();
            assert_eq!(distances::histogram(&fabric).diameter(), Some(length), "{letters}, {length}");
        }
    }

    #[test]
    fn words_are_joined_to_those_that_move_on() {
        let fabric = build("debruijn:d=2,n=3", 0).unwrap();
        // Word 010 has arcs to 100 and 101, and has arcs from 001 and 101. Word 000 has an arc to 001 and an arc from 100.
        assert_eq!(fabric.neighbours(0b010), [0b001, 0b100, 0b101]);
        assert_eq!(fabric.neighbours(0b000), [0b001, 0b100]);
        assert_eq!(fabric.neighbours(0b011), [0b001, 0b101, 0b110, 0b111]);
    }
}
