"""The names of switch ports: the fabric's names; for ports without a name, names that the target chooses."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from tulle._internal.text import brief, counted
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tulle.deploy.ethernet.plan import EthernetPlan, Port

__all__ = ["LINUX", "OVS", "Naming", "given_name", "kept_names", "named"]

_LONGEST = 15
"""The longest name of an interface in Linux, in bytes (IFNAMSIZ - 1)."""
# The kernel allows almost every byte, but names are written into shell scripts and into files of `ip -batch` and FRR.
_LEGAL = re.compile(r"(?=.*[A-Za-z])[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)
# `lo` exists in every namespace. The kernel uses `all` and `default` for the settings of all and of new interfaces.
_RESERVED = frozenset({"lo", "all", "default"})
# In a route, FRR reads these words as keywords, not as interfaces.
_FRR = frozenset({"null0", "blackhole", "reject"})
_BRIDGE = "fabric"
"""The bridge of Open vSwitch, which is an interface too."""


def given_name(port: str) -> str:
    """The name of a port in a fabric; empty for a number, which identifies a port but names no interface."""
    return "" if port.isascii() and port.isdigit() else port


class Naming:
    """The rules for port names of a target. This class has the rules of Linux; other targets override its methods."""

    target = "Linux"
    legal = "at most 15 letters (one or more), digits, '.', '_' and '-', the first a letter or digit"
    reserved = _RESERVED | _FRR

    def problem(self, name: str) -> str:
        """Return why the target cannot have a port of that name; empty if it can."""
        if len(name.encode()) > _LONGEST:
            return f"has {len(name.encode())} bytes"
        if not _LEGAL.fullmatch(name):
            if wrong := next((char for char in name if not _LEGAL.fullmatch(f"a{char}")), ""):
                return f"has the character {wrong!r}"
            return f"begins with {name[:1]!r}" if re.search(r"[A-Za-z]", name) else "has no letter"
        return "is reserved" if name.casefold() in self.reserved else ""

    def translate(self, name: str) -> str:
        """Return the target's name of a port that the fabric calls `name`."""
        return name

    def alias(self, name: str) -> str:  # noqa: ARG002
        """Return another name under which the system announces the port; empty if there is none."""
        return ""

    def own(self, number: int) -> Iterable[str]:
        """Yield names that the target itself would give the port with this number, the preferred name first."""
        return (f"eth{each}" for each in count(number))


class _OpenVSwitch(Naming):
    target = "Open vSwitch"
    reserved = _RESERVED | {_BRIDGE, "local", "none"}


LINUX = Naming()
"""The names of interfaces in Linux and FRR."""
OVS = _OpenVSwitch()


def named(plan: EthernetPlan, naming: Naming | Sequence[Naming]) -> EthernetPlan:
    """Return the plan with the port names of a target; a plan that already has them is unchanged.

    If the switches have different platforms, `naming` has a naming per switch.

    Raises
    ------
    tulle.InputError
        For a port name of the fabric that the target cannot have, or for two ports of a switch with the same name.
    """
    each = [naming] * len(plan.ports) if isinstance(naming, Naming) else naming
    target = each[0].target
    if plan.named_for == target:
        return plan
    rows = zip(plan.fabric.labels, plan.ports, each, strict=True)
    return replace(plan, ports=tuple(tuple(_named(*row)) for row in rows), named_for=target)


def _named(label: str, ports: Sequence[Port], naming: Naming) -> Iterator[Port]:
    taken: dict[str, str] = {}
    for port in ports:
        if not port.given:
            continue
        name = naming.translate(port.given)
        if problem := naming.problem(name):
            raise InputError(
                f"{brief(label)}: port '{brief(port.given)}' {problem}, which {naming.target} does not allow; "
                f"legal: {naming.legal}"
            )
        if name in taken:
            raise InputError(
                f"{brief(label)}: the ports {brief(taken[name])} and {brief(port.given)} of the fabric would both be "
                f"named {brief(name)}; legal: port names that differ"
            )
        taken[name] = port.given
    for port in ports:
        name = naming.translate(port.given) if port.given else ""
        if not name:
            found = next((each for each in naming.own(port.number) if each not in taken), None)
            if found is None:
                raise InputError(
                    f"{label} uses port {port.number}, but the platform has "
                    f"{counted(sum(1 for _ in naming.own(1)), 'port')}; legal: a --port-config with enough ports"
                )
            name = found
            taken[name] = ""
        yield replace(port, name=name, alias=naming.alias(name))


def kept_names(plan: EthernetPlan, old: EthernetPlan, switches: Sequence[int]) -> EthernetPlan:
    """Return a repaired plan with the port names of the plan `old`; `switches` has the old id of each switch."""
    before: list[Mapping[int, Port]] = [old.by_number[switch] for switch in switches]
    ports = tuple(
        tuple(
            replace(port, name=known[port.number].name, given=known[port.number].given, alias=known[port.number].alias)
            for port in row
        )
        for row, known in zip(plan.ports, before, strict=True)
    )
    return replace(plan, ports=ports, named_for=old.named_for)
