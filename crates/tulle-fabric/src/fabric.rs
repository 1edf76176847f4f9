//! The fabric: switches, cables and endpoints as an immutable graph in compressed sparse rows.

mod links;
mod names;

use std::ops::Range;
use std::sync::Arc;

use crate::links::Links;
use crate::names::Names;
use crate::shape::Shape;
use tulle_spec::{Parameters, Value};

/// Maximum number of switches, of cables, and of endpoints of a fabric.
///
/// Ids have 32 bits, but this limit keeps channel ids below 2²⁹. So code can pack up to three flags into the same word as an id.
pub const MAX_SIZE: u64 = 1 << 28;

/// The value that stands for the virtual layer of a channel end in fabrics without virtual layers (see [`Fabric::virtual_layers`]).
pub const NO_VIRTUAL_LAYER: u8 = u8::MAX;

/// An immutable network of switches joined by full-duplex cables, with endpoints attached to switches.
///
/// A *channel* is one direction of a cable. Channels are numbered by their position in the compressed rows: first the channels that leave
/// switch 0, then those that leave switch 1, and so on. Each row ascends by target switch, so parallel cables are next to each other. The
/// order within a row is also the order of the switch's network ports. A *cable* is identified by the lower of its two channels. Parallel
/// cables are allowed, cables from a switch to itself are not.
#[derive(Debug, Clone, PartialEq)]
pub struct Fabric {
    pub(crate) spec: String,
    pub(crate) family: &'static str,
    pub(crate) parameters: Vec<(&'static str, Value)>,
    pub(crate) faults: Vec<String>,
    pub(crate) offsets: Vec<u32>,
    pub(crate) sources: Vec<u32>,
    pub(crate) targets: Vec<u32>,
    pub(crate) reverse: Vec<u32>,
    pub(crate) classes: Vec<u8>,
    pub(crate) class_names: Vec<&'static str>,
    pub(crate) virtual_layers: Vec<[u8; 2]>,
    pub(crate) levels: Vec<u8>,
    pub(crate) coordinates: Coordinates,
    pub(crate) labels: Vec<String>,
    pub(crate) endpoint_switch: Vec<u32>,
    pub(crate) endpoint_offsets: Vec<u32>,
    pub(crate) endpoint_order: Vec<u32>,
    /// Properties of the links; `None` if no property of any link is known.
    pub(crate) links: Option<Arc<Links>>,
    pub(crate) link_rules: Vec<String>,
    /// Names, roles, port numbers and addresses of the parts; `None` if none is stored. `labels` has the labels of switches.
    pub(crate) names: Option<Arc<Names>>,
    pub(crate) origin: Option<Origin>,
    pub(crate) warnings: Vec<String>,
    pub(crate) shape: Shape,
}

/// The ids that a fabric's switches, channels and endpoints had before the last call of [`Fabric::without`] removed failed parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// Per switch, its id in the fabric before the failures.
    pub switches: Vec<u32>,
    /// Per channel, its id in the fabric before the failures.
    pub channels: Vec<u32>,
    /// Per endpoint, its id in the fabric before the failures.
    pub endpoints: Vec<u32>,
}

/// Coordinates of switches: one row of `names.len()` numbers per switch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Coordinates {
    /// Name of each coordinate, as in the family's paper.
    pub names: Vec<&'static str>,
    /// The numbers, row by row.
    pub values: Vec<u32>,
}

impl Coordinates {
    /// Returns the coordinates of `switch`; empty if the family has none.
    pub fn of(&self, switch: u32) -> &[u32] {
        let width = self.names.len();
        &self.values[switch as usize * width..(switch as usize + 1) * width]
    }
}

impl Fabric {
    /// The canonical spec, with the values of all parameters. With the same seed, it builds the fabric as it was before faults and link
    /// rules.
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// The family's name.
    pub fn family(&self) -> &'static str {
        self.family
    }

    /// The parameters of the spec with their final values, in canonical order.
    pub fn parameters(&self) -> &[(&'static str, Value)] {
        &self.parameters
    }

    /// Returns the end of an error message about missing endpoints: how a user gives endpoints to this fabric.
    pub fn endpoint_hint(&self) -> &'static str {
        match self.family {
            "file" => {
                ", for example with p=2 in the spec (2 endpoints on every switch) or nodes=FILE (a list of endpoints)"
            }
            "edges" => ", for example with endpoint_switch=2 (2 endpoints on every switch)",
            _ => ", for example slimfly:q=5",
        }
    }

    /// The failure specs applied since the fabric was built, in order; empty if no part of the fabric has failed.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// Warnings from reading the input files, one line each; empty for fabrics that were not read from files.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The number of switches, S.
    pub fn num_switches(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of endpoints, N.
    pub fn num_endpoints(&self) -> usize {
        self.endpoint_switch.len()
    }

    /// The number of channels, C: twice the number of cables.
    pub fn num_channels(&self) -> usize {
        self.targets.len()
    }

    /// The number of cables between switches.
    pub fn num_cables(&self) -> usize {
        self.targets.len() / 2
    }

    /// The channels that leave `switch`, as a range of channel ids.
    pub fn channels_of(&self, switch: u32) -> Range<usize> {
        self.offsets[switch as usize] as usize..self.offsets[switch as usize + 1] as usize
    }

    /// Returns the switches to which `switch` has a cable, ascending; repeated for parallel cables.
    #[inline]
    pub fn neighbours(&self, switch: u32) -> &[u32] {
        &self.targets[self.channels_of(switch)]
    }

    /// The number of network ports of `switch`.
    pub fn degree(&self, switch: u32) -> usize {
        self.channels_of(switch).len()
    }

    /// Per switch, its first channel. The last entry is the number of all channels.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// Per channel, the switch it leaves.
    pub fn sources(&self) -> &[u32] {
        &self.sources
    }

    /// Per channel, the switch it enters.
    pub fn targets(&self) -> &[u32] {
        &self.targets
    }

    /// Per channel, the other direction of its cable.
    pub fn reverse(&self) -> &[u32] {
        &self.reverse
    }

    /// The cables by ascending id. The id of a cable is the lower of its two channels.
    pub fn cables(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.reverse.len() as u32).filter(|&channel| channel < self.reverse[channel as usize])
    }

    /// Per channel, its class: an index into [`Fabric::class_names`].
    pub fn classes(&self) -> &[u8] {
        &self.classes
    }

    /// The names of the channel classes: `local`, `global`, `up`, `down`, ….
    pub fn class_names(&self) -> &[&'static str] {
        &self.class_names
    }

    /// Per channel, the virtual layer of its source end and of its target end (Flattened Clos (NSDI23) §3.1), counted from 0; empty for
    /// fabrics without virtual layers.
    pub fn virtual_layers(&self) -> &[[u8; 2]] {
        &self.virtual_layers
    }

    /// Per switch, its level: 0 for edge switches, higher levels towards the core; 0 for all switches of flat fabrics.
    pub fn levels(&self) -> &[u8] {
        &self.levels
    }

    /// The coordinates of the switches.
    pub fn coordinates(&self) -> &Coordinates {
        &self.coordinates
    }

    /// Per switch, its group, in fabrics whose groups are joined by cables of class `global`, for example a Dragonfly.
    pub fn groups(&self) -> Option<Vec<u32>> {
        let at = self.coordinates.names.iter().position(|name| *name == "group")?;
        let joined = self.class_names.contains(&"global");
        joined.then(|| (0..self.num_switches() as u32).map(|switch| self.coordinates.of(switch)[at]).collect())
    }

    /// Returns the label of `switch`: its name in the input file, or its coordinates, or its id.
    pub fn label(&self, switch: u32) -> String {
        if let Some(label) = self.labels.get(switch as usize) {
            return label.clone();
        }
        let coordinates = self.coordinates.of(switch);
        if coordinates.is_empty() {
            return switch.to_string();
        }
        let coordinates: Vec<String> = coordinates.iter().map(u32::to_string).collect();
        format!("({})", coordinates.join(","))
    }

    /// Per endpoint, the switch it is attached to.
    pub fn endpoint_switch(&self) -> &[u32] {
        &self.endpoint_switch
    }

    /// The endpoints attached to `switch`, ascending.
    pub fn endpoints_of(&self, switch: u32) -> &[u32] {
        let range =
            self.endpoint_offsets[switch as usize] as usize..self.endpoint_offsets[switch as usize + 1] as usize;
        &self.endpoint_order[range]
    }

    /// The switches that carry endpoints, ascending.
    pub fn endpoint_switches(&self) -> Vec<u32> {
        (0..self.num_switches() as u32).filter(|&switch| !self.endpoints_of(switch).is_empty()).collect()
    }

    /// Network radix k': the maximum number of network ports of a switch with endpoints (of any switch, if none has endpoints).
    pub fn network_radix(&self) -> usize {
        self.over_edge(|switch| self.degree(switch))
    }

    /// Radix k: the maximum number of ports of a switch, including endpoint ports.
    pub fn radix(&self) -> usize {
        (0..self.num_switches() as u32).map(|s| self.degree(s) + self.endpoints_of(s).len()).max().unwrap_or(0)
    }

    /// Concentration p: the maximum number of endpoints of a switch.
    pub fn concentration(&self) -> usize {
        (0..self.num_switches() as u32).map(|switch| self.endpoints_of(switch).len()).max().unwrap_or(0)
    }

    /// Returns the ids that this fabric's parts had before the last call of [`Fabric::without`]; `None` if the function was never called.
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// The shape properties that the fabric's family defines; the default for a fabric without a family.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns this fabric with other shape properties (see [`Shape`]).
    #[must_use]
    pub fn with_shape(mut self, shape: Shape) -> Self {
        self.shape = shape;
        self
    }

    /// Returns this fabric with these warnings instead of its own.
    #[must_use]
    pub fn with_warnings(mut self, warnings: Vec<String>) -> Self {
        self.warnings = warnings;
        self
    }

    /// Returns a fabric with the same graph under another spec, for families that are built from other families.
    #[must_use]
    pub fn named(mut self, family: &'static str, parameters: Parameters, spec: String) -> Self {
        self.family = family;
        self.parameters = parameters.0;
        self.spec = spec;
        self
    }

    fn over_edge(&self, measure: impl Fn(u32) -> usize) -> usize {
        let edge = self.endpoint_switches();
        let all = 0..self.num_switches() as u32;
        if edge.is_empty() { all.map(measure).max() } else { edge.into_iter().map(measure).max() }.unwrap_or(0)
    }
}
