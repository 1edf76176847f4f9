"""The ports of a SONiC switch: their names, aliases, lanes and speeds, from the platform or by SONiC's usual rule."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from tulle.deploy.ethernet.port_names import Naming, named
from tulle.errors import FormatError, InputError
from tulle.fabric.link_rules import rules_for_unknown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tulle.deploy.ethernet.bundle import Header
    from tulle.deploy.ethernet.plan import EthernetPlan, Port

__all__ = ["FEC", "Hardware", "HardwarePort", "SonicNaming", "fec_of", "hardware_at", "hardware_of", "sonic_names"]

FEC = ("rs", "fc", "none", "auto")
"""The modes of forward error correction in SONiC's model of ports."""
_LANES = 4
_NAME = re.compile(r"Ethernet(0|[1-9][0-9]{0,3})", re.ASCII)
_MBPS = 1_000_000
# The speeds in Mb/s of Ethernet ports on existing switches with SONiC. SONiC's YANG model of ports allows any number.
_SPEEDS = (10, 100, 1000, 2500, 5000, 10_000, 20_000, 25_000, 40_000, 50_000, *(100_000 << at for at in range(5)))


@dataclass(frozen=True)
class HardwarePort:
    """A port as SONiC names it."""

    name: str
    lanes: str
    alias: str
    index: int
    speed: int = 0
    """The port's default speed in Mb/s; 0 if unknown."""
    fec: str = ""
    """The mode of forward error correction at the default speed; empty if the platform does not state it."""
    subport: str = ""
    """The port's number among those of its breakout mode, from 1; 0 if it is the only one; empty if unknown."""
    speeds: str = ""
    """All speeds in Mb/s that the port supports, separated by commas; empty: every speed up to the default."""
    parent: str = ""
    """The port that is broken out."""
    mode: str = ""
    """The breakout mode of the parent."""


Hardware = tuple[HardwarePort, ...] | Mapping[str, tuple[HardwarePort, ...]] | None
"""The ports of the platform: a tuple for all switches, or a tuple per switch by its name; None if unknown."""


class SonicNaming(Naming):
    """The port names of SONiC: ``Ethernet<N>``, where N is the port's first lane, counted from 0, on most platforms."""

    target = "SONiC"

    def __init__(self, hardware: tuple[HardwarePort, ...] | None = None, *, needs_lanes: bool = True) -> None:
        self.hardware = hardware
        self._needs_lanes = needs_lanes
        self._by_name = {port.name: port for port in hardware or ()}
        # Operators and LLDP also name a port by its alias. Some platforms give several ports one alias.
        times = Counter(port.alias for port in hardware or ())
        self._of_alias = {port.alias: port.name for port in hardware or () if times[port.alias] == 1}
        self.legal = "Ethernet<N>, where N is a multiple of 4 unless --port-config gives the lanes of the platform"
        if hardware:
            some = [port.name for port in hardware[:2]] + (["…"] if len(hardware) > 3 else [])
            some += [port.name for port in hardware[2:][-1:]]
            self.legal = f"a name or an alias of --port-config: {', '.join(some)}"

    def problem(self, name: str) -> str:
        """Return why no port of the platform has this name; empty if there is one."""
        if self.hardware is not None:
            return "" if name in self._by_name else "is not a port of the platform"
        if not _NAME.fullmatch(name):
            return "is not named Ethernet<N>"
        return "is not the first of four lanes" if self._needs_lanes and _first_lane(name) % _LANES else ""

    def translate(self, name: str) -> str:
        """Return the port's name if `name` is its alias."""
        return name if name in self._by_name else self._of_alias.get(name, name)

    def alias(self, name: str) -> str:
        """Return the alias of a port, which SONiC announces by LLDP."""
        return self._by_name[name].alias if self.hardware is not None else _default(name).alias

    def own(self, number: int) -> Iterable[str]:
        """Return the platform's ports from this number on. Without a platform, port n is ``Ethernet<4·(n − 1)>``."""
        if self.hardware is None:
            return (f"Ethernet{_LANES * (each - 1)}" for each in count(number))
        return (port.name for port in self.hardware[number - 1 :])


def _first_lane(name: str) -> int:
    return int(name.removeprefix("Ethernet"))


def _default(name: str) -> HardwarePort:
    """A port with four lanes."""
    first = _first_lane(name)
    number = first // _LANES + 1
    lanes = ",".join(str(first + lane + 1) for lane in range(_LANES))
    return HardwarePort(name, lanes, f"Eth{number}", number)


def is_sonic_name(name: str) -> bool:
    """Whether a port of a platform is a port for cables. Chassis also have internal ports, such as ``Ethernet-BP0``."""
    return _NAME.fullmatch(name) is not None


def sonic_names(plan: EthernetPlan, hardware: Hardware) -> EthernetPlan:
    """Return the plan with SONiC's port names.

    Raises
    ------
    tulle.InputError
        For a port that SONiC or the platform does not have.
    """
    if isinstance(hardware, Mapping):
        return named(plan, [SonicNaming(hardware[name]) for name in plan.names])
    return named(plan, SonicNaming(hardware))


def hardware_at(plan: EthernetPlan, switch: int, port: Port, hardware: Hardware) -> HardwarePort:
    """Return the platform's description of a port (which has SONiC's name); four lanes if the platform is unknown."""
    ports = hardware[plan.names[switch]] if isinstance(hardware, Mapping) else hardware
    return _default(port.name) if ports is None else next(own for own in ports if own.name == port.name)


def speed_of(plan: EthernetPlan, switch: int, port: Port, own: HardwarePort) -> int:
    """The speed of a port in Mb/s: its speed in the fabric, otherwise the default of the platform.

    Raises
    ------
    tulle.InputError
        If neither speed is known, or the port does not support the speed in the fabric.
    """
    fabric = plan.fabric
    rate = int(fabric.endpoint_rate[port.endpoint] if port.channel is None else fabric.link_rate[port.channel])
    where = f"{plan.names[switch]} port {port.name}"
    if rate < 0:
        if own.speed:
            return own.speed
        rules = rules_for_unknown(fabric, "rate", "100Gbps")
        raise InputError(
            f"{where}: its rate is unknown, and SONiC needs it; legal: {rules}, or a fabric that specifies it"
        )
    speed = rate // _MBPS
    if rate % _MBPS or (not own.speeds and speed not in (*_SPEEDS, own.speed)):
        legal = ", ".join(f"{each / 1000:g}" for each in _SPEEDS)
        raise InputError(f"{where}: {rate / 1e9:.15g} Gb/s is not a speed of a SONiC port; legal: {legal} Gb/s")
    if own.speeds and str(speed) not in own.speeds.split(","):
        raise InputError(
            f"{where}: {speed} Mb/s is not a speed of its breakout mode {own.mode}; legal: "
            f"{own.speeds.replace(',', ', ')} Mb/s, or another --breakout"
        )
    if not own.speeds and own.speed and speed > own.speed:
        raise InputError(f"{where}: {speed} Mb/s is too fast for the port; legal: at most {own.speed} Mb/s")
    return speed


def fec_of(own: HardwarePort, speed: int) -> str:
    """The mode of forward error correction of a port; empty: the switch decides.

    At its default speed, the port has the mode that the platform states. Otherwise, as in SONiC (sonic-config-engine),
    ports of 100 Gb/s and ports with at least 50 Gb/s per lane use RS-FEC. For other ports, the mode depends on the
    cable, so the switch decides.
    """
    if own.fec and own.speed in (0, speed):
        return own.fec
    return "rs" if speed == 100_000 or speed // len(own.lanes.split(",")) >= 50_000 else ""


def hardware_fields(hardware: Hardware, plan: EthernetPlan) -> Any:
    """The ports of a platform for ``bundle.json``. If they differ between switches, only ports in use are included."""
    if not isinstance(hardware, Mapping):
        return None if hardware is None else [list(astuple(port)) for port in hardware]
    used = {name: {port.name for port in ports} for name, ports in zip(plan.names, plan.ports, strict=True)}
    return {
        name: [list(astuple(port)) for port in hardware[name] if port.name in ports] for name, ports in used.items()
    }


def hardware_of(header: Header) -> Hardware:
    """Read the ports of a platform from the header of a bundle; None if it was written for the default ports.

    Raises
    ------
    tulle.FormatError
        For a bundle with invalid ports.
    """
    rows = header.options.get("hardware")
    if rows is None:
        return None
    try:
        if isinstance(rows, Mapping):
            return {str(name): tuple(_port(row) for row in each) for name, each in rows.items()}
        return tuple(_port(row) for row in rows)
    except (TypeError, ValueError):
        raise FormatError("bundle.json: invalid option 'hardware'; legal: as tulle deploy sonic writes it") from None


def _port(row: Sequence[Any]) -> HardwarePort:
    name, lanes, alias, index, *more = row
    speed, *texts = more or (0,)
    return HardwarePort(str(name), str(lanes), str(alias), int(index), int(speed), *map(str, texts))
