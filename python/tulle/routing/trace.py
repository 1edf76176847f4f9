"""The paths between two switches by names and ports, the cables they share, and the paths left if a cable fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle._internal.html_summary import Overview, Shown
from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan

__all__ = ["Step", "Trace", "TracedPath", "trace"]


@dataclass(frozen=True)
class Step(Shown):
    """One hop of a path."""

    source: str
    """The switch, by name."""
    port: str
    """The output port of the switch."""
    target: str
    """The next switch."""
    into: str
    """The input port of the next switch."""
    cable: str
    """The cable's name."""
    equal_cost: int
    """Number of equal-cost channels in the table entry; the trace shows the lowest channel. 1 in path sets."""
    vc: int | None
    """The virtual channel of the hop; None without a plan."""
    rate: int | None
    """Link rate in bits per second; None if unknown."""
    latency: int | None
    """Link latency in picoseconds; None if unknown."""
    length: int | None
    """Cable length in millimetres; None if unknown."""


@dataclass(frozen=True)
class TracedPath(Shown):
    """A traced path: the path of one layer, or one path of a path set."""

    number: int
    """The number of the layer, or the path's position among the paths of the pair in a path set."""
    sl: int | None
    """The service level of the path; None without a plan."""
    steps: tuple[Step, ...]

    @property
    def hops(self) -> int:
        """Number of cables."""
        return len(self.steps)

    def total(self, name: str) -> int | None:
        """Return the sum of ``latency`` or ``length`` over all hops, or None if it is unknown for a hop."""
        values = [getattr(step, name) for step in self.steps]
        return None if None in values or not values else sum(values)


@dataclass(frozen=True)
class Trace(Shown):
    """All paths from one switch to another."""

    source: str
    destination: str
    paths: tuple[TracedPath, ...]

    @property
    def shared(self) -> dict[str, list[int]]:
        """Return the cables used by more than one path, each with the numbers of its paths, in order of first use."""
        return {cable: numbers for cable, numbers in self._by_cable().items() if len(numbers) > 1}

    @property
    def without(self) -> dict[str, list[int]]:
        """Return for each cable of the paths those paths that do not use it and therefore survive its failure."""
        every = [path.number for path in self.paths]
        return {
            cable: [number for number in every if number not in numbers] for cable, numbers in self._by_cable().items()
        }

    @property
    def other_next_hops(self) -> dict[str, list[int]]:
        """Return for each cable of the paths those paths over it with another next hop of equal cost if it fails."""
        found: dict[str, list[int]] = {cable: [] for cable in self._by_cable()}
        for path in self.paths:
            for step in path.steps:
                if step.equal_cost > 1:
                    found[step.cable].append(path.number)
        return found

    def _by_cable(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for path in self.paths:
            for step in path.steps:
                found.setdefault(step.cable, []).append(path.number)
        return found

    def _overview(self) -> Overview:
        values = {"source": self.source, "destination": self.destination, "paths": len(self.paths)}
        rows = [
            {
                "path": path.number,
                "hops": path.hops,
                "switches": " → ".join([self.source, *(step.target for step in path.steps)]),
            }
            for path in self.paths
        ]
        return Overview("Trace", "", values, rows=rows)

    def as_dict(self) -> dict[str, Any]:
        """Return the trace as nested dictionaries and lists, for example for JSON."""
        return {
            "source": self.source,
            "destination": self.destination,
            "paths": [
                {
                    "number": path.number,
                    "hops": path.hops,
                    "sl": path.sl,
                    "latency_ps": path.total("latency"),
                    "length_mm": path.total("length"),
                    "steps": [vars(step) for step in path.steps],
                }
                for path in self.paths
            ],
            "shared": self.shared,
            "without": self.without,
            "other_next_hops": self.other_next_hops,
        }


def trace(routing: Routing, source: str | int, destination: str | int, plan: VcPlan | None = None) -> Trace:
    """Trace the paths from one switch to another, one per layer or all of a path set.

    Parameters
    ----------
    routing
        The routing. At every switch, a path takes the lowest of the equal-cost channels.
    source, destination
        Switches by name or id. The name of an endpoint means its switch.
    plan
        A plan of this routing, from which service levels and virtual channels are shown.

    Raises
    ------
    tulle.InputError
        For a name that is neither a switch nor an endpoint, or if source and destination are the same switch.
    """
    routing = routing if plan is None else plan.routing
    fabric = routing.fabric
    a, b = ends_of(fabric, source, destination)
    found = [[int(channel) for channel in path] for path in routing.paths(a, b)]
    first = 0 if routing.num_layers or plan is None else _first_path(routing, a, b)
    steps = []
    for number, channels in enumerate(found):
        sl = None
        if plan is not None:
            sl = int(plan.sl[number, a, b] if routing.num_layers else plan.sl[first + number])
        of_path = tuple(_step(routing, number, b, channel, hop, plan, sl) for hop, channel in enumerate(channels))
        steps.append(TracedPath(number, sl, of_path))
    return Trace(fabric.labels[a], fabric.labels[b], tuple(steps))


def ends_of(fabric: Fabric, source: str | int, destination: str | int) -> tuple[int, int]:
    """Return two different switches, given by the names or ids of switches, or by the names of their endpoints.

    Raises
    ------
    tulle.InputError
        For a name that is neither a switch nor an endpoint, or if both are the same switch.
    """
    a, b = (switch_of(fabric, end) for end in (source, destination))
    if a == b:
        name = fabric.labels[a]
        raise InputError(f"'{source}' and '{destination}' are at the same switch, {name}; legal: two switches")
    return a, b


# The number of ports that an error shows.
_NAMED = 6


def switch_of(fabric: Fabric, name: str | int) -> int:
    """Return the switch with this name, or the switch of the endpoint with this name, or of the host's only port."""
    try:
        return fabric.switch(name)
    except InputError as error:
        try:
            return int(fabric.endpoint_switch[fabric.endpoint(name)]) if not str(name).isdigit() else _refuse(error)
        except InputError:
            ports = _ports_of(fabric, str(name))
            if len(ports) == 1:
                return int(fabric.endpoint_switch[fabric.endpoint(ports[0])])
            if ports:
                named = ", ".join(ports[:_NAMED]) + (", …" if len(ports) > _NAMED else "")
                raise InputError(f"'{name}' has several ports; legal: {named}") from None
            raise error from None


def _ports_of(fabric: Fabric, host: str) -> list[str]:
    """Return the endpoints that are ports of a host, for example ``gpu001 mlx5_0`` or ``gpu001:eth0``."""
    return [name for name in fabric.endpoint_names if name.startswith((f"{host} ", f"{host}:"))]


def _refuse(error: InputError) -> int:
    raise error


def _vc(plan: VcPlan, switch: int, hop: int, sl: int) -> int:
    if plan.vc is not None:
        return int(plan.vc[0, sl, min(hop, plan.vc.shape[2] - 1)])
    assert plan.sl_to_vl is not None
    return int(plan.sl_to_vl[switch, int(hop == 0), sl])


def _step(
    routing: Routing, layer: int, destination: int, channel: int, hop: int, plan: VcPlan | None, sl: int | None
) -> Step:
    fabric = routing.fabric
    source, target = (int(switch) for switch in fabric.channels[channel])
    back = int(fabric.reverse[channel])
    row = int(np.searchsorted(np.asarray(fabric.cables), min(channel, back)))
    vc = None if plan is None or sl is None else _vc(plan, source, hop, sl)

    def known(column: Any) -> int | None:
        value = int(column[channel])
        return None if value < 0 else value

    return Step(
        source=fabric.labels[source],
        port=fabric.ports[channel],
        target=fabric.labels[target],
        into=fabric.ports[back],
        cable=fabric.cable_names[row],
        equal_cost=len(routing.next_hops(layer, source, destination)) if routing.num_layers else 1,
        vc=vc,
        rate=known(fabric.link_rate),
        latency=known(fabric.link_latency),
        length=known(fabric.link_length),
    )


def _first_path(routing: Routing, source: int, destination: int) -> int:
    """Return the index of a pair's first path among all paths of a path set."""
    columns = routing.path_columns()
    return int(np.flatnonzero((columns.source == source) & (columns.destination == destination))[0])
