//! Checks prefix entries: follows all paths, using only the entries, and finds loops and dead ends.

use rayon::prelude::*;
use tulle_base::task;
use tulle_fabric::Fabric;

use super::Entries;
use crate::Error;

/// The result of following every path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walked {
    /// Per layer and number of hops, the number of pairs (switch, destination) whose longest path has this many hops.
    pub hops: Vec<Vec<u64>>,
}

/// Values that mark a switch during the search: not visited yet, or on the current path.
const UNKNOWN: u32 = u32::MAX;
const UNDER_WAY: u32 = u32::MAX - 1;

impl Entries {
    /// Follows all paths in every layer from every switch to every destination, over every port of every group.
    ///
    /// # Errors
    /// Returns the first destination, by layer and id, to which some path has a loop or ends too early.
    pub fn walk(&self, fabric: &Fabric) -> Result<Walked, Error> {
        let switches = self.rows().len();
        let columns: Vec<(usize, usize)> = (0..self.layers())
            .flat_map(|layer| (0..self.destinations().len()).map(move |place| (layer, place)))
            .collect();
        let found: Vec<Result<Vec<u64>, Error>> = columns
            .par_iter()
            .map_init(
                || (vec![UNKNOWN; switches], Vec::new()),
                |(longest, stack), &(layer, place)| {
                    task::check();
                    self.longest(fabric, layer, place, longest, stack)?;
                    let mut pairs = Vec::new();
                    for (switch, &hops) in longest.iter().enumerate() {
                        if switch as u32 != self.destinations()[place] {
                            pairs.resize(pairs.len().max(hops as usize + 1), 0);
                            pairs[hops as usize] += 1;
                        }
                    }
                    Ok(pairs)
                },
            )
            .collect();
        let mut hops = vec![Vec::new(); self.layers()];
        for (&(layer, _), found) in columns.iter().zip(found) {
            let (found, counts): (Vec<u64>, &mut Vec<u64>) = (found?, &mut hops[layer]);
            counts.resize(counts.len().max(found.len()), 0);
            counts.iter_mut().zip(found).for_each(|(count, more)| *count += more);
        }
        Ok(Walked { hops })
    }

    /// Sets `longest` to the maximum number of hops from every switch to the destination with index `place`.
    fn longest(
        &self,
        fabric: &Fabric,
        layer: usize,
        place: usize,
        longest: &mut [u32],
        stack: &mut Vec<(u32, usize)>,
    ) -> Result<(), Error> {
        let destination = self.destinations()[place];
        let wrong = |switch: u32, what: &str| {
            let [switch, destination] = [switch, destination].map(|switch| fabric.label(switch));
            Error::Wrong(format!("layer {layer} toward switch {destination}: from switch {switch} {what}"))
        };
        longest.fill(UNKNOWN);
        longest[destination as usize] = 0;
        for start in 0..longest.len() as u32 {
            if longest[start as usize] != UNKNOWN {
                continue;
            }
            stack.clear();
            stack.push((start, 0));
            longest[start as usize] = UNDER_WAY;
            while let Some((switch, at)) = stack.last_mut() {
                let switch = *switch;
                let hops = self.hops(switch, layer, place);
                if hops.is_empty() {
                    return Err(wrong(switch, "there is no next hop"));
                }
                if let Some(hop) = hops.get(*at) {
                    *at += 1;
                    match longest[hop.next as usize] {
                        UNDER_WAY => return Err(wrong(switch, "a path has a loop")),
                        UNKNOWN => {
                            longest[hop.next as usize] = UNDER_WAY;
                            stack.push((hop.next, 0));
                        }
                        _ => {}
                    }
                    continue;
                }
                let most = hops.iter().map(|hop| longest[hop.next as usize]).max();
                longest[switch as usize] = 1 + most.expect("the switch has a next hop");
                stack.pop();
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
