//! Handles pairs of switches that a file lists in both orders (`a b` and `b a`): one cable listed from both ends, or two cables.

use std::collections::HashMap;

use super::listing::{Listing, Order};
use super::text::shown;
use tulle_fabric::Link;

/// How to read a connection that is listed in both orders of its two switches (`a b` and `b a`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReverseEntries {
    /// Two entries with opposite orders are read as one cable.
    Merge,
    /// Two parallel cables.
    Parallel,
}

/// Decides which of the entries `ends` are cables, by the rule for files that list cables (see [`Listing::resolve_reverse_entries`]). Returns
/// the indices of the cables, ascending, and a note about the decision, if necessary.
///
/// # Errors
/// As [`Listing::resolve_reverse_entries`].
pub fn without_reverse_entries(
    ends: Vec<[u32; 2]>,
    choice: Option<ReverseEntries>,
) -> Result<(Vec<usize>, Option<String>), String> {
    let mut listing = Listing::default();
    listing.cables = ends;
    listing.order = Order::Maybe;
    let entries = listing.cables.clone();
    let note = listing.resolve_reverse_entries(choice, false)?;
    if listing.cables.len() == entries.len() {
        return Ok(((0..entries.len()).collect(), note));
    }
    listing.cables = entries;
    let mut is_cable = vec![true; listing.cables.len()];
    listing.opposite_entries().into_iter().flatten().for_each(|back| is_cable[back] = false);
    Ok(((0..is_cable.len()).filter(|&entry| is_cable[entry]).collect(), note))
}

impl Listing {
    /// Decides what the order of a cable's two ends means. If the user has set the option `choice`, this option decides. Otherwise the
    /// content of the file decides. Returns a note about the decision, if necessary. `undirected` tells whether the user allows a directed
    /// graph to be read as an undirected one.
    ///
    /// # Errors
    /// Without `choice`, fails in two cases. First, the graph is directed, the user did not allow this, and not every pair of switches is
    /// listed equally often in both orders. Second, some pairs of switches are listed in both orders, but not every pair equally often,
    /// although the file states that its graph is directed, or lists the neighbours of each switch.
    pub(super) fn resolve_reverse_entries(
        &mut self,
        choice: Option<ReverseEntries>,
        undirected: bool,
    ) -> Result<Option<String>, String> {
        let counts = self.counts();
        let pairs = counts.len();
        let both = counts.values().filter(|count| count.iter().all(|&count| count > 0)).count();
        let alike = pairs > 0 && counts.values().all(|count| count[0] == count[1]);
        let merged = |cables: usize| match cables {
            1 => "1 cable is listed twice (as 'a b' and 'b a')".to_owned(),
            _ => format!("{cables} cables are listed twice (as 'a b' and 'b a')"),
        };
        match (self.order, choice) {
            (Order::Listed, _) | (_, Some(ReverseEntries::Parallel)) => Ok(None),
            (_, Some(ReverseEntries::Merge)) => Ok(match self.merge() {
                0 => None,
                cables => Some(format!("{}; both entries are merged into one cable", merged(cables))),
            }),
            (Order::Ends, None) if alike => {
                self.merge();
                Ok(None)
            }
            (_, None) if alike => {
                let cables = self.merge();
                let each = if cables == 1 { "it" } else { "each" };
                Ok(Some(format!("{}; {each} is read as one cable, or with both=parallel as two", merged(cables))))
            }
            (Order::Directed, None) if !undirected => {
                Err("a directed graph; legal: directed=undirected, which reads every edge as a cable".to_owned())
            }
            (Order::Directed | Order::Ends, None) if both > 0 => {
                let others =
                    if both < pairs { "the others in one order only" } else { "but not equally often in both" };
                Err(format!(
                    "{both} of {pairs} connected pairs of switches are listed in both orders (a b and b a), {others}; \
                     legal: both=merge or both=parallel"
                ))
            }
            (Order::Maybe, None) if both > 0 => {
                let stand = if both == 1 { "pair of switches is listed" } else { "pairs of switches are listed" };
                Ok(Some(format!(
                    "{both} {stand} in both orders; both entries are read as parallel cables; both=merge merges these cables"
                )))
            }
            _ => Ok(None),
        }
    }

    /// Returns how often each connected pair is listed. The first number counts entries that name the lower switch first, the second number
    /// counts all other entries.
    fn counts(&self) -> HashMap<[u32; 2], [usize; 2]> {
        let mut counts: HashMap<[u32; 2], [usize; 2]> = HashMap::new();
        for ends in &self.cables {
            let pair = [ends[0].min(ends[1]), ends[0].max(ends[1])];
            counts.entry(pair).or_default()[usize::from(pair != *ends)] += 1;
        }
        counts
    }

    /// Whether every cable is listed once from each of its ends.
    pub(super) fn has_both_ends(&self) -> bool {
        self.counts().values().all(|count| count[0] == count[1])
    }

    /// Refuses a list in which some cable is listed at only one of its ends.
    ///
    /// # Errors
    /// Returns the first pair of switches whose two lines list each other a different number of times.
    pub(super) fn require_both_ends(&self) -> Result<(), String> {
        let counts = self.counts();
        let unlike = counts.iter().filter(|(_, count)| count[0] != count[1]).min();
        unlike.map_or(Ok(()), |(&[a, b], &[there, back])| {
            let [a, b] = [a, b].map(|end| shown(&self.listed().0[end as usize]));
            Err(format!(
                "the line of '{a}' lists '{b}' {there} times, the line of '{b}' lists '{a}' {back} times; legal: equally often"
            ))
        })
    }

    /// Merges every cable with its copy in reverse order; returns the number of merged pairs. The second copy gives the properties of the
    /// reverse direction. If a pair of switches has several cables, copies with the same port names belong together. Without port names,
    /// the order of the copies decides.
    fn merge(&mut self) -> usize {
        let back_of = self.opposite_entries();
        let mut gone = vec![false; self.cables.len()];
        back_of.iter().flatten().for_each(|&back| gone[back] = true);
        let merged = gone.iter().filter(|gone| **gone).count();
        let properties = &mut self.properties;
        if !properties.links.is_empty() {
            properties.links.resize(self.cables.len(), Default::default());
        }
        if !properties.cables.is_empty() {
            properties.cables.resize(self.cables.len(), Default::default());
        }
        for (first, back) in back_of.iter().enumerate() {
            let Some(back) = *back else { continue };
            if !properties.links.is_empty() {
                let [there, _] = &properties.links[first];
                let [other, _] = &properties.links[back];
                properties.links[first] = match (*there == Link::UNKNOWN, *other == Link::UNKNOWN) {
                    (_, true) => both_ways(there),
                    (true, false) => both_ways(other),
                    (false, false) => [there.clone(), way_back(there, other)],
                };
            }
            if !properties.cables.is_empty() {
                let [name, from, to] = properties.cables[back].clone();
                for (at, text) in [(0, name), (1, to), (2, from)] {
                    if properties.cables[first][at].is_empty() {
                        properties.cables[first][at] = text;
                    }
                }
            }
        }
        retain(&mut self.cables, &gone);
        retain(&mut properties.links, &gone);
        retain(&mut properties.cables, &gone);
        merged
    }

    /// Finds, for every row of a cable list, a later row that names the same cable with its ends exchanged. `None` for rows without such a
    /// row.
    fn opposite_entries(&self) -> Vec<Option<usize>> {
        let mut listed: HashMap<[u32; 2], Vec<usize>> = HashMap::new();
        let mut back_of: Vec<Option<usize>> = vec![None; self.cables.len()];
        let mut gone = vec![false; self.cables.len()];
        // Cables with the same port names are matched first. Entries without port names are then matched with the entries that remain.
        for by_ports in [true, false] {
            listed.clear();
            for cable in 0..self.cables.len() {
                if gone[cable] || back_of[cable].is_some() {
                    continue;
                }
                let [a, b] = self.cables[cable];
                let open = listed.entry([b, a]).or_default();
                let found = open.iter().position(|&other| !by_ports || self.has_ports_of(other, cable));
                if let Some(at) = found {
                    let first = open.remove(at);
                    back_of[first] = Some(cable);
                    gone[cable] = true;
                } else {
                    listed.entry([a, b]).or_default().push(cable);
                }
            }
        }
        back_of
    }

    /// Whether `other` is the same cable as `cable`, listed from the opposite end: their port names are equal in reverse order. At least
    /// one port must have a name.
    fn has_ports_of(&self, other: usize, cable: usize) -> bool {
        let ports = |cable: usize| self.properties.cables.get(cable).map(|[_, from, to]| (from.as_str(), to.as_str()));
        match (ports(other), ports(cable)) {
            (Some((a, b)), Some((c, d))) => (a, b) == (d, c) && !(a.is_empty() && b.is_empty()),
            _ => false,
        }
    }
}

fn both_ways(link: &Link) -> [Link; 2] {
    [link.clone(), link.clone()]
}

/// Returns the properties of a cable in its reverse direction. `other` is the link as listed from the opposite end. Length and medium are
/// the same in both directions, so they are those of `there`, the link in the forward direction.
fn way_back(there: &Link, other: &Link) -> Link {
    Link { rate: other.rate, latency: other.latency, cost: other.cost, ..there.clone() }
}

fn retain<T>(values: &mut Vec<T>, gone: &[bool]) {
    let mut rows = gone.iter();
    values.retain(|_| rows.next().is_some_and(|gone| !gone));
}
