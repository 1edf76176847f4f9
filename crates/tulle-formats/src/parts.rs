//! Defines the kinds of data that a fabric can have besides its graph, and tests whether a fabric has them.

use tulle_fabric::{Fabric, Link};

/// A kind of data that a fabric can have besides its graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Levels,
    Roles,
    SwitchPorts,
    CableNames,
    Ports,
    Rates,
    Latencies,
    Lengths,
    Media,
    Costs,
    OneWay,
    EndpointNames,
    EndpointPorts,
    HostPorts,
    EndpointRates,
    EndpointLatencies,
    EndpointLengths,
    EndpointMedia,
    Addresses,
    Coordinates,
    Classes,
    VirtualLayers,
}

use Part::*;

impl Part {
    pub const ALL: &[Self] = &[
        Levels,
        Roles,
        SwitchPorts,
        CableNames,
        Ports,
        Rates,
        Latencies,
        Lengths,
        Media,
        Costs,
        OneWay,
        EndpointNames,
        EndpointPorts,
        HostPorts,
        EndpointRates,
        EndpointLatencies,
        EndpointLengths,
        EndpointMedia,
        Addresses,
        Coordinates,
        Classes,
        VirtualLayers,
    ];

    /// Kinds of data about switches.
    pub const OF_SWITCHES: &[Self] = &[Levels, Roles, SwitchPorts];
    /// Kinds of data about cables.
    pub const OF_CABLES: &[Self] = &[CableNames, Ports, Rates, Latencies, Lengths, Media, Costs, OneWay];
    /// Kinds of data about endpoints.
    pub const OF_ENDPOINTS: &[Self] =
        &[EndpointNames, EndpointPorts, EndpointRates, EndpointLatencies, EndpointLengths, EndpointMedia];

    /// Returns the name of this kind of data.
    pub const fn words(self) -> &'static str {
        match self {
            Levels => "levels",
            Roles => "roles",
            SwitchPorts => "numbers of ports",
            CableNames => "names of cables",
            Ports => "ports of cables",
            Rates => "rates",
            Latencies => "latencies",
            Lengths => "lengths",
            Media => "media",
            Costs => "costs",
            OneWay => "differences between the two directions of cables",
            EndpointNames => "names of endpoints",
            EndpointPorts => "ports of endpoints",
            HostPorts => "ports of hosts",
            EndpointRates => "rates of endpoints",
            EndpointLatencies => "latencies of endpoints",
            EndpointLengths => "lengths of endpoints' cables",
            EndpointMedia => "media of endpoints' cables",
            Addresses => "GUIDs and LIDs",
            Coordinates => "coordinates",
            Classes => "classes of channels",
            VirtualLayers => "virtual layers",
        }
    }

    /// Whether `fabric` has data of this kind.
    pub fn is_in(self, fabric: &Fabric) -> bool {
        let mut switches = 0..fabric.num_switches() as u32;
        let mut endpoints = 0..fabric.num_endpoints() as u32;
        let channels = 0..fabric.num_channels() as u32;
        let cable = |knows: fn(&Link) -> bool| {
            fabric.links().is_some() && channels.clone().any(|channel| knows(fabric.link(channel)))
        };
        let of_endpoint = |knows: fn(&Link) -> bool| {
            let endpoints = 0..fabric.num_endpoints() as u32;
            fabric.links().is_some() && endpoints.into_iter().any(|endpoint| knows(fabric.endpoint_link(endpoint)))
        };
        match self {
            Levels => fabric.levels().iter().any(|&level| level > 0),
            Roles => switches.any(|switch| fabric.switch_role(switch).is_some()),
            SwitchPorts => switches.any(|switch| fabric.switch_ports(switch).is_some()),
            CableNames => channels.clone().any(|channel| fabric.given_cable_name(channel).is_some()),
            Ports => {
                fabric.has_moved_ports() || channels.clone().any(|channel| fabric.given_port_name(channel).is_some())
            }
            Rates => cable(|link| link.rate.is_some()),
            Latencies => cable(|link| link.latency.is_some()),
            Lengths => cable(|link| link.length.is_some()),
            Media => cable(|link| link.medium.is_some()),
            Costs => cable(|link| link.cost.is_some()),
            OneWay => fabric.cables().any(|there| {
                let back = fabric.reverse()[there as usize];
                fabric.link(there) != fabric.link(back)
            }),
            EndpointNames => endpoints.any(|endpoint| fabric.given_endpoint_name(endpoint).is_some()),
            EndpointPorts => {
                let is_given = |endpoint| fabric.given_endpoint_port(endpoint).is_some();
                !endpoints.is_empty() && (fabric.has_moved_ports() || endpoints.any(is_given))
            }
            HostPorts => endpoints.any(|endpoint| fabric.host_port(endpoint).is_some()),
            EndpointRates => of_endpoint(|link| link.rate.is_some()),
            EndpointLatencies => of_endpoint(|link| link.latency.is_some()),
            EndpointLengths => of_endpoint(|link| link.length.is_some()),
            EndpointMedia => of_endpoint(|link| link.medium.is_some()),
            Addresses => {
                switches.any(|switch| fabric.switch_address(switch).is_some())
                    || endpoints.any(|endpoint| fabric.endpoint_address(endpoint).is_some())
            }
            Coordinates => !fabric.coordinates().names.is_empty(),
            Classes => fabric.class_names() != ["link"],
            VirtualLayers => !fabric.virtual_layers().is_empty(),
        }
    }
}
