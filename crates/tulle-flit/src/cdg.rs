//! The channel-dependency test: whether what a selector and a policy allow can deadlock.

use tulle_deadlock::{Cycle, acyclic};

use crate::Error;
use crate::policy::{Kind, Policy, Purpose};

/// A cycle of channel dependencies, or `None` where there can be no deadlock: every request group is one class of virtual
/// channels, and a packet that holds one of a channel waits for one of the next.
///
/// With `hops` classes only rise, and the last is tested where it is made ([`crate::last_class`]); a plan comes with its proof.
/// `crossings`, `phases` and `free` are tested by all routes that packets may take.
///
/// # Errors
/// A routing with a path that does not lead to its destination.
pub(crate) fn cycle(purpose: &Purpose, policy: &mut Policy) -> Result<Option<Cycle>, Error> {
    let found = match policy.kind() {
        Kind::Hops { .. } | Kind::Plan(_) => return Ok(None),
        Kind::Phases | Kind::Free if purpose.phases == 1 => {
            return Ok(acyclic(purpose.fabric, purpose.routing)?.err());
        }
        Kind::Phases => purpose.walk(None, 1).walk().ok(),
        Kind::Free => purpose.walk(None, 0).walk().ok(),
        Kind::Crossings(_) => policy.take_waits(),
    };
    Ok(found.and_then(|found| found.cycle()).map(|channels| Cycle { channels }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cycle, if any, where packets string `phases` routes together.
    fn found(fabric: &str, routing: &str, policy: &str, phases: u8, by_group: bool, diverts: bool) -> Option<Cycle> {
        let fabric = tulle_topologies::build(fabric, 0).unwrap();
        let routing = tulle_routing::build(&fabric, routing, 0).unwrap();
        let groups = fabric.groups();
        let purpose = Purpose {
            fabric: &fabric,
            routing: &routing,
            phases,
            hops: 7,
            groups: groups.as_deref().filter(|_| by_group),
            diverts: groups.as_deref().filter(|_| diverts),
            vcs: 16,
        };
        let (mut policy, _) = Policy::new(crate::policy::read(policy).unwrap(), &purpose).unwrap();
        let found = cycle(&purpose, &mut policy).unwrap();
        if let Some(found) = &found {
            // Every channel ends where the next begins.
            let next = found.channels.iter().cycle().skip(1);
            for (&(channel, _), &(next, _)) in found.channels.iter().zip(next) {
                assert_eq!(fabric.targets()[channel as usize], fabric.sources()[next as usize]);
            }
            assert!(!found.name(&fabric).is_empty());
        }
        found
    }

    #[test]
    fn findings_are_the_papers() {
        // Diameter-two §3.4: minimal routing on OFT and MLFM needs one virtual channel, indirect routing two.
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
    fn crossings_are_safe_where_local_cables_of_a_class_do_not_meet() {
        let (by_switch, by_group) = (false, true);
        let safe = |fabric: &str, policy: &str, phases, by, diverts| {
            found(fabric, "hierarchical", policy, phases, by, diverts).is_none()
        };
        for fabric in ["dragonfly:p=2", "dragonfly:p=2,arrangement=palm-tree", "dragonfly:p=1,a=4,h=2,g=4"] {
            for from in ["cable", "next"] {
                let globals = format!("crossings:from={from}");
                // Local, global, local; and by an intermediate group local, global, local, global, local.
                assert!(safe(fabric, &globals, 1, by_switch, false), "{fabric} {from}");
                assert!(safe(fabric, &globals, 2, by_group, false), "{fabric} {from}");
                assert!(safe(fabric, &globals, 3, by_group, true), "{fabric} {from}");
                // In the group of an intermediate switch two local cables of one class follow each other.
                assert!(!safe(fabric, &globals, 2, by_switch, false), "{fabric} {from}");
            }
            assert!(safe(fabric, "crossings:classes=local+global", 2, by_switch, false), "{fabric}");
            // On one class local cables wait for global ones, and these for local ones.
            assert!(!safe(fabric, "free", 1, by_switch, false), "{fabric}");
            assert!(!safe(fabric, "free", 2, by_group, false), "{fabric}");
        }
        // Shortest paths of two global cables have one of each class; three groups make a ring of them.
        assert!(found("dragonfly:p=2", "minimal", "crossings", 1, false, false).is_none());
        assert!(found("dragonfly:p=2", "minimal", "crossings:classes=local", 1, false, false).is_some());
        // Up, global, down needs no count; a second route goes up anew.
        assert!(safe("megafly:leaves=2", "free", 1, by_switch, false));
        assert!(safe("megafly:leaves=2", "crossings:classes=up", 2, by_switch, false));
        assert!(!safe("megafly:leaves=2", "crossings:classes=global", 2, by_switch, false));
    }

    #[test]
    fn a_diversion_needs_a_class_of_its_own() {
        // Without one, two local cables of one class follow each other in the group of the source.
        let fabric = tulle_topologies::build("dragonfly:p=2", 0).unwrap();
        let routing = tulle_routing::build(&fabric, "hierarchical", 0).unwrap();
        let groups = fabric.groups().unwrap();
        let diverts = Some(&groups[..]);
        let purpose =
            Purpose { fabric: &fabric, routing: &routing, phases: 3, hops: 7, groups: diverts, diverts, vcs: 16 };
        let Kind::Crossings(crossings) = crate::policy::read("crossings").unwrap() else { panic!() };
        let counted = crossings.count(&fabric).unwrap();
        let walk = |per_diversion| crate::walk::Walk { per_diversion, ..purpose.walk(Some(&counted), 0) };
        let [alike, own] = [0, 1].map(|per_diversion| walk(per_diversion).walk().unwrap());
        assert_eq!((alike.groups, own.groups), (3, 4));
        assert!(alike.cycle().is_some() && own.cycle().is_none());
    }
}
