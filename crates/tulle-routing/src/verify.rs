//! An independent judge of tables: every pair reached, whatever the choices, without a loop.

use tulle_fabric::Fabric;

use crate::Table;

/// What is wrong with a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// The table is over another number of switches.
    #[error("the table has {table} switches, the fabric {fabric}")]
    Size {
        /// Switches of the table.
        table: usize,
        /// Switches of the fabric.
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
    /// A switch has a port it does not have.
    #[error("switch {switch} forwards toward {destination} over port {port}, which it does not have")]
    Port {
        /// The switch.
        switch: u32,
        /// The destination.
        destination: u32,
        /// The port.
        port: u16,
    },
    /// Some choice of ports leads around.
    #[error("packets toward {destination} can loop through switch {switch}")]
    Loop {
        /// A switch of the loop.
        switch: u32,
        /// The destination.
        destination: u32,
    },
}

/// Checks that `table` leads from every switch to every other without a loop, for every choice within its groups.
///
/// Per destination the next hops must form an acyclic graph whose only sink is the destination: a depth-first search over
/// it, independent of how the table was made.
///
/// # Errors
/// The first flaw found.
pub fn verify(fabric: &Fabric, table: &Table) -> Result<(), Flaw> {
    let switches = fabric.num_switches();
    if table.num_switches() != switches {
        return Err(Flaw::Size { table: table.num_switches(), fabric: switches });
    }
    for destination in 0..switches as u32 {
        // 0: not seen, 1: on the way down, 2: done.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TableBuilder;

    #[test]
    fn planted_flaws_are_found() {
        let ring = tulle_fabric::build("clique:degree=2", 0).unwrap();
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
}
