//! The channel-dependency test: checks whether a selector and a policy together can deadlock.

use tulle_deadlock::{Cycle, acyclic};

use crate::Error;
use crate::policy::{Kind, Policy, PolicyContext};
use crate::vc_levels::VcLevels;

/// Returns a cycle of channel dependencies, or `None` if deadlock is impossible. All VCs that a packet may request on a channel (a request
/// group) count as one node of the dependency graph. A packet that holds a VC of one channel waits for a VC of its next channel.
///
/// Policy `hops` does not need this test: a packet's VC class rises at every hop until it reaches the last class, and [`crate::last_class`]
/// tests the last class when the policy is created. The deadlock scheme of policy `plan` has already proven that its VCs cannot deadlock.
/// For `crossings`, `datelines`, `phases` and `free`, the test covers all routes that packets may take.
///
/// # Errors
/// Fails if a path of the routing does not end at its destination.
pub(crate) fn cycle(context: &PolicyContext, policy: &mut Policy) -> Result<Option<Cycle>, Error> {
    let found = match policy.kind() {
        Kind::Hops { .. } | Kind::Plan(_) => return Ok(None),
        Kind::Phases | Kind::Free if context.phases == 1 && !context.changes_layer => {
            return Ok(acyclic(context.fabric, context.routing)?.err());
        }
        Kind::Phases => context.walk(&VcLevels::Untracked, 1).walk().ok(),
        Kind::Free => context.walk(&VcLevels::Untracked, 0).walk().ok(),
        Kind::Crossings(_) | Kind::Datelines(_) => policy.take_dependencies(),
    };
    Ok(found.and_then(|found| found.cycle()).map(|channels| Cycle { channels }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the cycle of channel dependencies, if any, when each packet takes up to `phases` routes one after the
    /// other.
    fn found(fabric: &str, routing: &str, policy: &str, phases: u8, by_group: bool, diverts: bool) -> Option<Cycle> {
        let fabric = tulle_topologies::build(fabric, 0).unwrap();
        let routing = tulle_routing::build(&fabric, routing, 0).unwrap();
        let groups = fabric.groups();
        let context = PolicyContext {
            fabric: &fabric,
            routing: &routing,
            phases,
            hops: 7,
            groups: groups.as_deref().filter(|_| by_group),
            diverts: groups.as_deref().filter(|_| diverts),
            changes_layer: false,
            vcs: 16,
        };
        let (mut policy, _) = Policy::new(crate::policy::read(policy).unwrap(), &context).unwrap();
        let found = cycle(&context, &mut policy).unwrap();
        if let Some(found) = &found {
            // Each channel of the cycle must end at the switch where the next channel begins.
            let next = found.channels.iter().cycle().skip(1);
            for (&(channel, _), &(next, _)) in found.channels.iter().zip(next) {
                assert_eq!(fabric.targets()[channel as usize], fabric.sources()[next as usize]);
            }
            assert!(!found.name(&fabric).is_empty());
        }
        found
    }

    #[test]
    fn results_agree_with_the_papers() {
        // Kathareios et al. (SC15) §3.4: minimal routing on the topologies OFT and MLFM needs one VC, indirect routing two.
        for spec in ["oft:k=4", "mlfm:h=3"] {
            let find = |policy, phases| found(spec, "minimal", policy, phases, false, false);
            assert_eq!(find("free", 1), None, "{spec}");
            assert_eq!(find("phases", 2), None, "{spec}");
            assert!(find("free", 2).is_some(), "{spec}");
            assert_eq!(find("hops", 2), None);
        }
        assert!(found("slimfly:q=5", "minimal", "free", 1, false, false).is_some());
    }

    #[test]
    fn crossings_are_safe_unless_two_local_cables_share_a_class() {
        let (by_switch, by_group) = (false, true);
        let safe = |fabric: &str, policy: &str, phases, by, diverts| {
            found(fabric, "hierarchical", policy, phases, by, diverts).is_none()
        };
        for fabric in ["dragonfly:p=2", "dragonfly:p=2,arrangement=palm-tree", "dragonfly:p=1,a=4,h=2,g=4"] {
            for from in ["cable", "next"] {
                let globals = format!("crossings:from={from}");
                // A minimal route crosses local, global and local cables. A route through an intermediate group crosses
                // local, global, local, global and local cables.
                assert!(safe(fabric, &globals, 1, by_switch, false), "{fabric} {from}");
                assert!(safe(fabric, &globals, 2, by_group, false), "{fabric} {from}");
                assert!(safe(fabric, &globals, 3, by_group, true), "{fabric} {from}");
                // A route through an intermediate switch can cross two local cables of one VC class in that switch's
                // group.
                assert!(!safe(fabric, &globals, 2, by_switch, false), "{fabric} {from}");
            }
            assert!(safe(fabric, "crossings:classes=local+global", 2, by_switch, false), "{fabric}");
            // With a single VC class, packets on local cables wait for global cables and vice versa, so a cycle exists.
            assert!(!safe(fabric, "free", 1, by_switch, false), "{fabric}");
            assert!(!safe(fabric, "free", 2, by_group, false), "{fabric}");
        }
        // Some shortest paths cross two global cables. If both cables use the same VC class, such paths over three
        // groups form a cycle.
        assert!(found("dragonfly:p=2", "minimal", "crossings", 1, false, false).is_none());
        assert!(found("dragonfly:p=2", "minimal", "crossings:classes=local", 1, false, false).is_some());
        // A minimal route goes up, over a global cable and down. It is safe with one VC class. A route through an
        // intermediate switch goes up a second time and needs another VC class.
        assert!(safe("megafly:leaves=2", "free", 1, by_switch, false));
        assert!(safe("megafly:leaves=2", "crossings:classes=up", 2, by_switch, false));
        assert!(!safe("megafly:leaves=2", "crossings:classes=global", 2, by_switch, false));
    }

    #[test]
    fn a_diversion_needs_an_extra_class() {
        // If the VC class does not rise at a diversion, a packet can cross two local cables of one VC class in the source's group.
        let fabric = tulle_topologies::build("dragonfly:p=2", 0).unwrap();
        let routing = tulle_routing::build(&fabric, "hierarchical", 0).unwrap();
        let groups = fabric.groups().unwrap();
        let diverts = Some(&groups[..]);
        let context = PolicyContext {
            fabric: &fabric,
            routing: &routing,
            phases: 3,
            hops: 7,
            groups: diverts,
            diverts,
            changes_layer: false,
            vcs: 16,
        };
        let Kind::Crossings(crossings) = crate::policy::read("crossings").unwrap() else { panic!() };
        let levels = VcLevels::Crossings(crossings.increments(&fabric).unwrap());
        let walk = |per_diversion| crate::walk::Walk { per_diversion, ..context.walk(&levels, 0) };
        let [shared, own] = [0, 1].map(|per_diversion| walk(per_diversion).walk().unwrap());
        assert_eq!((shared.groups, own.groups), (3, 4));
        assert!(shared.cycle().is_some() && own.cycle().is_none());
    }

    #[test]
    fn a_change_of_layer_is_part_of_the_test() {
        // In layer 0, a ring of four switches is used as the line 0-1-2-3. Layer 1 has the same paths, except that
        // packets to the ends of the line go around the ring in the opposite direction.
        let ring = tulle_topologies::build("torus:shape=4", 0).unwrap();
        let [mut line, mut round] = [0, 1].map(|_| tulle_routing::TableBuilder::new(&ring));
        for (switch, to) in (0..4u32).flat_map(|switch| (0..4).map(move |to| (switch, to))).filter(|(a, b)| a != b) {
            let port = |next: u32| ring.neighbours(switch).iter().position(|&n| n == next).unwrap() as u16;
            let (up, down) = ((switch + 1) % 4, (switch + 3) % 4);
            let along = if to > switch { up } else { down };
            let across = if to > switch { down } else { up };
            line.set(switch, to, &[port(along)]);
            round.set(switch, to, &[port(if to == 0 || to == 3 { across } else { along })]);
        }
        let layers = tulle_routing::Routes::Layers(vec![line.finish(), round.finish()]);
        let routing = tulle_routing::Routing::new("lines".to_owned(), layers);
        let is_safe = |policy: &str, phases, changes_layer| {
            let context = PolicyContext {
                fabric: &ring,
                routing: &routing,
                phases,
                hops: 4,
                groups: None,
                diverts: None,
                changes_layer,
                vcs: 16,
            };
            let (mut policy, _) = Policy::new(crate::policy::read(policy).unwrap(), &context).unwrap();
            cycle(&context, &mut policy).unwrap().is_none()
        };
        // Paths that stay in one layer cause no cycle of dependencies. If packets change the layer, a packet to switch 0 turns from channel
        // 2→1 to 1→2, and a packet to switch 3 turns from 1→2 to 2→1. This is a cycle, unless the VC class rises at the change.
        assert!(is_safe("free", 1, false));
        assert!(!is_safe("free", 2, true));
        assert!(is_safe("phases", 2, true) && is_safe("hops", 2, true));
    }
}
