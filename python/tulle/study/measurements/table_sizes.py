"""The measurement `table-sizes`: the forwarding entries and the addresses that a layered routing needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import tulle
from tulle import _tulle
from tulle._internal.arguments import input_files
from tulle.columns import Columns
from tulle.design.search import LIDS
from tulle.fabric import build_with_failures
from tulle.metric import Metric
from tulle.study.measurements.parameters import Routed
from tulle.study.measurements.registry import Advance, Measurement, Rows

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from tulle.study.report.verdict import Number

# Number of VLANs: of the values of 12 bits, the first and the last are reserved (IEEE 802.1Q).
_VLANS = 4094
# The LID mask of an InfiniBand port has three bits: at most 2^7 addresses.
_MOST_LMC = 7


def resolve(parameters: Routed) -> Routed:
    """Return the parameters with canonical specs."""
    return parameters.model_copy(update=parameters.canonical_specs())


def inputs(parameters: Routed) -> list[Path]:
    """Return the files that fabric and routing are read from."""
    return input_files(parameters.fabric, parameters.routing)


def table_sizes(parameters: Routed, seed: int, advance: Advance) -> Rows:
    """Build and route the fabric and count entries, with one seed.

    Path sets are refused, because they need no destination tables.
    """
    fabric = build_with_failures(parameters.fabric, seed, parameters.fail, parameters.links)
    advance(0.0)
    routing = tulle.route(fabric, parameters.routing, seed)
    advance(0.8)
    entries = _tulle.prefix_entries(routing._core)
    prefixes = entries.counts()
    members = np.array([_members(entries.hops(switch)) for switch in range(fabric.num_switches)])
    layers, endpoints = routing.num_layers, fabric.num_endpoints
    own = layers * np.bincount(fabric.endpoint_switch, minlength=fabric.num_switches)
    addressed = int(np.count_nonzero(own))
    lmc = _bits(layers)
    lids = endpoints * 2**lmc + fabric.num_switches
    figures: dict[str, Number] = {
        "endpoints": endpoints,
        "switches": fabric.num_switches,
        "layers": layers,
        "exact_entries": layers * endpoints,
        "prefix_entries": int(prefixes.max()),
        "own_entries": int(own.max()),
        "saved": layers * endpoints / int((prefixes + own).max()),
        "group_members": int(members.max()),
        "address_bits": lmc + _bits(addressed) + _bits(int(own.max()) // layers),
        "vlans": 100 * layers / _VLANS,
        "lids": 100 * lids / LIDS if lmc <= _MOST_LMC else None,
    }
    table = {
        "switch": np.arange(fabric.num_switches),
        "prefix_entries": prefixes,
        "own_entries": own,
        "group_members": members,
    }
    return Rows(Columns(table), figures, {"layers": layers})


def _members(hops: NDArray[np.int32]) -> int:
    """Return the number of members of a switch's ECMP groups; a member of weight w counts as w members."""
    group, weight = hops[:, 0], hops[:, 2]
    several = np.bincount(group) > 1
    return int(weight[several[group]].sum())


def _bits(values: int) -> int:
    """Return the bits needed for this number of values."""
    return (values - 1).bit_length()


# By a word in the titles of metrics.
_EXPLAINED = {
    "entries": "Entries of the switch with the most entries.",
    "exact": "Exact: one per layer and endpoint.",
    "by prefix": "By prefix: one per layer and other switch with endpoints.",
    "own": "Own endpoints: one per layer and endpoint of the switch.",
    "members": "Members of ECMP groups are counted separately.",
    "VLAN": "VLANs: one per layer; 4,094 exist.",
    "LID": "LIDs: 2^LMC per endpoint and one per switch; 49,151 exist. With more than 128 layers, LIDs are unset.",
}

MEASUREMENT = Measurement(
    name="table-sizes",
    example={"fabric": "slimfly:q=3", "routing": "random:layers=2,rho=0.8"},
    summary="the forwarding entries of a switch and the addresses that the layers of a routing need",
    paper="FatPaths §V-D, §V-E; Slim Fly deployment §5.1, §5.4 (addresses of InfiniBand)",
    parameters=Routed,
    resolve=resolve,
    inputs=inputs,
    measure=table_sizes,
    figures=(
        Metric("endpoints", "endpoints"),
        Metric("switches", "switches"),
        Metric("layers", "layers"),
        Metric("exact_entries", "entries by exact matching"),
        Metric("prefix_entries", "entries by prefix"),
        Metric("own_entries", "entries of own endpoints"),
        Metric("saved", "exact / (by prefix + own)"),
        Metric("group_members", "members of groups", usually_zero=True),
        Metric("address_bits", "bits of an address"),
        Metric("vlans", "% of all VLANs"),
        Metric("lids", "% of all LIDs", usually_zero=True),
    ),
    note=" ".join(_EXPLAINED.values()),
    explained=_EXPLAINED,
    rows_file="tables.csv",
)
