//! Builds layers from arrays of next hops.

use rayon::prelude::*;
use tulle_fabric::Fabric;

use super::{array, fits};
use crate::columns::port;
use crate::table::verify_shares;
use crate::{Error, Routes, Routing, Table, TableBuilder, verify};

/// The next hops of several layers as arrays. S is the number of switches.
#[derive(Debug, Clone, Copy)]
pub struct NextHops<'a> {
    /// The channels over which `switch` forwards to `destination` in `layer`. They start at index `((layer · S + switch) · S + destination)
    /// · widest`. Unused entries are −1. If `switch` is `destination`, all entries are unused.
    pub channels: &'a [i64],
    /// The number of entries per layer, switch and destination.
    pub widest: usize,
    /// The share of the traffic that each entry of `channels` carries, as a relative weight from 1 to 255. Shares of unused entries are
    /// ignored. Without this array, all shares are equal.
    pub port_shares: Option<&'a [i64]>,
    /// The share of each layer in the traffic from `source` to `destination`, as a relative weight from 0 to 255, at index `(layer · S +
    /// source) · S + destination`. Every pair needs a share above 0 in some layer. If `source` is `destination`, the share is ignored.
    /// Without this array, all shares are equal.
    pub layer_shares: Option<&'a [i64]>,
}

impl Routing {
    /// Returns the layers with these next hops.
    ///
    /// # Errors
    /// Fails if an array has a wrong length, if a channel does not start at its switch, or if a channel is listed twice. Also fails if a
    /// pair has no next hop, if next hops form a loop, or if a share is out of range.
    pub fn from_next_hop(fabric: &Fabric, next_hops: &NextHops) -> Result<Self, Error> {
        let switches = fits(fabric)?;
        let (pairs, widest, entries) = (switches * switches, next_hops.widest, next_hops.channels.len());
        let cells = pairs * widest;
        if cells == 0 || entries == 0 || !entries.is_multiple_of(cells) {
            let group = if widest == 1 { String::new() } else { format!(" · {widest}") };
            let legal = format!("legal: layers · {switches} · {switches}{group} entries, with one layer or more");
            return Err(array("next_hop", format!("{entries} entries"), legal));
        }
        let layers = entries / cells;
        for (what, shares, legal) in
            [("port_shares", next_hops.port_shares, entries), ("layer_shares", next_hops.layer_shares, layers * pairs)]
        {
            if let Some(shares) = shares.filter(|shares| shares.len() != legal) {
                return Err(array(what, format!("{} entries", shares.len()), format!("legal: {legal}")));
            }
        }
        let of_layer = |layer| Layer {
            fabric,
            layer,
            channels: &next_hops.channels[layer * cells..][..cells],
            widest,
            port_shares: next_hops.port_shares.map(|shares| &shares[layer * cells..][..cells]),
            layer_shares: next_hops.layer_shares.map(|shares| &shares[layer * pairs..][..pairs]),
        };
        // All results are collected first, so that the error always names the first wrong layer, regardless of the order in which threads
        // finish.
        let tables: Vec<Result<Table, Error>> =
            (0..layers).into_par_iter().map(|layer| of_layer(layer).table()).collect();
        let tables: Vec<Table> = tables.into_iter().collect::<Result<_, _>>()?;
        verify_shares(&tables)
            .map_err(|problem| array("layer_shares", problem, "every pair of switches needs one".to_owned()))?;
        Ok(Self::new("next-hop".to_owned(), Routes::Layers(tables)))
    }
}

/// The arrays of one layer.
struct Layer<'a> {
    fabric: &'a Fabric,
    layer: usize,
    channels: &'a [i64],
    widest: usize,
    port_shares: Option<&'a [i64]>,
    layer_shares: Option<&'a [i64]>,
}

/// A port and its share.
type Member = (u16, u8);

impl Layer<'_> {
    /// Returns the table of this layer after checking its entries.
    fn table(&self) -> Result<Table, Error> {
        let switches = self.fabric.num_switches() as u32;
        let mut builder = TableBuilder::new(self.fabric);
        for switch in 0..switches {
            for destination in 0..switches {
                let (ports, _): (Vec<u16>, Vec<u8>) = self.members(switch, destination)?.into_iter().unzip();
                if !ports.is_empty() {
                    builder.set(switch, destination, &ports);
                }
            }
        }
        let table = builder.finish();
        if let Err(flaw) = verify(self.fabric, &table) {
            let layer = self.layer;
            return Err(array("next_hop", format!("layer {layer}: {flaw}"), "legal: loop-free".to_owned()));
        }
        if self.port_shares.is_none() && self.layer_shares.is_none() {
            return Ok(table);
        }
        let mut shares = Vec::with_capacity(self.channels.len() / self.widest);
        for (switch, destination) in (0..switches).flat_map(|switch| (0..switches).map(move |to| (switch, to))) {
            shares.push(self.layer_share(switch, destination)?);
        }
        Ok(table.weighted(|row| {
            for destination in row.destinations() {
                let members = self.members(row.switch, destination).expect("they were read before");
                let (ports, port_shares) = members.into_iter().unzip();
                row.set(destination, ports, port_shares);
                row.set_layer_share(destination, shares[(row.switch * switches + destination) as usize]);
            }
        }))
    }

    /// Returns the ports over which `switch` forwards to `destination`, ascending, each with its share.
    fn members(&self, switch: u32, destination: u32) -> Result<Vec<Member>, Error> {
        let row = self.fabric.channels_of(switch);
        let at = self.pair(switch, destination) * self.widest;
        let what = |name| format!("{name}[{}, {switch}, {destination}]", self.layer);
        let mut members = Vec::with_capacity(self.widest);
        for at in (at..at + self.widest).filter(|&at| self.channels[at] != -1) {
            let channel = self.channels[at];
            let there = usize::try_from(channel).ok().filter(|channel| destination != switch && row.contains(channel));
            let Some(there) = there else {
                return Err(array(&what("next_hop"), channel.to_string(), legal(&row, destination == switch)));
            };
            let share = self.port_shares.map_or(1, |shares| shares[at]);
            let Some(share) = u8::try_from(share).ok().filter(|&share| share > 0) else {
                return Err(array(&what("port_shares"), share.to_string(), "legal: 1 to 255".to_owned()));
            };
            members.push((port(self.fabric, there as u32), share));
        }
        members.sort_unstable();
        if let Some(twice) = members.windows(2).find(|two| two[0].0 == two[1].0) {
            let channel = row.start + usize::from(twice[0].0);
            return Err(array(
                &what("next_hop"),
                format!("channel {channel} is listed twice"),
                "legal: each channel once".to_owned(),
            ));
        }
        if members.is_empty() && destination != switch {
            return Err(array(&what("next_hop"), "-1".to_owned(), legal(&row, false)));
        }
        Ok(members)
    }

    fn layer_share(&self, source: u32, destination: u32) -> Result<u8, Error> {
        let share = self
            .layer_shares
            .filter(|_| source != destination)
            .map_or(1, |shares| shares[self.pair(source, destination)]);
        u8::try_from(share).map_err(|_| {
            let what = format!("layer_shares[{}, {source}, {destination}]", self.layer);
            array(&what, share.to_string(), "legal: 0 to 255".to_owned())
        })
    }

    fn pair(&self, switch: u32, destination: u32) -> usize {
        switch as usize * self.fabric.num_switches() + destination as usize
    }
}

/// Returns the legal next hops of a switch as text for an error message. `row` has the channel numbers of the switch.
fn legal(row: &std::ops::Range<usize>, is_itself: bool) -> String {
    match (is_itself, row.is_empty()) {
        (true, _) => "legal: -1, because a switch has no next hop to itself".to_owned(),
        (_, true) => "legal: none, because the switch has no channels".to_owned(),
        _ => format!("legal: {} to {}, the channels of the switch", row.start, row.end - 1),
    }
}
