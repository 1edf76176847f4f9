"""The common part of the packet simulator's measurements: the parameters of a network, and a run over it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BeforeValidator, Field

import tulle
from tulle import _tulle
from tulle.fabric import build_with_failures
from tulle.packet.configuration import LINK_LATENCY, MTU, NIC, RATE, SELECTOR, TRANSPORT, configure
from tulle.study.measurements.parameters import Quantity, Routed, Spec

if TYPE_CHECKING:
    from tulle.packet.outcome import Simulation
    from tulle.study.measurements.registry import Advance


def _listed(value: Any) -> Any:
    """One text as a list of it; the tuples of a grid as lists."""
    if isinstance(value, str):
        return [value]
    return list(value) if isinstance(value, tuple) else value


_SETTINGS = ("transport", "selector", "queue", "nic", "rate", "link_latency", "mtu", "faults", "until")


class Network(Routed):
    """A routed fabric and how packets cross it; all but the traffic of ``tulle simulate``."""

    transport: Annotated[str, Spec("transports", alone=False)] = TRANSPORT
    """how endpoints send"""
    selector: Annotated[str, Spec("selectors", alone=False)] = SELECTOR
    """how packets choose among paths"""
    queue: Annotated[str | None, Spec("queues", alone=False)] = None
    """the output queues; without it the one that the transport is made for"""
    nic: Annotated[str, Spec("nics", alone=False)] = NIC
    """how flows share their endpoint's link"""
    rate: Annotated[str, Quantity("rate")] = RATE
    """of links that have none of their own"""
    link_latency: Annotated[str, Quantity("duration")] = LINK_LATENCY
    """of links that have none of their own"""
    mtu: Annotated[str, Quantity("bytes")] = MTU
    """of a packet on the wire, headers included"""
    faults: Annotated[list[str], BeforeValidator(_listed)] = Field(default=[])
    """faults in time, or one of them; @FILE stands for those of a file"""
    until: Annotated[str | None, Quantity("duration")] = None
    """when the simulation ends at the latest"""

    def settings(self) -> dict[str, Any]:
        """The keyword arguments of `tulle.simulate`."""
        return {name: getattr(self, name) for name in _SETTINGS}


N = TypeVar("N", bound=Network)


def resolve(parameters: N) -> N:
    """The same with canonical specs of all that a network has."""
    resolved = parameters.canonical_specs()
    specs = _tulle.resolve(configure(**parameters.settings()))
    if parameters.links or parameters.fabric.startswith("file:"):
        # Defaults follow from the rates and latencies of links, which only the fabric knows.
        return parameters.model_copy(update=resolved)
    return parameters.model_copy(update={**resolved, **specs})


def run(parameters: Network, traffic: str, seed: int, advance: Advance) -> tuple[tulle.Fabric, Simulation]:
    """Builds, routes, loads with `traffic` and simulates under one seed."""
    fabric = build_with_failures(parameters.fabric, seed, parameters.fail, parameters.links)
    advance(0.0)
    routing = tulle.route(fabric, parameters.routing, seed)
    advance(0.0)
    result = tulle.simulate(
        fabric,
        routing,
        tulle.traffic(fabric, traffic, seed),
        **parameters.settings(),
        seed=seed,
        # Runs share the processors already.
        threads=1,
        progress=lambda progress: advance(progress.fraction),
    )
    return fabric, result
