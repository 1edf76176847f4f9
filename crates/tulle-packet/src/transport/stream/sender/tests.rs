//! Tests of a TCP sender's reactions to acknowledgements, losses and timers.

use super::*;
use crate::packet::{Kind, data};
use crate::transport::Handling;
use crate::transport::dctcp::{Gain, Proportional};
use crate::transport::rtt::Bounds;
use crate::transport::tcp::NewReno;

const UNLIMITED: f64 = f64::INFINITY;

fn options() -> Options<NewReno> {
    with(())
}

fn with<C: Controller>(control: C::Parameters) -> Options<C> {
    Options {
        window: 10,
        limit: 1000,
        handshake: false,
        change: false,
        bounds: Bounds { initial: 1_000_000, least: 1000, most: 60_000_000 },
        handling: Handling::AT_ONCE,
        jitter: 0,
        unsent: None,
        mtu: 1500,
        subflows: 1,
        stale: u32::MAX,
        control,
    }
}

fn sender<C: Controller>(options: &Options<C>) -> Sender<C> {
    Sender::new(Start { window: options.window, line_rate: 100_000_000_000 }, options)
}

fn sent<C: Controller>(sender: &mut Sender<C>, unsent: &mut u32, now: u64, options: &Options<C>) -> Vec<u32> {
    let mut take = || {
        *unsent = unsent.checked_sub(1)?;
        Some((0, false))
    };
    std::iter::from_fn(|| sender.next(&mut take, now, options)).map(|(sequence, ..)| sequence).collect()
}

fn ack(sequence: u32, number: u32, flags: u8) -> Packet {
    Packet { kind: Kind::Ack, number, echo: u8::from(sequence >= number), ..data(sequence, flags) }
}

/// RFC 5681 §3.2, RFC 6675 §5: the third duplicate acknowledgement, not the second, reveals the loss of the first packet and halves the
/// window. The packet is retransmitted as soon as the window allows.
#[test]
fn three_duplicates_retransmit_fast() {
    let options = options();
    let (mut sender, mut unsent) = (sender(&options), 40);
    sender.opened(None, 0);
    assert_eq!(sent(&mut sender, &mut unsent, 0, &options), (0..10).collect::<Vec<_>>());
    for (duplicate, expected) in [(1, vec![10]), (2, vec![11]), (3, vec![0])] {
        let reduced = sender.acknowledge(&ack(duplicate, 0, 0), UNLIMITED, 100, &options);
        assert_eq!(reduced, duplicate == 3);
        // Each of the first two duplicates allows a new packet (RFC 3042). After the third, the halved window allows no packet yet.
        assert_eq!(sent(&mut sender, &mut unsent, 100, &options)[..], expected[..usize::from(duplicate < 3)]);
    }
    // The window is 12 / 2 = 6, and an estimated 8 packets are in the network.
    assert_eq!((sender.window(), sender.board.pipe()), (6, 8));
    for duplicate in 4..7 {
        sender.acknowledge(&ack(duplicate, 0, 0), UNLIMITED, 100, &options);
    }
    assert_eq!(sent(&mut sender, &mut unsent, 100, &options), [0]);
    assert_eq!(sender.retransmits, 1);
    // All outstanding packets are acknowledged: recovery ends with half of the window, which then grows by one per round trip.
    sender.acknowledge(&ack(0, 12, 0), UNLIMITED, 200, &options);
    assert_eq!((sender.recovery, sender.window()), (None, 6));
}

/// RFC 6675 §4, NextSeg, rule 4: in recovery, if there is no new packet to send, the highest outstanding packet is retransmitted.
#[test]
fn a_lost_tail_is_rescued() {
    let options = options();
    let (mut sender, mut unsent) = (sender(&options), 10);
    sender.opened(None, 0);
    sent(&mut sender, &mut unsent, 0, &options);
    // Packets 0 and 7 to 9 are lost. After three duplicates, packet 0 is retransmitted as soon as the window allows.
    for duplicate in 1..7 {
        sender.acknowledge(&ack(duplicate, 0, 0), UNLIMITED, 100, &options);
    }
    assert_eq!((sender.window(), sender.board.pipe()), (5, 3));
    assert_eq!(sent(&mut sender, &mut unsent, 100, &options), [0, 9]);
    // A rescue happens only once until all packets that were outstanding at the loss are acknowledged.
    sender.acknowledge(&ack(9, 7, 0), UNLIMITED, 200, &options);
    assert_eq!(sent(&mut sender, &mut unsent, 200, &options), [7, 8]);
    sender.acknowledge(&ack(7, 8, 0), UNLIMITED, 300, &options);
    assert!(sent(&mut sender, &mut unsent, 300, &options).is_empty());
    assert_eq!((sender.retransmits, sender.timeouts), (4, 0));
}

/// RFC 6298 §5.5, RFC 5681 §3.1: a timeout reduces the window to one packet and doubles the next timeout.
#[test]
fn timeouts_back_off() {
    let options = options();
    let (mut sender, mut unsent) = (sender(&options), 40);
    sender.opened(None, 0);
    sent(&mut sender, &mut unsent, 0, &options);
    let mut now = 0;
    for factor in [1, 2, 4, 8] {
        assert_eq!(sender.deadline, now + factor * 1_000_000);
        now = sender.deadline;
        sender.expire(now, &options);
        assert_eq!(sent(&mut sender, &mut unsent, now, &options), [0]);
    }
    assert_eq!((sender.window(), sender.timeouts, sender.retransmits), (1, 4, 4));
    // Slow start grows the window up to half of the ten packets that were outstanding.
    for number in 1..=10 {
        sender.acknowledge(&ack(number - 1, number, 0), UNLIMITED, now + 50, &options);
        sent(&mut sender, &mut unsent, now + 50, &options);
    }
    assert_eq!(sender.window(), 6);
}

/// The retransmission of the first outstanding packet restarts the timer. Other packets do not restart it.
#[test]
fn a_retransmission_of_the_first_packet_restarts_the_timer() {
    let options = options();
    let (mut sender, mut unsent) = (sender(&options), 40);
    sender.opened(None, 0);
    sent(&mut sender, &mut unsent, 0, &options);
    let first = sender.deadline;
    for duplicate in 1..7 {
        sender.acknowledge(&ack(duplicate, 0, 0), UNLIMITED, 100, &options);
        assert_eq!(sender.deadline, first);
    }
    assert!(sent(&mut sender, &mut unsent, 900, &options).contains(&0));
    assert_eq!(sender.deadline, 900 + sender.rtt.timeout(&options.bounds));
}

/// Karn's algorithm: the acknowledgement of a retransmission does not measure the round-trip time, but the acknowledgement of the first
/// copy does, even if the packet was retransmitted. Newly acknowledged data ends the back-off.
#[test]
fn first_copies_measure_and_new_data_ends_the_back_off() {
    let options = options();
    for (flags, smoothed) in [(0, Some(700)), (flag::RETRANSMITTED, None)] {
        let (mut sender, mut unsent) = (sender(&options), 40);
        sender.opened(None, 0);
        sent(&mut sender, &mut unsent, 0, &options);
        sender.expire(500, &options);
        assert_eq!(sender.next(|| None, 500, &options), Some((0, 0, true)));
        assert_eq!(sender.deadline, 500 + 2_000_000);
        sender.acknowledge(&ack(0, 1, flags), UNLIMITED, 700, &options);
        assert_eq!(sender.rtt.smoothed(), smoothed);
        let timeout = if smoothed.is_some() { 700 + 4 * 350 } else { 1_000_000 };
        assert_eq!(sender.deadline, 700 + timeout);
    }
    // The measurement does not depend on missing earlier packets.
    let (mut sender, mut unsent) = (sender(&options), 40);
    sender.opened(None, 0);
    sent(&mut sender, &mut unsent, 0, &options);
    sender.timed = Some((4, 0));
    sender.acknowledge(&ack(4, 0, 0), UNLIMITED, 300, &options);
    assert_eq!((sender.rtt.smoothed(), sender.timed), (Some(300), None));
}

/// RFC 8257 §3.3: if all packets of a window are marked, the window is halved once, not once per mark.
#[test]
fn marks_shrink_the_window_once_per_window() {
    let options = with::<Proportional>(Gain { gain: Some(1.0 / 16.0) });
    let (mut sender, mut unsent) = (sender(&options), 100);
    sender.opened(None, 0);
    sent(&mut sender, &mut unsent, 0, &options);
    let mut reductions = 0;
    for number in 1..=10 {
        reductions += u32::from(sender.acknowledge(&ack(number - 1, number, flag::MARKED), UNLIMITED, 100, &options));
        sent(&mut sender, &mut unsent, 100, &options);
    }
    assert_eq!((reductions, sender.retransmits), (1, 0));
    // Alpha starts at 1 (RFC 8257 §3.3), so the first reduction halves the window.
    assert_eq!(sender.window(), 5);
}
