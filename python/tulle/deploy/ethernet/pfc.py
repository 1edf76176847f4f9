"""Lossless Ethernet: the virtual channels of a plan as priorities of priority flow control (IEEE 802.1Qbb).

A virtual channel is a priority on the wire: the switch at the end of a cable pauses it, and the switch before it
queues by it. The priority of a packet is told by its DSCP. Where a plan keeps packets on their virtual channel, hosts
mark them and no switch changes that. Where it takes another one per hop, a switch puts a packet into the traffic class
of the virtual channel that it leaves on and rewrites its DSCP to that.

Flattened Clos §2.1.3: "Do not put multicast and broadcast packets into lossless classes", and "Use a different lossless
class for rerouted packets".
So one priority always stays for all that is not in the plan.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.fabric import Fabric
    from tulle.routing.vc_plan import VcPlan

__all__ = ["MOST_LOSSLESS", "Headroom", "Priorities", "headroom", "priorities", "read_headroom"]

Table = dict[str, dict[str, Any]]

PRIORITIES = 8
"""Priorities of IEEE 802.1Q, traffic classes and queues of a port."""
MOST_LOSSLESS = PRIORITIES - 1
"""Lossless priorities: one stays for all that is not in the plan."""
LOSSY = 0
"""The priority, traffic class and DSCP of that."""
# Operators have their lossless traffic on 3 and 4, as SONiC's own defaults do.
_ORDER = (3, 4, 5, 6, 7, 2, 1)

# IEEE 802.3 31B.3.7: pause quanta (512 bit times) within which a station stops, by its rate in Mb/s.
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
"""Of light in fibre."""
_SMALLEST_FRAME = 64


@dataclass(frozen=True)
class Priorities:
    """How the virtual channels of a plan are told apart on Ethernet. Made by `priorities`."""

    of_vc: tuple[int, ...]
    """The priority, and DSCP, of every virtual channel."""
    of_sl: tuple[int, ...]
    """The DSCP that hosts give packets of every service level: that of the first virtual channel of their paths."""
    by_hop: bool
    """Whether the virtual channel is another one at every hop, so that switches rewrite the DSCP."""
    end_class: int | None
    """Where they do, the traffic class of packets on the last virtual channel: they go to hosts alone."""

    @property
    def lossless(self) -> tuple[int, ...]:
        """The priorities in use, ascending."""
        return tuple(sorted(self.of_vc))


def priorities(plan: VcPlan, lossless: int = MOST_LOSSLESS) -> Priorities:
    """Priorities for the virtual channels of a plan.

    Parameters
    ----------
    plan
        The plan, with its proof.
    lossless
        Lossless priorities that switches have, 1 to 7.

    Raises
    ------
    tulle.InputError
        For a plan that needs more, or whose virtual channels do not follow from the ones before.

    Examples
    --------
    >>> import tulle
    >>> fabric = tulle.Fabric("flattenedclos:switches=50,ports=32,layers=4,p=14")
    >>> priorities(tulle.route(fabric, "virtual-updown").assign_vcs("one-vc")).lossless
    (3,)
    """
    if not 1 <= lossless <= MOST_LOSSLESS:
        raise InputError(
            f"--lossless {lossless} is out of range; legal: 1 to {MOST_LOSSLESS}: of {PRIORITIES} priorities one stays "
            f"for "
            "what is not in the plan"
        )
    table = plan.vc
    if table.shape[0] > 1:
        raise InputError(
            f"{plan.spec}: the virtual channel depends on the phase of a path, which no DSCP tells; legal: one-vc, "
            f"dfsssp, "
            "lash, hops, or colouring"
        )
    rows = table[0].tolist()
    if plan.num_vcs > lossless:
        raise InputError(
            f"{plan.spec} needs {plan.num_vcs} lossless priorities, switches have {lossless}; legal: a scheme or "
            f"routing "
            f"of at most {lossless} virtual channels"
        )
    chosen = sorted(_ORDER[: plan.num_vcs])
    if table.shape[2] == 1:
        return Priorities(tuple(chosen), tuple(chosen[row[0]] for row in rows), by_hop=False, end_class=None)
    if any(row != [*range(plan.num_vcs)] for row in rows):
        raise InputError(
            f"{plan.spec}: the virtual channel after a hop does not follow from the one before, and a switch knows no "
            f"more "
            "of a packet; legal: one-vc, dfsssp, lash, or hops"
        )
    if plan.num_vcs == 1:
        return Priorities(tuple(chosen), (chosen[0],) * len(rows), by_hop=False, end_class=None)
    spare = [number for number in range(1, PRIORITIES) if number not in chosen]
    if not spare:
        raise InputError(
            f"{plan.spec} changes the priority at every hop and needs {plan.num_vcs + 2} traffic classes, switches "
            f"have "
            f"{PRIORITIES}; legal: at most {PRIORITIES - 2} virtual channels, or a scheme that keeps them, as dfsssp"
        )
    return Priorities(tuple(chosen), (chosen[0],) * len(rows), by_hop=True, end_class=spare[0])


@dataclass(frozen=True)
class Headroom:
    """What a switch needs beside its buffers so that no packet is lost after it asked for a pause.

    After SONiC's own formula (sonic-swss, ``buffer_headroom_mellanox.lua``): a frame that the switch itself has begun
    to send, before the pause frame; a frame that the other has begun; what is on the cable in both directions; what
    the other sends until it stops (IEEE 802.3 31B.3.7); what is in MAC and PHY; and, as buffers are cells, the share
    of cells that small packets leave empty. The numbers of your own switches go before these.
    """

    mtu: int = 9100
    """Bytes of the largest frame of other traffic: SONiC's default for ports."""
    lossless_mtu: int = 4096 + 128
    """Bytes of the largest lossless frame: the largest MTU of RoCE, and its headers."""
    mac_phy: int = 819
    """Bytes in MAC and PHY: 0.8 KiB in SONiC's tables of ASICs."""
    cell: int = 256
    """Bytes of a cell of the buffer: the largest in SONiC's tables of ASICs."""
    small_packets: float = 1.0
    """The share of small packets, 0 to 1."""
    xon: int = 19 * 1024
    """Bytes of the queue below which the pause ends: the latency of the pipeline in SONiC's tables."""

    def xoff(self, rate_mbps: int, metres: float) -> int:
        """Bytes for a priority of a port, in whole KiB.

        Raises
        ------
        tulle.InputError
            For a rate whose pause response IEEE 802.3 does not say.
        """
        if rate_mbps not in _PAUSE_QUANTA:
            legal = ", ".join(str(rate) for rate in sorted(_PAUSE_QUANTA))
            raise InputError(
                f"{rate_mbps} Mb/s: IEEE 802.3 31B.3.7 says no pause response for this rate; legal: {legal} Mb/s"
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
    """Sizes as ``mtu=9100,cell=96,small_packets=0.5``; what is not named stays.

    Raises
    ------
    tulle.InputError
        For another name, or a value out of range.

    Examples
    --------
    >>> read_headroom("cell=96,small_packets=0.5").xoff(100_000, 5)
    58368
    """
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        if name not in _RANGES or name in found:
            raise InputError(f"--headroom {part}: no such size, or twice; legal: {', '.join(_RANGES)}, once each")
        least, most = _RANGES[name]
        whole = name != "small_packets"
        try:
            number = int(value) if whole else float(value)
        except ValueError:
            number = math.nan
        if not least <= number <= most:
            kind = "bytes" if whole else "a share"
            raise InputError(f"--headroom {name}={value} is out of range; legal: {kind}, {least} to {most}")
        found[name] = number
    return replace(Headroom(), **found)  # type: ignore[arg-type]


def headroom(fabric: Fabric, channel: int | None, endpoint: int | None, sizes: Headroom) -> tuple[int, int, int]:
    """Of the port at a channel or an endpoint: rate in Mb/s, metres of cable rounded up, and bytes of headroom.

    Raises
    ------
    tulle.InputError
        For a link whose rate or length is not known.
    """
    if channel is not None:
        where, rate, length = f"channel {channel}", fabric.link_rate[channel], fabric.link_length[channel]
    else:
        assert endpoint is not None
        where, rate, length = f"endpoint {endpoint}", fabric.endpoint_rate[endpoint], fabric.endpoint_length[endpoint]
    for name, value, example in (("rate", rate, "rate=100Gbps"), ("length", length, "length=5m")):
        if value < 0:
            raise InputError(
                f"the {name} of the link of {where} is not known, and headroom follows from it; legal: --link "
                f"all:{example}, or a fabric that says it"
            )
    mbps, metres = int(rate) // 1_000_000, -(-int(length) // 1000)
    return mbps, metres, sizes.xoff(mbps, metres)
