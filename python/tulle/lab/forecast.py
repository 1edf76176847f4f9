"""Forecast the traffic of a lab with the packet simulator, over links with the lab's rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.deploy.ethernet.bundle import ROUTING
from tulle.lab.recipe import QUEUE_MS
from tulle.packet.run import simulate
from tulle.routing.routing import Routing
from tulle.workload import Workload

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.lab.traffic import Event, Mode

__all__ = ["forecast", "linked", "links"]

_MTU = 1514
# A lab does not limit the links of hosts. The simulator makes these links so fast that they are never a bottleneck.
_WIDER = 50
_LATENCY = "50us"
# TCP as in Linux: initial window of ten packets, minimum retransmission timeout, negligible interrupt delay.
_TCP = "window=10,rto_min=200ms,interrupt=0"
_MOST_SUBFLOWS = 8
# In a lab, nobody notifies hosts of a failed cable. This detection time is longer than any simulation.
_UNKNOWN = "detect=9000s"


def linked(place: Path, plan: EthernetPlan, rate: float) -> Routing:
    """Load the routing of a bundle, with the link rates of its lab."""
    return Routing.load(place / ROUTING, plan.fabric.with_links(links(rate)))


def links(rate: float) -> list[str]:
    """Return the rules for `Fabric.with_links` that set the link rates of a lab whose cables have `rate` bit/s."""
    return [f"all:rate={rate:.0f}bps", f"endpoint:rate={_WIDER * rate:.0f}bps"]


def forecast(
    routing: Routing,
    streams: Sequence[tuple[int, int, int]],
    kind: Mode,
    *,
    rate: float,
    seconds: float,
    first: float = 1.0,
    gap_ms: int = 50,
    events: Sequence[Event] = (),
    seed: int = 0,
) -> list[float]:
    """Forecast the payload rate of every stream in Mbit/s, between the times `first` and `seconds` (both in seconds).

    A stream is a source endpoint, a destination endpoint and a number of flows. The fabric of `routing` must have the
    link rates that `links` sets. Queues are tail-drop queues as long as those of the lab. MPTCP opens a subflow per
    layer, up to 8. Every fault in `events` counts as a failed link, so slow cables are not supported.
    """
    received = [
        _bytes(routing, streams, kind, rate=rate, until=until, gap_ms=gap_ms, events=events, seed=seed)
        for until in (first, seconds)
    ]
    return [8e-6 * (after - before) / (seconds - first) for before, after in zip(*received, strict=True)]


def _bytes(
    routing: Routing,
    streams: Sequence[tuple[int, int, int]],
    kind: Mode,
    *,
    rate: float,
    until: float,
    gap_ms: int,
    events: Sequence[Event],
    seed: int,
) -> list[int]:
    """Return the number of bytes that every stream receives in the first `until` seconds."""
    layers = routing.num_layers
    # Every flow has more bytes than can arrive until the end of the run, so that no flow ends earlier.
    size = int(rate / 8 * until * (layers + 1)) + 1
    source = [sender for sender, _, flows in streams for _ in range(flows)]
    destination = [receiver for _, receiver, flows in streams for _ in range(flows)]
    workload = Workload(source, destination, [size] * len(source))
    room = max(2, round(rate / 8 * QUEUE_MS / 1000 / _MTU))
    transport = f"mptcp:subflows={min(layers, _MOST_SUBFLOWS)},ecn=no,{_TCP}" if kind == "mptcp" else f"tcp:{_TCP}"
    selector = {"flowlets": f"flowlet:gap={gap_ms}ms", "hash": "random:per=flow"}.get(kind, "ecmp")
    result = simulate(
        routing.fabric,
        routing,
        workload,
        transport,
        selector,
        queue=f"droptail:packets={room}",
        rate=f"{rate:.0f}bps",
        link_latency=_LATENCY,
        mtu=f"{_MTU}B",
        faults=_faults(events),
        until=f"{until * 1000:.0f}ms",
        seed=seed,
        threads=1,
    )
    arrived = result.flows["bytes_delivered"].tolist()
    totals, at = [], 0
    for _, _, flows in streams:
        totals.append(int(sum(arrived[at : at + flows])))
        at += flows
    return totals


def _faults(events: Sequence[Event]) -> list[str]:
    found = []
    for event in events:
        if event.heal:
            continue
        ends = [one.at for one in events if one.heal and one.cable == event.cable and one.at > event.at]
        until = f",until={min(ends) * 1000:.0f}ms" if ends else ""
        found.append(f"down:links=ids:{event.cable.channel},at={event.at * 1000:.0f}ms{until},{_UNKNOWN}")
    return found
