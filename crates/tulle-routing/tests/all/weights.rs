//! Tests the guarantees of weighted routings. Shares are whole numbers with the right sum, only ports of the layer have shares, and shares
//! stay the same when a routing is converted or saved.

use tulle_fabric::Fabric;
use tulle_routing::{Error, NextHops, Routing, Table, build, schemes, total_share, turns, verify};

fn pairs(fabric: &Fabric) -> impl Iterator<Item = (u32, u32)> + use<> {
    let switches = 0..fabric.num_switches() as u32;
    switches.clone().flat_map(move |from| switches.clone().map(move |to| (from, to))).filter(|(from, to)| from != to)
}

fn routed(fabric: &str, spec: &str) -> (Fabric, Routing) {
    let fabric = tulle_topologies::build(fabric, 1).unwrap();
    let routing = build(&fabric, spec, 1).unwrap();
    (fabric, routing)
}

#[test]
fn shares_of_every_scheme_on_every_family_sum_up() {
    const SHARES: u8 = 20;
    let mut weighted_ones = 0;
    for family in tulle_topologies::families() {
        let built = family.info.examples.iter().filter_map(|spec| tulle_topologies::build(spec, 1).ok());
        let mut small: Vec<Fabric> = built.filter(|fabric| fabric.num_switches() <= 60).collect();
        small.sort_by_key(Fabric::num_switches);
        // The work grows with the cube of the number of switches, so the test uses one fabric per family: the largest with at most 24
        // switches, or the smallest if all have more.
        let Some(fabric) = small.iter().rfind(|fabric| fabric.num_switches() <= 24).or(small.first()) else { continue };
        for scheme in schemes() {
            for spec in scheme.info.examples {
                let Ok(routing) = build(fabric, spec, 1) else { continue };
                if routing.layers().is_empty() || routing.num_layers() > usize::from(SHARES) {
                    assert!(matches!(routing.weighted(fabric, SHARES), Err(Error::Array { .. })), "{spec}");
                    continue;
                }
                let weighted = routing.weighted(fabric, SHARES).unwrap();
                weighted_ones += 1;
                for (from, to) in pairs(fabric) {
                    assert_eq!(total_share(weighted.layers(), from, to), u32::from(SHARES), "{spec} {}", fabric.spec());
                    for (table, before) in weighted.layers().iter().zip(routing.layers()) {
                        let (ports, shares) = (table.next(from, to), table.port_shares(from, to));
                        assert!(!ports.is_empty() && ports.iter().all(|port| before.next(from, to).contains(port)));
                        assert!(shares.len() == ports.len() && table.port_shares(from, to).all(|share| share > 0));
                        assert!(shares.sum::<u16>() <= SHARES.into());
                    }
                }
                weighted.layers().iter().for_each(|table| verify(fabric, table).unwrap());
            }
        }
    }
    assert!(weighted_ones > 100, "{weighted_ones}");
}

#[test]
fn turns_take_layers_by_their_shares_and_evenly() {
    let (fabric, routing) = routed("slimfly:q=5", "spread-groups:layers=4,shares=16");
    for (from, to) in pairs(&fabric) {
        let turns = turns(routing.layers(), from, to);
        for (layer, table) in routing.layers().iter().enumerate() {
            let places: Vec<usize> = (0..turns.len()).filter(|&at| usize::from(turns[at]) == layer).collect();
            assert_eq!(places.len() * 16, turns.len() * usize::from(table.layer_share(from, to)));
            // Each layer must occur at regular intervals in the sequence. No interval may be longer than twice the mean interval.
            let gaps = places.windows(2).map(|pair| pair[1] - pair[0]);
            assert!(gaps.into_iter().all(|gap| gap <= 2 * turns.len().div_ceil(places.len())), "{turns:?}");
        }
    }
    let even = build(&fabric, "spread:layers=3", 1).unwrap();
    assert_eq!(turns(even.layers(), 0, 1), [0, 1, 2]);
}

/// Check that the shares are inversely proportional to the lengths of paths. In a ring, each layer has one path, and these shares minimise
/// the sum of squares.
#[test]
fn a_pair_splits_as_currents_do() {
    // Layer 0 goes around the ring of 12 switches in one direction, and layer 1 in the opposite direction.
    let ring = tulle_topologies::build("torus:shape=12", 0).unwrap();
    let neighbour = |switch: u32, step: u32| {
        let to = (switch + step) % 12;
        let port = ring.neighbours(switch).iter().position(|&next| next == to).unwrap();
        i64::from(ring.offsets()[switch as usize]) + port as i64
    };
    let mut channels = Vec::new();
    for step in [1, 11] {
        for (from, to) in (0..12).flat_map(|from| (0..12).map(move |to| (from, to))) {
            channels.push(if from == to { -1 } else { neighbour(from, step) });
        }
    }
    let next_hops = NextHops { channels: &channels, widest: 1, port_shares: None, layer_shares: None };
    let weighted = Routing::from_next_hop(&ring, &next_hops).unwrap().weighted(&ring, 12).unwrap();
    for (from, to) in pairs(&ring) {
        let up = (to + 12 - from) % 12;
        let shares = [0, 1].map(|layer: usize| u32::from(weighted.layers()[layer].layer_share(from, to)));
        assert_eq!(shares, [12 - up, up], "{from} {to}");
    }
}

#[test]
fn files_and_arrays_keep_shares() {
    for (fabric, spec) in [
        ("slimfly:q=5", "spread-groups:layers=3,shares=64"),
        ("hyperx:shape=3x3,width=2x1", "spread-groups:layers=2,shares=255"),
        ("dragonfly:p=2", "spread:layers=5"),
    ] {
        let (fabric, routing) = routed(fabric, spec);
        let routing = if spec.contains("shares") { routing } else { routing.weighted(&fabric, 32).unwrap() };
        assert!(routing.layers().iter().any(Table::is_weighted), "{spec}");
        let bytes = routing.to_bytes(&fabric);
        let again = Routing::from_bytes(&bytes, &fabric).unwrap();
        assert_eq!(again, routing, "{spec}");
        assert_eq!(again.to_bytes(&fabric), bytes, "{spec}");
        let arrays = Arrays::of(&fabric, &routing);
        assert_eq!(arrays.made(&fabric).unwrap().layers(), routing.layers(), "{spec}");
        for (error, fragment) in [
            (arrays.with(|arrays| arrays.port_shares.fill(0)), "port_shares[0, 0, 1]: 0; legal: 1 to 255"),
            (arrays.with(|arrays| arrays.layer_shares[1] = 256), "layer_shares[0, 0, 1]: 256; legal: 0 to 255"),
            (
                arrays.with(|arrays| arrays.layer_shares.fill(0)),
                "the shares of all layers from switch 0 to 1 are 0; legal: at least one share above 0",
            ),
            (arrays.with(|arrays| arrays.layer_shares.clear()), "layer_shares: 0 entries; legal: "),
        ] {
            let message = error.made(&fabric).unwrap_err().to_string();
            assert!(message.contains(fragment), "{message}");
        }
    }
}

/// The arrays of a routing, as the function `from_next_hop` expects them.
#[derive(Clone)]
struct Arrays {
    channels: Vec<i64>,
    widest: usize,
    port_shares: Vec<i64>,
    layer_shares: Vec<i64>,
}

impl Arrays {
    fn of(fabric: &Fabric, routing: &Routing) -> Self {
        let widest = routing.layers().iter().map(Table::widest).max().unwrap();
        let mut arrays = Self { channels: Vec::new(), widest, port_shares: Vec::new(), layer_shares: Vec::new() };
        let switches = 0..fabric.num_switches() as u32;
        for table in routing.layers() {
            for (from, to) in switches.clone().flat_map(|from| switches.clone().map(move |to| (from, to))) {
                let first = i64::from(fabric.offsets()[from as usize]);
                let ports = table.next(from, to);
                // Here the ports are in descending order, to check that any order is accepted.
                arrays.channels.extend(ports.iter().rev().map(|&port| first + i64::from(port)));
                let shares: Vec<u16> = table.port_shares(from, to).collect();
                arrays.port_shares.extend(shares.iter().rev().map(|&share| i64::from(share)));
                for column in [&mut arrays.channels, &mut arrays.port_shares] {
                    column.resize(column.len() + widest - ports.len(), -1);
                }
                arrays.layer_shares.push(table.layer_share(from, to).into());
            }
        }
        arrays
    }

    fn with(&self, change: impl Fn(&mut Self)) -> Self {
        let mut changed = self.clone();
        change(&mut changed);
        changed
    }

    fn made(&self, fabric: &Fabric) -> Result<Routing, Error> {
        let next_hops = NextHops {
            channels: &self.channels,
            widest: self.widest,
            port_shares: Some(&self.port_shares),
            layer_shares: Some(&self.layer_shares),
        };
        Routing::from_next_hop(fabric, &next_hops)
    }
}
