//! The watchdog: detects deadlocks, in which packets wait for each other in a cycle.
//!
//! A full buffer is *stuck* if its first flit has no credit for any VC that it may use. A stuck buffer moves again when one of the buffers
//! for which it waits moves. The algorithm repeatedly removes every buffer that waits for at least one buffer that is not stuck or was
//! removed. The buffers that remain can never move. When no credit is on its way any more, they are exactly the deadlocks.

use std::collections::HashMap;

use tulle_base::acyclic;
use tulle_deadlock::Cycle;
use tulle_fabric::Fabric;

use crate::outcome::Deadlock;
use crate::router::context::Waiting;

/// Returns a deadlock among the buffers `stuck`, if any.
pub(crate) fn deadlock(fabric: &Fabric, stuck: &[Waiting], now: u64) -> Option<Deadlock> {
    let number: HashMap<(u32, u8), usize> = stuck.iter().zip(0..).map(|(waiting, at)| (waiting.at, at)).collect();
    let mut dead = vec![true; stuck.len()];
    // Per buffer: the buffers that wait for it.
    let mut behind = vec![Vec::new(); stuck.len()];
    let mut moving = Vec::new();
    for (at, waiting) in stuck.iter().enumerate() {
        for want in &waiting.wants {
            match number.get(want) {
                Some(&next) => behind[next].push(at),
                None => moving.push(at),
            }
        }
    }
    while let Some(at) = moving.pop() {
        if std::mem::replace(&mut dead[at], false) {
            moving.extend(&behind[at]);
        }
    }
    let onward: Vec<Vec<u32>> = stuck
        .iter()
        .enumerate()
        .map(|(at, waiting)| match dead[at] {
            true => waiting.wants.iter().map(|want| number[want] as u32).collect(),
            false => Vec::new(),
        })
        .collect();
    let cycle = acyclic::cycle(&onward[..])?;
    let channels: Vec<(u32, u8)> = cycle.into_iter().map(|at| stuck[at].at).collect();
    let name = Cycle { channels: channels.clone() }.name(fabric);
    Some(Deadlock { cycle: now, channels, name })
}
