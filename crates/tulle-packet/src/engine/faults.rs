//! The effects of faults over time: lost packets, failures that endpoints know about, and stalled flows.
//!
//! Faults need no events. When a packet arrives, the engine looks up whether a fault destroyed the packet on its link. The failures that
//! endpoints know about depend only on the time and are looked up as well.

use std::collections::{BTreeMap, BTreeSet};

use tulle_base::random::{fnv1a, mix};
use tulle_fabric::Fabric;
use tulle_routing::{PathSet, Routes, Routing, Table};

use super::Engine;
use crate::Error;
use crate::faults::{Fault, FaultKind};
use crate::outcome::{FaultReport, NEVER, Stall};
use crate::packet::{Kind, Packet};

/// A period during which a link is down or loses packets.
#[derive(Debug, Clone, Copy)]
struct Span {
    from: u64,
    until: u64,
    /// The loss threshold: a packet is lost if its random number, which is below 2³², is less than this value.
    chance: u64,
    fault: u32,
}

/// The faults of a simulation.
#[derive(Debug)]
pub(crate) struct Faults<'a> {
    fabric: &'a Fabric,
    routing: &'a Routing,
    seed: u64,
    /// For each port, the periods during which its link is down or loses packets.
    spans: Vec<Vec<Span>>,
    /// Notifications to endpoints, by ascending time: (time, port, whether the port's link is down).
    notifications: Vec<(u64, u32, bool)>,
    /// The number of notifications applied so far.
    learned: usize,
    /// Per port, the number of active faults of its link that endpoints know about.
    known: Vec<u32>,
    /// The number of ports with a known fault.
    num_known: usize,
    /// Whether flows have subflows. Subflows use all layers, whatever the selector is.
    pub(super) has_subflows: bool,
    /// Flows that found no path around the links that are known to be down.
    without_path: BTreeSet<u32>,
    /// Flows that are permanently disconnected.
    cut_off: BTreeSet<u32>,
    /// Lost packets whose data has not been delivered yet. The key is the flow and the packet's position in the flow; the value is the
    /// index of the flow's stall.
    missing: BTreeMap<(u32, u64), usize>,
    stalls: Vec<Stall>,
    reports: Vec<FaultReport>,
}

impl<'a> Faults<'a> {
    /// Looks up the links and switches of all faults in `fabric`, with random choices from `seed`. Returns `None` without faults.
    pub(crate) fn new(
        faults: &[Fault],
        fabric: &'a Fabric,
        routing: &'a Routing,
        seed: u64,
    ) -> Result<Option<Box<Self>>, Error> {
        if faults.is_empty() {
            return Ok(None);
        }
        let num_ports = fabric.num_channels() + 2 * fabric.num_endpoints();
        let seed = mix(seed ^ fnv1a(b"packet/faults"));
        let (mut spans, mut notifications) = (vec![Vec::new(); num_ports], Vec::new());
        let mut reports = Vec::with_capacity(faults.len());
        for (number, fault) in (0u32..).zip(faults) {
            let ports = ports(fabric, fault, mix(seed ^ u64::from(number)))?;
            let (at, until) = (fault.at, fault.until);
            reports.push(FaultReport::new(fault.spec.clone(), at, until, ports.len() as u32));
            let chance = match fault.kind {
                FaultKind::Down { .. } => 1 << 32,
                FaultKind::Drop { loss } => (loss * (1u64 << 32) as f64) as u64,
            };
            for port in ports {
                spans[port as usize].push(Span { from: at, until, chance, fault: number });
                match fault.kind {
                    FaultKind::Down { detect } if until - at > detect => {
                        notifications.push((at + detect, port, true));
                        if until != NEVER {
                            notifications.push((until + detect, port, false));
                        }
                    }
                    _ => {}
                }
            }
        }
        notifications.sort_unstable();
        Ok(Some(Box::new(Self {
            fabric,
            routing,
            seed,
            spans,
            notifications,
            learned: 0,
            known: vec![0; num_ports],
            num_known: 0,
            has_subflows: false,
            without_path: BTreeSet::new(),
            cut_off: BTreeSet::new(),
            missing: BTreeMap::new(),
            stalls: Vec::new(),
            reports,
        })))
    }

    /// Returns the fault that destroys a packet which is on the link of `port` from `start` to `end`; `None` if no fault destroys it.
    fn find_loss(&self, port: u32, start: u64, end: u64) -> Option<u32> {
        let destroys = |span: &&Span| {
            let draw = || mix(mix(self.seed ^ (u64::from(span.fault) << 32 | u64::from(port))) ^ end) >> 32;
            span.from < end && start < span.until && (span.chance > u64::from(u32::MAX) || draw() < span.chance)
        };
        self.spans[port as usize].iter().find(destroys).map(|span| span.fault)
    }

    /// Applies all notifications up to time `now`. Returns whether any link is known to be down.
    pub(super) fn learn(&mut self, now: u64) -> bool {
        while let Some(&(_, port, is_down)) = self.notifications.get(self.learned).filter(|(time, ..)| *time <= now) {
            self.learned += 1;
            let known = &mut self.known[port as usize];
            *known = if is_down { *known + 1 } else { *known - 1 };
            match (is_down, *known) {
                (true, 1) => self.num_known += 1,
                (false, 0) => self.num_known -= 1,
                _ => {}
            }
        }
        self.num_known > 0
    }

    /// Returns whether the link of `port` is known to be down.
    #[inline]
    pub(super) fn is_known(&self, port: u32) -> bool {
        self.known[port as usize] > 0
    }

    /// Records that `flow` found no path around the links that are down.
    pub(super) fn record_no_path(&mut self, flow: u32) {
        self.without_path.insert(flow);
    }

    /// Records that `fault` has destroyed `packet`. `pending` says whether the flow of `packet` still has data to deliver.
    fn record_loss(&mut self, fault: u32, packet: &Packet, now: u64, pending: bool) {
        let report = &mut self.reports[fault as usize];
        *if packet.has_payload() { &mut report.data_lost } else { &mut report.control_lost } += 1;
        if !pending || !packet.kind.is_forward() {
            return;
        }
        let flow = packet.flow;
        let stall = match self.missing.range((flow, 0)..=(flow, u64::MAX)).next() {
            Some((_, &stall)) => stall,
            None => {
                self.stalls.push(Stall { flow, fault, since: now, until: NEVER, lost: 0 });
                self.stalls.len() - 1
            }
        };
        self.stalls[stall].lost += 1;
        self.missing.insert((flow, place(packet)), stall);
    }

    /// Records the arrival of `packet`. The packet is then no longer missing.
    pub(super) fn arrived(&mut self, packet: &Packet, now: u64) {
        let flow = packet.flow;
        if self.missing.is_empty() || !packet.kind.is_forward() || is_trimmed(packet) {
            return;
        }
        if let Some(stall) = self.missing.remove(&(flow, place(packet)))
            && self.missing.range((flow, 0)..=(flow, u64::MAX)).next().is_none()
        {
            self.stalls[stall].until = now;
        }
    }

    /// Records that all data of `flow` has arrived. The flow's stall ends, because packets that are still missing are no longer needed.
    pub(super) fn delivered(&mut self, flow: u32, now: u64) {
        while let Some((&key, &stall)) = self.missing.range((flow, 0)..=(flow, u64::MAX)).next() {
            self.missing.remove(&key);
            self.stalls[stall].until = now;
        }
    }

    /// Returns the reports of the faults, the stalls, and the disconnected flows.
    pub(crate) fn report(self) -> (Vec<FaultReport>, Vec<Stall>, Vec<u32>) {
        let Self { mut reports, mut stalls, cut_off, .. } = self;
        // If another copy of a lost packet arrives at the time of the loss, no data is missing. The stall then has no duration.
        stalls.retain(|stall| stall.since < stall.until);
        for stall in &stalls {
            let report = &mut reports[stall.fault as usize];
            report.recovered = report.recovered.max(stall.until);
        }
        let mut flows: Vec<(u32, u32)> = stalls.iter().map(|stall| (stall.fault, stall.flow)).collect();
        flows.sort_unstable();
        flows.dedup();
        flows.iter().for_each(|&(fault, _)| reports[fault as usize].stalled += 1);
        (reports, stalls, cut_off.into_iter().collect())
    }

    /// Returns the number of layers that a packet from switch `from` to switch `to` can take: 1 if the packet `stays` in layer 0. With
    /// explicit paths, returns the number of paths between the two switches.
    pub(super) fn choices(&self, stays: bool, from: u32, to: u32) -> u32 {
        match self.routing.routes() {
            Routes::Layers(_) if stays => 1,
            Routes::Layers(layers) => layers.len() as u32,
            Routes::Paths(paths) => paths.between(from, to).len() as u32,
        }
    }

    /// Returns whether the routing uses forwarding tables. With forwarding tables, a layer can have several paths, and the packet's
    /// entropy selects one of them.
    pub(super) fn has_tables(&self) -> bool {
        matches!(self.routing.routes(), Routes::Layers(_))
    }

    /// Returns whether a layer or explicit path leads from switch `from` to switch `to` without links that are known to be down.
    /// With `stays`, only layer 0 counts.
    fn connects(&self, stays: bool, from: u32, to: u32) -> bool {
        let choices = self.choices(stays, from, to) as usize;
        match self.routing.routes() {
            Routes::Layers(layers) => layers.iter().take(choices).any(|table| self.leads(table, from, to)),
            Routes::Paths(paths) => from == to || paths.between(from, to).any(|path| self.is_whole(paths, from, path)),
        }
    }

    /// Returns whether explicit path `path`, which starts at switch `from`, contains no link that is known to be down.
    fn is_whole(&self, paths: &PathSet, from: u32, path: u32) -> bool {
        paths.channels(self.fabric, from, path).all(|channel| !self.is_known(channel))
    }

    /// Returns whether `table` has a path from switch `from` to switch `to` that avoids the links that are known to be down.
    fn leads(&self, table: &Table, from: u32, to: u32) -> bool {
        let offsets = self.fabric.offsets();
        let mut seen = vec![false; self.fabric.num_switches()];
        let mut stack = vec![from];
        while let Some(switch) = stack.pop() {
            if switch == to {
                return true;
            }
            for &port in table.next(switch, to) {
                let channel = offsets[switch as usize] + u32::from(port);
                let next = self.fabric.targets()[channel as usize];
                if !self.is_known(channel) && !std::mem::replace(&mut seen[next as usize], true) {
                    stack.push(next);
                }
            }
        }
        false
    }
}

/// Returns the position of a packet in its flow: subflow and sequence number. Opening packets have separate positions.
fn place(packet: &Packet) -> u64 {
    let is_opening = packet.kind != Kind::Data;
    u64::from(is_opening) << 40 | u64::from(packet.subflow()) << 32 | u64::from(packet.sequence)
}

fn is_trimmed(packet: &Packet) -> bool {
    packet.kind == Kind::Data && !packet.has_payload()
}

/// Returns the ports whose links fail with `fault`, in ascending order.
fn ports(fabric: &Fabric, fault: &Fault, seed: u64) -> Result<Vec<u32>, Error> {
    let (cables, switches) = fabric.failing(&fault.what, seed)?;
    let (channels, endpoints) = (fabric.num_channels() as u32, fabric.num_endpoints() as u32);
    let both = |channel: u32| [channel, fabric.reverse()[channel as usize]];
    let mut ports: Vec<u32> = cables.into_iter().flat_map(both).collect();
    for switch in switches {
        let links = fabric.endpoints_of(switch).iter();
        ports.extend(fabric.channels_of(switch).map(|channel| channel as u32).flat_map(both));
        ports.extend(links.flat_map(|&endpoint| [channels + endpoint, channels + endpoints + endpoint]));
    }
    ports.sort_unstable();
    ports.dedup();
    Ok(ports)
}

impl Engine<'_> {
    /// Returns whether a fault has destroyed packet `id`, which would now arrive over the link of `port`. If so, removes the packet.
    #[cold]
    #[inline(never)]
    pub(super) fn is_lost(&mut self, port: u32, id: u32) -> bool {
        let Some(faults) = &mut self.faults else { return false };
        let now = self.state.now;
        let link = self.links.of(&self.state.ports[port as usize]);
        let sent = now - link.latency - link.time(self.state.packets[id].size);
        let Some(fault) = faults.find_loss(port, sent, now) else { return false };
        let packet = self.state.packets.remove(id);
        self.state.ledger.lost(&packet);
        let counters = &mut self.state.counters;
        *if packet.has_payload() { &mut counters.data_lost } else { &mut counters.control_lost } += 1;
        let pending = self.state.delivered[packet.flow as usize] == NEVER;
        faults.record_loss(fault, &packet, now, pending);
        true
    }

    /// Returns whether `flow` is permanently disconnected: no notification is pending, and no path avoids the links that are down.
    #[cold]
    #[inline(never)]
    pub(super) fn is_cut_off(&mut self, flow: u32) -> bool {
        let (first_up, first_down) = (self.first_up(), self.first_down());
        let Some(faults) = &mut self.faults else { return false };
        if !faults.learn(self.state.now)
            || faults.learned < faults.notifications.len()
            || !faults.without_path.contains(&flow)
        {
            return false;
        }
        if faults.cut_off.contains(&flow) {
            return true;
        }
        let ends = [self.source[flow as usize], self.destination[flow as usize]];
        let [from, to] = ends.map(|endpoint| self.endpoint_switch[endpoint as usize]);
        let stays = self.selector.stays() && !faults.has_subflows;
        let unlinked = ends.iter().any(|end| faults.is_known(first_up + end) || faults.is_known(first_down + end));
        let cut_off = unlinked || !faults.connects(stays, from, to) || !faults.connects(stays, to, from);
        if cut_off {
            faults.cut_off.insert(flow);
        } else {
            faults.without_path.remove(&flow);
        }
        cut_off
    }
}
