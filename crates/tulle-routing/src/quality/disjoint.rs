//! How many paths of a pair are disjoint: in order, and at most.

use tulle_fabric::Fabric;

use super::{PairPaths, Sharing};

/// Counts disjoint paths of one pair at a time; keeps its memory between pairs.
#[derive(Debug, Clone)]
pub struct Disjoint {
    /// Per channel, the link that it is part of: itself, or its cable.
    link: Vec<u32>,
    /// Per link, how often it is crossed; zeros between calls.
    crossed: Vec<u32>,
    conflicts: Conflicts,
}

impl Disjoint {
    /// For paths over `fabric`, disjoint where they share nothing of the kind `sharing`.
    pub fn new(fabric: &Fabric, sharing: Sharing) -> Self {
        let channels = 0..fabric.num_channels() as u32;
        let link = match sharing {
            Sharing::Channel => channels.collect(),
            Sharing::Cable => channels.map(|channel| channel.min(fabric.reverse()[channel as usize])).collect(),
        };
        Self { link, crossed: vec![0; fabric.num_channels()], conflicts: Conflicts::default() }
    }

    /// The number of paths taken when each is, in order, that shares no link with those taken before.
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

    /// The most paths that cross one link; 0 where there is none.
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

    /// The size of the largest set of mutually disjoint paths: an independent set in the graph of paths that share links,
    /// by branch and bound. As many as first links, or last links, is the most there can be, and mostly found at once.
    pub fn exact(&mut self, paths: &PairPaths) -> usize {
        let ends = |last: bool| {
            let ends = paths.iter().filter_map(|path| if last { path.last() } else { path.first() });
            let mut ends: Vec<u32> = ends.map(|&channel| self.link[channel as usize]).collect();
            ends.sort_unstable();
            ends.dedup();
            ends.len()
        };
        let bound = ends(false).min(ends(true));
        let greedy = self.greedy(paths);
        if greedy == bound {
            return greedy;
        }
        self.conflicts.clear(paths.len());
        for (at, path) in paths.iter().enumerate() {
            path.iter().for_each(|&channel| self.crossed[self.link[channel as usize] as usize] = 1);
            for earlier in 0..at {
                let shares = |&channel: &u32| self.crossed[self.link[channel as usize] as usize] == 1;
                if paths.get(earlier).iter().any(shares) {
                    self.conflicts.add(at, earlier);
                }
            }
            path.iter().for_each(|&channel| self.crossed[self.link[channel as usize] as usize] = 0);
        }
        self.conflicts.most_independent(greedy, bound)
    }

    fn forget(&mut self, paths: &PairPaths) {
        paths.iter().flatten().for_each(|&channel| self.crossed[self.link[channel as usize] as usize] = 0);
    }
}

/// A graph over paths as rows of bits, and a search for its largest independent set.
#[derive(Debug, Clone, Default)]
struct Conflicts {
    members: usize,
    words: usize,
    rows: Vec<u64>,
    /// Per depth of the search, which members are still to be had.
    open: Vec<u64>,
    best: usize,
}

impl Conflicts {
    fn clear(&mut self, members: usize) {
        self.members = members;
        self.words = members.div_ceil(64);
        self.rows.clear();
        self.rows.resize(members * self.words, 0);
    }

    fn add(&mut self, a: usize, b: usize) {
        self.rows[a * self.words + b / 64] |= 1 << (b % 64);
        self.rows[b * self.words + a / 64] |= 1 << (a % 64);
    }

    /// The size of the largest independent set, at least `best` of which is known and at most `bound` possible.
    fn most_independent(&mut self, best: usize, bound: usize) -> usize {
        self.best = best;
        self.open.clear();
        self.open.resize(self.words, 0);
        (0..self.members).for_each(|member| self.open[member / 64] |= 1 << (member % 64));
        self.search(0, 0, bound);
        self.best
    }

    fn search(&mut self, depth: usize, taken: usize, bound: usize) {
        let words = self.words;
        let (start, end) = (depth * words, (depth + 1) * words);
        let left: u32 = self.open[start..end].iter().map(|word| word.count_ones()).sum();
        self.best = self.best.max(taken);
        if taken + left as usize <= self.best || self.best >= bound {
            return;
        }
        // A member in conflict with at most one other can always be taken; otherwise the one with most conflicts decides most.
        let degree = |member: usize| -> u32 {
            let row = &self.rows[member * words..(member + 1) * words];
            row.iter().zip(&self.open[start..end]).map(|(row, open)| (row & open).count_ones()).sum()
        };
        let members = (0..self.members).filter(|member| self.open[start + member / 64] >> (member % 64) & 1 == 1);
        let (mut branch, mut most, mut free) = (0, 0, None);
        for member in members {
            let degree = degree(member);
            if degree <= 1 {
                free = Some(member);
                break;
            }
            if degree > most {
                (branch, most) = (member, degree);
            }
        }
        let member = free.unwrap_or(branch);
        self.open.resize(end + words, 0);
        for word in 0..words {
            self.open[end + word] = self.open[start + word] & !self.rows[member * words + word];
        }
        self.open[end + member / 64] &= !(1 << (member % 64));
        self.search(depth + 1, taken + 1, bound);
        if free.is_none() {
            self.open.copy_within(start..end, end);
            self.open[end + member / 64] &= !(1 << (member % 64));
            self.search(depth + 1, taken, bound);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    /// The largest disjoint subset by trying all of them.
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
        let clique = tulle_fabric::build("clique:degree=6", 0).unwrap();
        let mut rng = tulle_fabric::random::stream(0, "test", 0);
        let mut harder = 0;
        for round in 0..2000 {
            let sharing = if round % 2 == 0 { Sharing::Channel } else { Sharing::Cable };
            let mut disjoint = Disjoint::new(&clique, sharing);
            let mut paths = PairPaths::new();
            let mut plain = Vec::new();
            for _ in 0..rng.random_range(0..10) {
                // A walk without its meaning: any distinct links will do, those of others reversed too.
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
        assert!(harder > 50, "{harder} cases where order matters");
    }

    #[test]
    fn many_paths_take_several_words() {
        // 130 paths over one link each, every link used by two of them: 65 disjoint ones, all found in order.
        let clique = tulle_fabric::build("clique:degree=9", 0).unwrap();
        let mut paths = PairPaths::new();
        (0..130).for_each(|at| paths.push([at % 65]));
        let mut disjoint = Disjoint::new(&clique, Sharing::Channel);
        assert_eq!((disjoint.greedy(&paths), disjoint.exact(&paths), disjoint.most_shared(&paths)), (65, 65, 2));
        // One path over links 0 and 1 first: order costs one, the search does not.
        let mut paths = PairPaths::new();
        paths.push([0, 1]);
        (0..80).for_each(|at| paths.push([at]));
        assert_eq!((disjoint.greedy(&paths), disjoint.exact(&paths)), (79, 80));
    }
}
