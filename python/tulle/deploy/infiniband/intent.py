"""The plan of a bundle as arrays: forwarding tables, SL-to-VL tables, service levels and links."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tulle._internal.reading import read_bytes
from tulle.deploy.bundle_header import check_files
from tulle.deploy.infiniband.bundle import LFTS, SL2VL
from tulle.deploy.reach import DISCARD
from tulle.deploy.read.lfts import NO_PORT, read_lfts
from tulle.deploy.read.sl2vl import read_sl2vl
from tulle.errors import FormatError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.deploy.infiniband.bundle import Bundle
    from tulle.deploy.read.sl2vl import Sl2vl
    from tulle.deploy.read.subnet import Subnet

__all__ = ["LEVELS", "NO_LANE", "Intent", "Links"]

LEVELS = 16
NO_LANE = 255
"""The value that stands for the lanes of an SL-to-VL row that is unknown."""

_GUID = re.compile(rb"0x[0-9a-f]{1,16}")
_DIGITS = np.full(256, 255, np.uint8)
_DIGITS[48:58], _DIGITS[97:103] = np.arange(10), np.arange(10, 16)


class Links(NamedTuple):
    """The other ends of the links at switch ports. All arrays are indexed by switch and port."""

    to: NDArray[np.int32]
    """The switch at the other end; −1 if the other end is not a switch."""
    port: NDArray[np.uint8]
    """The port of that switch."""
    endpoint: NDArray[np.int32]
    """The endpoint at the other end; −1 if the other end is not an endpoint."""


class Intent:
    """The planned tables of a bundle, by switch in the order of its fabric, and by LID."""

    def __init__(self, bundle: Bundle, live: Subnet | None = None) -> None:
        self.bundle = bundle
        self.fabric = bundle.fabric
        self.lmc = bundle.lmc
        self.top = bundle.header.top_lid
        self.switch_guids = [address[0] for address in bundle.switch_addresses]
        self.switch_lids = np.array([address[2] for address in bundle.switch_addresses], np.int64)
        self.endpoint_lids = np.array([address[2] for address in bundle.endpoint_addresses], np.int64)
        self.endpoint_switch = np.asarray(self.fabric.endpoint_switch, np.int64)
        self.endpoint_ports = np.array(bundle.endpoint_ports, np.int64)
        self.switch_of = {guid: at for at, guid in enumerate(self.switch_guids)}
        self.endpoint_of = {address[1]: at for at, address in enumerate(bundle.endpoint_addresses)}
        """Endpoints by port GUID."""
        self.adapter_of = {(address[0], address[4]): at for at, address in enumerate(bundle.endpoint_addresses)}
        """Endpoints by node GUID and port of the adapter."""
        seen = [node for guid, node in live.nodes.items() if guid in self.switch_of] if live is not None else []
        self.num_ports = 1 + max(
            [0, *bundle.ports, *bundle.endpoint_ports, *(max(node.links, default=0) for node in seen)]
        )
        """The largest port number of any switch, in the plan or the subnet, plus one."""
        check_files(bundle.folder, bundle.header.files, [LFTS, SL2VL])

    @cached_property
    def lid_endpoint(self) -> NDArray[np.int32]:
        """The endpoint of each LID; −1 if the LID belongs to no endpoint."""
        owner = np.full(self.top + 1, -1, np.int32)
        for layer in range(1 << self.lmc):
            owner[self.endpoint_lids + layer] = np.arange(len(self.endpoint_lids))
        return owner

    @cached_property
    def lid_switch(self) -> NDArray[np.int32]:
        """The switch of each LID, or the switch of its endpoint; −1 if the LID is not assigned."""
        owner = np.full(self.top + 1, -1, np.int32)
        of = self.lid_endpoint
        owner[of >= 0] = self.endpoint_switch[of[of >= 0]]
        owner[self.switch_lids] = np.arange(len(self.switch_lids))
        return owner

    @cached_property
    def links(self) -> Links:
        """The planned links."""
        shape = len(self.switch_guids), self.num_ports
        to, port, endpoint = np.full(shape, -1, np.int32), np.zeros(shape, np.uint8), np.full(shape, -1, np.int32)
        ports = np.array(self.bundle.ports, np.int64)
        channels = np.asarray(self.fabric.channels)
        to[channels[:, 0], ports] = channels[:, 1]
        port[channels[:, 0], ports] = ports[np.asarray(self.fabric.reverse)]
        endpoint[self.endpoint_switch, self.endpoint_ports] = np.arange(len(self.endpoint_ports))
        return Links(to, port, endpoint)

    @cached_property
    def ports(self) -> NDArray[np.uint8]:
        """The planned output ports, by switch and LID."""
        read = read_lfts(self.bundle.folder / LFTS)
        return self.by_switch(read.guids, read.ports)

    def by_switch(self, guids: NDArray[np.uint64], ports: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Sort tables into the order of the fabric and keep planned LIDs; `NO_PORT` for missing entries."""
        found = np.full((len(self.switch_guids), self.top + 1), NO_PORT, np.uint8)
        width = min(self.top + 1, ports.shape[1])
        for row, guid in enumerate(guids.tolist()):
            if guid in self.switch_of:
                found[self.switch_of[guid], :width] = ports[row, :width]
        return found

    @cached_property
    def lanes(self) -> Lanes:
        """The planned SL-to-VL tables."""
        return Lanes.of(self, read_sl2vl(self.bundle.folder / SL2VL))

    @property
    def drops_u_turns(self) -> bool:
        """Whether switches discard packets from another switch that would leave by the port on which they arrived."""
        switches, ports = np.nonzero(self.links.to >= 0)
        return bool((self.lanes.switches[switches, ports, ports] == DISCARD).all())

    @cached_property
    def levels(self) -> NDArray[np.uint8]:
        """The planned service levels of paths, by source switch and LID."""
        place = self.bundle.folder / SL2VL
        levels = np.zeros((len(self.switch_guids), self.top + 1), np.uint8)
        for number, line in enumerate(read_bytes(place).splitlines(), 1):
            if not line.startswith(b"psl "):
                continue
            words = line.split()
            digits = _DIGITS[np.frombuffer(words[2], np.uint8)] if len(words) == 3 else np.zeros(0, np.uint8)
            switch = self.switch_of.get(int(words[1], 16)) if _GUID.fullmatch(words[1]) else None
            if switch is None or len(digits) != self.top + 1 or (digits >= LEVELS).any():
                raise FormatError(
                    f"{place}:{number}: invalid service levels of a switch; legal: one hexadecimal digit per LID"
                )
            levels[switch] = digits
        return levels

    def switch_name(self, switch: int) -> str:
        """The name for instructions."""
        return f"{self.fabric.labels[switch]} (0x{self.switch_guids[switch]:016x})"

    def endpoint_name(self, endpoint: int) -> str:
        """The name for instructions."""
        return str(self.fabric.endpoint_names[endpoint])

    def lid_name(self, lid: int) -> str:
        """The LID, and its host or switch."""
        if 0 <= lid <= self.top and (endpoint := int(self.lid_endpoint[lid])) >= 0:
            return f"LID {lid} (host {self.endpoint_name(endpoint)})"
        if 0 <= lid <= self.top and (switch := int(self.lid_switch[lid])) >= 0:
            return f"LID {lid} (switch {self.fabric.labels[switch]})"
        return f"LID {lid}"

    def port_name(self, switch: int, port: int) -> str:
        """The port and the planned other end of its cable."""
        behind = self.other_end(switch, port)
        return f"{port}, toward {behind}" if behind else str(port)

    def other_end(self, switch: int, port: int) -> str:
        """The switch or host to which a port leads in the plan; empty if the plan does not use the port."""
        to, endpoint = int(self.links.to[switch, port]), int(self.links.endpoint[switch, port])
        return self.fabric.labels[to] if to >= 0 else f"host {self.endpoint_name(endpoint)}" if endpoint >= 0 else ""


class Lanes(NamedTuple):
    """SL-to-VL tables as arrays of virtual lanes."""

    switches: NDArray[np.uint8]
    """The VL by switch, input port, output port and service level; `NO_LANE` if the row is unknown."""
    adapters: NDArray[np.uint8]
    """The VL by endpoint and service level; `NO_LANE` if the row is unknown."""
    unknown: int
    """The number of rows that were read for nodes or ports outside the plan."""

    @classmethod
    def of(cls, intent: Intent, read: Sl2vl) -> Lanes:
        """Assign the rows that were read to the nodes of a bundle."""
        adapters = {address[0]: at for at, address in enumerate(intent.bundle.endpoint_addresses)}
        # OpenSM's dump has port GUIDs, a bundle has node GUIDs, and queries have LIDs. A switch has the same GUID as
        # node and as port.
        guids, inverse = np.unique(read.guids, return_inverse=True)
        by_guid = np.full(len(guids), -1, np.int64)
        by_adapter = np.full(len(guids), -1, np.int64)
        for at, guid in enumerate(guids.tolist()):
            by_guid[at] = intent.switch_of.get(guid, -1)
            by_adapter[at] = intent.endpoint_of.get(guid, adapters.get(guid, -1))
        switch, adapter = by_guid[inverse], by_adapter[inverse]
        lid_only = np.flatnonzero(read.guids == 0)
        if len(lid_only):
            lids = read.lids[lid_only].astype(np.int64)
            known = lids <= intent.top
            lids = np.where(known, lids, 0)
            adapter[lid_only] = np.where(known, intent.lid_endpoint[lids], -1)
            of_switch = np.where(known, intent.lid_switch[lids], -1)
            switch[lid_only] = np.where(adapter[lid_only] >= 0, -1, of_switch)
        ports = intent.num_ports
        table = np.full((len(intent.switch_guids), ports, ports, LEVELS), NO_LANE, np.uint8)
        hosts = np.full((len(intent.endpoint_lids), LEVELS), NO_LANE, np.uint8)
        inside = (switch >= 0) & (read.in_ports < ports) & (read.out_ports < ports)
        table[switch[inside], read.in_ports[inside], read.out_ports[inside]] = read.lanes[inside]
        of_host = adapter >= 0
        hosts[adapter[of_host]] = read.lanes[of_host]
        return cls(table, hosts, int(np.count_nonzero(~inside & ~of_host)))
