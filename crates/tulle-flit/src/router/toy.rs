//! A router model as short as can be: one file, and one line in `router.rs`. What comes in goes at once to the queue of its output,
//! which has no limit.

use std::collections::VecDeque;

use tulle_spec::plugin;

use super::context::{Cycle, Run};
use super::launch::{Launch, Start};
use super::layout::Layout;
use super::model::{Model, PORT_WORDS, Timing};
use super::switch::Switch;
use super::switching::Switching;
use super::word::step_of;
use super::{Builds, Lanes};
use crate::Error;
use crate::flit::Pool;
use crate::run::End;
use crate::selector::Estimate;
use crate::sources::Inject;

plugin! {
    #[derive(Debug, Clone)]
    pub(crate) struct Toy {
        lanes: Lanes;
    }
    name: "toy",
    summary: "packets queue at outputs",
    paper: "none",
    limitations: "For tests.",
    examples: ["toy:vcs=2"],
    rejects: [("toy:vcs=0", "vcs=0 is out of range; legal: 1 to 16")],
}

impl Builds for Toy {
    fn model(&self) -> Box<dyn Start> {
        Box::new(self.clone())
    }
}

impl Model for Toy {
    fn vcs(&self) -> u8 {
        self.lanes.vcs
    }

    fn buffer(&self) -> u16 {
        1024
    }

    fn inject(&self) -> Inject {
        Inject::First
    }

    fn timing(&self, packet: u16) -> Timing {
        let (record, endpoint_credit) = (packet, 0);
        Timing { whole: true, record, delay: 0, inside: 0, output: 1, credit: 0, endpoint_credit, returns: 1 }
    }
}

impl Start for Toy {
    fn start(&self, launch: Launch) -> Result<End, Error> {
        match launch.is_wide() {
            false => launch.run::<Outputs, 1>(self),
            true => launch.run::<Outputs, PORT_WORDS>(self),
        }
    }
}

/// What is at the outputs.
#[derive(Debug)]
struct Outputs {
    /// What has come in since the last cycle: its input lane, and its word.
    arrived: Vec<(usize, u32)>,
    /// Per output lane the packets that wait, and the credits used.
    queues: Vec<VecDeque<u32>>,
    used: Vec<u32>,
    room: u32,
    /// Per port the first cycle in which its link is free.
    busy: Vec<u32>,
}

impl<const P: usize> Switching<P> for Outputs {
    type Model = Toy;
    type Scratch = ();

    fn new(_: &Toy, run: &Run, layout: &Layout) -> Self {
        let lanes = layout.num_lanes();
        Self {
            arrived: Vec::new(),
            queues: vec![VecDeque::new(); lanes],
            used: vec![0; lanes],
            room: run.room.into(),
            busy: vec![0; layout.ports],
        }
    }

    fn credit(&mut self, lane: usize) {
        self.used[lane] -= 1;
    }

    fn enqueue(&mut self, _: &mut Pool<P>, lane: usize, word: u32) {
        self.arrived.push((lane, word));
    }

    fn step(&mut self, switch: &mut Switch<P>, cycle: &mut Cycle) {
        for (lane, word) in self.arrived.drain(..) {
            let (port, vc) = switch.layout.place(lane);
            switch.return_credit(cycle, port, vc);
            let step = step_of::<P>(word);
            let mut outputs = switch.layout.lanes(step.port.into(), Some(step.group));
            self.queues[outputs.next().expect("every group has a lane")].push_back(word);
            cycle.local.tally.traversals += u64::from(cycle.run.timing.record);
        }
        for port in 0..switch.layout.ports {
            let is_endpoint = port < switch.layout.endpoints;
            let can = |&lane: &usize| !self.queues[lane].is_empty() && (is_endpoint || self.used[lane] < self.room);
            let Some(lane) = switch.layout.lanes(port, None).find(can).filter(|_| self.busy[port] <= cycle.now) else {
                continue;
            };
            let word = self.queues[lane].pop_front().expect("it waits");
            self.used[lane] += u32::from(!is_endpoint);
            self.busy[port] = cycle.now + u32::from(cycle.run.timing.record);
            switch.send(cycle, port, switch.layout.place(lane).1, word);
        }
    }

    fn credits(&self, layout: &Layout, port: usize, group: Option<u8>) -> u32 {
        layout.lanes(port, group).map(|lane| self.used[lane] + self.queues[lane].len() as u32).sum()
    }

    fn output(&self, layout: &Layout, port: usize) -> u32 {
        layout.lanes(port, None).map(|lane| self.queues[lane].len() as u32).sum()
    }

    fn capacity(&self, _: Estimate) -> u32 {
        self.room
    }

    fn is_full(&self, _: &Pool<P>, _: usize) -> bool {
        false
    }

    fn wants(&self, _: &Run, _: &Switch<P>, _: usize) -> Vec<usize> {
        Vec::new()
    }

    fn is_blocked(&self, _: usize) -> bool {
        false
    }

    #[cfg(feature = "conservation")]
    fn held(&self, _: &Switch<P>, _: usize) -> usize {
        0
    }

    #[cfg(feature = "conservation")]
    fn left(&self, _: &Switch<P>, lane: usize) -> usize {
        (self.room - self.used[lane]) as usize
    }
}

#[test]
fn it_is_registered_by_its_line() {
    let config = crate::Config { router: "toy".to_owned(), ..crate::Config::default() };
    assert!(crate::resolve(&config).is_ok());
    assert!(super::routers().iter().any(|info| info.name == "toy" && info.fault().is_none()));
    let fabric = tulle_topologies::build("clique:degree=3,p=2", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let traffic = crate::Traffic::new(&fabric, "uniform", 0).unwrap();
    let outcome = crate::simulate(&fabric, &routing, &traffic, &config, &mut |_| std::ops::ControlFlow::Continue(()));
    let outcome = outcome.unwrap();
    assert!(outcome.complete && outcome.accepted > 0.0);
}
