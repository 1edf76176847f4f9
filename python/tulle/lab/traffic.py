"""Measure connections between hosts of a lab, optionally with faults during the measurement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tulle._internal.html_summary import Overview, Shown
from tulle.deploy.ethernet.hosts.flowlets import FLOWLETS, HASH
from tulle.errors import InputError
from tulle.lab.faults import SHARE, shapings
from tulle.lab.names import near
from tulle.lab.sandbox import need

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tulle.deploy.ethernet.plan import EthernetPlan, Host
    from tulle.lab.faults import Cable, Kind
    from tulle.lab.sandbox import Sandbox

__all__ = ["KINDS", "Event", "Measured", "Stream", "host", "measure"]

Mode = Literal["tcp", "mptcp", "flowlets", "hash"]
KINDS: tuple[Mode, ...] = ("tcp", "mptcp", "flowlets", "hash")

_INTERVAL = 0.5
_FIRST_PORT = 5201
_FILES: dict[str, tuple[str, str]] = {"flowlets": ("flowlets.nft", FLOWLETS), "hash": ("hash.nft", HASH)}
# Mean rates exclude this many seconds at the start of a connection.
_SETTLE = 1.0


@dataclass(frozen=True)
class Stream(Shown):
    """The connections from one host to another."""

    source: Host
    destination: Host
    flows: int = 1
    """The number of connections."""


@dataclass(frozen=True)
class Event(Shown):
    """A fault or its repair during the traffic."""

    at: float
    """The time in seconds after the start of the traffic."""
    cable: Cable
    kind: Kind = "down"
    heal: bool = False
    share: float = SHARE
    """The rate of a slow cable, as a fraction of its normal rate."""


@dataclass(frozen=True)
class Measured(Shown):
    """The result of a stream."""

    stream: Stream
    kind: Mode
    mbps: tuple[float, ...]
    """The received payload rate in every interval, in Mbit/s."""
    ends: tuple[float, ...]
    """The end of each interval in seconds."""
    subflows: int
    """The number of additional MPTCP subflows that the destination host accepted, from all streams."""

    @property
    def mean(self) -> float:
        """The mean rate in Mbit/s after the first second."""
        return self.between(_SETTLE, self.ends[-1])

    def _overview(self) -> Overview:
        stream = self.stream
        values = {
            "source": stream.source.name,
            "destination": stream.destination.name,
            "flows": stream.flows,
            "subflows": self.subflows,
            "mean": self.mean,
        }
        rows = [{"until": end, "rate": rate} for end, rate in zip(self.ends, self.mbps, strict=True)]
        units = {"mean": "Mbit/s", "rate": "Mbit/s", "until": "s"}
        return Overview("Measured stream", self.kind, values, units=units, rows=rows)

    def between(self, first: float, last: float) -> float:
        """The mean rate in Mbit/s over the intervals between two times in seconds."""
        begin = 0.0
        chosen, weights = [], []
        for mbps, end in zip(self.mbps, self.ends, strict=True):
            if begin >= first - 1e-6 and end <= last + 1e-6 and end > begin:
                chosen.append(mbps)
                weights.append(end - begin)
            begin = end
        total = sum(weights)
        return sum(value * weight for value, weight in zip(chosen, weights, strict=True)) / total if total else 0.0


def host(plan: EthernetPlan, name: str) -> Host:
    """Find a host by name.

    Raises
    ------
    tulle.InputError
        For an unknown name of a host.
    """
    for one in plan.hosts:
        if one.name == name:
            return one
    raise InputError(f"unknown host '{name}'; {near(name, [one.name for one in plan.hosts])}")


def measure(
    sandbox: Sandbox,
    place: Path,
    plan: EthernetPlan,
    streams: Sequence[Stream],
    kind: Mode,
    *,
    seconds: float,
    events: Sequence[Event] = (),
) -> list[Measured]:
    """Let iperf3 send over all streams at the same time, and measure them.

    Parameters
    ----------
    sandbox, place, plan
        The lab's sandbox, the folder of its bundle, and the plan.
    streams
        The streams.
    kind
        ``tcp`` (in layer 0), ``mptcp`` (a subflow per layer), or TCP with layers that the hosts choose per flowlet
        (``flowlets``) or per flow (``hash``).
    seconds
        The duration.
    events
        Faults and repairs during the traffic.
    """
    need("iperf3", *(("mptcpize",) if kind == "mptcp" else ()), *(("nft",) if kind in _FILES else ()))
    for one in streams:
        if one.source.endpoint == one.destination.endpoint:
            raise InputError(f"host {one.source.name} cannot send to itself; legal: two different hosts")
    rows = [
        {
            "client": one.source.name,
            "server": one.destination.name,
            "address": one.destination.addresses[0],
            "port": _FIRST_PORT + number,
            "flows": one.flows,
            "mptcp": kind == "mptcp",
        }
        for number, one in enumerate(streams)
    ]
    tables: dict[str, list[Any]] = {"load": [], "drop": []}
    if kind in _FILES:
        file, table = _FILES[kind]
        family = "ip6" if plan.addressing.version == 6 else "ip"
        for name in sorted({end.name for one in streams for end in (one.source, one.destination)}):
            tables["load"].append((name, (place / "hosts" / name / file).read_text(encoding="utf-8")))
            tables["drop"].append((name, family, table))
    job = {
        "job": "traffic",
        "seconds": seconds,
        "interval": _INTERVAL,
        "streams": rows,
        "tables": tables,
        "events": [
            {
                "at": one.at,
                "name": one.cable.name,
                "ends": one.cable.ends,
                "kind": one.kind,
                "heal": one.heal,
                "shaping": shapings(float(sandbox.state["rate"]), one.share),
            }
            for one in sorted(events, key=lambda one: one.at)
        ],
    }
    done = sandbox.run(job, timeout=seconds + 30)
    return [
        Measured(
            one,
            kind,
            tuple(row[2] / 1000 for row in found["intervals"]),
            tuple(row[1] for row in found["intervals"]),
            found["subflows"],
        )
        for one, found in zip(streams, done["streams"], strict=True)
    ]
