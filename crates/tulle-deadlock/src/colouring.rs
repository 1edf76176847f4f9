//! The deadlock scheme of the paper on the deployed Slim Fly (Blach et al., NSDI24). Each hop has its own set of virtual channels. A switch
//! determines the hop number of a packet from the packet's service level and its input and output ports.

mod proper;
mod repair;

pub(super) use repair::shortened_where_near;

use rayon::prelude::*;
use tulle_fabric::Fabric;
use tulle_routing::{Error, Routing};
use tulle_spec::{Plugin, plugin};

use super::routes::{Route, Walker, hop_loads, routes_of, senders};
use super::spread::VcNeeds;
use super::{Deadlock, Draft, Hardware};

/// Maximum number of hops that switches can distinguish.
const HOPS: usize = 3;

plugin! {
    pub struct Colouring {
        hardware: Hardware;
    }
    name: "colouring",
    summary: "a set of virtual channels per hop, for paths of up to 3 hops; InfiniBand switches find the hop number \
        from service level and ports",
    paper: "Blach et al.: A high-performance design, implementation, deployment, and evaluation of the Slim Fly \
        network (NSDI24) §5.2",
    limitations: "In a layer, all paths from one switch to another must have the same second switch. Paths of more \
        than 3 hops are shortened, which needs one next hop per switch and destination; a pair of switches more than \
        3 hops apart is refused. The second and the third switch of a path of 3 hops \
        get different colours, by a heuristic (DSATUR). Each colour needs a service level.",
    examples: ["colouring", "colouring:vcs=8,sls=16", "colouring:vcs=3,sls=15"],
    rejects: [("colouring:sls=999", "sls=999 is out of range; legal: 1 to 255")],
}

impl Deadlock for Colouring {
    fn hardware(&self) -> Hardware {
        self.hardware
    }

    fn draft(&self, fabric: &Fabric, routing: &Routing) -> Result<Draft, Error> {
        let mut loads = hop_loads(fabric, routing)?;
        one_second_switch(fabric, routing)?;
        let mut repaired = None;
        if loads.len() > HOPS {
            single_next_hops(routing, loads.len())?;
            let shorter = repair::shortened(fabric, routing)?;
            loads = hop_loads(fabric, &shorter)?;
            repaired = Some(shorter);
        }
        let colours = proper::colours(fabric, &conflicts(fabric, repaired.as_ref().unwrap_or(routing))?);
        Ok(Draft { needs: VcNeeds::Hops { loads, colours: Some(colours) }, phases: 1, repaired, first_vcs: 0 })
    }
}

/// Returns an error if the routing has several next hops per destination. The caller has found that paths of `hops` hops are too long, and
/// only paths with single next hops can be shortened.
fn single_next_hops(routing: &Routing, hops: usize) -> Result<(), Error> {
    if routing.layers().iter().all(|table| table.widest() <= 1) {
        return Ok(());
    }
    Err(Error::Deadlock {
        scheme: Colouring::INFO.name.to_owned(),
        problem: format!("{} has paths of {hops} hops with several next switches", routing.spec()),
        legal: format!("legal: at most {HOPS} hops if a switch has several next hops"),
    })
}

/// Refuses routes that have several possible second switches. A packet has a single service level, which can name the colour of only one
/// second switch.
fn one_second_switch(fabric: &Fabric, routing: &Routing) -> Result<(), Error> {
    if routing.layers().iter().all(|table| table.widest() <= 1) {
        return Ok(());
    }
    let edge = senders(fabric);
    let choice = |walker: &mut Walker<'_>, &source: &u32| {
        let mut found: Option<Route> = None;
        routes_of(routing, &edge, source, |route| {
            let (mut second, mut choice) = (None, false);
            // This cannot fail: all routes were already followed without an error.
            let _ = walker.walk(route, |step| {
                if step.hop == 1 {
                    let switch = fabric.sources()[step.channel as usize];
                    choice |= second.is_some_and(|second| second != switch);
                    second = Some(switch);
                }
            });
            found = found.or(choice.then_some(route));
        });
        found
    };
    let found: Vec<_> = edge.par_iter().map_init(|| Walker::new(fabric, routing), choice).collect();
    match found.into_iter().flatten().next() {
        None => Ok(()),
        Some(Route { layer, source, destination, .. }) => Err(Error::Deadlock {
            scheme: Colouring::INFO.name.to_owned(),
            problem: format!(
                "layer {layer} of {} has several next switches from switch {} toward {}",
                routing.spec(),
                fabric.label(source),
                fabric.label(destination)
            ),
            legal: "legal: routings with one next hop per switch and destination, for example balanced or random"
                .to_owned(),
        }),
    }
}

/// Returns, for each channel, whether it is the second channel of a path of three hops. The two switches of this channel need different
/// colours.
fn conflicts(fabric: &Fabric, routing: &Routing) -> Result<Vec<bool>, Error> {
    let mut conflicts = vec![false; fabric.num_channels()];
    let mut walker = Walker::new(fabric, routing);
    let mut flaw = None;
    let edge = senders(fabric);
    for &source in &edge {
        routes_of(routing, &edge, source, |route| {
            let walked = walker.walk(route, |step| {
                if step.hop == 2 {
                    conflicts[step.before as usize] = true;
                }
            });
            flaw = flaw.or(walked.err());
        });
    }
    flaw.map_or(Ok(conflicts), |flaw| Err(flaw.into()))
}
