//! Forwarding: chooses the channel over which a packet leaves a switch.

use tulle_base::prefetch::prefetch;
use tulle_fabric::Fabric;
use tulle_routing::{PathSet, Routes, Routing, Table};

use crate::packet::Packet;
use crate::path::Path;

/// The routes of a simulation. Switches use them to forward packets hop by hop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Forwarding<'a> {
    form: Form<'a>,
    offsets: &'a [u32],
    targets: &'a [u32],
}

/// The two forms of routes: forwarding tables and explicit paths.
#[derive(Debug, Clone, Copy)]
enum Form<'a> {
    /// The forwarding tables of all layers.
    ///
    /// If a group has g ports, a packet takes port number ⌊e·g⌋, where e is the packet's entropy as a fraction in [0, 1). The fractional
    /// part of e·g is the entropy at the next switch. One fraction therefore determines the choices of a whole path: [0, 1) is split into
    /// one equal part for each path (the number of paths is the product of all g), and switches need no hash function. 32 bits suffice for
    /// six choices among 32 ports. Ports with different weights get parts of different lengths.
    Tables(&'a [Table]),
    /// Explicit paths.
    ///
    /// The entropy of a packet is the index of its next hop in one list of the hops of all paths, so a switch needs no other data. The
    /// layer of a packet is the number of its path among the paths of its switch pair.
    Paths(&'a PathSet),
}

impl<'a> Forwarding<'a> {
    pub(crate) fn new(fabric: &'a Fabric, routing: &'a Routing) -> Self {
        let form = match routing.routes() {
            Routes::Layers(layers) => Form::Tables(layers),
            Routes::Paths(paths) => Form::Paths(paths),
        };
        Self { form, offsets: fabric.offsets(), targets: fabric.targets() }
    }

    /// Returns the layer and the entropy of a packet at switch `from` that takes `path` to switch `to`.
    #[inline]
    pub(crate) fn enter(&self, path: Path, from: u32, to: u32) -> (u8, u32) {
        let Form::Paths(paths) = self.form else { return (path.layer, path.entropy) };
        let between = paths.between(from, to);
        if between.is_empty() {
            return (0, 0);
        }
        let number = match path.is_named {
            true => u32::from(path.layer),
            false => ((u64::from(path.entropy) * between.len() as u64) >> 32) as u32,
        };
        (number as u8, paths.hops(between.start + number).start)
    }

    /// Returns the number of the route that a packet of `layer` takes between two different switches: the layer, or the number of the
    /// explicit path in the path set.
    #[inline]
    pub(crate) fn route(&self, layer: u8, from: u32, to: u32) -> u32 {
        match self.form {
            Form::Tables(_) => layer.into(),
            Form::Paths(paths) => paths.between(from, to).start + u32::from(layer),
        }
    }

    /// Returns the channel from `switch` toward another switch, `destination`. Sets `entropy` to the value that the next switch must use.
    #[inline]
    pub(crate) fn next(&self, layer: u8, switch: u32, destination: u32, entropy: &mut u32) -> u32 {
        let first = self.offsets[switch as usize];
        let layers = match self.form {
            Form::Tables(layers) => layers,
            Form::Paths(paths) => {
                let port = paths.all_ports()[*entropy as usize];
                *entropy += 1;
                return first + u32::from(port);
            }
        };
        let table = &layers[layer as usize];
        let group = table.group(switch, destination);
        // If a table entry is below the switch's degree, it is a single port. Larger entries are groups of ports.
        if u32::from(group) < self.offsets[switch as usize + 1] - first {
            return first + u32::from(group);
        }
        first + u32::from(table.at_fraction(switch, group, entropy))
    }

    /// Prefetches the data that [`Self::next`] reads first for `packet` at `switch`.
    #[inline]
    pub(crate) fn prefetch(&self, packet: &Packet, switch: u32) {
        match self.form {
            Form::Tables(layers) => prefetch(layers[packet.layer as usize].row(switch), packet.switch.into()),
            Form::Paths(paths) => prefetch(paths.all_ports(), packet.entropy as usize),
        }
    }

    /// Returns the source switch of `channel`.
    pub(crate) fn source(&self, channel: u32) -> u32 {
        self.offsets.partition_point(|&offset| offset <= channel) as u32 - 1
    }

    /// Returns the number of hops from switch `from` to switch `to` in `layer` for a packet with this `entropy`.
    pub(crate) fn hops(&self, layer: u8, from: u32, to: u32, entropy: u32) -> u32 {
        let mut hops = 0;
        self.walk(layer, from, to, entropy, |_| hops += 1);
        hops
    }

    /// Calls `each` with every port on the path of `layer` and `entropy`.
    pub(crate) fn walk(&self, layer: u8, from: u32, to: u32, mut entropy: u32, mut each: impl FnMut(u32)) {
        let mut switch = from;
        while switch != to {
            let port = self.next(layer, switch, to, &mut entropy);
            each(port);
            switch = self.targets[port as usize];
        }
    }

    /// Returns the number of paths from switch `from` to switch `to` that a packet without a fixed layer can take: the paths in layer 0,
    /// or all explicit paths of the pair.
    ///
    /// With tables, the result is the product of the sizes of the port groups along the path that takes the first port of every group, but
    /// at most 2¹⁶. It equals the number of shortest paths if all of these paths have the same group sizes.
    pub(crate) fn num_paths(&self, from: u32, to: u32) -> u32 {
        const MAX_PATHS: usize = 1 << 16;
        let layers = match self.form {
            Form::Tables(layers) => layers,
            Form::Paths(paths) => return paths.between(from, to).len().max(1) as u32,
        };
        let (mut switch, mut paths) = (from, 1);
        while switch != to {
            let ports = layers[0].next(switch, to);
            paths = (paths * ports.len()).min(MAX_PATHS);
            switch = self.targets[self.offsets[switch as usize] as usize + ports[0] as usize];
        }
        paths as u32
    }
}
