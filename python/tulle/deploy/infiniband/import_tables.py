"""Import the forwarding tables of an existing subnet as a routing, for analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle.deploy.read.lfts import NO_PORT
from tulle.errors import InputError
from tulle.routing.routing import Routing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.deploy.read.lfts import Lfts
    from tulle.fabric import Fabric

__all__ = ["routing_of_tables"]


def routing_of_tables(fabric: Fabric, lfts: Lfts) -> Routing:
    """Convert forwarding tables to a routing.

    In a layer, one LID represents each switch: in layer k · 2^LMC + l, it is base LID + l of the switch's k-th
    endpoint. A switch with too few endpoints uses them repeatedly; a switch without endpoints uses its own LID. If all
    endpoints of every switch have the same paths, the result has only the first 2^LMC layers.

    Parameters
    ----------
    fabric
        The fabric with GUIDs, LIDs and ports, read from the output of ``ibnetdiscover`` on that subnet.
    lfts
        The forwarding tables of the subnet's switches.

    Raises
    ------
    tulle.InputError
        If GUIDs, LIDs, a switch or an entry is missing, a port leads to no switch, or paths loop.
    """
    properties = fabric.properties
    if not {"switch_addresses", "endpoint_addresses", "ports"} <= {*properties}:
        raise InputError("the fabric has no GUIDs, LIDs and ports; legal: a fabric that is read from ibnetdiscover")
    tables = _tables(fabric, [address[0] for address in properties["switch_addresses"]], lfts)
    lids = _lids_of_layers(fabric)
    switches = np.arange(fabric.num_switches)
    next_hop = np.full((len(lids), len(switches), len(switches)), -1, np.int64)
    channels = _channels(fabric)
    for layer, of_switch in enumerate(lids):
        missing = of_switch >= tables.shape[1]
        ports = np.where(missing[None, :], NO_PORT, tables[:, np.where(missing, 0, of_switch)])
        inside = switches[:, None] == switches[None, :]
        hop = np.where(inside, -1, channels[switches[:, None], ports])
        bad = np.argwhere((hop < 0) & ~inside)
        if len(bad):
            at, to = bad[0].tolist()
            port = int(ports[at, to])
            lid = f"LID {of_switch[to]} at switch {fabric.labels[to]}"
            where = (
                f"has no port for {lid}"
                if port == NO_PORT
                else f"forwards {lid} to port {port}, which leads to no switch"
            )
            raise InputError(
                f"switch {fabric.labels[at]} {where} ({len(bad)} such entries); legal: tables and links that were "
                "collected at the same time, without black holes"
            )
        next_hop[layer] = hop
    per_endpoint = 1 << max([0, *(address[3] for address in properties["endpoint_addresses"])])
    if (next_hop.reshape(-1, per_endpoint, *next_hop.shape[1:]) == next_hop[:per_endpoint]).all():
        next_hop = next_hop[:per_endpoint]
    return Routing.from_next_hop(fabric, next_hop)


def _tables(fabric: Fabric, guids: list[int], lfts: Lfts) -> NDArray[np.uint8]:
    """Sort the tables into the order of the fabric's switches."""
    row_of = {guid: row for row, guid in enumerate(lfts.guids.tolist())}
    missing = [at for at, guid in enumerate(guids) if guid not in row_of]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise InputError(
            f"no table of switch {fabric.labels[missing[0]]} (0x{guids[missing[0]]:016x}){more}; legal: the tables of "
            "all switches"
        )
    return lfts.ports[[row_of[guid] for guid in guids]]


def _lids_of_layers(fabric: Fabric) -> list[NDArray[np.int64]]:
    """For each layer, the LID that represents each switch."""
    switch_lids = np.array([address[2] for address in fabric.properties["switch_addresses"]], np.int64)
    addresses = fabric.properties["endpoint_addresses"]
    at_switch: list[list[tuple[int, int]]] = [[] for _ in switch_lids]
    for switch, address in zip(np.asarray(fabric.endpoint_switch).tolist(), addresses, strict=True):
        at_switch[switch].append((address[2], address[3]))
    if not all(base for row in at_switch for base, _ in row) or not switch_lids.all():
        raise InputError(
            "some LIDs are 0, because the subnet is not initialized; legal: the output of ibnetdiscover after OpenSM "
            "has assigned LIDs"
        )
    per_endpoint = 1 << max([0, *(lmc for row in at_switch for _, lmc in row)])
    most = max([1, *(len(row) for row in at_switch)])
    layers = []
    for endpoint in range(most):
        for offset in range(per_endpoint):
            lids = switch_lids.copy()
            for switch, row in enumerate(at_switch):
                if row:
                    base, lmc = row[endpoint % len(row)]
                    lids[switch] = base + offset % (1 << lmc)
            layers.append(lids)
    return layers


def _channels(fabric: Fabric) -> NDArray[np.int64]:
    """The channel that starts at each switch and port; −1 if no channel starts there."""
    found = np.full((fabric.num_switches, 256), -1, np.int64)
    try:
        ports = np.array([int(port) for port in fabric.ports], np.int64)
    except ValueError:
        raise InputError("port names of switches are not numbers; legal: port numbers, as in ibnetdiscover") from None
    found[np.asarray(fabric.channels)[:, 0], ports] = np.arange(len(ports))
    return found
