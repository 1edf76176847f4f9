//! Undirected Kautz graphs. A switch is a word of letters in which adjacent letters differ. Two switches are connected if one word becomes
//! the other by this step: drop the first letter, and append a letter.

use crate::design::Candidates;
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder, MAX_SIZE};
use tulle_spec::plugin;

plugin! {
    /// The undirected Kautz graph UK(d, n).
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Kautz(arguments) {
        /// number d of letters that may follow each letter; the alphabet has d + 1 letters; network radix k' = 2d if n is at least 3
        degree "d": u32 = integer(2, 4096);
        /// length n of a word, which equals the diameter; the graph has (d + 1)·dⁿ⁻¹ switches
        length "n": u32 = integer(1, 28);
        /// endpoints per switch
        concentration "p": u32 = integer(0, 8191), default "1";
    }
    check {
        let switches = u64::from(degree).checked_pow(length - 1).and_then(|words| words.checked_mul(u64::from(degree) + 1));
        if switches.is_none_or(|switches| switches > MAX_SIZE) {
            let legal = format!("legal: (d + 1)·dⁿ⁻¹ of at most {}", MAX_SIZE);
            return Err(arguments.clash(format!("d={degree}, n={length}"), "has too many switches", legal));
        }
    }
    name: "kautz",
    summary: "undirected Kautz graph: words of n letters without equal adjacent letters, connected if dropping the \
        first letter and appending one gives the other; diameter n",
    paper: "Kautz (1968); Imase, Itoh: A design for directed graphs with minimum diameter (IEEE Trans. Comput. 32, 1983)",
    limitations: "A second cable between two switches is left out, so switches whose words alternate between two letters have an unused \
        port. For the average path length, tulle computes only a lower bound.",
    examples: ["kautz:d=2,n=3", "kautz:d=2,n=1", "kautz:d=3,n=2,p=2", "kautz:d=2,n=5,p=0"],
    rejects: [
        ("kautz:n=3", "needs d="),
        ("kautz:d=2", "needs n="),
        ("kautz:d=1,n=3", "d=1 is out of range; legal: 2 to 4096"),
        ("kautz:d=4,n=15", "d=4, n=15 has too many switches"),
    ],
}

impl Kautz {
    fn switches(&self) -> u64 {
        (u64::from(self.degree) + 1) * u64::from(self.degree).pow(self.length - 1)
    }
}

impl Family for Kautz {
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let sizes = (2..=wanted.radix / 2).flat_map(|d| (2..=28u32).map(move |n| (d, n)));
        let size = |d: u64, n: u32| d.checked_pow(n - 1)?.checked_mul(d + 1).filter(|&size| size <= wanted.high);
        let sizes = sizes.filter_map(|(d, n)| Some((d, n, size(d, n)?)));
        let of = |(d, n, size): (u64, u32, u64)| {
            wanted.with_endpoints(&format!("kautz:d={d},n={n}"), size, wanted.radix.saturating_sub(2 * d - 1))
        };
        sizes.flat_map(of).collect()
    });

    fn expect(&self) -> Expect {
        let [degree, concentration] = [self.degree, self.concentration].map(u64::from);
        let switches = self.switches();
        // Two words with the same two alternating letters have arcs in both directions, which become one cable.
        let cables = degree * switches - degree * (degree + 1) / 2;
        let network_radix = match self.length {
            1 => degree,
            2 => 2 * degree - 1,
            _ => 2 * degree,
        };
        Expect {
            switches,
            endpoints: switches * concentration,
            cables,
            network_radix,
            concentration,
            radix: network_radix + concentration,
            diameter: Diameter::Exactly(self.length),
            hops: Hops::regular(switches, network_radix),
        }
    }

    /// Switch u has arcs to −(d·u + t) modulo S for t = 1 to d, where S is the number of switches. Imase and Itoh define this graph; with
    /// (d + 1)·dⁿ⁻¹ switches, it is the Kautz graph.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let (modulo, degree) = (self.switches(), u64::from(self.degree));
        let mut builder = FabricBuilder::new(modulo as u32);
        for word in 0..modulo {
            for t in 1..=degree {
                let next = (modulo - (degree * word + t) % modulo) % modulo;
                // The arc back is the same cable.
                let back = (1..=degree).contains(&((modulo - (degree * next + word) % modulo) % modulo));
                if word < next || !back {
                    builder.cable(word as u32, next as u32);
                }
            }
        }
        builder.endpoints_each(self.concentration as usize);
        builder.member(self)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::build;
    use tulle_fabric::distances;

    #[test]
    fn diameters_are_the_lengths_of_words() {
        for (degree, length) in [(2, 2), (2, 3), (2, 6), (2, 8), (3, 4), (4, 3), (5, 4), (7, 3)] {
            let fabric = build(&format!("kautz:d={degree},n={length}"), 0).unwrap();
            assert_eq!(distances::histogram(&fabric).diameter(), Some(length), "{degree}, {length}");
        }
    }

    /// Checks that distances and degrees equal those of the graph that is built from words without two equal adjacent letters.
    #[test]
    fn it_is_the_graph_of_words() {
        let words: Vec<Vec<u32>> = (0..27u32)
            .map(|number| vec![number / 9, number / 3 % 3, number % 3])
            .filter(|word| word.windows(2).all(|pair| pair[0] != pair[1]))
            .collect();
        let mut builder = FabricBuilder::new(words.len() as u32);
        let mut seen = HashSet::new();
        for (a, one) in (0u32..).zip(&words) {
            for (b, other) in (0u32..).zip(&words) {
                if one[1..] == other[..2] && seen.insert((a.min(b), a.max(b))) {
                    builder.cable(a, b);
                }
            }
        }
        let words = builder.finish("words", tulle_spec::Parameters::default()).unwrap();
        let kautz = build("kautz:d=2,n=3,p=0", 0).unwrap();
        assert_eq!(distances::histogram(&words).pairs, distances::histogram(&kautz).pairs);
        let degrees = |fabric: &Fabric| {
            let mut degrees: Vec<usize> = (0..12).map(|switch| fabric.degree(switch)).collect();
            degrees.sort_unstable();
            degrees
        };
        assert_eq!(degrees(&words), degrees(&kautz));
    }
}
