"""``ports.csv``: the name of every port in the files of a bundle, and its name in the fabric."""

from __future__ import annotations

import csv
from dataclasses import replace
from typing import TYPE_CHECKING

from tulle._internal.reading import read_text
from tulle._internal.text import csv_row
from tulle.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.deploy.ethernet.plan import EthernetPlan, Port

__all__ = ["PORTS", "port_map", "with_port_map"]

PORTS = "ports.csv"
_COLUMNS = ("switch", "number", "port", "alias", "mac", "to", "to_port", "fabric_switch", "fabric_port")


def port_map(plan: EthernetPlan) -> str:
    """Write ``ports.csv``: a row per port of a switch, with its name in the fabric and what is connected."""
    rows = [csv_row(_COLUMNS)]
    for switch, ports in enumerate(plan.ports):
        head, label = plan.names[switch], plan.fabric.labels[switch]
        for port in ports:
            own = head, port.number, port.name, port.alias, port.mac
            rows.append(csv_row((*own, *_end(plan, port), label, port.given)))
    return "".join(f"{row}\n" for row in rows)


def _end(plan: EthernetPlan, port: Port) -> tuple[str, str]:
    if port.endpoint is not None:
        host = plan.hosts[port.endpoint]
        return host.name, host.interface
    switch, there = plan.peer(port)
    return plan.names[switch], there.name


def with_port_map(plan: EthernetPlan, path: Path, named_for: str) -> EthernetPlan:
    """Return a plan with the port names of a ``ports.csv``; `named_for` is the system that uses these names.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or does not belong to the plan.
    """
    known: dict[tuple[str, str], dict[str, str]] = {}
    for row in csv.DictReader(read_text(path).splitlines(), strict=True):
        known[row.get("switch") or "", row.get("number") or ""] = row
    ports = []
    for switch, name in enumerate(plan.names):
        found = []
        for port in plan.ports[switch]:
            entry = known.get((name, str(port.number)), {})
            texts = [entry.get(column) for column in ("port", "alias", "fabric_port")]
            if not texts[0] or None in texts:
                raise FormatError(f"{path}: no port {port.number} of {name}; legal: as `tulle deploy` writes it")
            found.append(replace(port, name=texts[0], alias=texts[1] or "", given=texts[2] or ""))
        ports.append(tuple(found))
    return replace(plan, ports=tuple(ports), named_for=named_for)
