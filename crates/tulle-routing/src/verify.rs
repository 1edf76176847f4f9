//! Checks tables and path sets, independently of the code that made them. Every path must reach its destination without a loop, whichever
//! next hops are chosen.

use tulle_fabric::Fabric;

use crate::{PathSet, Table};

/// A flaw in a table or in a path set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// The routing and the fabric have different numbers of switches.
    #[error("the routing has {routing} switches, but the fabric has {fabric}")]
    Size {
        /// The number of switches of the table or path set.
        routing: usize,
        /// The number of switches of the fabric.
        fabric: usize,
    },
    /// A switch has no port toward a destination.
    #[error("switch {switch} has no next hop toward {destination}")]
    Missing {
        /// The switch.
        switch: u32,
        /// The destination.
        destination: u32,
    },
    /// A table entry contains a port that the switch does not have.
    #[error("switch {switch} forwards toward {destination} over port {port}, which it does not have")]
    Port {
        /// The switch.
        switch: u32,
        /// The destination.
        destination: u32,
        /// The port.
        port: u16,
    },
    /// With some choice of ports in the groups, packets loop.
    #[error("packets toward {destination} can loop through switch {switch}")]
    Loop {
        /// A switch on the loop.
        switch: u32,
        /// The destination.
        destination: u32,
    },
    /// A path from one switch to another is invalid.
    #[error("path {path} from switch {source_switch} to {destination} {problem}")]
    Path {
        /// The first switch of the path.
        source_switch: u32,
        /// The switch at which the path should end.
        destination: u32,
        /// The position of the path among the paths of the pair.
        path: u32,
        /// What is wrong with the path.
        problem: PathProblem,
    },
}

/// What can be wrong with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathProblem {
    /// The path uses a port that the switch does not have.
    #[error("takes port {port} of switch {switch}, which has no such port")]
    Port {
        /// The switch.
        switch: u32,
        /// The port.
        port: u16,
    },
    /// The path visits a switch twice.
    #[error("visits switch {switch} twice")]
    Repeat {
        /// The switch.
        switch: u32,
    },
    /// The path does not end at its destination.
    #[error("ends at switch {switch}")]
    End {
        /// The switch at which the path ends.
        switch: u32,
    },
}

/// Checks that `table` leads from every switch to every other switch without a loop, for every choice of ports within the groups.
///
/// For each destination, the next hops must form an acyclic graph, and only the destination may be without a next hop. The function checks
/// this by a depth-first search.
///
/// # Errors
/// Returns the first flaw that is found.
pub fn verify(fabric: &Fabric, table: &Table) -> Result<(), Flaw> {
    let switches = fabric.num_switches();
    if table.num_switches() != switches {
        return Err(Flaw::Size { routing: table.num_switches(), fabric: switches });
    }
    for destination in 0..switches as u32 {
        // The states of a switch: 0 not visited, 1 on the current path of the search, 2 finished.
        let mut state = vec![0u8; switches];
        state[destination as usize] = 2;
        for start in 0..switches as u32 {
            let mut stack: Vec<(u32, usize)> = Vec::new();
            if state[start as usize] == 0 {
                state[start as usize] = 1;
                stack.push((start, 0));
            }
            while let Some((switch, at)) = stack.last_mut() {
                let (switch, ports) = (*switch, table.next(*switch, destination));
                if ports.is_empty() {
                    return Err(Flaw::Missing { switch, destination });
                }
                let Some(&port) = ports.get(*at) else {
                    state[switch as usize] = 2;
                    stack.pop();
                    continue;
                };
                *at += 1;
                let Some(&next) = fabric.neighbours(switch).get(usize::from(port)) else {
                    return Err(Flaw::Port { switch, destination, port });
                };
                match state[next as usize] {
                    0 => {
                        state[next as usize] = 1;
                        stack.push((next, 0));
                    }
                    1 => return Err(Flaw::Loop { switch: next, destination }),
                    _ => {}
                }
            }
        }
    }
    Ok(())
}

/// Checks that every path in `paths` leads from its source to its destination and visits no switch twice. There must be no path from a
/// switch to itself. A pair may have no paths.
///
/// # Errors
/// Returns the first flaw that is found.
pub fn verify_paths(fabric: &Fabric, paths: &PathSet) -> Result<(), Flaw> {
    let switches = fabric.num_switches();
    if paths.num_switches() != switches {
        return Err(Flaw::Size { routing: paths.num_switches(), fabric: switches });
    }
    // Per switch, the number of the last path that visited it, plus 1; 0 if no path has visited it.
    let mut visited = vec![0u64; switches];
    for source_switch in 0..switches as u32 {
        for destination in 0..switches as u32 {
            let between = paths.between(source_switch, destination);
            for number in between.clone() {
                let path = number - between.start;
                let flaw = |problem| Err(Flaw::Path { source_switch, destination, path, problem });
                let mut switch = source_switch;
                visited[switch as usize] = u64::from(number) + 1;
                for &port in paths.ports(number) {
                    let Some(&next) = fabric.neighbours(switch).get(usize::from(port)) else {
                        return flaw(PathProblem::Port { switch, port });
                    };
                    if std::mem::replace(&mut visited[next as usize], u64::from(number) + 1) == u64::from(number) + 1 {
                        return flaw(PathProblem::Repeat { switch: next });
                    }
                    switch = next;
                }
                if switch != destination || source_switch == destination {
                    return flaw(PathProblem::End { switch });
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SourcePaths, TableBuilder};

    #[test]
    fn planted_flaws_are_found() {
        let ring = tulle_topologies::build("clique:degree=2", 0).unwrap();
        let good = || {
            let mut builder = TableBuilder::new(&ring);
            for switch in 0..3 {
                for (port, &next) in ring.neighbours(switch).iter().enumerate() {
                    builder.set(switch, next, &[port as u16]);
                }
            }
            builder
        };
        assert_eq!(verify(&ring, &good().finish()), Ok(()));
        let mut looped = good();
        looped.set(0, 2, &[0]);
        looped.set(1, 2, &[0, 1]);
        assert!(matches!(verify(&ring, &looped.finish()), Err(Flaw::Loop { destination: 2, .. })));
        let mut missing = TableBuilder::new(&ring);
        missing.set(0, 1, &[0]);
        assert!(matches!(verify(&ring, &missing.finish()), Err(Flaw::Missing { .. })));
        let mut port = good();
        port.set(0, 1, &[0, 1, 7]);
        port.set(2, 1, &[1]);
        assert_eq!(verify(&ring, &port.finish()), Err(Flaw::Port { switch: 0, destination: 1, port: 7 }));
    }
    #[test]
    fn planted_flaws_of_paths_are_found() {
        let triangle = tulle_topologies::build("clique:degree=2", 0).unwrap();
        // Only the pair from switch 0 to switch 1 has paths.
        let verify = |from_0_to_1: &[&[u16]]| {
            let sources = (0..3).map(|source| {
                let mut paths = SourcePaths::default();
                for destination in 0..3 {
                    paths.destination(from_0_to_1.iter().copied().filter(|_| (source, destination) == (0, 1)));
                }
                paths
            });
            verify_paths(&triangle, &SourcePaths::join(sources.collect()))
        };
        let flaw = |path, problem| Err(Flaw::Path { source_switch: 0, destination: 1, path, problem });
        assert_eq!(verify(&[&[0], &[1, 1]]), Ok(()));
        assert_eq!(verify(&[&[0], &[2]]), flaw(1, PathProblem::Port { switch: 0, port: 2 }));
        assert_eq!(verify(&[&[1, 0, 0]]), flaw(0, PathProblem::Repeat { switch: 0 }));
        assert_eq!(verify(&[&[0], &[1, 1], &[1]]), flaw(2, PathProblem::End { switch: 2 }));
        assert_eq!(verify(&[&[]]), flaw(0, PathProblem::End { switch: 0 }));
    }
}
