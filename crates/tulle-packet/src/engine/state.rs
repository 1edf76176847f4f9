//! The state of a simulation, and its construction.

use tulle_base::memory::{self, Need};
use tulle_base::random::{fnv1a, mix};
use tulle_fabric::Fabric;
use tulle_traffic::Workload;

use super::DependencyScheduler;
use super::credits::Ledger;
// circle: `state` and `host` import each other, because the state contains the hosts, and the hosts use the state.
use super::host::Hosts;
// circle: `state` and `meter` import each other, because the state contains the packet times, and the meter uses the state.
use super::meter::Spent;
// circle: `state` and `partition_outbox` import each other, because the state contains the outbox, and the outbox uses the state.
use super::partition_outbox::PartitionOutbox;
// circle: `state` and `processors` import each other, because the state contains the processors, and the processors use the state.
use super::processors::{self, Processors};
use crate::calendar::Calendar;
use crate::config::Link;
use crate::link_table::LinkTable;
use crate::nic::Nic;
use crate::outcome::{Deadlock, NEVER};
use crate::packet::Arena;
use crate::partition::Partition;
use crate::port::{Port, SAME_PARTITION};
use crate::queue::Queues;
use crate::transport::{Actions, Transport};
use crate::{Config, Counters};

/// The mutable state of a simulation, except the states of transport and selector.
pub(crate) struct State {
    pub(super) calendar: Calendar,
    pub(super) packets: Arena,
    pub(crate) ports: Vec<Port>,
    /// The switch at the far end, per port that leads to a switch.
    pub(super) channel_targets: Vec<u32>,
    /// The flows of this partition that depend on no step, ordered by start time.
    pub(super) order: Vec<u32>,
    /// The number of flows in `order` whose start is scheduled.
    pub(super) started: usize,
    pub(super) actions: Actions,
    /// The seed of the random numbers that queue models use.
    pub(super) draw_key: u64,
    pub(crate) now: u64,
    /// Start time per flow; empty if no step of the workload has dependencies.
    pub(crate) begun: Vec<u64>,
    /// Per flow: the time at which the last byte has arrived at the destination.
    pub(crate) delivered: Vec<u64>,
    /// Per flow: the time at which the destination has handled the whole message; empty if messages take no time at endpoints.
    pub(crate) handled: Vec<u64>,
    pub(crate) finish: Vec<u64>,
    /// The number of flow ends that have finished, where an end is the source or the destination of a flow. For each flow,
    /// [`State::ends_per_flow`] ends count.
    pub(super) finished: usize,
    pub(crate) counters: Counters,
    pub(super) hosts: Hosts,
    pub(super) processors: Processors,
    pub(super) nic: Nic,
    /// A flow whose packet just left the queue of its endpoint. The flow gets a `Room` event after the current event.
    pub(super) room: Option<u32>,
    /// A flow whose packet has just joined a paused virtual lane of its endpoint. The flow gets a `Held` event after the current event.
    pub(super) held: Option<u32>,
    pub(super) outbox: PartitionOutbox,
    pub(super) ledger: Ledger,
    pub(crate) spent: Spent,
    pub(crate) deadlock: Option<Deadlock>,
}

/// The inputs that the state is made from.
pub(crate) struct Setup<'s> {
    pub(crate) links: &'s LinkTable,
    /// The kind of each port's link; empty if all links are alike.
    pub(crate) kinds: &'s [u8],
    pub(crate) queues: &'s Queues,
    /// Whether the flows of an endpoint take turns on its link.
    pub(crate) nic: bool,
    pub(crate) transport: &'s Transport,
    pub(crate) dependencies: &'s DependencyScheduler<'s>,
    pub(crate) fabric: &'s Fabric,
    pub(crate) workload: &'s Workload,
    pub(crate) config: &'s Config,
    pub(crate) partition: &'s Partition,
    /// The number of the partition that this state belongs to.
    pub(crate) part: usize,
}

impl State {
    /// Returns the memory that the arrays of [`State::new`] need for this number of ports and flows.
    pub(crate) fn need(ports: u64, flows: u64, config: &Config) -> Need {
        // The memory per flow holds the delivery time, the finish time, and an entry in the order of starts. If messages take time at
        // endpoints, it also holds the time at which the destination has handled the message.
        let handled = if processors::takes_time(config) { flows } else { 0 };
        Need::default().of::<Port>(ports).of::<u32>(ports).of::<[u64; 2]>(flows).of::<u64>(handled).of::<u32>(flows)
    }

    /// Returns how many ends of a flow count in `finished`. The source end finishes with the last acknowledgement. If messages take time at
    /// endpoints, the destination end counts too; it finishes when the destination has handled the message. The two ends of a flow can
    /// belong to different partitions.
    pub(crate) fn ends_per_flow(&self) -> usize {
        if self.processors.takes_time() { 2 } else { 1 }
    }

    /// Returns the number of ports of the network.
    pub(crate) fn num_ports(&self) -> usize {
        self.ports.len()
    }

    pub(crate) fn new(setup: &Setup) -> Self {
        let &Setup { links, kinds, queues, nic, transport, dependencies, fabric, workload, config, partition, part } =
            setup;
        let (channels, endpoint_switch, start) = (fabric.targets(), fabric.endpoint_switch(), &workload.start);
        let is_here = |endpoint: u32| partition.of(endpoint_switch[endpoint as usize]) == part;
        let mut order = dependencies.free();
        order.retain(|&flow| is_here(workload.source[flow as usize]));
        order.sort_by_key(|&flow| start[flow as usize]);
        let of_kinds = |time: fn(&Link) -> u64| links.kinds().iter().map(time);
        let shortest = of_kinds(|link| link.time(crate::packet::HEADER)).min().unwrap_or(1);
        let longest = of_kinds(|link| link.full() + link.latency).max().unwrap_or(1) + queues.longest_wait();
        let channel_targets = [channels, endpoint_switch].concat();
        let mut ports = memory::array("ports", Port::new(), channel_targets.len() + endpoint_switch.len());
        ports.iter_mut().zip(kinds).for_each(|(port, &kind)| port.kind = kind);
        if queues.first.decides_when_idle() {
            let switch_ports = (0..channels.len()).chain(channel_targets.len()..ports.len());
            switch_ports.for_each(|port| ports[port].always_ask_queue());
        }
        for switch in (0..fabric.num_switches() as u32).filter(|&switch| partition.of(switch) == part) {
            for channel in fabric.channels_of(switch) {
                let toward = partition.of(channels[channel]);
                ports[channel].toward = if toward == part { SAME_PARTITION } else { toward as u8 };
            }
        }
        Self {
            calendar: Calendar::new(shortest, longest),
            packets: Arena::new(),
            ports,
            channel_targets,
            order,
            started: 0,
            actions: Vec::new(),
            draw_key: mix(config.seed ^ fnv1a(b"packet/queue")),
            now: 0,
            begun: if dependencies.is_needed() { vec![NEVER; start.len()] } else { Vec::new() },
            delivered: memory::array("times of flows", NEVER, start.len()),
            handled: memory::array(
                "times of flows",
                NEVER,
                if processors::takes_time(config) { start.len() } else { 0 },
            ),
            finish: memory::array("times of flows", NEVER, start.len()),
            finished: 0,
            counters: Counters::default(),
            hosts: Hosts::new(transport.handling(), endpoint_switch.len()),
            processors: Processors::new(config, endpoint_switch.len()),
            nic: Nic::new(nic, transport.sending(), config.seed, start.len()),
            room: None,
            held: None,
            outbox: PartitionOutbox::new(partition.parts()),
            ledger: Ledger::new(start.len(), partition.parts()),
            spent: Spent::default(),
            deadlock: None,
        }
    }
}
