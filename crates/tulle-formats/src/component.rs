//! Leaves out switches of an imported graph: those without cables and endpoints, and those outside its largest connected component.

use super::Graph;
use super::text::shown;

/// Maximum number of names in a note.
const SHOWN: usize = 3;

impl Graph {
    /// Leaves out switches without cables and endpoints. Returns a note with their number, if there are any.
    ///
    /// # Errors
    /// Fails if no switch remains.
    pub(super) fn drop_isolated(&mut self) -> Result<Option<String>, String> {
        let mut kept = vec![false; self.switches as usize];
        let used = self.cables.iter().flatten().chain(self.endpoint_switch.iter().flatten());
        used.for_each(|&switch| kept[switch as usize] = true);
        let isolated = kept.iter().filter(|kept| !**kept).count();
        if isolated == kept.len() {
            return Err("no switch has a cable or an endpoint; legal: one or more cables or endpoints".to_owned());
        }
        if isolated == 0 {
            return Ok(None);
        }
        let names: Vec<String> = (0..self.switches)
            .filter(|&switch| !kept[switch as usize])
            .take(SHOWN)
            .map(|switch| format!("'{}'", shown(&self.name(switch))))
            .collect();
        let more = if isolated > SHOWN { ", …" } else { "" };
        self.keep(&kept);
        let (switches, are) = if isolated == 1 { ("switch", "is") } else { ("switches", "are") };
        let names = names.join(", ");
        Ok(Some(format!("{isolated} {switches} without cables and endpoints {are} left out: {names}{more}")))
    }

    /// Keeps the connected component with the most switches. If several components are equally large, keeps the one that contains the
    /// lowest switch id. Returns a note with the numbers of omitted parts, if any. `each` is the number of endpoints per switch if no file
    /// gives endpoints.
    pub(super) fn keep_largest(&mut self, each: u32) -> Option<String> {
        let component = self.components();
        let mut sizes = vec![0usize; self.switches as usize];
        component.iter().for_each(|&root| sizes[root as usize] += 1);
        let largest = (0..self.switches).max_by_key(|&root| (sizes[root as usize], std::cmp::Reverse(root)))?;
        let kept: Vec<bool> = component.iter().map(|&root| root == largest).collect();
        if kept.iter().all(|kept| *kept) {
            return None;
        }
        let before = (kept.len(), self.cables.len(), self.endpoint_switch.as_ref().map(Vec::len));
        self.keep(&kept);
        let switches = before.0 - self.switches as usize;
        let cables = before.1 - self.cables.len();
        let endpoints = match (&self.endpoint_switch, before.2) {
            (Some(now), Some(before)) => before - now.len(),
            _ => switches * each as usize,
        };
        let count = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
        Some(format!(
            "component=largest leaves out {}, {} and {} outside the largest component of {}",
            count(switches, "switch", "switches"),
            count(cables, "cable", "cables"),
            count(endpoints, "endpoint", "endpoints"),
            count(self.switches as usize, "switch", "switches"),
        ))
    }

    /// Returns, per switch, the lowest switch id of its component.
    fn components(&self) -> Vec<u32> {
        fn root(parents: &mut [u32], mut at: u32) -> u32 {
            while parents[at as usize] != at {
                parents[at as usize] = parents[parents[at as usize] as usize];
                at = parents[at as usize];
            }
            at
        }
        let mut parents: Vec<u32> = (0..self.switches).collect();
        for &[a, b] in &self.cables {
            let [a, b] = [root(&mut parents, a), root(&mut parents, b)];
            parents[a.max(b) as usize] = a.min(b);
        }
        (0..self.switches).map(|switch| root(&mut parents, switch)).collect()
    }

    fn name(&self, switch: u32) -> String {
        self.labels.get(switch as usize).cloned().unwrap_or_else(|| switch.to_string())
    }

    /// Keeps these switches, the cables between them and their endpoints. The switches keep their names; if the id of a switch without a
    /// name changes, the old id becomes its name.
    fn keep(&mut self, kept: &[bool]) {
        let mut names: Vec<String> = (0..self.switches).map(|switch| self.name(switch)).collect();
        let mut ids = vec![0; kept.len()];
        let mut next = 0;
        for (id, _) in ids.iter_mut().zip(kept).filter(|(_, kept)| **kept) {
            *id = next;
            next += 1;
        }
        let properties = &mut self.properties;
        retain(&mut names, kept);
        retain(&mut properties.switches, kept);
        retain(&mut properties.addresses[0], kept);
        let width = properties.coordinates.names.len();
        if width > 0 {
            let of_values: Vec<bool> = kept.iter().flat_map(|kept| std::iter::repeat_n(*kept, width)).collect();
            retain(&mut properties.coordinates.values, &of_values);
        }
        let at_kept = |ends: &[u32; 2]| ends.iter().all(|&end| kept[end as usize]);
        let cables: Vec<bool> = self.cables.iter().map(at_kept).collect();
        retain(&mut self.cables, &cables);
        retain(&mut properties.links, &cables);
        retain(&mut properties.cables, &cables);
        retain(&mut properties.classes.1, &cables);
        retain(&mut properties.layers, &cables);
        self.cables.iter_mut().flatten().for_each(|end| *end = ids[*end as usize]);
        if let Some(at) = &mut self.endpoint_switch {
            let endpoints: Vec<bool> = at.iter().map(|&switch| kept[switch as usize]).collect();
            if endpoints.contains(&false) {
                properties.endpoints.resize(endpoints.len(), Default::default());
                for (id, (name, ..)) in properties.endpoints.iter_mut().enumerate() {
                    if name.is_empty() {
                        *name = id.to_string();
                    }
                }
            }
            retain(at, &endpoints);
            retain(&mut properties.endpoints, &endpoints);
            retain(&mut properties.host_ports, &endpoints);
            retain(&mut properties.addresses[1], &endpoints);
            at.iter_mut().for_each(|switch| *switch = ids[*switch as usize]);
        }
        self.switches = next;
        let are_ids = names.iter().enumerate().all(|(id, name)| *name == id.to_string());
        self.labels = if are_ids { Vec::new() } else { names };
    }
}

/// Keeps only the values of the rows that remain. A column may be shorter than the number of rows, because trailing empty values are not
/// stored.
fn retain<T>(values: &mut Vec<T>, kept: &[bool]) {
    let mut rows = kept.iter();
    values.retain(|_| rows.next().is_some_and(|kept| *kept));
}
