//! Counts the disjoint paths of a pair, both greedily and exactly.

use tulle_fabric::Fabric;

use super::{PairPaths, Sharing};

/// A counter of the disjoint paths of a pair. Its memory is reused for the next pair.
#[derive(Debug, Clone)]
pub struct Disjoint {
    /// Per channel, the link that paths must not share: the channel itself, or its cable.
    link: Vec<u32>,
    /// Per link, how many of the current paths cross it. All entries are 0 between calls.
    crossed: Vec<u32>,
    conflicts: Conflicts,
}

impl Disjoint {
    /// Returns a counter for paths over `fabric`. `sharing` defines which paths are disjoint.
    pub fn new(fabric: &Fabric, sharing: Sharing) -> Self {
        let channels = 0..fabric.num_channels() as u32;
        let link = match sharing {
            Sharing::Channel => channels.collect(),
            Sharing::Cable => channels.map(|channel| channel.min(fabric.reverse()[channel as usize])).collect(),
        };
        Self { link, crossed: vec![0; fabric.num_channels()], conflicts: Conflicts::default() }
    }

    /// Returns the number of paths that a greedy choice selects. It goes through the paths in order, and selects each path that shares no
    /// link with the paths selected before.
    pub fn greedy(&mut self, paths: &PairPaths) -> usize {
        let Self { link, crossed, .. } = self;
        let mut taken = 0;
        for path in paths.iter() {
            if path.iter().all(|&channel| crossed[link[channel as usize] as usize] == 0) {
                path.iter().for_each(|&channel| crossed[link[channel as usize] as usize] += 1);
                taken += 1;
            }
        }
        self.forget(paths);
        taken
    }

    /// Returns the maximum number of paths that cross the same link; 0 if there are no paths.
    pub fn most_shared(&mut self, paths: &PairPaths) -> usize {
        let mut most = 0;
        for &channel in paths.iter().flatten() {
            let crossed = &mut self.crossed[self.link[channel as usize] as usize];
            *crossed += 1;
            most = most.max(*crossed);
        }
        self.forget(paths);
        most as usize
    }

    /// Returns the size of the largest set of mutually disjoint paths. This set is a maximum independent set in the graph whose edges
    /// connect paths with a common link. Branch and bound finds it. The number of different first links (or last links) is an upper bound.
    /// In most cases, the greedy choice already reaches this bound.
    pub fn exact(&mut self, paths: &PairPaths) -> usize {
        let greedy = self.greedy(paths);
        self.exact_beyond(greedy, paths)
    }

    /// Like [`Disjoint::exact`], but without computing [`Disjoint::greedy`] again: `greedy` must be its result for the same paths.
    pub(super) fn exact_beyond(&mut self, greedy: usize, paths: &PairPaths) -> usize {
        let mut different: Vec<&[u32]> = paths.iter().collect();
        different.sort_unstable_by_key(|&path| (path.len(), path));
        different.dedup();
        let Self { link, crossed, conflicts } = self;
        let link = |&channel: &u32| link[channel as usize];
        let end = |path: &[u32], at: Option<&u32>| at.map_or(u32::MAX - path.len() as u32, link);
        let ends = different.iter().map(|path| [end(path, path.first()), end(path, path.last())]);
        conflicts.clear(ends.collect());
        let bound = conflicts.bound_of_all();
        if greedy == bound {
            return greedy;
        }
        for (at, path) in different.iter().enumerate() {
            path.iter().for_each(|channel| crossed[link(channel) as usize] = 1);
            for (earlier, other) in different[..at].iter().enumerate() {
                if other.iter().any(|channel| crossed[link(channel) as usize] == 1) {
                    conflicts.add(at, earlier);
                }
            }
            path.iter().for_each(|channel| crossed[link(channel) as usize] = 0);
        }
        conflicts.most_independent(greedy, bound)
    }

    fn forget(&mut self, paths: &PairPaths) {
        paths.iter().flatten().for_each(|&channel| self.crossed[self.link[channel as usize] as usize] = 0);
    }
}

/// A graph whose nodes (members) are paths, and a search for its largest independent set. Two paths that share a link are in conflict. Each
/// member has a row of bits, which marks the members that are in conflict with it.
#[derive(Debug, Clone, Default)]
struct Conflicts {
    words: usize,
    rows: Vec<u64>,
    /// Per member, its first and last link. Members with the same first link, or the same last link, are in conflict.
    ends: Vec<[u32; 2]>,
    /// Per depth of the search, the members that can still be chosen.
    open: Vec<u64>,
    best: usize,
    bound: usize,
    seen: Vec<u32>,
}

impl Conflicts {
    fn clear(&mut self, ends: Vec<[u32; 2]>) {
        self.words = ends.len().div_ceil(64);
        self.rows.clear();
        self.rows.resize(ends.len() * self.words, 0);
        self.ends = ends;
        self.open.clear();
        self.open.resize(self.words, 0);
        (0..self.ends.len()).for_each(|member| self.open[member / 64] |= 1 << (member % 64));
    }

    fn add(&mut self, a: usize, b: usize) {
        self.rows[a * self.words + b / 64] |= 1 << (b % 64);
        self.rows[b * self.words + a / 64] |= 1 << (a % 64);
    }

    /// Returns an upper bound of the size of a set of members without conflicts between them.
    fn bound_of_all(&mut self) -> usize {
        self.different_ends(0)
    }

    /// Returns the size of the largest independent set. The caller must know that this set has at least `best` and at most `bound` members.
    fn most_independent(&mut self, best: usize, bound: usize) -> usize {
        self.best = best;
        self.bound = bound;
        self.drop_dominated();
        self.search(0, 0);
        self.best
    }

    /// Removes dominated members. A member b is dominated if it is in conflict with a member a, and every other conflict of a is also a
    /// conflict of b. Choosing a instead of b is then never worse.
    fn drop_dominated(&mut self) {
        let words = self.words;
        let row = |member: usize, word: usize| {
            // Here, each member is also in conflict with itself, so that the rows of two members can be compared.
            self.rows[member * words + word] | if word == member / 64 { 1 << (member % 64) } else { 0 }
        };
        for member in 0..self.ends.len() {
            let in_conflict = members(&self.rows[member * words..(member + 1) * words]);
            let dominates = |other: usize| {
                let open = self.open[other / 64] >> (other % 64) & 1 == 1;
                open && (0..words).all(|word| row(other, word) & !row(member, word) == 0)
            };
            if in_conflict.into_iter().any(dominates) {
                self.open[member / 64] &= !(1 << (member % 64));
            }
        }
    }

    fn search(&mut self, depth: usize, taken: usize) {
        let words = self.words;
        let (start, end) = (depth * words, (depth + 1) * words);
        self.best = self.best.max(taken);
        if self.best >= self.bound || taken + self.different_ends(start) <= self.best {
            return;
        }
        // The search can always choose a member with at most one conflict. If no such member is left, it branches on the member with the
        // most conflicts.
        let (mut branch, mut most, mut free) = (0, 0, None);
        for member in members(&self.open[start..end]) {
            let row = &self.rows[member * words..(member + 1) * words];
            let degree: u32 = row.iter().zip(&self.open[start..end]).map(|(row, open)| (row & open).count_ones()).sum();
            if degree <= 1 {
                free = Some(member);
                break;
            }
            if degree > most {
                (branch, most) = (member, degree);
            }
        }
        let member = free.unwrap_or(branch);
        self.open.resize(self.open.len().max(end + words), 0);
        for word in 0..words {
            self.open[end + word] = self.open[start + word] & !self.rows[member * words + word];
        }
        self.open[end + member / 64] &= !(1 << (member % 64));
        self.search(depth + 1, taken + 1);
        if free.is_none() {
            self.open.copy_within(start..end, end);
            self.open[end + member / 64] &= !(1 << (member % 64));
            self.search(depth + 1, taken);
        }
    }

    /// Counts the different first links and the different last links of the members that can still be chosen (the bits from `start` on).
    /// Returns the lower of both counts. This is an upper bound of the number of independent members.
    fn different_ends(&mut self, start: usize) -> usize {
        let open = &self.open[start..start + self.words];
        let seen = &mut self.seen;
        let mut different = |side: usize| {
            seen.clear();
            seen.extend(members(open).map(|member| self.ends[member][side]));
            seen.sort_unstable();
            seen.dedup();
            seen.len()
        };
        different(0).min(different(1))
    }
}

/// Returns the positions of all bits that are 1, ascending.
fn members(bits: &[u64]) -> impl Iterator<Item = usize> + '_ {
    bits.iter().enumerate().flat_map(|(word, &bits)| {
        let mut bits = bits;
        std::iter::from_fn(move || {
            let member = (bits != 0).then(|| word * 64 + bits.trailing_zeros() as usize)?;
            bits &= bits - 1;
            Some(member)
        })
    })
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    /// Returns the size of the largest subset of disjoint paths, by trying all subsets.
    fn brute_force(paths: &[Vec<u32>], link: impl Fn(u32) -> u32) -> usize {
        (0u32..1 << paths.len())
            .filter(|set| {
                let chosen = paths.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
                let mut links: Vec<u32> = chosen.flat_map(|(_, path)| path.iter().map(|&c| link(c))).collect();
                let all = links.len();
                links.sort_unstable();
                links.dedup();
                links.len() == all
            })
            .map(|set| set.count_ones() as usize)
            .max()
            .unwrap()
    }

    #[test]
    fn exact_matches_brute_force() {
        let clique = tulle_topologies::build("clique:degree=6", 0).unwrap();
        let mut rng = tulle_base::random::stream(0, "test", 0);
        let mut harder = 0;
        for round in 0..2000 {
            let sharing = if round % 2 == 0 { Sharing::Channel } else { Sharing::Cable };
            let mut disjoint = Disjoint::new(&clique, sharing);
            let mut paths = PairPaths::new();
            let mut plain = Vec::new();
            for _ in 0..rng.random_range(0..10) {
                // A path is a random set of different links. Other paths may cross its links in the opposite direction.
                let mut path: Vec<u32> = (0..rng.random_range(1..4)).map(|_| rng.random_range(0..20)).collect();
                path.sort_unstable();
                path.dedup_by_key(|channel| (*channel).min(clique.reverse()[*channel as usize]));
                let mut links: Vec<u32> = path.iter().map(|&c| c.min(clique.reverse()[c as usize])).collect();
                links.sort_unstable();
                links.dedup();
                if links.len() == path.len() {
                    paths.push(path.iter().copied());
                    plain.push(path);
                }
            }
            let link = |channel: u32| match sharing {
                Sharing::Channel => channel,
                Sharing::Cable => channel.min(clique.reverse()[channel as usize]),
            };
            let most = brute_force(&plain, link);
            let greedy = disjoint.greedy(&paths);
            assert_eq!(disjoint.exact(&paths), most, "{plain:?}");
            assert!(greedy <= most);
            harder += usize::from(greedy < most);
        }
        assert!(harder > 50, "only in {harder} cases, the greedy count is smaller than the exact count");
    }

    #[test]
    fn many_paths_take_several_words() {
        // There are 130 paths of one link each, two over every link. So 65 paths are disjoint, and the greedy count finds them all.
        let clique = tulle_topologies::build("clique:degree=9", 0).unwrap();
        let mut paths = PairPaths::new();
        (0..130).for_each(|at| paths.push([at % 65]));
        let mut disjoint = Disjoint::new(&clique, Sharing::Channel);
        assert_eq!((disjoint.greedy(&paths), disjoint.exact(&paths), disjoint.most_shared(&paths)), (65, 65, 2));
        // The first path crosses the links 0 and 1, and the other 80 paths are disjoint. The greedy count selects the first path, and then
        // only 78 others.
        let mut paths = PairPaths::new();
        paths.push([0, 1]);
        (0..80).for_each(|at| paths.push([at]));
        assert_eq!((disjoint.greedy(&paths), disjoint.exact(&paths)), (79, 80));
    }
}
