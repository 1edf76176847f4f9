//! Tests of a receiver-driven sender, event by event.

use super::*;
use crate::packet::data;
use crate::units::SECOND;

const OPTIONS: Options =
    Options { window: 3, timeout: 1000, reordering_window: 1000, priority: true, change: true, mtu: 1500, pace: 1.0 };

/// A sender for tests. Each event returns the sequence numbers of the packets that it sends. An urgent retransmission of packet n is shown
/// as −n − 1.
struct Fixture {
    sender: Sender,
    options: Options,
    out: Actions,
    timer: Option<u64>,
}

impl Fixture {
    fn new(packets: u32, options: Options) -> Self {
        Self { sender: Sender::new(packets, 700), options, out: Actions::new(), timer: None }
    }

    fn did(&mut self) -> Vec<i64> {
        let mut sent = Vec::new();
        for action in self.out.drain(..) {
            match action {
                Action::Send(packet) if packet.flags & flag::URGENT != 0 => sent.push(-i64::from(packet.sequence) - 1),
                Action::Send(packet) => sent.push(packet.sequence.into()),
                Action::Timer { at, .. } => self.timer = Some(at),
                _ => {}
            }
        }
        sent
    }

    fn start(&mut self) -> Vec<i64> {
        self.sender.start(0, 0, &self.options, &mut self.out);
        self.did()
    }

    fn on(&mut self, now: u64, packet: Packet) -> Vec<i64> {
        self.sender.receive(&packet, now, &self.options, &mut self.out);
        self.did()
    }

    fn timer(&mut self, now: u64, held: bool) -> Vec<i64> {
        self.timer = None;
        self.sender.timer(0, held, now, &self.options, &mut self.out);
        self.did()
    }
}

/// Returns an answer to packet `sequence`, which is arrival number `arrived`. With the flag `PULLS`, it also carries one pull for each
/// arrival; otherwise, it carries no pull.
fn answer(kind: Kind, sequence: u32, arrived: u32, flags: u8) -> Packet {
    Packet { kind, number: arrived, ..data(sequence, flags) }
}

fn ack(sequence: u32, arrived: u32) -> Packet {
    answer(Kind::Ack, sequence, arrived, flag::PULLS)
}

fn nack(sequence: u32, arrived: u32) -> Packet {
    answer(Kind::Nack, sequence, arrived, 0)
}

fn pull(number: u32, arrived: u32) -> Packet {
    answer(Kind::Pull, arrived, number, 0)
}

const NOTHING: [i64; 0] = [];

#[test]
fn pulls_let_trimmed_packets_go_first() {
    let mut flow = Fixture::new(6, OPTIONS);
    assert_eq!((flow.start(), flow.timer), (vec![0, 1, 2], Some(1000)));
    assert_eq!(flow.on(5, nack(2, 1)), NOTHING);
    assert_eq!(flow.on(5, nack(0, 2)), NOTHING);
    assert_eq!(flow.on(5, answer(Kind::Ack, 1, 3, 0)), NOTHING);
    assert_eq!(flow.on(5, pull(1, 3)), [-1]);
    // Pull 3 also replaces pull 2, which arrives too late and has no effect.
    assert_eq!(flow.on(5, pull(3, 3)), [-3, 3]);
    assert_eq!(flow.on(5, pull(2, 3)), NOTHING);
    assert_eq!(flow.on(5, ack(2, 4)), [4]);
    // If no packet is left to send when a pull arrives, the flow keeps the credit of the pull.
    assert_eq!((flow.on(5, ack(0, 5)), flow.on(5, ack(3, 6))), (vec![5], vec![]));
    assert_eq!(flow.on(5, nack(4, 7)), [-5]);
    // If the acknowledgement of a packet overtakes the answer to its trimmed header, no retransmission is needed.
    assert_eq!((flow.on(5, answer(Kind::Ack, 5, 8, 0)), flow.on(5, nack(5, 8))), (vec![], vec![]));
    flow.sender.receive(&answer(Kind::Ack, 4, 0, flag::COMPLETE), 9, &OPTIONS, &mut flow.out);
    assert_eq!(flow.out, [Action::Finished { flow: 0 }]);
    assert_eq!((flow.sender.retransmits, flow.sender.timeouts), (3, 0));
}

/// FatPaths §V-F: only the answer to a trimmed packet can ask the source to leave the layer on which the packet arrived.
#[test]
fn only_negative_acknowledgements_change_the_layer() {
    let leaves = |packet: Packet| {
        let mut flow = Fixture::new(9, OPTIONS);
        flow.start();
        flow.sender.receive(&Packet { echo: 4, ..packet }, 5, &OPTIONS, &mut flow.out);
        let leave = |action: &&Action| matches!(action, Action::Leave { .. });
        flow.out.iter().find(leave).copied()
    };
    assert_eq!(leaves(answer(Kind::Nack, 1, 1, flag::LEAVE)), Some(Action::Leave { flow: 0, layer: 4 }));
    assert_eq!(leaves(nack(1, 1)), None);
    // Acknowledgements and pulls never change the layer, regardless of their flags.
    assert_eq!(
        (leaves(answer(Kind::Ack, 1, 1, flag::LEAVE)), leaves(answer(Kind::Pull, 1, 1, flag::LEAVE))),
        (None, None)
    );
}

/// A packet, an acknowledgement and a pull are lost. The flow gets exactly the credits of these packets back.
#[test]
fn later_answers_find_lost_packets() {
    let mut flow = Fixture::new(40, OPTIONS);
    flow.start();
    // Packet 0 and the answer to packet 1 are lost, but the next answer also replaces the pull for packet 1.
    assert_eq!(flow.on(100, ack(2, 2)), [3, 4]);
    // Packet 3 was sent after packets 0 and 1, so its answer shows that they have left the source.
    assert_eq!((flow.on(200, ack(3, 3)), flow.on(210, ack(4, 4))), (vec![5], vec![6]));
    assert_eq!((flow.on(1000, ack(5, 5)), flow.on(1100, ack(6, 6))), (vec![7], vec![8]));
    // The reordering window (1000) is over: packets 0 and 1 are retransmitted, with the credit of packet 0 and of this answer's pull.
    assert_eq!(flow.on(1200, ack(7, 7)), [-1, -2]);
    assert_eq!((flow.on(1250, ack(8, 8)), flow.on(1300, ack(0, 9))), (vec![9], vec![10]));
    // The receiver also counts and sends a pull for the duplicate of packet 1. Three packets are outstanding again.
    assert_eq!((flow.on(1310, ack(1, 10)), flow.sender.scoreboard.outstanding()), (vec![11], 3));
    assert_eq!((flow.sender.retransmits, flow.sender.timeouts), (2, 0));
}

/// If a packet that was declared lost was only late, its credit is not used twice.
#[test]
fn late_acknowledgements_take_their_credit_back() {
    let mut flow = Fixture::new(40, OPTIONS);
    flow.start();
    assert_eq!(
        (flow.on(100, ack(1, 1)), flow.on(100, ack(2, 2)), flow.on(200, ack(3, 3))),
        (vec![3], vec![4], vec![5])
    );
    assert_eq!((flow.on(900, ack(4, 4)), flow.on(1200, ack(5, 5))), (vec![6], vec![-1, 7]));
    // The first copy of packet 0 was only late. The pull for its second copy allows no further packet.
    assert_eq!((flow.on(1210, ack(0, 6)), flow.on(1300, ack(0, 7))), (vec![8], vec![]));
    assert_eq!((flow.on(1300, ack(6, 8)), flow.sender.scoreboard.outstanding()), (vec![9], 3));
    // A late packet that is acknowledged before its retransmission is not retransmitted.
    let mut flow = Fixture::new(40, OPTIONS);
    flow.start();
    assert_eq!(
        (flow.on(100, ack(1, 1)), flow.on(100, ack(2, 2)), flow.on(200, ack(3, 3))),
        (vec![3], vec![4], vec![5])
    );
    flow.on(1200, ack(0, 4));
    assert_eq!(flow.sender.retransmits, 0);
}

#[test]
fn no_packet_is_lost_before_a_later_one_is_answered() {
    let mut flow = Fixture::new(40, OPTIONS);
    flow.start();
    assert_eq!((flow.on(100, ack(2, 1)), flow.on(9000, pull(1, 1))), (vec![3], vec![]));
    // Packet 3 was sent after packets 0 and 1, so its answer counts. The answer to packet 2, which was sent together with them, does not
    // count.
    assert_eq!((flow.on(9000, ack(3, 2)), flow.on(9900, ack(4, 3))), (vec![4], vec![5]));
    assert_eq!(flow.on(10_000, ack(5, 4)), [-1, -2, 6]);
}

/// Answers that arrive out of order carry older counts than earlier answers. They must not return a used credit again.
#[test]
fn reordered_answers_give_no_credit_twice() {
    let mut flow = Fixture::new(40, OPTIONS);
    flow.start();
    // The first answer reports three arrivals and carries one pull for each of them.
    assert_eq!(
        (flow.on(100, ack(2, 3)), flow.on(110, ack(0, 1)), flow.on(120, ack(1, 2))),
        (vec![3, 4, 5], vec![], vec![])
    );
    assert_eq!((flow.sender.credit(), flow.sender.scoreboard.outstanding()), (0, 3));
}

/// If no new packet is left, answers to retransmissions reveal losses. Urgent retransmissions can overtake other packets at the source,
/// so with priority the detection takes a timeout.
#[test]
fn retransmissions_find_losses_at_the_end() {
    for (priority, timeout, found) in [(false, 5000, 1100), (true, 5000, 5100)] {
        let mut flow = Fixture::new(3, Options { priority, timeout, ..OPTIONS });
        flow.start();
        // Every retransmission of packet 1 is trimmed, too. Packet 2 has been outstanding since the start.
        assert_eq!((flow.on(50, answer(Kind::Ack, 0, 1, 0)), flow.on(60, nack(1, 2))), (vec![], vec![]));
        assert_eq!(flow.on(70, pull(1, 2)), [if priority { -2 } else { 1 }]);
        flow.on(100, nack(1, 3));
        let (mut now, mut arrived) = (100, 3);
        let mut sent = Vec::new();
        while !sent.contains(&if priority { -3 } else { 2 }) {
            assert!(now < 2 * found, "not found");
            sent = flow.on(now, pull(arrived, arrived));
            now += 50;
            arrived += 1;
            sent.extend(flow.on(now, nack(1, arrived)));
        }
        assert!((found..found + 100).contains(&now), "{now}");
    }
}

#[test]
fn a_timeout_sends_one_packet_and_its_acknowledgement_the_rest_of_the_window() {
    let mut flow = Fixture::new(9, OPTIONS);
    flow.start();
    assert_eq!(flow.on(400, pull(2, 2)), [3, 4]);
    // The time without answers is still too short for a timeout.
    assert_eq!((flow.timer(1000, false), flow.timer), (vec![], Some(2000)));
    assert_eq!((flow.timer(1400, false), flow.timer), (vec![-1], Some(2400)));
    // There is still no answer, so the timeout doubles.
    assert_eq!((flow.timer(2400, false), flow.timer), (vec![], Some(3400)));
    assert_eq!((flow.timer(3400, false), flow.timer), (vec![-1], Some(4400)));
    // A trimmed header does not end the probing: only the probe is retransmitted, after the next pull.
    assert_eq!((flow.on(4500, nack(0, 3)), flow.on(4600, pull(3, 3))), (vec![], vec![-1]));
    assert_eq!(flow.on(4700, ack(0, 4)), [-2, -3, -4]);
    assert_eq!((flow.sender.timeouts, flow.sender.retransmits), (2, 6));
}

/// Once the round-trip time is known, the timer detects a lack of answers sooner. This does not apply while data waits at the source,
/// because the data can belong to this flow.
#[test]
fn measured_round_trips_shorten_the_timeout() {
    let options = Options { timeout: 20_000, ..OPTIONS };
    let mut flow = Fixture::new(40, options);
    flow.start();
    assert_eq!(flow.on(100, ack(0, 1)), [3]);
    assert_eq!((flow.timer(1000, false), flow.timer), (vec![], Some(1100)));
    assert_eq!((flow.timer(1100, true), flow.timer), (vec![], Some(2100)));
    assert_eq!((flow.timer(2100, true), flow.timer), (vec![], Some(3100)));
    assert_eq!((flow.timer(3100, false), flow.sender.timeouts), (vec![-2], 1));
    // After a full timeout without answers, packets are lost even if data waits at the source.
    let mut flow = Fixture::new(40, options);
    flow.start();
    flow.on(100, ack(0, 1));
    assert_eq!((flow.timer(20_000, true), flow.timer), (vec![], Some(20_100)));
    assert_eq!(flow.timer(20_100, true), [-2]);
}

/// If no further answer arrives, the timer declares overdue packets lost at the end of the reordering window, and checks again later.
#[test]
fn the_timer_finds_overdue_packets() {
    let mut flow = Fixture::new(40, Options { timeout: 20_000, ..OPTIONS });
    flow.start();
    // Packet 3 was sent after packets 1 and 2. After round-trip times of 2000 and 1000, the reordering window is 5875 when packet 3 is
    // answered.
    assert_eq!(
        (flow.on(2000, ack(0, 1)), flow.on(3000, ack(3, 2)), flow.on(4000, ack(4, 3))),
        (vec![3], vec![4], vec![5])
    );
    assert_eq!((flow.timer(8874, false), flow.timer), (vec![], Some(8875)));
    assert_eq!((flow.timer(8875, false), flow.timer), (vec![-2, -3], Some(8876)));
    assert_eq!((flow.sender.timeouts, flow.sender.retransmits), (0, 2));
}

#[test]
fn a_flow_whose_packets_are_answered_waits_long_for_its_turn() {
    let mut flow = Fixture::new(9, OPTIONS);
    flow.start();
    for sequence in 0..3 {
        flow.on(100, nack(sequence, sequence + 1));
    }
    assert_eq!((flow.timer(1000, false), flow.timer), (vec![], Some(16_100)));
    assert_eq!(flow.timer(16_100, false), [-1]);
}

/// Once a flow has measured the time between pulls, it detects a lost pull sooner. The packet that it then sends uses the credit of the
/// pull, even if the pull still arrives.
#[test]
fn a_lost_pull_is_found_by_the_time_between_pulls() {
    let mut flow = Fixture::new(9, Options { window: 1, ..OPTIONS });
    assert_eq!(flow.start(), [0]);
    for (now, sequence) in [(400, 0), (800, 1), (1200, 2)] {
        flow.on(now - 300, answer(Kind::Ack, sequence, sequence + 1, 0));
        assert_eq!(flow.on(now, pull(sequence + 1, sequence + 1)), [i64::from(sequence) + 1]);
    }
    flow.on(1300, answer(Kind::Ack, 3, 4, 0));
    // Pulls are 400 apart, so the flow waits for four times 400 after the answer.
    assert_eq!((flow.timer(2000, false), flow.timer), (vec![], Some(2900)));
    assert_eq!(flow.timer(2900, false), [4]);
    assert_eq!(flow.on(2950, pull(4, 4)), NOTHING);
    assert_eq!(flow.on(3000, ack(4, 5)), [5]);
}

/// The timeout doubles six times. After that, it doubles only while it is below 100 ms (`LONG` in `loss_detector.rs`).
#[test]
fn the_timeout_doubles() {
    for (timeout, doublings) in [(SECOND, 6), (SECOND / 1000, 7)] {
        let mut flow = Fixture::new(9, Options { timeout, reordering_window: timeout, ..OPTIONS });
        flow.start();
        let (mut waits, mut last) = (Vec::new(), 0);
        while waits.len() < 10 {
            let now = flow.timer.unwrap();
            if flow.timer(now, false) != NOTHING {
                waits.push((now - last) / timeout);
                last = now;
            }
        }
        assert_eq!(waits, (0..10).map(|silence| 1 << doublings.min(silence)).collect::<Vec<_>>());
    }
}
