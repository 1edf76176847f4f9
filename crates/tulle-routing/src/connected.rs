//! Checks that a fabric is connected. Every scheme requires a connected fabric.

use tulle_fabric::Fabric;
use tulle_fabric::distances::{Distances, FARTHEST};
use tulle_spec::Info;

use crate::Error;
use crate::links::LayerLinks;

/// Returns the distances between all switches over `links`. Fails if the fabric is too large, or if no path of at most [`FARTHEST`] hops
/// connects some pair of switches.
pub(crate) fn connected_distances(scheme: &Info, fabric: &Fabric, links: &LayerLinks) -> Result<Distances, Error> {
    // Groups have 16-bit numbers, and a switch can have one group per port plus one group per destination.
    const MAX_IDS: usize = 32_767;
    let widest = (0..fabric.num_switches() as u32).map(|switch| fabric.degree(switch)).max().unwrap_or(0);
    if fabric.num_switches() > MAX_IDS || widest > MAX_IDS {
        return Err(Error::Fabric {
            scheme: scheme.name.to_owned(),
            problem: format!("{} switches with up to {widest} ports are too many", fabric.num_switches()),
            legal: format!("legal: at most {MAX_IDS} of each"),
        });
    }
    let distances = Distances::of(links);
    match distances.first_unreached() {
        None => Ok(distances),
        Some((from, to)) => Err(Error::Fabric {
            scheme: scheme.name.to_owned(),
            problem: format!(
                "{} has no path of at most {FARTHEST} hops from switch {} to {}",
                fabric.spec(),
                fabric.called(from),
                fabric.called(to)
            ),
            legal: format!("legal: connected fabrics of diameter at most {FARTHEST}"),
        }),
    }
}
