//! Merges the results of a simulation's partitions.

use std::time::Duration;

use tulle_traffic::Workload;

use crate::calendar::EventKind;
use crate::engine::{Engine, Meter, PortState, Spent, State};
use crate::selector::Selector;
use crate::transport::{Tally, Transport};
use crate::{Counters, Flows, LinkSamples, Links, NEVER, Outcome, PacketTime, Profile, Samples};

/// Merges the results of all partitions. A partition changes only the state of its own ports and flows; its copy of the state of all other
/// ports and flows still has the initial values.
pub(crate) fn gather(mut parts: Vec<Engine>, workload: &Workload) -> Outcome {
    let profile = profile(&parts);
    let earliest = |column: fn(&mut State) -> &mut Vec<u64>, parts: &mut [Engine]| {
        let (first, others) = parts.split_first_mut().expect("there is a part");
        let mut all = std::mem::take(column(&mut first.state));
        for other in others {
            all.iter_mut().zip(&*column(&mut other.state)).for_each(|(time, &here)| *time = here.min(*time));
        }
        all
    };
    let begun = earliest(|state| &mut state.begun, &mut parts);
    // If messages take time at endpoints, a flow finishes only after its destination has handled the message.
    let handled = earliest(|state| &mut state.handled, &mut parts);
    let mut flows = Flows {
        source: workload.source.clone(),
        destination: workload.destination.clone(),
        bytes: workload.bytes.clone(),
        start: if begun.is_empty() { workload.start.clone() } else { begun },
        delivered: earliest(|state| &mut state.delivered, &mut parts),
        finish: earliest(|state| &mut state.finish, &mut parts),
        ..Flows::default()
    };
    if !handled.is_empty() {
        flows.finish.iter_mut().zip(&handled).for_each(|(finish, &handled)| *finish = handled.max(*finish));
        flows.delivered = handled;
    }
    tally(&parts, &mut flows);
    let mut counters = Counters::default();
    parts.iter().for_each(|part| counters.add(&part.state.counters));
    counters.retransmitted = flows.retransmits.iter().copied().map(u64::from).sum();
    counters.timeouts = flows.timeouts.iter().copied().map(u64::from).sum();
    debug_assert!(counters.balance(), "packets are not conserved: {counters:?}");
    let complete = flows.finished() == flows.len();
    let now = parts.iter().map(|part| part.state.now).max().unwrap_or(0);
    let end = if complete { flows.finish.iter().copied().max().unwrap_or(0) } else { now };
    let links = links(&parts, end, complete);
    let samples = samples(&parts, now, end, complete, &flows);
    let link_samples = link_samples(&parts, &samples.time, links.end);
    let spent = spent(&parts, counters.link_hops);
    let num_lanes = parts.iter().find_map(|part| part.lanes.as_ref()).map_or(1, |lanes| lanes.num_lanes());
    let deadlock = parts.iter_mut().find_map(|part| part.state.deadlock.take());
    let faults = parts.into_iter().find_map(|part| part.faults);
    let (faults, stalls, mut cut_off) = faults.map(|faults| faults.report()).unwrap_or_default();
    // A disconnected flow can still have completed, because packets were already in flight when the fault disconnected it.
    cut_off.retain(|&flow| flows.finish[flow as usize] == NEVER);
    Outcome {
        flows,
        counters,
        end,
        complete,
        num_lanes,
        deadlock,
        spent,
        profile,
        links,
        samples,
        link_samples,
        faults,
        stalls,
        cut_off,
    }
}

/// Fills in the counts of transports and selectors for each flow. Some counts come from the partition of the flow's source, others from the
/// partition of its destination.
fn tally(parts: &[Engine], flows: &mut Flows) {
    let add = |one: Tally, other: Tally| Tally {
        bytes: one.bytes + other.bytes,
        hops: one.hops + other.hops,
        retransmits: one.retransmits + other.retransmits,
        trimmed: one.trimmed + other.trimmed,
        timeouts: one.timeouts + other.timeouts,
    };
    let transports: Vec<&Transport> = parts.iter().map(|part| &part.transport).collect();
    let selectors: Vec<&Selector> = parts.iter().map(|part| &part.selector).collect();
    for flow in 0..flows.len() as u32 {
        let Tally { bytes, hops, retransmits, trimmed, timeouts } =
            transports.iter().map(|transport| transport.tally(flow)).fold(Tally::default(), add);
        flows.bytes_delivered.push(bytes);
        flows.hops.push(hops);
        flows.retransmits.push(retransmits);
        flows.trimmed.push(trimmed);
        flows.timeouts.push(timeouts);
        flows.layer_changes.push(selectors.iter().map(|selector| selector.changes(flow)).sum());
    }
}

fn spent(parts: &[Engine], link_hops: u64) -> PacketTime {
    let sum = |time: fn(&Spent) -> u128| {
        parts.iter().map(|part| time(&part.state.spent)).fold(0, |sum: u128, time| sum.wrapping_add(time))
    };
    PacketTime {
        waiting_at_endpoints: sum(|spent| spent.waiting[0]),
        waiting_at_switches: sum(|spent| spent.waiting[1]),
        sending: sum(|spent| spent.sending),
        travelling: match parts.first().filter(|part| part.links.is_uniform()) {
            Some(part) => u128::from(part.links.kind(0).latency) * u128::from(link_hops),
            None => sum(|spent| spent.travelling),
        },
        handling: sum(|spent| spent.handling),
    }
}

/// Returns the profile of all threads, if requested. The caller fills in the times of setup and gathering.
fn profile(parts: &[Engine]) -> Option<Profile> {
    let meters: Vec<&Meter> = parts.iter().filter_map(|part| part.meter.as_deref()).collect();
    if meters.is_empty() {
        return None;
    }
    let sum = |time: fn(&Meter) -> Duration| meters.iter().map(|meter| time(meter).as_secs_f64()).sum();
    let events = EventKind::ALL.into_iter().map(|kind| {
        let of_kind = || meters.iter().map(|meter| meter.kinds[kind as usize]);
        let seconds = of_kind().map(|(all, timed, time)| time.as_secs_f64() * all as f64 / timed.max(1) as f64).sum();
        (kind.name(), of_kind().map(|(all, ..)| all).sum(), seconds)
    });
    Some(Profile {
        threads: parts.len(),
        setup: 0.0,
        gathering: 0.0,
        running: sum(|meter| meter.running),
        waiting: sum(|meter| meter.waiting),
        events: events.collect(),
    })
}

/// Returns the bytes and backlogs of all links until `end`.
///
/// If the run is `complete`, `end` is the time at which the last flow finished. Transmissions that continue after `end` then count in full.
fn links(parts: &[Engine], end: u64, complete: bool) -> Links {
    let ports = || parts.iter().flat_map(|part| &part.state.ports);
    let left = ports().map(|port| port.free(end)).max().unwrap_or(end);
    let mut links = Links { end: if complete { left } else { end }, ..Links::default() };
    for part in parts {
        // A port counts a packet as sent as soon as the packet's departure time is known. Bytes that leave after `end` are therefore
        // subtracted.
        let records = part.state.ports.iter().map(|port| {
            let (bytes, peak) = port.record();
            (bytes.saturating_sub(part.links.of(port).bytes_in(port.free(links.end) - links.end)), peak)
        });
        if links.bytes.is_empty() {
            (links.bytes, links.peak) = records.unzip();
            continue;
        }
        for ((bytes, peak), (more, other)) in links.bytes.iter_mut().zip(&mut links.peak).zip(records) {
            *bytes += more;
            *peak = other.max(*peak);
        }
    }
    links
}

/// Returns the merged samples. A partition does not know when the last event occurs or the last flow finishes, so it can take too many
/// samples; the extra samples are removed.
fn samples(parts: &[Engine], now: u64, end: u64, complete: bool, flows: &Flows) -> Samples {
    let mut all = Samples::default();
    for part in parts {
        let samples = &part.sampling.samples;
        let is_due = |time: u64| if complete { time < end } else { time <= now };
        let rows = samples.time.partition_point(|&time| is_due(time));
        all.time = samples.time[..rows].to_vec();
        for (column, more) in [
            (&mut all.finished, &samples.finished),
            (&mut all.data_delivered, &samples.data_delivered),
            (&mut all.data_failed, &samples.data_failed),
            (&mut all.in_flight, &samples.in_flight),
            (&mut all.backlog, &samples.backlog),
        ] {
            column.resize(rows, 0);
            column.iter_mut().zip(more).for_each(|(sum, &part)| *sum += part);
        }
        all.longest.resize(rows, 0);
        all.longest.iter_mut().zip(&samples.longest).for_each(|(most, &part)| *most = part.max(*most));
    }
    if parts.first().is_some_and(|part| part.state.ends_per_flow() > 1) {
        // The two ends of a flow can be in different partitions, so flows are counted by their merged finish times.
        let mut finish = flows.finish.clone();
        finish.sort_unstable();
        all.finished = all.time.iter().map(|&at| finish.partition_point(|&time| time <= at) as u64).collect();
    }
    all
}

/// Returns the samples of chosen links at `times`, and at the end of the run.
fn link_samples(parts: &[Engine], times: &[u64], end: u64) -> LinkSamples {
    let Some(first) = parts.first().filter(|part| !part.sampling.ports.is_empty()) else {
        return LinkSamples::default();
    };
    let (ports, port_table) = (&first.sampling.ports, &first.state.ports);
    let mut states = vec![PortState::default(); ports.len() * times.len()];
    for part in parts {
        states.iter_mut().zip(&part.sampling.states).for_each(|(sum, &part)| *sum += part);
    }
    let mut times = times.to_vec();
    if times.last().is_none_or(|&last| last < end) && end > 0 {
        let mut finally = vec![PortState::default(); ports.len()];
        for part in parts {
            finally.iter_mut().zip(part.port_states(end)).for_each(|(sum, part)| *sum += part);
        }
        times.push(end);
        states.extend(finally);
    }
    let mut samples = LinkSamples::default();
    let mut before = vec![PortState::default(); ports.len()];
    let mut since = 0;
    for (&time, now) in times.iter().zip(states.chunks(ports.len())) {
        for ((&port, state), before) in ports.iter().zip(now).zip(&before) {
            let link = first.links.of(&port_table[port as usize]);
            let sending = (state.carried - before.carried) as f64 * 8e12 / link.rate as f64;
            let busy = sending + before.remaining as f64 - state.remaining as f64;
            samples.link.push(port);
            samples.time.push(time);
            let unsent = link.bytes_in(state.remaining);
            samples.bytes.push(state.carried - unsent);
            samples.queue.push(unsent + state.stored);
            let utilisation = busy / (time - since) as f64;
            debug_assert!((-1e-9..=1.0 + 1e-9).contains(&utilisation), "{utilisation}");
            // Because of rounding, the computed fraction can lie slightly outside 0 to 1.
            samples.utilisation.push(utilisation.clamp(0.0, 1.0));
        }
        before.copy_from_slice(now);
        since = time;
    }
    samples
}
