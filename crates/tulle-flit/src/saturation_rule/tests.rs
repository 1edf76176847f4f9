use super::*;

const WINDOW: Window = Window { start: 10, end: 30, sample: 10 };

/// Returns the counts of packets of one flit, given by the cycles in which they are created, taken from their queue, and delivered.
fn ages(packets: &[(u32, u32, u32)]) -> Ages {
    let mut ages = Ages::default();
    for &(created, taken, arrival) in packets {
        let is_measured = ages.create(created, taken, 1, &WINDOW);
        if arrival < u32::MAX {
            ages.arrive(created, arrival, 1, &WINDOW);
            if is_measured {
                ages.deliver(created, arrival, &WINDOW);
            }
        }
    }
    ages
}

#[test]
fn means_are_those_of_the_hand_computed_case() {
    // Packet 1 enters the network before the window and is not measured: only its age counts, 18 at the check of cycle 20. Packet 2 is
    // created before the window and enters the network within it: it is measured, with a latency of 11. Packet 3 is in flight until cycle
    // 1040. Packet 4 is created within the window and enters after it: it is measured, with a latency of 11. Packet 5 is created after the
    // window: only its age counts.
    let ages = ages(&[(2, 4, 25), (8, 11, 19), (12, 12, 1040), (29, 31, 40), (1000, 1001, u32::MAX)]);
    let at_20 = f64::from(18 + 11 + 8) / 3.0;
    let at_30 = f64::from(11 + 18) / 2.0;
    let at_1030 = f64::from(11 + 11 + 1018 + 30) / 4.0;
    assert_eq!(ages.means(&WINDOW, 3000), [at_20, at_30, at_1030]);
    // A run that has simulated all cycles before a check includes this check, but no later check.
    let number = |now| ages.means(&WINDOW, now).len();
    assert_eq!([19, 20, 29, 30, 1029, 1030].map(number), [0, 1, 1, 2, 2, 3]);
}

#[test]
fn checks_after_the_window_end_with_the_last_measured_arrival() {
    // BookSim2 checks in the cycle of the last arrival, if the number of drain cycles is then a multiple of 1000.
    let number = |arrival| ages(&[(12, 12, arrival)]).means(&WINDOW, 9000).len();
    assert_eq!([28, 1028, 1029, 2028, 2029].map(number), [2, 2, 3, 3, 4]);
    // While a measured packet has not arrived, checks continue.
    assert_eq!((number(u32::MAX), ages(&[(12, 12, u32::MAX)]).have_arrived()), (2 + 8, false));
    // A packet created after the window causes no further checks.
    assert_eq!(ages(&[(12, 12, 20), (30, 30, u32::MAX)]).means(&WINDOW, 9000).len(), 2);
}

#[test]
fn every_flit_in_flight_counts() {
    // Of three flits that arrive in the cycles 18, 19 and 20, one is in flight at the check of cycle 20, with an age of 7.
    let mut ages = Ages::default();
    assert!(ages.create(13, 13, 3, &WINDOW));
    ages.arrive(13, 18, 3, &WINDOW);
    ages.deliver(13, 20, &WINDOW);
    assert_eq!(ages.means(&WINDOW, 30), [7.0, 7.0]);
    let mut ages = Ages::default();
    ages.create(13, 13, 3, &WINDOW);
    ages.arrive(13, 18, 1, &WINDOW);
    // At the first check, two flits of age 7 are in flight. At the second check, their age is 17.
    assert_eq!(ages.means(&WINDOW, 30), [7.0, 17.0]);
}

#[test]
fn samples_may_not_divide_the_window() {
    let window = Window { start: 10, end: 25, sample: 10 };
    assert_eq!(
        [0, 9, 10, 19, 20, 24, 25, 1024, 1025].map(|cycle| period_of(cycle, &window)),
        [0, 0, 0, 0, 1, 1, 2, 2, 3]
    );
    assert_eq!([0, 1, 2, 3].map(|at| check_after(at, &window)), [20, 25, 1025, 2025]);
}

#[test]
fn threads_add_up() {
    let packets = [(2, 4, 25), (8, 11, 19), (12, 12, 1040), (29, 31, 40), (1000, 1001, u32::MAX)];
    let mut sum = ages(&packets[..2]);
    sum.add(&ages(&packets[2..]));
    assert_eq!(sum.means(&WINDOW, 3000), ages(&packets).means(&WINDOW, 3000));
    assert!(sum.have_arrived());
}

#[test]
fn an_unknown_window_has_no_checks() {
    let window = Window::unknown(10);
    let mut ages = Ages::default();
    assert!(!ages.create(3, 5, 1, &window));
    assert_eq!(ages.means(&window, 5000).len(), 0);
    // As soon as the window is known, the mean includes the age of the packet.
    assert_eq!(ages.means(&WINDOW, 20), [17.0]);
}
