"""The cabling plan of a bundle, so that `tulle cabling verify` compares actual cables with the bundle."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tulle._internal.text import tulle_command
from tulle.cabling.identity.nodes import is_aggregation
from tulle.cabling.live.table import TOOL as _TABLE
from tulle.cabling.plan import Device
from tulle.cabling.verify import port as port_text
from tulle.deploy.bundle_header import BUNDLE
from tulle.deploy.cable_plan import cable_plan, ethernet_cables
from tulle.deploy.ethernet.bundle import is_ethernet_bundle
from tulle.deploy.ethernet.earlier import how_to_return
from tulle.deploy.ethernet.failures import dead_parts
from tulle.deploy.ethernet.lldp import as_named, own_ports, port_aliases
from tulle.deploy.versions.history import replaced_by
from tulle.deploy.versions.layout import opened
from tulle.fabric.hosts import host_ends

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from tulle.cabling.live.port_record import PortRecord
    from tulle.cabling.miswirings import Miswiring, Verdict
    from tulle.cabling.plan import End, Plan
    from tulle.deploy.ethernet.bundle import EthernetBundle
    from tulle.deploy.ethernet.failures import Failures
    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.deploy.infiniband.bundle import Bundle

__all__ = ["BundleCabling", "is_bundle", "read_cabling"]


class BundleCabling:
    """A cabling plan, from a plan folder or a bundle. For a bundle, also the names that ports may announce."""

    def __init__(self, plan: Plan, ethernet: EthernetBundle | None = None, folder: Path | None = None) -> None:
        self.plan = plan
        """The plan of a bundle has the bundle's names of devices, and no places, lengths or media."""
        self.is_bundle = folder is not None
        """Whether the plan is that of a bundle, and not of a plan folder."""
        self._ethernet = ethernet
        # The folder of the bundle's version in use.
        self._folder = folder

    def unknown_guids(self, seen: Sequence[PortRecord]) -> int:
        """Return the number of nodes whose GUID is not in an InfiniBand bundle. Their cables can still be right."""
        planned = {device.node_guid for device in self.plan.devices} - {0}
        if not planned or not self.is_bundle:
            return 0
        return len({record.guid for record in seen if not is_aggregation(record.device)} - planned - {0})

    def kept(self, found: Sequence[Miswiring], place: Path, live: Path) -> tuple[Miswiring, ...]:
        """Return the miswirings, with instructions to keep the cables that a repair has removed from the bundle.

        The instructions say how to use these cables again, or name the command that prints how. `place` (the bundle)
        and `live` are the arguments of this command.
        """
        if not any(one.kind == "extra" for one in found):
            return tuple(found)
        removed = self._removed_cables()
        extra = [one.ends for one in found if one.kind == "extra" and frozenset(one.ends) in removed]
        if self._ethernet is not None:
            ports = [f"{name}/{port}" for ends in extra for name, port in ends]
            way = how_to_return(self._ethernet, ports, dead=self._dead(self._ethernet.plan, found))
            how = f"; to use it again, {way}" if way else ""
        else:
            command = tulle_command("deploy", "verify", place, "--live", live)
            how = f", and `{command}` says how to use it again"
        kept = []
        for one in found:
            text = one.instruction
            if one.kind == "extra" and one.ends in extra:
                here, there = map(port_text, one.ends)
                text = f"keep the cable from {here} to {there}: a repair has removed it from the bundle{how}"
            kept.append(replace(one, instruction=text))
        return tuple(kept)

    @staticmethod
    def _dead(plan: EthernetPlan, found: Sequence[Miswiring]) -> Failures:
        """Return the failed parts among the miswirings. Rows of cables between switches follow those of hosts."""
        gone = [one for one in found if one.kind in ("missing", "down", "absent")]
        rows = {row - len(plan.hosts) for one in gone for row in one.cables}
        cables = plan.fabric.cables.tolist()
        return dead_parts(plan, [cables[row] for row in sorted(rows) if row >= 0], ())

    def _removed_cables(self) -> set[frozenset[End]]:
        """Return the ends of all cables of the versions that were in use before the version in use."""
        cables: set[frozenset[End]] = set()
        folder = None if self._folder is None else replaced_by(self._folder)
        while folder is not None:
            cables |= {frozenset(cable.ends) for cable in read_cabling(folder).plan.cables}
            folder = replaced_by(folder)
        return cables

    def with_aliases(self, seen: Sequence[PortRecord], tool: str) -> list[PortRecord]:
        """Return the port records, and for each switch port of an Ethernet bundle a record with all its names.

        The records of a table get the port names of the bundle instead, because a switch has not reported them.
        """
        if self._ethernet is None:
            return [*seen]
        made = self._ethernet.plan
        seen = as_named(made, seen)
        if tool != _TABLE.name:
            return [*seen, *port_aliases(made, seen)]
        names = own_ports(made)
        return [
            replace(
                record,
                port=names.get((record.device, record.port), record.port),
                neighbour_port=names.get((record.neighbour or "", record.neighbour_port or ""), record.neighbour_port),
            )
            for record in seen
        ]

    def has_other_ports(self, seen: Sequence[PortRecord], verdict: Verdict) -> bool:
        """Return whether a bundle and a table have the same cables between switches, but most at other ports.

        A cabling plan numbers ports in another way than a bundle, so its cables are such a table.
        """
        switches = {device.name for device in self.plan.devices if device.kind == "switch"}
        planned = Counter(frozenset(name for name, _ in cable.ends) for cable in self.plan.cables if cable.step)
        # A table has each cable once per end.
        listed = Counter(frozenset((port.device, port.neighbour or "")) for port in seen)
        between = {pair: count // 2 for pair, count in listed.items() if pair <= switches}
        is_mostly_wrong = 2 * sum(verdict.agreeing) < sum(verdict.planned)
        return self.is_bundle and is_mostly_wrong and between == planned


def is_bundle(place: str | PathLike[str]) -> bool:
    """Return whether a folder is a bundle."""
    return (Path(place) / BUNDLE).exists()


def read_cabling(place: str | PathLike[str]) -> BundleCabling:
    """Read the cabling plan of a bundle.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a bundle that cannot be read.
    """
    from tulle.deploy.ethernet.bundle import read_bundle as read_ethernet
    from tulle.deploy.infiniband.bundle import read_bundle as read_infiniband

    if is_ethernet_bundle(Path(place)):
        ethernet = read_ethernet(place)
        return BundleCabling(ethernet_cables(ethernet.plan), ethernet, opened(Path(place)))
    bundle = read_infiniband(place)
    return BundleCabling(_infiniband(bundle), folder=bundle.folder)


def _infiniband(bundle: Bundle) -> Plan:
    """Return the plan of an InfiniBand bundle. Every adapter is a device, which its GUID identifies."""
    labels = bundle.fabric.labels
    switches = [
        Device(label, "switch", "", 0, 0, 0, node_guid=address[0], port_guid=address[1])
        for label, address in zip(labels, bundle.switch_addresses, strict=True)
    ]
    devices: dict[int, Device] = {}
    taken = {*labels}
    rows = zip(host_ends(bundle.fabric), bundle.fabric.endpoint_names, bundle.endpoint_addresses, strict=True)
    for (host, _), name, address in rows:
        if address[0] not in devices:
            # The name of a host can be a bare number, or that of a switch or of another adapter.
            known = host or str(name)
            text = f"host {known}" if known.isdigit() or known in taken else known
            text = text if text not in taken else f"{text} (0x{address[0]:016x})"
            known_as = "" if known == text or known in taken else known
            devices[address[0]] = Device(text, "endpoint", "", 0, 0, 0, known_as, address[0])
            taken.add(text)
    hosts = [*devices.values()]
    ends = [(devices[address[0]].name, str(address[4])) for address in bundle.endpoint_addresses]
    ports, at = [*map(str, bundle.ports)], [*map(str, bundle.endpoint_ports)]
    return cable_plan(bundle.fabric, switches, hosts, ports, at, ends)
