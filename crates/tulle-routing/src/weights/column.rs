//! Computes how the traffic of all switches toward one destination is split over layers and ports.

use tulle_fabric::Fabric;

use super::least_squares::shortest_mean;
use crate::Table;
use crate::columns::{beyond, channel};

/// The number of steps of the iteration. In each step, every switch computes its best shares.
const SWEEPS: usize = 4;

/// How a switch splits traffic in one layer.
#[derive(Debug, Clone, Default)]
pub(super) struct Split {
    /// The fraction of the switch's own traffic that uses this layer.
    pub layer: f64,
    /// Per port of the group, the fraction of the traffic that the switch forwards in this layer. The fractions sum to 1.
    pub ports: Vec<f64>,
}

/// The channels that the traffic of a switch crosses, ascending, each with the fraction of this traffic that crosses it.
type Spread = Vec<(u32, f64)>;

/// The paths of all tables toward one destination.
pub(super) struct Column<'a> {
    fabric: &'a Fabric,
    tables: &'a [Table],
    destination: u32,
    /// Per layer, all switches except the destination. Each switch comes after the switches that it forwards to.
    orders: Vec<Vec<u32>>,
}

impl<'a> Column<'a> {
    pub fn new(fabric: &'a Fabric, tables: &'a [Table], destination: u32) -> Self {
        let orders = tables.iter().map(|table| order(fabric, table, destination)).collect();
        Self { fabric, tables, destination, orders }
    }

    /// Returns the best splits that the iteration finds. Each switch has one split per layer; the destination has none.
    pub fn split(&self) -> Vec<Vec<Split>> {
        let mut sums = Sums::new(self.fabric);
        let mut splits = self.even();
        let mut spreads = self.spreads(&splits, &mut sums);
        let mut best = (self.squares(&splits, &spreads, &mut sums), splits.clone());
        for _ in 0..SWEEPS {
            splits = self.improved(&splits, &spreads, &mut sums);
            spreads = self.spreads(&splits, &mut sums);
            let squares = self.squares(&splits, &spreads, &mut sums);
            if squares < best.0 {
                best = (squares, splits.clone());
            }
        }
        best.1
    }

    /// Returns equal fractions for all layers and ports.
    fn even(&self) -> Vec<Vec<Split>> {
        let split = |table: &Table, switch: u32| {
            let ports = table.next(switch, self.destination).len();
            Split { layer: 1.0 / self.tables.len() as f64, ports: vec![1.0 / ports as f64; ports] }
        };
        let of_layers = |switch: u32| match switch == self.destination {
            true => Vec::new(),
            false => self.tables.iter().map(|table| split(table, switch)).collect(),
        };
        (0..self.fabric.num_switches() as u32).map(of_layers).collect()
    }

    /// Returns, by layer and switch, the channels that the traffic from this switch crosses in this layer, each with the fraction of the
    /// traffic.
    fn spreads(&self, splits: &[Vec<Split>], sums: &mut Sums) -> Vec<Vec<Spread>> {
        let of_layer = |(layer, order): (usize, &Vec<u32>)| {
            let mut spreads = vec![Spread::new(); self.fabric.num_switches()];
            for &switch in order {
                let ports = self.tables[layer].next(switch, self.destination);
                for (&port, &share) in ports.iter().zip(&splits[switch as usize][layer].ports) {
                    sums.add(channel(self.fabric, switch, port), share);
                    sums.add_all(&spreads[beyond(self.fabric, switch, port) as usize], share);
                }
                spreads[switch as usize] = sums.take();
            }
            spreads
        };
        self.orders.iter().enumerate().map(of_layer).collect()
    }

    /// Returns the sum, over all switches and channels, of the square of the fraction of the switch's own traffic that crosses the channel.
    fn squares(&self, splits: &[Vec<Split>], spreads: &[Vec<Spread>], sums: &mut Sums) -> f64 {
        let mut squares = 0.0;
        for (switch, of_layers) in splits.iter().enumerate() {
            for (split, spreads) in of_layers.iter().zip(spreads) {
                sums.add_all(&spreads[switch], split.layer);
            }
            squares += sums.take().iter().map(|(_, sum)| sum * sum).sum::<f64>();
        }
        squares
    }

    /// Returns the best splits of every switch. `spreads` gives, for each next hop, the channels that traffic crosses after it.
    fn improved(&self, splits: &[Vec<Split>], spreads: &[Vec<Spread>], sums: &mut Sums) -> Vec<Vec<Split>> {
        let improve = |(switch, before): (usize, &Vec<Split>)| {
            if before.is_empty() {
                return Vec::new();
            }
            let mut ways: Vec<(u32, &Spread)> = Vec::new();
            for (table, spreads) in self.tables.iter().zip(spreads) {
                ways.extend(table.next(switch as u32, self.destination).iter().map(|&port| {
                    let next = beyond(self.fabric, switch as u32, port);
                    (channel(self.fabric, switch as u32, port), &spreads[next as usize])
                }));
            }
            let products = sums.products(&ways);
            let mut weights: Vec<f64> =
                before.iter().flat_map(|split| split.ports.iter().map(|port| split.layer * port)).collect();
            shortest_mean(&products, &mut weights);
            let mut at = 0;
            let after = before.iter().map(|split| {
                let own = at..at + split.ports.len();
                at = own.end;
                let layer: f64 = weights[own.clone()].iter().sum();
                if layer > 1e-9 {
                    return Split { layer, ports: weights[own].iter().map(|weight| weight / layer).collect() };
                }
                let products: Vec<f64> =
                    own.clone().flat_map(|a| products[a * ways.len()..][own.clone()].to_vec()).collect();
                let mut ports = split.ports.clone();
                shortest_mean(&products, &mut ports);
                Split { layer: 0.0, ports }
            });
            after.collect()
        };
        splits.iter().enumerate().map(improve).collect()
    }
}

/// Sums of fractions, per channel.
struct Sums {
    sum: Vec<f64>,
    /// The channels whose sum is not 0.
    some: Vec<u32>,
}

impl Sums {
    fn new(fabric: &Fabric) -> Self {
        Self { sum: vec![0.0; fabric.num_channels()], some: Vec::new() }
    }

    fn add(&mut self, channel: u32, amount: f64) {
        if amount == 0.0 {
            return;
        }
        let sum = &mut self.sum[channel as usize];
        if *sum == 0.0 {
            self.some.push(channel);
        }
        *sum += amount;
    }

    fn add_all(&mut self, spread: &Spread, share: f64) {
        spread.iter().for_each(|&(channel, part)| self.add(channel, part * share));
    }

    fn take(&mut self) -> Spread {
        self.some.sort_unstable();
        let spread = self.some.iter().map(|&channel| (channel, std::mem::take(&mut self.sum[channel as usize])));
        let spread = spread.collect();
        self.some.clear();
        spread
    }

    /// Returns the inner products of all pairs of vectors. Each vector is a channel out of the switch, together with the channels that the
    /// traffic crosses after it.
    fn products(&mut self, ways: &[(u32, &Spread)]) -> Vec<f64> {
        let k = ways.len();
        let mut products = vec![0.0; k * k];
        for (a, &(channel, spread)) in ways.iter().enumerate() {
            self.add(channel, 1.0);
            self.add_all(spread, 1.0);
            for (b, &(other, behind)) in ways.iter().enumerate().skip(a) {
                let product = self.sum[other as usize]
                    + behind.iter().map(|&(channel, part)| part * self.sum[channel as usize]).sum::<f64>();
                products[a * k + b] = product;
                products[b * k + a] = product;
            }
            self.some.drain(..).for_each(|channel| self.sum[channel as usize] = 0.0);
        }
        products
    }
}

/// Returns all switches except `destination`. Each switch comes after the switches that `table` forwards to.
fn order(fabric: &Fabric, table: &Table, destination: u32) -> Vec<u32> {
    let switches = fabric.num_switches();
    let mut waiting: Vec<usize> = (0..switches as u32).map(|switch| table.next(switch, destination).len()).collect();
    let mut order = Vec::with_capacity(switches);
    let mut ready = vec![destination];
    while let Some(switch) = ready.pop() {
        if switch != destination {
            order.push(switch);
        }
        for out in fabric.channels_of(switch) {
            let (before, back) = (fabric.targets()[out], fabric.reverse()[out]);
            let port = (back - fabric.offsets()[before as usize]) as u16;
            if table.next(before, destination).contains(&port) {
                waiting[before as usize] -= 1;
                if waiting[before as usize] == 0 {
                    ready.push(before);
                }
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build;

    /// Tries all splits whose fractions are multiples of a quarter, and returns the least sum of squares.
    fn best_by_quarters(column: &Column, splits: &mut [Vec<Split>], at: &[(usize, usize)]) -> f64 {
        let sums = &mut Sums::new(column.fabric);
        let Some((&(switch, layer), rest)) = at.split_first() else {
            let spreads = column.spreads(splits, sums);
            return column.squares(splits, &spreads, sums);
        };
        let ports = splits[switch][layer].ports.len();
        let mut best = f64::INFINITY;
        for code in 0..5usize.pow(ports as u32) {
            let quarters: Vec<usize> = (0..ports as u32).map(|port| code / 5usize.pow(port) % 5).collect();
            if quarters.iter().sum::<usize>() == 4 {
                splits[switch][layer].ports = quarters.iter().map(|&quarters| quarters as f64 / 4.0).collect();
                best = best.min(best_by_quarters(column, splits, rest));
            }
        }
        best
    }

    #[test]
    fn ports_of_small_networks_are_as_good_as_any_quarters() {
        let mut choices = 0;
        for seed in 0..40 {
            let fabric = tulle_topologies::build("jellyfish:switches=8,degree=3", seed).unwrap();
            let routing = build(&fabric, "spread-groups:layers=1,effort=2", seed).unwrap();
            for destination in 0..8 {
                let column = Column::new(&fabric, routing.layers(), destination);
                let mut splits = column.even();
                let at: Vec<(usize, usize)> = (0..8)
                    .filter(|&switch| splits[switch].first().is_some_and(|split| split.ports.len() > 1))
                    .map(|switch| (switch, 0))
                    .collect();
                if at.len() > 4 {
                    continue;
                }
                choices += at.len();
                let best = best_by_quarters(&column, &mut splits, &at);
                let (ours, sums) = (column.split(), &mut Sums::new(&fabric));
                let spreads = column.spreads(&ours, sums);
                let squares = column.squares(&ours, &spreads, sums);
                assert!(
                    squares <= best * 1.01,
                    "seed {seed}, toward {destination}: sum of squares {squares}, best possible {best}"
                );
            }
        }
        assert!(choices > 100, "{choices}");
    }

    #[test]
    fn layers_of_small_networks_are_as_good_as_any_eighths() {
        for seed in 0..10 {
            let fabric = tulle_topologies::build("jellyfish:switches=8,degree=3", seed).unwrap();
            let routing = build(&fabric, "random:layers=3,rho=0.7", seed).unwrap();
            for destination in 0..8 {
                let column = Column::new(&fabric, routing.layers(), destination);
                let (even, ours, sums) = (column.even(), column.split(), &mut Sums::new(&fabric));
                let spreads = column.spreads(&even, sums);
                let squares = |switch: usize, shares: [f64; 3], sums: &mut Sums| {
                    spreads.iter().zip(shares).for_each(|(spread, share)| sums.add_all(&spread[switch], share));
                    sums.take().iter().map(|(_, sum)| sum * sum).sum::<f64>()
                };
                for (switch, split) in ours.iter().enumerate().filter(|(_, split)| !split.is_empty()) {
                    let of_ours = squares(switch, std::array::from_fn(|layer| split[layer].layer), sums);
                    for (first, second) in (0..=8).flat_map(|first| (0..=8 - first).map(move |second| (first, second)))
                    {
                        let shares = [first, second, 8 - first - second].map(|share| f64::from(share) / 8.0);
                        assert!(
                            of_ours <= squares(switch, shares, sums) * (1.0 + 1e-5),
                            "{seed} {destination} {switch}"
                        );
                    }
                }
            }
        }
    }
}
