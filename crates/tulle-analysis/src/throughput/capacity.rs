//! Capacities of channels.

use tulle_fabric::Fabric;

use crate::Error;

/// The capacity of every channel, in units of a link's rate.
#[derive(Debug, Clone, PartialEq)]
pub struct Capacities(Vec<f64>);

impl Capacities {
    /// Creates a capacity of 1 for every channel.
    pub fn unit(fabric: &Fabric) -> Self {
        Self(vec![1.0; fabric.num_channels()])
    }

    /// Creates capacities from one number per channel of `fabric`.
    ///
    /// # Errors
    /// Fails if the number of capacities is not the number of channels, if a capacity is negative or not finite, or if all capacities are
    /// 0.
    pub fn new(fabric: &Fabric, capacity: Vec<f64>) -> Result<Self, Error> {
        if capacity.len() != fabric.num_channels() {
            let problem = format!("{} capacities for {} channels", capacity.len(), fabric.num_channels());
            return Err(Error::input(problem, "one per channel"));
        }
        if let Some(channel) = capacity.iter().position(|&capacity| !capacity.is_finite() || capacity < 0.0) {
            let problem = format!("the capacity of channel {channel} is {}", capacity[channel]);
            return Err(Error::input(problem, "finite, not below 0"));
        }
        if capacity.iter().all(|&capacity| capacity == 0.0) {
            return Err(Error::input("every capacity is 0", "some above 0"));
        }
        Ok(Self(capacity))
    }

    /// Returns the capacity of each channel.
    pub fn as_slice(&self) -> &[f64] {
        &self.0
    }

    /// Returns the total capacity of each orbit, which is a set of channels that symmetries map to each other. `orbit` gives the number of
    /// the orbit of every channel.
    pub(crate) fn summed(&self, orbit: &[u32]) -> Self {
        let mut sums = vec![0.0; orbit.iter().max().map_or(0, |&last| last as usize + 1)];
        orbit.iter().zip(&self.0).for_each(|(&orbit, capacity)| sums[orbit as usize] += capacity);
        Self(sums)
    }

    /// Returns whether both directions of every cable have the same capacity.
    pub(crate) fn is_symmetric(&self, fabric: &Fabric) -> bool {
        self.0.iter().zip(fabric.reverse()).all(|(&capacity, &back)| capacity == self.0[back as usize])
    }

    /// Returns the largest factor by which all loads can grow without exceeding a capacity; infinite if no channel has
    /// load. `load` has the load of every channel.
    pub fn headroom(&self, load: &[f64]) -> f64 {
        let room = self.0.iter().zip(load).filter(|&(_, &load)| load > 0.0).map(|(capacity, load)| capacity / load);
        room.fold(f64::INFINITY, f64::min)
    }

    /// Returns the sum over all channels of capacity times length.
    pub fn volume(&self, lengths: &[f64]) -> f64 {
        self.0.iter().zip(lengths).map(|(capacity, length)| capacity * length).sum()
    }
}

#[cfg(test)]
mod tests;
