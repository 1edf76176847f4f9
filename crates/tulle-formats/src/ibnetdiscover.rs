//! The output of `ibnetdiscover` for an InfiniBand subnet, which `ibsim` can simulate: one record per node, with one line per port.
//!
//! A connected port of an adapter (`Ca`) or router (`Rt`) is an endpoint. Nodes are named by their descriptions. They are numbered in the
//! order of their GUIDs, because different runs of `ibnetdiscover` list nodes in different orders. `4xFDR` is a rate as in `ibstat`: 56
//! Gbit/s. Source: infiniband-diags, ibnetdiscover(8).

mod lines;
mod read;
mod report;
mod write;

use super::Format;
use super::parts::Part;

pub const FORMAT: Format = Format {
    word: "ibnetdiscover",
    name: "netlist of ibnetdiscover",
    extensions: &["ibnet", "netlist"],
    nodes_beside: false,
    either_order: false,
    read: read::read,
    refuses: write::refuses,
    holds: &[&[
        Part::SwitchPorts,
        Part::Ports,
        Part::Rates,
        Part::EndpointNames,
        Part::EndpointPorts,
        Part::HostPorts,
        Part::EndpointRates,
        Part::Addresses,
    ]],
    alters: write::alters,
    can_name: write::can_name,
    sorts: false,
    write: Some(write::write),
};

/// Maximum length in bytes of a node description in InfiniBand.
const LONGEST: usize = 64;

/// Rates per lane in megabits per second, as `ibstat` and Linux count them.
const SPEEDS: [(&str, u64); 9] = [
    ("SDR", 2_500),
    ("DDR", 5_000),
    ("QDR", 10_000),
    ("FDR10", 10_000),
    ("FDR", 14_000),
    ("EDR", 25_000),
    ("HDR", 50_000),
    ("NDR", 100_000),
    ("XDR", 200_000),
];
/// Lanes, the usual number first.
const WIDTHS: [u64; 5] = [4, 1, 2, 8, 12];

/// Returns the rate in bits per second of a text such as `4xFDR`; `None` if the text is not a rate.
fn rate(word: &str) -> Option<u64> {
    let (width, speed) = word.split_once('x')?;
    let width = WIDTHS.into_iter().find(|lanes| width == lanes.to_string())?;
    let (_, lane) = SPEEDS.iter().find(|(name, _)| *name == speed)?;
    Some(width * lane * 1_000_000)
}

/// Returns the text of a rate in bits per second, for example `4xFDR`; `None` if InfiniBand does not have this rate.
fn speed(rate: u64) -> Option<String> {
    let lanes = |width: &u64| SPEEDS.iter().find(|(_, lane)| width * lane * 1_000_000 == rate);
    WIDTHS.iter().find_map(|width| lanes(width).map(|(name, _)| format!("{width}x{name}")))
}
