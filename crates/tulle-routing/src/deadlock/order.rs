//! The judge: an order of all (channel, virtual channel), or a cycle.

use std::fmt::Write;

use tulle_fabric::Fabric;

use super::dependencies::Dependencies;

/// A cycle of channel dependencies: every channel waits for the next, the last for the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle {
    /// The channels, each with its virtual channel.
    pub channels: Vec<(u32, u8)>,
}

impl Cycle {
    /// The cycle in words: the switches it leads through by label, with virtual channels where there are several, at most
    /// eight of them written out.
    pub fn name(&self, fabric: &Fabric) -> String {
        const SHOWN: usize = 8;
        let several = self.channels.iter().any(|&(_, vc)| vc != self.channels[0].1);
        let mut name = String::new();
        for &(channel, vc) in self.channels.iter().take(SHOWN) {
            name += &fabric.label(fabric.sources()[channel as usize]);
            name += "→";
            if several {
                let _ = write!(name, "[VC {vc}]");
            }
        }
        match self.channels.len() {
            0..=SHOWN => name + &fabric.label(fabric.sources()[self.channels[0].0 as usize]),
            channels => format!("{name}… ({channels} channels)"),
        }
    }
}

/// Ranks for the nodes of `graph` that rise along every dependency: the most dependencies on a chain up to the node.
///
/// # Errors
/// A cycle, where there is one.
pub(crate) fn ranks(graph: &Dependencies<'_>) -> Result<Vec<u32>, Cycle> {
    // Kahn's algorithm: what nothing waits for any longer leaves, so only nodes on or after cycles stay.
    let mut waiting = vec![0u32; graph.num_nodes()];
    for node in 0..graph.num_nodes() {
        graph.successors(node, |next| waiting[next] += 1);
    }
    let mut ranks = vec![0u32; graph.num_nodes()];
    let mut ready: Vec<usize> = (0..graph.num_nodes()).filter(|&node| waiting[node] == 0).collect();
    let mut left = graph.num_nodes();
    while let Some(node) = ready.pop() {
        left -= 1;
        let rank = ranks[node] + 1;
        graph.successors(node, |next| {
            ranks[next] = ranks[next].max(rank);
            waiting[next] -= 1;
            if waiting[next] == 0 {
                ready.push(next);
            }
        });
    }
    if left == 0 { Ok(ranks) } else { Err(cycle(graph, &waiting)) }
}

/// A cycle among the nodes that still wait, the shortest through its first node.
fn cycle(graph: &Dependencies<'_>, waiting: &[u32]) -> Cycle {
    let start = on_a_cycle(graph, waiting);
    // Breadth-first from the start until it is met again.
    let mut parent = vec![usize::MAX; graph.num_nodes()];
    let mut queue = vec![start];
    let mut at = 0;
    let mut last = None;
    while last.is_none() {
        let node = queue[at];
        at += 1;
        graph.successors(node, |next| {
            if next == start {
                last = last.or(Some(node));
            } else if waiting[next] > 0 && parent[next] == usize::MAX {
                parent[next] = node;
                queue.push(next);
            }
        });
    }
    let mut nodes: Vec<usize> =
        std::iter::successors(last, |&node| Some(parent[node])).take_while(|&n| n != start).collect();
    nodes.push(start);
    nodes.reverse();
    let vcs = graph.vcs();
    Cycle { channels: nodes.into_iter().map(|node| ((node / vcs) as u32, (node % vcs) as u8)).collect() }
}

/// A node on a cycle. Every waiting node has a waiting predecessor; so following predecessors ends up going around.
fn on_a_cycle(graph: &Dependencies<'_>, waiting: &[u32]) -> usize {
    let mut predecessor = vec![usize::MAX; graph.num_nodes()];
    for node in (0..graph.num_nodes()).filter(|&node| waiting[node] > 0) {
        graph.successors(node, |next| {
            if predecessor[next] == usize::MAX {
                predecessor[next] = node;
            }
        });
    }
    let mut node = (0..graph.num_nodes()).find(|&node| waiting[node] > 0).expect("some node waits");
    let mut seen = vec![false; graph.num_nodes()];
    while !std::mem::replace(&mut seen[node], true) {
        node = predecessor[node];
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deadlock::turns::Turns;

    #[test]
    fn a_cycle_names_its_channels_and_virtual_channels() {
        // Up a ring of three; the virtual channels are 1, 2 and 0 of three.
        let ring = tulle_fabric::build("torus:shape=3,p=1", 0).unwrap();
        let turns = Turns::of(&ring);
        let up = [0, 1, 2].map(|switch: u32| {
            let to = ring.neighbours(switch).iter().position(|&next| next == (switch + 1) % 3).unwrap();
            ring.offsets()[switch as usize] + to as u32
        });
        let mut graph = Dependencies::new(&turns, 3);
        graph.insert(up[0], 1, up[1], 2);
        graph.insert(up[1], 2, up[2], 0);
        let ranks = ranks(&graph).unwrap();
        assert_eq!([(0, 1), (1, 2), (2, 0)].map(|(at, vc): (usize, usize)| ranks[up[at] as usize * 3 + vc]), [0, 1, 2]);
        graph.insert(up[2], 0, up[0], 1);
        let mut cycle = super::ranks(&graph).unwrap_err();
        let first = cycle.channels.iter().position(|&(channel, _)| channel == up[0]).unwrap();
        cycle.channels.rotate_left(first);
        assert_eq!(cycle.channels, [(up[0], 1), (up[1], 2), (up[2], 0)]);
    }
}
