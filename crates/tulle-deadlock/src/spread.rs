//! Spreads paths over spare virtual channels.
//!
//! If the dependencies of some paths on one virtual channel are acyclic, any subset of these dependencies is acyclic too. So the paths can
//! be spread over several virtual channels. A scheme states the minimum number of virtual channels, and this module adds spare virtual
//! channels where the load is highest.

use tulle_fabric::Fabric;
use tulle_routing::{Flaw, Routing};

use super::assignment::{Assignment, Rule, Share};
use super::hardware::Hardware;
use super::routes::{Walker, column, routes_of, senders};

/// The virtual channels that a scheme needs, and how it separates routes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum VcNeeds {
    /// One class number per route; empty if all routes are in class 0. Each class has its own virtual channels. A route of class [`ANY`]
    /// may use any virtual channel.
    Classes { class: Vec<u8>, count: u16 },
    /// Every hop has its own virtual channels. `loads` gives, for each hop number, the number of routes that have this hop. `colours` is
    /// set if a route's service level must identify its second switch (Blach et al. (NSDI24) §5.2).
    Hops { loads: Vec<u64>, colours: Option<Colours> },
}

/// The class of routes that may use any virtual channel: all routes of one hop, and routes of two hops if first hops have virtual channels
/// of their own.
pub(crate) const ANY: u8 = u8::MAX;

/// A colour per switch.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Colours {
    pub of: Vec<u8>,
    pub count: u16,
}

impl VcNeeds {
    /// The fewest virtual channels.
    pub fn needed_vcs(&self) -> usize {
        match self {
            Self::Classes { count, .. } => usize::from(*count).max(1),
            Self::Hops { loads, .. } => loads.len().max(1),
        }
    }

    /// The fewest service levels.
    pub fn needed_sls(&self) -> usize {
        match self {
            Self::Classes { count, .. } => usize::from(*count).max(1),
            Self::Hops { colours, .. } => colours.as_ref().map_or(1, |colours| usize::from(colours.count).max(1)),
        }
    }
}

/// Assigns virtual channels to the routes of `routing`, as `needs` requires. The routes are spread over all virtual channels of `hardware`.
///
/// # Errors
/// Fails if a route does not lead to its destination.
pub(crate) fn assignment(
    fabric: &Fabric,
    routing: &Routing,
    needs: VcNeeds,
    hardware: Hardware,
) -> Result<Assignment, Flaw> {
    let vcs = hardware.vcs.map_or(needs.needed_vcs(), usize::from);
    let sls = usize::from(hardware.sls.unwrap_or(u8::MAX));
    match needs {
        VcNeeds::Classes { class, count } => {
            // If a packet keeps its virtual channel, each virtual channel has its own service level. So there cannot be more virtual
            // channels than service levels.
            Ok(classes(routing, fabric, class, count, vcs.min(sls)))
        }
        VcNeeds::Hops { loads, colours } => hops(fabric, routing, loads, colours, vcs, sls),
    }
}

fn classes(routing: &Routing, fabric: &Fabric, mut class: Vec<u8>, count: u16, vcs: usize) -> Assignment {
    let count = usize::from(count.max(1));
    let vcs = vcs.max(count);
    if vcs == 1 {
        return Assignment::of(routing);
    }
    class.resize(column(routing).expect("counted before"), 0);
    let edge = senders(fabric);
    let each = |visit: &mut dyn FnMut(usize)| {
        edge.iter().for_each(|&source| routes_of(routing, &edge, source, |route| visit(route.number as usize)));
    };
    let mut loads = vec![0; count];
    each(&mut |number| {
        if class[number] != ANY {
            loads[usize::from(class[number])] += 1;
        }
    });
    let shares = share(&loads, vcs, u8::MAX);
    // The routes of a class are assigned to the virtual channels of the class in rotation.
    let (mut turn, mut busy) = (vec![0; count], vec![0u64; vcs]);
    let mut vc_of = vec![0; class.len()];
    each(&mut |number| {
        if class[number] != ANY {
            let share = shares[usize::from(class[number])];
            vc_of[number] =
                share.first + next_of(&mut turn[usize::from(class[number])], usize::from(share.count)) as u8;
            busy[usize::from(vc_of[number])] += 1;
        }
    });
    // Every route of class `ANY` goes to the least loaded virtual channel.
    each(&mut |number| {
        if class[number] == ANY {
            let least = (0..vcs).min_by_key(|&vc| busy[vc]).unwrap_or(0);
            vc_of[number] = least as u8;
            busy[least] += 1;
        }
    });
    Assignment::new(routing, vc_of, Rule::Constant, vcs as u8)
}

fn hops(
    fabric: &Fabric,
    routing: &Routing,
    loads: Vec<u64>,
    colours: Option<Colours>,
    vcs: usize,
    sls: usize,
) -> Result<Assignment, Flaw> {
    // A plan has at least one virtual channel, even if there are no paths.
    let loads = if loads.is_empty() { vec![0] } else { loads };
    let (colours, num_colours) = colours.map_or((Vec::new(), 1), |colours| (colours.of, usize::from(colours.count)));
    let slots_at_most = (sls / num_colours).max(1);
    let shares = share(&loads, vcs, slots_at_most.min(usize::from(u8::MAX)) as u8);
    let slots = slots(&loads, &shares, slots_at_most);
    let vcs = shares.iter().map(|share| share.count).sum();
    let mut levels = vec![0; if num_colours * slots > 1 { column(routing).expect("counted before") } else { 0 }];
    // The routes of each colour are assigned to the slots of the colour in rotation. Routes without a second switch are assigned to all
    // service levels in rotation.
    let (mut turn, mut any) = (vec![0; num_colours], 0);
    let mut walker = Walker::new(fabric, routing);
    let mut flaw = None;
    let edge = senders(fabric);
    for &source in if levels.is_empty() { &[][..] } else { &edge[..] } {
        routes_of(routing, &edge, source, |route| {
            let mut colour = (num_colours == 1).then_some(0);
            if num_colours > 1 {
                let walked = walker.walk(route, |step| {
                    if step.hop == 1 {
                        colour = Some(usize::from(colours[fabric.sources()[step.channel as usize] as usize]));
                    }
                });
                flaw = flaw.or(walked.err());
            }
            levels[route.number as usize] = match colour {
                Some(colour) => colour + num_colours * next_of(&mut turn[colour], slots),
                None => next_of(&mut any, num_colours * slots),
            } as u8;
        });
    }
    let rule = Rule::Positions { shares, colours, num_colours: num_colours as u8, detours: None };
    flaw.map_or(Ok(Assignment::new(routing, levels, rule, vcs)), Err)
}

/// Returns the current value of `turn`, and sets `turn` to the next number below `of`; after the last number comes 0.
fn next_of(turn: &mut usize, of: usize) -> usize {
    let now = *turn;
    *turn = (now + 1) % of;
    now
}

/// Returns the number of service-level slots for which the load is balanced best. Each hop has a range of `count` virtual channels in
/// `shares`, and a load in `loads`. Routes with slot s use virtual channel (s modulo `count`) of the range. So a hop's load is balanced
/// only if its `count` divides the number of slots.
fn slots(loads: &[u64], shares: &[Share], at_most: usize) -> usize {
    let widest = shares.iter().map(|share| usize::from(share.count)).max().unwrap_or(1);
    let busiest = |slots: usize| {
        let of =
            |(&load, share): (&u64, &Share)| load as f64 * slots.div_ceil(share.count.into()) as f64 / slots as f64;
        loads.iter().zip(shares).map(of).fold(0.0, f64::max)
    };
    (widest..=at_most.min(64).max(widest)).min_by(|&a, &b| busiest(a).total_cmp(&busiest(b))).unwrap_or(widest)
}

/// Divides `vcs` virtual channels into ranges, one per entry of `loads`. A range has 1 to `at_most` virtual channels. Each spare virtual
/// channel goes to the range with the highest load per virtual channel; ties go to the first range.
pub(crate) fn share(loads: &[u64], vcs: usize, at_most: u8) -> Vec<Share> {
    let mut counts = vec![1u8; loads.len()];
    for _ in loads.len()..vcs {
        // The loads per virtual channel (load / count) are compared without division.
        let above = |a: usize, b: usize| {
            u128::from(loads[a]) * u128::from(counts[b]) > u128::from(loads[b]) * u128::from(counts[a])
        };
        let open = (0..loads.len()).filter(|&at| counts[at] < at_most);
        let Some(busiest) = open.reduce(|best, at| if above(at, best) { at } else { best }) else { break };
        counts[busiest] += 1;
    }
    let mut first = 0;
    counts
        .into_iter()
        .map(|count| {
            let share = Share { first, count };
            first += count;
            share
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spare_vcs_go_to_the_highest_load_and_of_equal_ones_to_the_first() {
        for (loads, vcs, at_most, counts) in [
            (&[5, 5][..], 3, 9, &[2, 1][..]),
            (&[5, 5], 4, 9, &[2, 2]),
            (&[5, 6], 3, 9, &[1, 2]),
            // Half of 8 is as much as 4.
            (&[4, 8, 4], 5, 9, &[2, 2, 1]),
            (&[8, 4, 4], 5, 9, &[3, 1, 1]),
            (&[9, 1, 1], 7, 3, &[3, 2, 2]),
            (&[0, 0], 3, 9, &[2, 1]),
            (&[7], 4, 2, &[2]),
        ] {
            let shares = share(loads, vcs, at_most);
            assert_eq!(shares.iter().map(|share| share.count).collect::<Vec<_>>(), counts, "{loads:?} over {vcs}");
            let firsts = shares.iter().scan(0, |sum, share| Some(std::mem::replace(sum, *sum + share.count)));
            assert!(shares.iter().map(|share| share.first).eq(firsts), "side by side");
        }
    }
}
