"""Choose the breakout modes of SONiC's ports.

A breakout mode such as ``2x50G[25G,10G]`` divides a port into two of 50, 25 or 10 Gb/s. ``2x25G(2)+1x50G(2)`` has two
ports on the first two lanes and one on the others. A port in a mode is named after its first lane: if
``Ethernet0`` has four lanes, it has the ports ``Ethernet0`` and ``Ethernet2`` in the mode ``2x50G``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tulle._internal.text import brief
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.deploy.ethernet.sonic_ports import HardwarePort

__all__ = ["Platform", "Setting", "parse_mode"]

_PART = re.compile(r"(\d{1,2})x(\d{1,7}G?)((?:\[[^\]]*\]|\(\d{1,3}\))*)", re.ASCII)

_MBPS = 1_000_000


class Part(NamedTuple):
    """A port of a breakout mode."""

    lanes: int
    speeds: tuple[int, ...]
    """In Mb/s, the default first."""


def parse_mode(mode: str, lanes: int) -> list[Part]:
    """Return the ports into which a breakout mode divides a port with `lanes` lanes.

    Raises
    ------
    ValueError
        For a text that is not a breakout mode.
    """
    parts: list[Part] = []
    for text in mode.replace(" ", "").split("+"):
        match = _PART.fullmatch(text)
        count = int(match[1]) if match else 0
        if match is None or not count:
            raise ValueError(f"unknown breakout mode {mode}")
        others, width = re.search(r"\[(.*?)\]", match[3]), re.search(r"\((\d+)\)", match[3])
        texts = [match[2], *filter(None, others[1].split(",") if others else [])]
        speeds = (int(text.removesuffix("G")) * (1000 if text.endswith("G") else 1) for text in texts)
        shared = int(width[1]) if width else lanes
        each = shared // count
        if not each:
            raise ValueError(f"breakout mode {mode}: {count} ports cannot share {shared} lanes")
        parts += [Part(each, tuple(dict.fromkeys(speeds)))] * count
    return parts


class Setting(NamedTuple):
    """What ``hwsku.json`` says about a port."""

    mode: str
    fec: str


@dataclass(frozen=True)
class Platform:
    """The ports of a platform with their breakout modes."""

    modes: Mapping[str, Mapping[str, tuple[HardwarePort, ...]]]
    """For every port that can be broken out, its ports in each mode, the default mode first."""

    def with_modes(self, settings: Mapping[str, Setting]) -> Platform:
        """Return the ports that a ``hwsku.json`` lists, with its default breakout modes and FEC settings.

        Raises
        ------
        tulle.InputError
            For a mode that the port does not have, or if the file lists no port of the platform.
        """
        made = {}
        for parent, modes in self.modes.items():
            if parent not in settings:
                continue
            mode, fec = settings[parent]
            found, parts = _find(modes, mode)
            if found is None:
                raise InputError(f"--hwsku: {parent} has no mode {brief(mode)}; legal: {', '.join(modes)}")
            fixed = (
                replace(port, fec=fec or port.fec, mode=mode, speed=part.speeds[0])
                for port, part in zip(modes[found], parts, strict=True)
            )
            made[parent] = {mode: tuple(fixed)} | {each: ports for each, ports in modes.items() if each != found}
        if not made:
            raise InputError("--hwsku names no port of the platform; legal: a hwsku.json of the same platform")
        return Platform(made)

    def broken_out(self, mode: str) -> Platform:
        """Return the platform with `mode` as the default of every port that has it.

        Raises
        ------
        tulle.InputError
            If no port has the mode.
        """
        first = {parent: [each for each in modes if _is_short(each, mode)] for parent, modes in self.modes.items()}
        if not any(first.values()):
            known = dict.fromkeys(each for modes in self.modes.values() for each in modes)
            raise InputError(f"--breakout {brief(mode)}: no port has this mode; legal: {', '.join(known)}")
        made = {
            parent: {each: modes[each] for each in [*first[parent][:1], *modes]} for parent, modes in self.modes.items()
        }
        return Platform(made)

    def of(self, plan: EthernetPlan) -> dict[str, tuple[HardwarePort, ...]]:
        """Choose breakout modes by the port names and rates of the fabric; return the ports of each switch by its name.

        Raises
        ------
        tulle.InputError
            If a port has no breakout mode with the ports and rates of the fabric.
        """
        fabric = plan.fabric
        rates, hosts = fabric.link_rate.tolist(), fabric.endpoint_rate.tolist()
        found = {}
        for name, ports in zip(plan.names, plan.ports, strict=True):
            wanted = [
                (port.given, (hosts[port.endpoint or 0] if port.channel is None else rates[port.channel]) // _MBPS)
                for port in ports
                if port.given
            ]
            found[name] = self._at(name, wanted)
        return found

    def _at(self, switch: str, wanted: Sequence[tuple[str, int]]) -> tuple[HardwarePort, ...]:
        of: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for given, speed in wanted:
            # An unknown name is an error. It is raised later, when all legal names are known.
            for parent in self._parents.get(given, ()):
                of[parent].append((given, speed))
        ports: list[HardwarePort] = []
        for parent, modes in self.modes.items():
            here = of[parent]
            fits = next((inside for inside in modes.values() if self._has_all(inside, here)), None)
            if fits is None:
                names = ", ".join(f"{brief(name)} ({speed} Mb/s)" for name, speed in here)
                raise InputError(
                    f"{switch}: no breakout mode of {parent} has the ports {names}; legal: {', '.join(modes)}"
                )
            ports += fits
        return tuple(ports)

    @cached_property
    def _parents(self) -> dict[str, set[str]]:
        """Name or alias -> the ports that can be broken out into it. A text that is both counts as a name."""
        found: dict[str, set[str]] = defaultdict(set)
        for parent, modes in self.modes.items():
            for port in (port for inside in modes.values() for port in inside):
                found[port.name].add(parent)
                if port.alias not in self._names:
                    found[port.alias].add(parent)
        return found

    @cached_property
    def _names(self) -> set[str]:
        return {port.name for modes in self.modes.values() for inside in modes.values() for port in inside}

    def _has_all(self, ports: Sequence[HardwarePort], wanted: Sequence[tuple[str, int]]) -> bool:
        """Whether a mode has all `wanted` names or aliases, at their speeds; a negative speed means any speed."""
        known = {port.alias: port for port in ports if port.alias not in self._names}
        known |= {port.name: port for port in ports}
        return all(
            name in known and (speed < 0 or str(speed) in known[name].speeds.split(",")) for name, speed in wanted
        )


def _find(modes: Mapping[str, tuple[HardwarePort, ...]], mode: str) -> tuple[str | None, list[Part]]:
    """Find the mode with the same ports, lanes and speeds, as SONiC does: ``2x100G[200G]`` is ``2x200G[100G]``.

    The two modes differ only in their default speed. Also return the ports of the given mode.
    """
    lanes = max(sum(len(port.lanes.split(",")) for port in ports) for ports in modes.values())
    try:
        parts = parse_mode(mode, lanes)
    except ValueError:
        return None, []
    wanted = [(part.lanes, {*map(str, part.speeds)}) for part in parts]
    for each, ports in modes.items():
        if [(len(port.lanes.split(",")), {*port.speeds.split(",")}) for port in ports] == wanted:
            return each, parts
    return None, parts


def _is_short(mode: str, short: str) -> bool:
    """Whether `short` is the mode or its short form without further speeds and lanes: ``4x25G`` for ``4x25G[10G]``."""
    return mode.replace(" ", "") == short.replace(" ", "") or re.sub(r"\[.*?\]|\(.*?\)|\s", "", mode) == short
