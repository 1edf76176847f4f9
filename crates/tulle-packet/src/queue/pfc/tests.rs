use super::*;
use crate::Config;
use crate::packet::data;
use tulle_spec::Plugin;

/// The lane of data that is not urgent, without virtual lanes.
const BULK: u8 = Class::Bulk as u8;

/// Returns a switch with two input links (ports 0 and 1), one output (port 2), and packets of 1500 bytes.
fn pfc(spec: &str) -> (Pfc, Port, Arena) {
    let link = Link::new(&Config { mtu: 1500, ..Config::default() }).unwrap();
    let mut pfc = Pfc::parse(spec, &link).unwrap();
    pfc.attach(&[0, 0], 3, None);
    let mut port = Port::new();
    port.occupy(1_000_000_000, 9000, true);
    (pfc, port, Arena::new())
}

#[test]
fn links_are_paused_and_resumed_one_by_one() {
    let (mut pfc, mut port, mut packets) = pfc("pfc:xoff=3KB,xon=1500B,headroom=1500B,mark=no");
    let mut admit = |from: u32, pfc: &mut Pfc, port: &mut Port| {
        let id = packets.insert(data(from, 0));
        (pfc.admit(Hop { from, out: 2 }, port, &mut packets, id, 7, |_| 0), pfc.take_signal())
    };
    for _ in 0..2 {
        assert_eq!(admit(0, &mut pfc, &mut port), (Verdict::Stored, None));
        assert_eq!(admit(1, &mut pfc, &mut port), (Verdict::Stored, None));
    }
    let (verdict, signal) = admit(0, &mut pfc, &mut port);
    assert_eq!(verdict, Verdict::Stored);
    let frame = pfc.frame;
    assert_eq!(signal, Some(Signal { port: 0, lane: BULK, pause: true, at: 7 + frame }));
    assert_eq!((pfc.asked(0, BULK), pfc.asked(1, BULK)), (Some(7), None));
    // All bytes of the headroom are in use.
    assert_eq!(admit(0, &mut pfc, &mut port), (Verdict::Dropped, None));
    let mut resumed = Vec::new();
    while let Some(id) = port.pop(&packets) {
        pfc.release(2, &packets, id, 50);
        resumed.extend(pfc.take_signal().map(|signal| (signal.port, signal.pause, pfc.ingress[1].bytes)));
    }
    assert_eq!(resumed, [(0, false, 1500)]);
    assert_eq!((pfc.egress[2], pfc.used[0], pfc.pauses), (0, 0, 1));
}

#[test]
fn dynamic_thresholds_shrink_as_memory_fills() {
    // With alpha = 50%, the first link is paused at a third of the memory, and the second at a third of the remaining memory.
    let (mut pfc, port, mut packets) = pfc("pfc:alpha=50%,buffer=90KB,mark=no");
    pfc.attach(&[0, 0], 4, None);
    let mut ports = [port.clone(), port];
    let mut stored = [0, 0];
    for from in [0, 1] {
        loop {
            let id = packets.insert(data(0, 0));
            let hop = Hop { from, out: 2 + from };
            let verdict = pfc.admit(hop, &mut ports[from as usize], &mut packets, id, 7, |_| 0);
            if verdict == Verdict::Dropped || pfc.take_signal().is_some() {
                break;
            }
            stored[from as usize] += 1500;
        }
    }
    assert_eq!(stored, [30_000, 19_500]);
    let mut release = |from: usize, pfc: &mut Pfc| {
        let id = ports[from].pop(&packets).unwrap();
        pfc.release(2 + from as u32, &packets, id, 9);
    };
    // The headroom of the second link is free again, but its waiting bytes still exceed its threshold. Departing packets of the first
    // link raise this threshold until the pause ends.
    release(1, &mut pfc);
    assert_eq!((pfc.ingress[3].headroom, pfc.asked(1, BULK)), (0, Some(7)));
    let mut left = 0;
    while pfc.asked(1, BULK).is_some() {
        release(0, &mut pfc);
        left += 1;
    }
    // The first departing packet only frees headroom. Each of the next three frees 1500 bytes of shared memory and raises the resume
    // threshold by 750 bytes: from 17250 to 19500.
    assert_eq!((left, pfc.ingress[3].bytes), (4, 19_500));
}

/// With `control=data`, control packets are queued, counted and released like bulk data. They are never marked.
#[test]
fn control_packets_in_the_data_class_count_and_are_not_marked() {
    let admit = |spec: &str, kind: Kind| {
        let (mut pfc, mut port, mut packets) = pfc(spec);
        pfc.egress[2] = 3000;
        let id = packets.insert(crate::packet::Packet { kind, size: HEADER, ..data(0, 0) });
        let verdict = pfc.admit(Hop { from: 0, out: 2 }, &mut port, &mut packets, id, 7, |_| 0);
        let (bytes, marked) = ([0, 1].map(|row: usize| pfc.ingress[row].bytes), packets[id].flags & flag::MARKED != 0);
        if verdict == Verdict::Stored {
            assert_eq!(port.pop(&packets), Some(id));
            pfc.release(2, &packets, id, 9);
            assert_eq!(([0, 1].map(|row: usize| pfc.ingress[row].bytes), pfc.egress[2]), ([0, 0], 3000));
        }
        (verdict, bytes, marked)
    };
    let header = u64::from(HEADER);
    for kind in [Kind::Ack, Kind::Nack, Kind::Pull, Kind::Syn, Kind::SynAck, Kind::Cnp] {
        assert_eq!(admit("pfc:kmin=1KB,kmax=2KB", kind), (Verdict::Express, [0, 0], false));
        assert_eq!(admit("pfc:kmin=1KB,kmax=2KB,control=data", kind), (Verdict::Stored, [0, header], false));
    }
    // At this queue length, a data packet is marked, unlike a control packet.
    assert_eq!(admit("pfc:kmin=1KB,kmax=2KB", Kind::Data), (Verdict::Stored, [0, header], true));
    // A packet that is already marked keeps its mark.
    let (mut pfc, mut port, mut packets) = pfc("pfc:kmin=1KB,kmax=2KB");
    pfc.egress[2] = 3000;
    let id = packets.insert(data(0, flag::MARKED));
    pfc.admit(Hop { from: 0, out: 2 }, &mut port, &mut packets, id, 7, |_| 0);
    assert!(packets[id].flags & flag::MARKED != 0);
}

/// Sizes that may be zero accept 0, and all sizes accept their documented maximum but no more.
#[test]
fn sizes_accept_zero_and_their_maximum() {
    let parameters = |spec: &str| tulle_spec::Registered::spec(&pfc(spec).0);
    let none = parameters("pfc:xoff=1GB,xon=0,headroom=0,kmin=0,kmax=1GB");
    for parameter in ["xoff=1GB", "xon=0B", "headroom=0B", "kmin=0B", "kmax=1GB"] {
        assert!(none.split([':', ',']).any(|given| given == parameter), "{parameter} in {none}");
    }
    let most = parameters("pfc:buffer=1TB,headroom=1GB,kmin=1GB");
    for parameter in ["buffer=1TB", "headroom=1GB", "kmin=1GB", "kmax=1GB"] {
        assert!(most.split([':', ',']).any(|given| given == parameter), "{parameter} in {most}");
    }
    let link = Link::new(&Config::default()).unwrap();
    // With PFC, ports are never full, so `drain` returns the maximum.
    assert_eq!(pfc("pfc").0.drain(&link), u64::MAX);
    for above in ["xoff=1000000001B", "headroom=1000000001B", "kmin=1000000001B", "buffer=1000000000001B"] {
        let error = Pfc::parse(&format!("pfc:{above}"), &link).unwrap_err().to_string();
        assert!(error.contains(above.split_once('=').unwrap().0) && error.contains("out of range"), "{error}");
    }
}

/// During a pause, all arriving packets use the headroom, even if they are below the threshold.
#[test]
fn arrivals_during_a_pause_use_the_headroom() {
    let (mut pfc, mut port, mut packets) = pfc("pfc:xoff=3KB,xon=0,headroom=1500B,mark=no");
    let admit = |pfc: &mut Pfc, port: &mut Port, packets: &mut Arena| {
        let id = packets.insert(data(0, 0));
        (pfc.admit(Hop { from: 0, out: 2 }, port, packets, id, 7, |_| 0), pfc.ingress[1].headroom, pfc.used[0])
    };
    let stored = |headroom, used| (Verdict::Stored, headroom, used);
    let admitted: Vec<_> = (0..3).map(|_| admit(&mut pfc, &mut port, &mut packets)).collect();
    assert_eq!(admitted, [stored(0, 1500), stored(0, 3000), stored(1500, 3000)]);
    for _ in 0..2 {
        let id = port.pop(&packets).unwrap();
        pfc.release(2, &packets, id, 50);
    }
    assert_eq!((pfc.asked(0, BULK), pfc.ingress[1].headroom, pfc.used[0]), (Some(7), 0, 1500));
    assert_eq!(admit(&mut pfc, &mut port, &mut packets), stored(1500, 1500));
    assert_eq!(admit(&mut pfc, &mut port, &mut packets), (Verdict::Dropped, 1500, 1500));
    assert_eq!(pfc.pauses, 1);
}

/// A pause can end only if the bytes that never leave fit below the resume threshold and leave the headroom empty.
#[test]
fn pauses_last_forever_if_too_many_bytes_never_leave() {
    let (mut pfc, mut port, mut packets) = pfc("pfc:xoff=3KB,xon=1500B,headroom=3KB,mark=no");
    for _ in 0..4 {
        let id = packets.insert(data(0, 0));
        pfc.admit(Hop { from: 0, out: 2 }, &mut port, &mut packets, id, 7, |_| 0);
    }
    assert_eq!((pfc.ingress[1].bytes, pfc.ingress[1].headroom), (6000, 3000));
    let kept = [6000, 4500, 3001, 3000, 0].map(|bytes| pfc.headroom_kept(0, BULK, bytes));
    assert_eq!(kept, [3000, 1500, 1, 0, 0]);
    let lasts = [6000, 3001, 3000, 1501, 1500, 0].map(|bytes| pfc.lasts_forever(0, BULK, bytes, bytes));
    assert_eq!(lasts, [true, true, true, true, false, false]);
    // The resume threshold is a fifth of the free memory minus 3 KB: 0 bytes if 15 KB are free, and 1 KB if 20 KB are free.
    let (mut pfc, mut port, mut packets) = self::pfc("pfc:alpha=20%,buffer=20KB,mark=no");
    let id = packets.insert(data(0, 0));
    pfc.admit(Hop { from: 0, out: 2 }, &mut port, &mut packets, id, 7, |_| 0);
    assert_eq!([0, 1].map(|bytes| pfc.lasts_forever(0, BULK, bytes, 5000)), [false, true]);
    assert_eq!([1000, 1001].map(|bytes| pfc.lasts_forever(0, BULK, bytes, 0)), [false, true]);
}

/// Sends as much as possible over a link until both classes are paused, while no packet leaves the switch.
///
/// Returns the maximum used headroom in bytes, the configured headroom in bytes, and whether a packet was dropped.
fn flood(latency: u64, headroom: &str) -> (u64, u64, bool) {
    let link = Link::new(&Config { mtu: 1500, link_latency: latency, ..Config::default() }).unwrap();
    let spec = format!("pfc:xoff=3KB,mark=no{headroom}");
    let mut pfc = Pfc::parse(&spec, &link).unwrap();
    pfc.attach(&[0], 2, None);
    let (mut port, mut packets) = (Port::new(), Arena::new());
    port.occupy(u64::MAX, 1500, true);
    let (mut paused, mut dropped) = ([NEVER; 2], false);
    for sequence in 0.. {
        let start = u64::from(sequence) * link.time(1500);
        // The two classes take turns until both are paused, one right after the other. Before its pause takes effect, the second class
        // sends as much as it can. A packet whose transmission starts exactly when a pause takes effect is still sent.
        let turns = if sequence % 2 == 0 && sequence < 6 { Class::ALL } else { [Class::Bulk, Class::Urgent] };
        let Some(class) = turns.into_iter().find(|&class| start <= paused[class as usize]) else { break };
        let id = packets.insert(data(sequence, if class == Class::Urgent { flag::URGENT } else { 0 }));
        let arrival = start + link.time(1500) + latency;
        let verdict = pfc.admit(Hop { from: 0, out: 1 }, &mut port, &mut packets, id, arrival, |_| 0);
        dropped |= verdict == Verdict::Dropped;
        while let Some(signal) = pfc.take_signal() {
            paused[signal.lane as usize] = signal.at + latency;
        }
    }
    let most = pfc.ingress.iter().map(|ingress| ingress.headroom).max().unwrap();
    (most, pfc.headroom, dropped)
}

/// The default headroom holds all bytes that arrive until a pause takes effect, at any latency. At some latency it exceeds the needed size
/// by less than a packet. A headroom of exactly the needed bytes causes no loss; one byte less causes a loss.
#[test]
fn the_default_headroom_is_enough_for_both_classes() {
    let mut least = u64::MAX;
    // The latencies cover up to two packets in flight in each direction.
    for latency in (0..2_400_000).step_by(7_919) {
        let (needed, usual, dropped) = flood(latency, "");
        assert!(!dropped && needed <= usual, "{latency} ps: {needed} of {usual}");
        least = least.min(usual - needed);
        let given = |bytes: u64| flood(latency, &format!(",headroom={bytes}B"));
        assert_eq!(given(needed), (needed, needed, false), "{latency} ps");
        assert!(given(needed - 1).2, "{latency} ps: {needed}");
    }
    assert!(least < 1500, "{least} bytes to spare");
}

/// Sends packets of 100 bytes on each of eight lanes until it is paused, while no packet leaves the switch. Just before the first pause,
/// the switch resumes all lanes. Returns whether a packet was dropped. `extra` is the additional headroom per lane.
fn flood_lanes(latency: u64, extra: Option<u64>) -> bool {
    const LANES: u8 = 8;
    let link = Link::new(&Config { mtu: 100, link_latency: latency, ..Config::default() }).unwrap();
    let mut pfc = Pfc::parse("pfc:xoff=1600B,mark=no", &link).unwrap();
    pfc.attach(&[0], 2, Some(LANES.into()));
    pfc.lane_headroom = extra.unwrap_or(pfc.lane_headroom);
    let (mut packets, mut paused) = (Arena::new(), [NEVER; LANES as usize]);
    for sequence in 0u32.. {
        let start = u64::from(sequence) * link.time(100);
        let Some(lane) = (0..LANES).find(|&lane| start <= paused[usize::from(lane)]) else { return false };
        let id = packets.insert(crate::packet::Packet { size: 100, ..data(sequence, 0) });
        let arrival = start + link.time(100) + latency;
        if pfc.pauses == 0 {
            pfc.free[0] = arrival + u64::from(LANES) * pfc.frame;
        }
        if !pfc.store(Hop { from: 0, out: 1 }, lane, &mut packets[id], id, arrival, || 0) {
            return true;
        }
        while let Some(signal) = pfc.take_signal() {
            paused[usize::from(signal.lane)] = signal.at + latency;
        }
    }
    unreachable!()
}

/// The default headroom of a lane also holds the bytes that arrive while the link is busy with the pause frames of the other lanes.
#[test]
fn the_default_headroom_is_enough_for_all_lanes() {
    assert!((0..300_000).step_by(7_919).all(|latency| !flood_lanes(latency, None)));
    assert!((0..300_000).step_by(7_919).any(|latency| flood_lanes(latency, Some(0))));
}

/// The lanes of a port share its pause threshold equally, unless `lanes=whole` is given. The distance between the pause and the resume
/// threshold stays the same, but the resume threshold is at least 0.
#[test]
fn lanes_divide_the_thresholds() {
    let thresholds = |spec: &str, used: u64| {
        let mut pfc = pfc(spec).0;
        pfc.attach(&[0, 0], 3, Some(4));
        (pfc.threshold.xoff(used), pfc.threshold.xon(used), pfc.width())
    };
    assert_eq!(thresholds("pfc:threshold=testbed", 0), (12_500, 9_500, 4));
    assert_eq!(thresholds("pfc:threshold=testbed,lanes=whole", 0), (50_000, 47_000, 4));
    assert_eq!(thresholds("pfc:xoff=8KB", 0), (2_000, 0, 4));
    assert_eq!(thresholds("pfc:alpha=40%,buffer=1MB", 500_000), (50_000, 47_000, 4));
    assert_eq!(thresholds("pfc:alpha=40%,buffer=1MB,lanes=whole", 500_000), (200_000, 197_000, 4));
}
