//! A minimal router model for tests. It shows what a new model needs: one file, and one line in `router.rs`. Arriving
//! packets go directly into the unbounded queue of their output VC.

use std::collections::VecDeque;

use tulle_spec::plugin;

use super::context::{Cycle, Run};
use super::dispatch::{Dispatch, RunnableModel};
use super::handle::step_of;
use super::layout::Layout;
use super::model::{Model, PORT_WORDS, Timing};
use super::switch::Switch;
use super::switching::Switching;
use super::{CommonParameters, RouterPlugin};
use crate::Error;
use crate::flit::Pool;
use crate::run::End;
use crate::selector::Estimate;
use crate::sources::Inject;

plugin! {
    #[derive(Debug, Clone)]
    pub(crate) struct Toy {
        common: CommonParameters;
    }
    name: "toy",
    summary: "packets queue at outputs",
    paper: "none",
    limitations: "For tests.",
    examples: ["toy:vcs=2"],
    rejects: [("toy:vcs=0", "vcs=0 is out of range; legal: 1 to 16")],
}

impl RouterPlugin for Toy {
    fn model(&self) -> Box<dyn RunnableModel> {
        Box::new(self.clone())
    }
}

impl Model for Toy {
    fn vcs(&self) -> u8 {
        self.common.vcs
    }

    fn buffer(&self) -> u16 {
        1024
    }

    fn inject(&self) -> Inject {
        Inject::First
    }

    fn timing(&self, packet: u16) -> Timing {
        let (record, endpoint_credit) = (packet, 0);
        Timing { whole: true, record, delay: 0, inside: 1, output: 1, credit: 0, endpoint_credit, returns: 1 }
    }
}

impl RunnableModel for Toy {
    fn run(&self, dispatch: Dispatch) -> Result<End, Error> {
        match dispatch.is_wide() {
            false => dispatch.run::<Outputs, 1>(self),
            true => dispatch.run::<Outputs, PORT_WORDS>(self),
        }
    }
}

/// The output queues.
#[derive(Debug)]
struct Outputs {
    /// Flits that arrived since the last cycle: input VC and handle.
    arrived: Vec<(usize, u32)>,
    /// Per output VC: the waiting packets.
    queues: Vec<VecDeque<u32>>,
    /// Per output VC: the number of credits in use.
    used: Vec<u32>,
    capacity: u32,
    /// Per port: the first cycle in which its link is free.
    busy: Vec<u32>,
}

impl<const P: usize> Switching<P> for Outputs {
    type Model = Toy;
    type Scratch = ();

    fn new(_: &Toy, run: &Run, layout: &Layout) -> Self {
        let count = layout.num_port_vcs();
        Self {
            arrived: Vec::new(),
            queues: vec![VecDeque::new(); count],
            used: vec![0; count],
            capacity: run.credits.into(),
            busy: vec![0; layout.ports],
        }
    }

    fn credit(&mut self, port_vc: usize) {
        self.used[port_vc] -= 1;
    }

    fn enqueue(&mut self, _: &mut Pool<P>, port_vc: usize, handle: u32) {
        self.arrived.push((port_vc, handle));
    }

    fn step(&mut self, switch: &mut Switch<P>, cycle: &mut Cycle) {
        for (port_vc, handle) in self.arrived.drain(..) {
            let (port, vc) = switch.layout.place(port_vc);
            switch.return_credit(cycle, port, vc);
            let step = step_of::<P>(handle);
            let mut outputs = switch.layout.port_vcs(step.port.into(), Some(step.group));
            self.queues[outputs.next().expect("every group has a VC")].push_back(handle);
            cycle.local.tally.traversals += u64::from(cycle.run.timing.record);
        }
        for port in 0..switch.layout.ports {
            let is_endpoint = port < switch.layout.endpoints;
            let can = |&port_vc: &usize| {
                !self.queues[port_vc].is_empty() && (is_endpoint || self.used[port_vc] < self.capacity)
            };
            let Some(port_vc) = switch.layout.port_vcs(port, None).find(can).filter(|_| self.busy[port] <= cycle.now)
            else {
                continue;
            };
            let handle = self.queues[port_vc].pop_front().expect("the queue is not empty");
            self.used[port_vc] += u32::from(!is_endpoint);
            self.busy[port] = cycle.now + u32::from(cycle.run.timing.record);
            switch.send(cycle, port, switch.layout.place(port_vc).1, handle);
        }
    }

    fn credits(&self, layout: &Layout, port: usize, group: Option<u8>) -> u32 {
        layout.port_vcs(port, group).map(|port_vc| self.used[port_vc] + self.queues[port_vc].len() as u32).sum()
    }

    fn output(&self, layout: &Layout, port: usize) -> u32 {
        layout.port_vcs(port, None).map(|port_vc| self.queues[port_vc].len() as u32).sum()
    }

    fn capacity(&self, _: Estimate) -> u32 {
        self.capacity
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
    fn left(&self, _: &Switch<P>, port_vc: usize) -> usize {
        (self.capacity - self.used[port_vc]) as usize
    }
}

#[test]
fn one_line_registers_it() {
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
