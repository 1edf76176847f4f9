use super::*;
use crate::Config;
use crate::packet::data;

/// A switch with two links in, ports 0 and 1, and one out, port 2; packets of 1500 bytes.
fn pfc(spec: &str) -> (Pfc, Port, Arena) {
    let link = Link::new(&Config { mtu: 1500, ..Config::default() }).unwrap();
    let mut pfc = Pfc::read(&Arguments::parse(&const { Pfc::INFO }, spec).unwrap(), &link).unwrap();
    pfc.attach(&[0, 0], 3);
    let mut port = Port::new();
    port.occupy(1_000_000_000, 9000, true);
    (pfc, port, Arena::new())
}

#[test]
fn links_are_paused_and_resumed_one_by_one() {
    let (mut pfc, mut port, mut packets) = pfc("pfc:xoff=3KB,xon=1500B,headroom=1500B,mark=no");
    let mut admit = |from: u32, pfc: &mut Pfc, port: &mut Port| {
        let id = packets.insert(data(from, 0));
        (pfc.admit(Place { from, out: 2 }, port, &mut packets, id, 7, |_| 0), pfc.take_signal())
    };
    for _ in 0..2 {
        assert_eq!(admit(0, &mut pfc, &mut port), (Verdict::Stored, None));
        assert_eq!(admit(1, &mut pfc, &mut port), (Verdict::Stored, None));
    }
    let (verdict, signal) = admit(0, &mut pfc, &mut port);
    assert_eq!(verdict, Verdict::Stored);
    let frame = pfc.frame;
    assert_eq!(signal, Some(Signal { port: 0, class: Class::Bulk, pause: true, at: 7 + frame }));
    assert_eq!((pfc.asked(0, Class::Bulk), pfc.asked(1, Class::Bulk)), (Some(7), None));
    // The headroom is full.
    assert_eq!(admit(0, &mut pfc, &mut port), (Verdict::Dropped, None));
    let mut resumed = Vec::new();
    while let Some(id) = port.pop(&packets) {
        pfc.release(2, &packets, id, 50);
        resumed.extend(pfc.take_signal().map(|signal| (signal.port, signal.pause, pfc.ingress[0][1].bytes)));
    }
    assert_eq!(resumed, [(0, false, 1500)]);
    assert_eq!((pfc.egress[2], pfc.used[0], pfc.pauses), (0, 0, 1));
}

#[test]
fn dynamic_thresholds_shrink_as_memory_fills() {
    // A share of a half: the first link stops at a third of the memory, the second at a third of the rest.
    let (mut pfc, port, mut packets) = pfc("pfc:alpha=50%,buffer=90KB,mark=no");
    pfc.attach(&[0, 0], 4);
    let mut ports = [port.clone(), port];
    let mut stored = [0, 0];
    for from in [0, 1] {
        loop {
            let id = packets.insert(data(0, 0));
            let place = Place { from, out: 2 + from };
            let verdict = pfc.admit(place, &mut ports[from as usize], &mut packets, id, 7, |_| 0);
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
    // The headroom of the second is free again, but it has more than its threshold. As packets of the first leave, that
    // rises, and the pause ends.
    release(1, &mut pfc);
    assert_eq!((pfc.ingress[1][1].headroom, pfc.asked(1, Class::Bulk)), (0, Some(7)));
    let mut left = 0;
    while pfc.asked(1, Class::Bulk).is_some() {
        release(0, &mut pfc);
        left += 1;
    }
    // The headroom first, then 1500 bytes each that raise it by 750: from 17250 to 19500.
    assert_eq!((left, pfc.ingress[1][1].bytes), (4, 19_500));
}

/// Control packets wait, count and are released as bulk data where that is asked for, and are never marked.
#[test]
fn control_packets_of_the_class_of_data_count_and_are_not_marked() {
    let admit = |spec: &str, kind: Kind| {
        let (mut pfc, mut port, mut packets) = pfc(spec);
        pfc.egress[2] = 3000;
        let id = packets.insert(crate::packet::Packet { kind, size: HEADER, ..data(0, 0) });
        let verdict = pfc.admit(Place { from: 0, out: 2 }, &mut port, &mut packets, id, 7, |_| 0);
        let (bytes, marked) = (pfc.ingress[0].map(|class| class.bytes), packets[id].flags & flag::MARKED != 0);
        if verdict == Verdict::Stored {
            assert_eq!(port.pop(&packets), Some(id));
            pfc.release(2, &packets, id, 9);
            assert_eq!((pfc.ingress[0].map(|class| class.bytes), pfc.egress[2]), ([0, 0], 3000));
        }
        (verdict, bytes, marked)
    };
    let header = u64::from(HEADER);
    for kind in [Kind::Ack, Kind::Nack, Kind::Pull, Kind::Syn, Kind::SynAck, Kind::Notice] {
        assert_eq!(admit("pfc:kmin=1KB,kmax=2KB", kind), (Verdict::Express, [0, 0], false));
        assert_eq!(admit("pfc:kmin=1KB,kmax=2KB,control=data", kind), (Verdict::Stored, [0, header], false));
    }
    // Data is marked there.
    assert_eq!(admit("pfc:kmin=1KB,kmax=2KB", Kind::Data), (Verdict::Stored, [0, header], true));
}
