//! Selects the switches, pairs and quadruples to measure.

use rand::RngExt;
use tulle_base::memory;
use tulle_base::random::stream;
use tulle_fabric::Fabric;

use crate::Error;

/// Returns the switches to measure (the members): the switches with endpoints, or all switches if no switch has an endpoint.
pub fn members(fabric: &Fabric) -> Vec<u32> {
    let members = fabric.endpoint_switches();
    if members.is_empty() { (0..fabric.num_switches() as u32).collect() } else { members }
}

/// Selects `number` ordered pairs of different switches from [`members`], uniformly at random and with replacement.
///
/// # Errors
/// Fails if [`members`] returns fewer than two switches.
pub fn pairs(fabric: &Fabric, number: usize, seed: u64) -> Result<Vec<(u32, u32)>, Error> {
    let rows = draw::<2>(fabric, number, seed, "analysis/pairs")?;
    let mut pairs = memory::reserved(|| format!("{number} pairs"), number)?;
    pairs.extend(rows.into_iter().map(|[a, b]| (a, b)));
    Ok(pairs)
}

/// Returns all unordered pairs of different switches from [`members`], in ascending order, with the lower switch first.
///
/// # Errors
/// Fails if [`members`] returns fewer than two switches.
pub fn all_pairs(fabric: &Fabric) -> Result<Vec<(u32, u32)>, Error> {
    let members = enough(fabric, 2)?;
    let number = members.len() * (members.len() - 1) / 2;
    let mut pairs = memory::reserved(|| format!("{number} pairs"), number)?;
    pairs.extend(members.iter().enumerate().flat_map(|(at, &a)| members[at + 1..].iter().map(move |&b| (a, b))));
    Ok(pairs)
}

/// Selects `number` quadruples a, b, c, d of different switches from [`members`], uniformly at random and with replacement. Switches a and
/// c send to switches b and d.
///
/// # Errors
/// Fails if [`members`] returns fewer than four switches.
pub fn quadruples(fabric: &Fabric, number: usize, seed: u64) -> Result<Vec<[u32; 4]>, Error> {
    draw::<4>(fabric, number, seed, "analysis/quadruples")
}

/// Returns the quadruples a, b, c, d of different switches from [`members`] with a < c and b < d. Other quadruples have
/// the same interference as one of these quadruples.
///
/// # Errors
/// Fails if [`members`] returns fewer than four switches, or if there are more than 2²⁸ quadruples.
pub fn all_quadruples(fabric: &Fabric) -> Result<Vec<[u32; 4]>, Error> {
    let members = enough(fabric, 4)?;
    let n = members.len() as u128;
    let number = n * (n - 1) * (n - 2) * (n - 3) / 4;
    if number > 1 << 28 {
        return Err(Error::fabric(
            fabric,
            format!("the fabric has {number} quadruples of switches"),
            "up to 2^28, or a sample",
        ));
    }
    let mut all = memory::reserved(|| format!("{number} quadruples"), number as usize)?;
    for (at, &a) in members.iter().enumerate() {
        for &c in &members[at + 1..] {
            let others: Vec<u32> = members.iter().copied().filter(|&other| other != a && other != c).collect();
            for (at, &b) in others.iter().enumerate() {
                all.extend(others[at + 1..].iter().map(|&d| [a, b, c, d]));
            }
        }
    }
    Ok(all)
}

fn enough(fabric: &Fabric, least: usize) -> Result<Vec<u32>, Error> {
    let members = members(fabric);
    if members.len() >= least {
        return Ok(members);
    }
    let legal = if least == 2 { "2 or more" } else { "4 or more" };
    Err(Error::fabric(
        fabric,
        format!("{} switches to measure (those with endpoints, or all if none has any)", members.len()),
        legal,
    ))
}

fn draw<const N: usize>(fabric: &Fabric, number: usize, seed: u64, name: &str) -> Result<Vec<[u32; N]>, Error> {
    let members = enough(fabric, N)?;
    let mut rng = stream(seed, name, 0);
    let mut one = || loop {
        let row = [(); N].map(|()| members[rng.random_range(0..members.len())]);
        if (1..N).all(|at| !row[..at].contains(&row[at])) {
            return row;
        }
    };
    let mut drawn = memory::reserved(|| format!("{number} samples"), number)?;
    drawn.extend((0..number).map(|_| one()));
    Ok(drawn)
}
