"""Lossless Ethernet: map the virtual channels of a plan to priorities of priority flow control (IEEE 802.1Qbb).

Each virtual channel is a priority. The receiving switch of a cable pauses each priority separately, and the sending
switch has a queue for each. The DSCP of a packet determines its priority. If packets keep their virtual channel along
the path, hosts mark them and no switch changes the mark. If the virtual channel changes at every hop, a switch puts the
packet into the traffic class of its next virtual channel and rewrites the DSCP accordingly.

Flattened Clos §2.1.3: "Do not put multicast and broadcast packets into lossless classes", and "Use a different lossless
class for rerouted packets". So one priority always stays free for traffic that is not in the plan.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tulle.errors import InputError
from tulle.fabric.link_rules import rules_for_unknown

if TYPE_CHECKING:
    from tulle.fabric import Fabric
    from tulle.routing.vc_plan import VcPlan

__all__ = ["MOST_LOSSLESS", "Headroom", "Priorities", "headroom", "priorities", "read_headroom"]

Table = dict[str, dict[str, Any]]

PRIORITIES = 8
"""The number of IEEE 802.1Q priorities, and of traffic classes and queues of a port."""
MOST_LOSSLESS = PRIORITIES - 1
"""The largest number of lossless priorities: one stays free for traffic that is not in the plan."""
LOSSY = 0
"""The priority, traffic class and DSCP of traffic that is not in the plan."""
# The order in which priorities are used. Operators, and SONiC's defaults, use 3 and 4 for lossless traffic.
_ORDER = (3, 4, 5, 6, 7, 2, 1)

# IEEE 802.3 31B.3.7: the time in pause quanta (512 bit times) within which a station must stop, by rate in Mb/s.
_PAUSE_QUANTA = {
    100: 1,
    1_000: 2,
    10_000: 67,
    25_000: 80,
    40_000: 118,
    50_000: 147,
    100_000: 394,
    200_000: 453,
    400_000: 905,
    800_000: 905,
}
_QUANTUM = 512 // 8
_METRES_PER_SECOND = 198_000_000
"""The speed of light in fibre."""
_SMALLEST_FRAME = 64


@dataclass(frozen=True)
class Priorities:
    """The mapping of virtual channels to priorities and DSCPs. Made by `priorities`."""

    of_vc: tuple[int, ...]
    """The priority of every virtual channel, which is also its DSCP."""
    of_sl: tuple[int, ...]
    """The DSCP that hosts set for every service level: that of the first virtual channel on its paths."""
    by_hop: bool
    """Whether the virtual channel changes at every hop, so that switches rewrite the DSCP."""
    end_class: int | None
    """If the virtual channel changes at every hop: the traffic class of packets that arrive on the last virtual
    channel. These packets go only to hosts."""

    @property
    def lossless(self) -> tuple[int, ...]:
        """The lossless priorities in use, ascending."""
        return tuple(sorted(self.of_vc))


def priorities(plan: VcPlan, lossless: int = MOST_LOSSLESS) -> Priorities:
    """Choose priorities for the virtual channels of a plan.

    Parameters
    ----------
    plan
        The plan, with its proof.
    lossless
        The number of lossless priorities of the switches, 1 to 7.

    Raises
    ------
    tulle.InputError
        For a plan that needs too many priorities, or whose next virtual channel does not follow from the current one.

    Examples
    --------
    >>> import tulle
    >>> fabric = tulle.Fabric("flattenedclos:switches=50,ports=32,layers=4,p=14")
    >>> priorities(tulle.route(fabric, "virtual-updown").assign_vcs("one-vc")).lossless
    (3,)
    """
    if not 1 <= lossless <= MOST_LOSSLESS:
        raise InputError(
            f"--lossless {lossless} is out of range; legal: 1 to {MOST_LOSSLESS}, because one of {PRIORITIES} "
            "priorities stays free for traffic that is not in the plan"
        )
    table = plan.vc
    if table is None:
        raise InputError(
            f"{plan.spec}: the virtual channel depends on the switch, as in an InfiniBand bundle; legal: a plan that "
            "Routing.assign_vcs returns"
        )
    if table.shape[0] > 1:
        raise InputError(
            f"{plan.spec}: the virtual channel depends on the phase of a path, which a DSCP cannot encode; legal: "
            "one-vc, dfsssp, lash, hops, or colouring"
        )
    rows = table[0].tolist()
    if plan.num_vcs > lossless:
        raise InputError(
            f"{plan.spec} needs {plan.num_vcs} lossless priorities, switches have {lossless}; legal: a scheme or "
            f"routing with at most {lossless} virtual channels"
        )
    chosen = sorted(_ORDER[: plan.num_vcs])
    if table.shape[2] == 1:
        return Priorities(tuple(chosen), tuple(chosen[row[0]] for row in rows), by_hop=False, end_class=None)
    if any(row != [*range(plan.num_vcs)] for row in rows):
        raise InputError(
            f"{plan.spec}: a switch cannot choose the next virtual channel, because it knows only the current one; "
            "legal: one-vc, dfsssp, lash, or hops"
        )
    if plan.num_vcs == 1:
        return Priorities(tuple(chosen), (chosen[0],) * len(rows), by_hop=False, end_class=None)
    spare = [number for number in range(1, PRIORITIES) if number not in chosen]
    if not spare:
        raise InputError(
            f"{plan.spec} changes the priority at every hop and needs {plan.num_vcs + 2} traffic classes, but "
            f"switches have {PRIORITIES}; legal: at most {PRIORITIES - 2} virtual channels, or a scheme whose packets "
            "keep their virtual channel, for example dfsssp"
        )
    return Priorities(tuple(chosen), (chosen[0],) * len(rows), by_hop=True, end_class=spare[0])


@dataclass(frozen=True)
class Headroom:
    """The parameters of the buffer headroom: the space for packets that still arrive after a switch asks for a pause.

    The formula is SONiC's (sonic-swss, ``buffer_headroom_mellanox.lua``). It adds the frame that the switch has begun
    to send before the pause frame, the frame that the peer has begun to send, the bytes on the cable in both
    directions, the bytes that the peer sends until it stops (IEEE 802.3 31B.3.7), and the bytes in MAC and PHY. All
    terms except `lossless_mtu` are multiplied by a factor, because small packets do not fill the cells of the buffer.
    Prefer the numbers of your own switches to these defaults.
    """

    mtu: int = 9100
    """The largest frame of other traffic in bytes; the default is SONiC's default MTU of ports."""
    lossless_mtu: int = 4096 + 128
    """The largest lossless frame in bytes: the largest MTU of RoCE plus its headers."""
    mac_phy: int = 819
    """The bytes in MAC and PHY; the default is the 0.8 KiB in SONiC's tables of ASICs."""
    cell: int = 256
    """The size of a buffer cell in bytes; the default is the largest in SONiC's tables of ASICs."""
    small_packets: float = 1.0
    """The fraction of small packets, 0 to 1."""
    xon: int = 19 * 1024
    """The queue length in bytes below which the pause ends; the default is SONiC's pipeline latency, 19 KiB."""

    def xoff(self, rate_mbps: int, metres: float) -> int:
        """Compute the headroom of one priority of a port in bytes, rounded up to KiB.

        Raises
        ------
        tulle.InputError
            For a rate whose pause response IEEE 802.3 does not specify.
        """
        if rate_mbps not in _PAUSE_QUANTA:
            legal = ", ".join(str(rate) for rate in sorted(_PAUSE_QUANTA))
            raise InputError(
                f"{rate_mbps} Mb/s: IEEE 802.3 31B.3.7 has no pause response time for this rate; legal: {legal} Mb/s"
            )
        cable = 2 * metres / _METRES_PER_SECOND * rate_mbps * 1e6 / 8
        response = _PAUSE_QUANTA[rate_mbps] * _QUANTUM
        large = self.cell > 2 * _SMALLEST_FRAME
        worst = self.cell / _SMALLEST_FRAME if large else 2 * self.cell / (1 + self.cell)
        cells = 1 - self.small_packets + self.small_packets * worst
        return math.ceil((self.lossless_mtu + (self.mtu + cable + self.mac_phy + response) * cells) / 1024) * 1024


_RANGES: dict[str, tuple[float, float]] = {
    "mtu": (64, 65535),
    "lossless_mtu": (64, 65535),
    "mac_phy": (0, 1 << 20),
    "cell": (1, 1 << 16),
    "small_packets": (0, 1),
    "xon": (0, 1 << 24),
}


def read_headroom(text: str) -> Headroom:
    """Parse headroom parameters, for example ``mtu=9100,cell=96,small_packets=0.5``; missing ones keep their defaults.

    Raises
    ------
    tulle.InputError
        For an unknown name, or a value out of range.

    Examples
    --------
    >>> read_headroom("cell=96,small_packets=0.5").xoff(100_000, 5)
    58368
    """
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        if name not in _RANGES or name in found:
            raise InputError(f"--headroom {part}: unknown or repeated; legal: {', '.join(_RANGES)}, once each")
        least, most = _RANGES[name]
        whole = name != "small_packets"
        try:
            number = int(value) if whole else float(value)
        except ValueError:
            number = math.nan
        if not least <= number <= most:
            kind = "bytes" if whole else "a fraction"
            raise InputError(f"--headroom {name}={value} is out of range; legal: {kind}, {least} to {most}")
        found[name] = number
    return replace(Headroom(), **found)  # type: ignore[arg-type]


def headroom(fabric: Fabric, channel: int | None, endpoint: int | None, sizes: Headroom) -> tuple[int, int, int]:
    """Compute the rate in Mb/s, the cable length in metres (rounded up) and the headroom in bytes of a port.

    Raises
    ------
    tulle.InputError
        For a link whose rate or length is unknown.
    """
    if channel is not None:
        where, rate, length = f"channel {channel}", fabric.link_rate[channel], fabric.link_length[channel]
    else:
        assert endpoint is not None
        where, rate, length = f"endpoint {endpoint}", fabric.endpoint_rate[endpoint], fabric.endpoint_length[endpoint]
    for name, value, example in (("rate", rate, "100Gbps"), ("length", length, "5m")):
        if value < 0:
            raise InputError(
                f"the {name} of the link of {where} is unknown, and headroom depends on it; legal: "
                f"{rules_for_unknown(fabric, name, example)}, or a fabric that specifies it"
            )
    mbps, metres = int(rate) // 1_000_000, -(-int(length) // 1000)
    return mbps, metres, sizes.xoff(mbps, metres)
