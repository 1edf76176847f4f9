//! Part counts of Flattened Clos and of the Clos networks in its paper, from closed forms (Flattened Clos (NSDI23) App. A.4, Tables 3 to
//! 5).
//!
//! For switches with 32 ports, the networks are those of the paper: a spine of a four-layer Clos network is a folded Clos network with 48
//! switches and 512 external ports. For any radix p, a spine has 3p/2 switches and p²/2 external ports. The paper uses different
//! rack pitches for Flattened Clos and for Clos, so a comparison must state the rack pitches of both networks.

use std::collections::BTreeMap;

use tulle_base::task;

use crate::arrange::{around, best_rows, spine_row};
use crate::{Error, Floor};

/// The parts of a network, with cables by length in millimetres. If a switch reaches only some of the optical switches, the counts of
/// fibres are means over all possible cablings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Estimate {
    /// Number of switch layers; 1 for Flattened Clos.
    pub layers: u32,
    /// Number of electrical switches. All of them have the requested number of ports.
    pub switches: u64,
    /// Number of optical switches.
    pub devices: u64,
    /// Copper cables: cables to servers, and cables inside spines.
    pub copper: BTreeMap<u64, u64>,
    /// Fibre cables.
    pub fibre: BTreeMap<u64, f64>,
    /// Transceivers: one for each fibre to an optical switch, two for each other fibre.
    pub transceivers: u64,
    /// Bisection: minimum number of links across a cut into two equal halves; `None` if there is no closed form.
    pub bisection: Option<u64>,
    /// Number of rows in the grid of racks that hold ToR switches, or ToR and aggregation switches.
    pub rows: u64,
}

/// The size of a network: servers, servers per ToR switch, and ports of a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Number of servers, H in the paper.
    pub servers: u64,
    /// Servers per ToR switch, h in the paper.
    pub per_tor: u64,
    /// Ports of a switch, p in the paper.
    pub radix: u64,
}

/// Maximum number of servers.
const MOST_SERVERS: u64 = 1 << 24;

impl Size {
    fn check(self) -> Result<Self, Error> {
        let Self { servers, per_tor, radix } = self;
        let legal = |name: &str, value: u64, least: u64, most: u64| {
            if (least..=most).contains(&value) {
                return Ok(());
            }
            Err(Error::Input(format!("{name}={value} is out of range; legal: {least} to {most}")))
        };
        legal("servers", servers, 1, MOST_SERVERS)?;
        legal("radix", radix, 4, 1024)?;
        if radix % 4 != 0 {
            return Err(Error::Input(format!("radix={radix} is out of range; legal: multiples of 4")));
        }
        legal("servers_per_tor", per_tor, 1, radix - 1)?;
        Ok(self)
    }
}

/// Returns the part counts of a Flattened Clos network over optical switches with `ports` ports (App. A.4.1 of the paper). For H servers, h
/// servers per ToR switch and radix p, the network has N = ⌈H/h⌉ ToR switches with s = p − h links each. It has s·η optical switches in
/// racks in the middle. η is `eta`, or ⌈N/ports⌉ if `eta` is `None`.
///
/// # Errors
/// Fails if a size is out of range.
pub fn flattened_clos(size: Size, ports: u64, eta: Option<u64>, floor: &Floor) -> Result<Estimate, Error> {
    let Size { servers, per_tor, radix } = size.check()?;
    for (name, value) in [("ports", Some(ports)), ("eta", eta)] {
        if value == Some(0) {
            return Err(Error::Input(format!("{name}=0 is out of range; legal: 1 or more")));
        }
    }
    let (tors, links) = (servers.div_ceil(per_tor), radix - per_tor);
    let eta = eta.unwrap_or(tors.div_ceil(ports));
    if eta.saturating_mul(links) > MOST_SERVERS {
        return Err(Error::Input(format!("eta={eta} is out of range; legal: 1 to {}", MOST_SERVERS / links)));
    }
    let devices = links * eta;
    let per_rack = u64::from(floor.devices);
    let middle: Vec<u64> =
        (0..devices.div_ceil(per_rack)).map(|rack| per_rack.min(devices - rack * per_rack)).collect();
    let rows = best_rows(tors, &middle, floor);
    // Returns the number of cables between two columns of racks, one on each side of the middle, and the optical switches, by row distance.
    // All columns have the same number of racks, except for the last two, which may have fewer.
    let apart = |racks: &dyn Fn(u64) -> u64| {
        let mut counts = vec![0u64; rows.max(middle.len() as u64) as usize];
        for row in 0..rows {
            task::check();
            for (at, &there) in (0..).zip(&middle) {
                counts[row.abs_diff(at) as usize] += racks(row) * there;
            }
        }
        counts
    };
    let full = apart(&|_| 2);
    let columns = tors.div_ceil(2 * rows);
    let mut fibres: BTreeMap<u64, u64> = BTreeMap::new();
    for column in 0..columns {
        task::check();
        let first = column * 2 * rows;
        let missing = column + 1 == columns && !tors.is_multiple_of(2 * rows);
        let rest =
            missing.then(|| apart(&|row| [0, rows].map(|side| u64::from(first + side + row < tors)).iter().sum()));
        for (rows, &count) in (0..).zip(rest.as_ref().unwrap_or(&full)) {
            if count > 0 {
                *fibres.entry(floor.between([column as i32 + 1, 0], [0, rows])).or_default() += count;
            }
        }
    }
    Ok(Estimate {
        layers: 1,
        switches: tors,
        devices,
        copper: BTreeMap::from([(inside(floor), servers)]),
        // A port has a fibre to only one of η optical switches, so the counts are divided by η.
        fibre: fibres.into_iter().map(|(length, count)| (length, count as f64 / eta as f64)).collect(),
        transceivers: tors * links,
        bisection: None,
        rows,
    })
}

/// Returns the part counts of the Clos network that the paper compares with Flattened Clos. For radix p and h servers per ToR switch, a pod
/// has up to p/2 ToR switches, and p − h aggregation switches. In three layers, spines are switches. In four layers, each spine is a folded
/// Clos network in two racks (App. A.4.2 of the paper). All of these racks are in row 0, which reproduces Table 4.
///
/// # Errors
/// Fails if a size is out of range, or if four layers cannot connect this many servers.
pub fn clos(size: Size, floor: &Floor) -> Result<Estimate, Error> {
    let Size { servers, per_tor, radix } = size.check()?;
    let half = radix / 2;
    let tors = servers.div_ceil(per_tor);
    let pods = tors.div_ceil(half);
    let above = radix - per_tor;
    let per_pod = tors.div_ceil(pods);
    let spine_ports = radix * half;
    if pods > spine_ports {
        let legal = spine_ports * half * per_tor;
        return Err(Error::Input(format!("servers={servers} do not fit in four layers; legal: 1 to {legal}")));
    }
    let mut copper = BTreeMap::from([(inside(floor), servers)]);
    // The cable lengths of a pod depend on its distance from the middle. Each column has two pods.
    let columns = pods.div_ceil(2);
    let pods_in = |column: u64| 2.min(pods - 2 * column);
    let mut fibre: BTreeMap<u64, u64> = BTreeMap::new();
    // ToR switches are placed above and below the aggregation switches of their pod.
    for tor in 0..per_pod {
        *fibre.entry(floor.between([0, 0], [0, around(tor)])).or_default() += pods * above;
    }
    let mut spines = |up: u64, row: i32| {
        for column in 0..columns {
            *fibre.entry(floor.between([column as i32 + 1, 0], [0, row])).or_default() += pods_in(column) * up;
        }
    };
    let (layers, switches, up, bisection) = if pods <= radix {
        let per_plane = half.div_ceil(radix / pods);
        let beside = half.div_ceil(per_plane);
        let per_rack = u64::from(floor.spines);
        let count = above * per_plane;
        for rack in 0..count.div_ceil(per_rack) {
            spines(per_rack.min(count - rack * per_rack) * beside, spine_row(rack));
        }
        (3, tors + pods * above + count, count * beside, radix / 4 * pods * above)
    } else {
        let count = (half * above).div_ceil(spine_ports / pods);
        let beside = (half * above).div_ceil(count);
        spines(count * beside, 0);
        *copper.entry(inside(floor)).or_default() += spine_ports * count;
        let bisection = radix / 4 * above * half * pods.div_ceil(half);
        (4, tors + pods * above + (radix + half) * count, count * beside, bisection)
    };
    Ok(Estimate {
        layers,
        switches,
        devices: 0,
        copper,
        fibre: fibre.into_iter().map(|(length, count)| (length, count as f64)).collect(),
        transceivers: 2 * pods * (per_pod * above + up),
        bisection: Some(bisection),
        rows: per_pod + 1,
    })
}

fn inside(floor: &Floor) -> u64 {
    floor.inside.unwrap_or(floor.extra)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected values from Tables 4 and 3 of the Flattened Clos paper. The first column is the number of servers. The first tuple is for
    /// Flattened Clos: servers per ToR switch, switches, optical switches, copper and fibre in km, and transceivers. The second tuple is for
    /// Clos: the same columns without optical switches, and the bisection.
    type Row = (u64, (u64, u64, u64, f64, f64, u64), (u64, u64, f64, f64, u64, u64));
    const TABLE: [Row; 18] = [
        (2400, (8, 300, 24, 4.8, 158.3, 7200), (16, 406, 4.8, 40.6, 10560, 1280)),
        (2400, (12, 200, 20, 4.8, 75.1, 4000), (22, 220, 4.8, 15.2, 4480, 560)),
        (2400, (16, 150, 16, 4.8, 40.2, 2400), (25, 166, 4.8, 8.7, 2688, 336)),
        (4800, (8, 600, 48, 9.6, 424.7, 14400), (16, 860, 9.6, 107.7, 19456, 2432)),
        (4800, (12, 400, 40, 9.6, 202.4, 8000), (21, 482, 9.6, 48.7, 10560, 1320)),
        (4800, (16, 300, 16, 9.6, 110.1, 4800), (25, 332, 9.6, 22.9, 5376, 672)),
        (7200, (8, 900, 72, 14.4, 760.4, 21600), (16, 1170, 14.4, 201.5, 29696, 3712)),
        (7200, (12, 600, 40, 14.4, 361.2, 12000), (21, 761, 14.4, 88.4, 15488, 1936)),
        // The paper prints 8046 transceivers, with two digits swapped.
        (7200, (16, 450, 32, 14.4, 196.6, 7200), (25, 526, 14.4, 40.6, 8064, 1008)),
        (24000, (8, 3000, 240, 48.0, 4513.5, 72000), (16, 5500, 101.3, 1393.5, 97008, 12288)),
        (24000, (12, 2000, 140, 48.0, 2047.1, 40000), (22, 2885, 71.6, 493.8, 44298, 6400)),
        (24000, (16, 1500, 80, 48.0, 1102.0, 24000), (25, 2052, 62.3, 268.8, 26880, 3584)),
        (48000, (8, 6000, 456, 96.0, 13571.0, 144000), (16, 12152, 227.0, 5065.5, 192512, 24576)),
        (48000, (12, 4000, 260, 96.0, 5762.6, 80000), (21, 6691, 156.4, 2071.1, 100958, 12672)),
        (48000, (16, 3000, 160, 96.0, 3002.8, 48000), (25, 4104, 124.7, 940.8, 53760, 7168)),
        (72000, (8, 9000, 696, 144.0, 26774.9, 216000), (16, 21300, 406.1, 11090.5, 288768, 36864)),
        (72000, (12, 6000, 380, 144.0, 10830.7, 120000), (21, 10018, 234.1, 4480.7, 151360, 19712)),
        (72000, (16, 4500, 240, 144.0, 5462.5, 72000), (25, 6828, 201.3, 2021.8, 80640, 10752)),
    ];

    fn kilometres(estimate: &Estimate) -> (f64, f64) {
        let copper: u64 = estimate.copper.iter().map(|(length, count)| length * count).sum();
        let fibre: f64 = estimate.fibre.iter().map(|(&length, count)| length as f64 * count).sum();
        (copper as f64 / 1e6, fibre / 1e6)
    }

    #[test]
    fn both_sides_are_those_of_table_4() {
        let ours = Floor::read("column=2.5m,row=1.5m,slack=1m,inside=2m").unwrap();
        let theirs = Floor::read("column=2m,row=1m,slack=2m,inside=2m").unwrap();
        for (servers, (per_tor, switches, devices, copper, fibre, transceivers), other) in TABLE {
            let flat = flattened_clos(Size { servers, per_tor, radix: 32 }, 320, None, &ours).unwrap();
            assert_eq!((flat.switches, flat.devices, flat.transceivers), (switches, devices, transceivers));
            let fibres: f64 = flat.fibre.values().sum();
            assert!((fibres - transceivers as f64).abs() < 1e-6, "{servers}: {fibres}");
            let (km, fibre_km) = kilometres(&flat);
            assert!(
                (km - copper).abs() < 0.001 && (fibre_km / fibre - 1.0).abs() < 0.03,
                "{servers}, {per_tor}: {fibre_km}"
            );

            let (per_tor, switches, copper, fibre, transceivers, bisection) = other;
            let clos = clos(Size { servers, per_tor, radix: 32 }, &theirs).unwrap();
            assert_eq!((clos.switches, clos.transceivers), (switches, transceivers), "{servers}, {per_tor}");
            assert_eq!((clos.bisection, clos.layers), (Some(bisection), if servers > 7200 { 4 } else { 3 }));
            assert_eq!(clos.fibre.values().sum::<f64>() as u64 * 2, transceivers);
            let (km, fibre_km) = kilometres(&clos);
            let near = if servers > 7200 { 0.03 } else { 0.06 };
            // In one row of `TABLE`, the copper length differs by 0.07 km from the paper.
            assert!(
                (km - copper).abs() < 0.075 && (fibre_km / fibre - 1.0).abs() < near,
                "{servers}: {km}, {fibre_km}"
            );
        }
    }

    #[test]
    fn sizes_out_of_range_are_refused() {
        let error = |servers, per_tor, radix| {
            clos(Size { servers, per_tor, radix }, &Floor::default()).unwrap_err().to_string()
        };
        assert_eq!(error(0, 8, 32), "servers=0 is out of range; legal: 1 to 16777216");
        assert_eq!(error(100, 32, 32), "servers_per_tor=32 is out of range; legal: 1 to 31");
        assert_eq!(error(100, 8, 30), "radix=30 is out of range; legal: multiples of 4");
        assert_eq!(error(1 << 20, 8, 32), "servers=1048576 do not fit in four layers; legal: 1 to 65536");
    }
}
