//! Tests of limits, of arrival times, and of the messages sent at each arrival.

use super::*;

#[test]
fn a_workload_has_at_most_2_to_the_29_messages() {
    assert!(check_count("mine", 0).is_ok() && check_count("mine", 1 << 29).is_ok());
    let error = check_count("mine", (1 << 29) + 1).unwrap_err().to_string();
    assert!(error.contains("536870913 messages are too many") && error.contains("up to 536870912"), "{error}");
    // A workload of 8194 endpoints with 65,535 messages each is refused before any message is generated.
    let fabric = tulle_topologies::build("mesh:shape=2,p=4097", 0).unwrap();
    let error = crate::build(&fabric, "permutation:count=65535", 0).unwrap_err().to_string();
    assert!(error.contains("536993790 messages are too many"), "{error}");
}

#[test]
fn too_many_expected_arrivals_are_refused() {
    // 1000 arrivals per second in a millisecond give one arrival per sender on average.
    let arrivals = Arrivals { rate: 1e3, duration: 1_000_000_000 };
    let error = arrivals.check("mine", (1 << 29) + 1).unwrap_err().to_string();
    assert!(error.contains("about 5.369e8 messages are too many"), "{error}");
    assert!(error.contains("arrivals · duration · senders up to 5.369e8"), "{error}");
    // On a machine with too little memory for so many messages, the error is about memory instead.
    let fits = arrivals.check("mine", 1 << 29).map_or_else(|error| error.to_string(), |()| String::new());
    assert!(!fits.contains("too many"), "{fits}");
    assert!(arrivals.check("mine", 3).is_ok());
}

fn times(arrivals: Arrivals, seed: u64, sender: u64) -> Vec<u64> {
    let mut times = Vec::new();
    arrivals.draw(&mut stream(seed, "traffic/flows", sender), |time, _| times.push(time));
    times
}

#[test]
fn arrivals_are_a_poisson_process() {
    // One million arrivals per second give one per microsecond on average: 10,000 ± 100 in 10 ms.
    let arrivals = Arrivals { rate: 1e6, duration: 10_000_000_000 };
    let times = times(arrivals, 1, 0);
    assert!((9_600..10_400).contains(&times.len()), "{}", times.len());
    assert!(times.windows(2).all(|pair| pair[0] <= pair[1]) && *times.last().unwrap() < arrivals.duration);
    let gaps: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    // In an exponential distribution, half of the values are below ln 2 times the mean, and the standard deviation
    // equals the mean.
    let below = gaps.iter().filter(|&&gap| gap < mean * std::f64::consts::LN_2).count() as f64 / gaps.len() as f64;
    let deviation = (gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64).sqrt();
    assert!((mean / 1e6 - 1.0).abs() < 0.05 && (below - 0.5).abs() < 0.03, "{mean} {below}");
    assert!((deviation / mean - 1.0).abs() < 0.06, "{deviation}");
}

#[test]
fn messages_repeat_as_they_arrive_at_their_senders() {
    let mut once = Workload::default();
    once.push(3, 1, 10, 0);
    once.push(0, 2, 20, 0);
    let arrivals = Arrivals { rate: 1e6, duration: 100_000_000 };
    let made = arrivals.repeat("mine", &once, 5).unwrap();
    let mut expected: Vec<(u64, u32, u32, u64)> = Vec::new();
    expected.extend(times(arrivals, 5, 3).iter().map(|&time| (time, 3, 1, 10)));
    expected.extend(times(arrivals, 5, 0).iter().map(|&time| (time, 0, 2, 20)));
    expected.sort_by_key(|message| message.0);
    let found: Vec<(u64, u32, u32, u64)> = (0..made.len())
        .map(|row| (made.start[row], made.source[row], made.destination[row], made.bytes[row]))
        .collect();
    assert!(found.len() > 100);
    assert_eq!(found, expected);
}

#[test]
fn without_arrivals_every_pair_has_one_message_at_the_start() {
    let fabric = tulle_topologies::build("clique:degree=3,p=1", 0).unwrap();
    let made = crate::build(&fabric, "permutation:bytes=10B,count=2", 1).unwrap();
    assert_eq!((&made.source[..], &made.start[..]), (&[0, 0, 1, 1, 2, 2, 3, 3][..], &[0; 8][..]));
    assert_eq!(made.bytes, [10; 8]);
}

#[test]
fn each_arrival_goes_over_one_of_the_senders_pairs() {
    let fabric = tulle_topologies::build("clique:degree=9,p=1", 0).unwrap();
    let pairs = crate::build(&fabric, "permutation:count=2", 1).unwrap();
    let made = crate::build(&fabric, "permutation:bytes=10B,count=2,arrivals=1000000,duration=1ms", 1).unwrap();
    assert!(made.start.windows(2).all(|pair| pair[0] <= pair[1]));
    assert!(made.start.iter().all(|&start| start < 1_000_000_000));
    for sender in 0..10 {
        let own = || (0..made.len()).filter(|&row| made.source[row] == sender);
        // Each destination is chosen 1000 times on average, with a standard deviation of 32.
        assert!((850..1150).contains(&own().count()));
        let [one, other] = [0, 1].map(|at| pairs.destination[2 * sender as usize + at]);
        let share = own().filter(|&row| made.destination[row] == one).count() as f64 / own().count() as f64;
        assert!(own().all(|row| [one, other].contains(&made.destination[row])));
        assert!(one == other || (0.4..0.6).contains(&share), "{share}");
    }
}
