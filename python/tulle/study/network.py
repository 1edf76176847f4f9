"""The common part of the packet simulator's measurements: the parameters of a network, and a run over it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BeforeValidator, Field

import tulle
from tulle import _tulle
from tulle._arguments import canonical
from tulle.fabric import build_failed
from tulle.packet.configuration import LINK_LATENCY, MTU, NIC, RATE, SELECTOR, TRANSPORT, configure
from tulle.study.measurement import Advance, Links, Parameters

if TYPE_CHECKING:
    from tulle.packet.outcome import Simulation


def _listed(value: Any) -> Any:
    """One text as a list of it; the tuples of a grid as lists."""
    if isinstance(value, str):
        return [value]
    return list(value) if isinstance(value, tuple) else value


_SETTINGS = ("transport", "selector", "queue", "nic", "rate", "link_latency", "mtu", "faults", "until")


class Network(Parameters):
    """A routed fabric and how packets cross it; all but the traffic of ``tulle simulate``."""

    fabric: str
    links: Links = Field(default=[])
    fail: str | None = None
    routing: str
    transport: str = TRANSPORT
    selector: str = SELECTOR
    queue: str | None = None
    """By default the one that the transport is made for."""
    nic: str = NIC
    rate: str = RATE
    link_latency: str = LINK_LATENCY
    mtu: str = MTU
    faults: Annotated[list[str], BeforeValidator(_listed)] = Field(default=[])
    """Faults in time; ``@FILE`` stands for those of a file."""
    until: str | None = None

    def settings(self) -> dict[str, Any]:
        """The keyword arguments of `tulle.simulate`."""
        return {name: getattr(self, name) for name in _SETTINGS}


N = TypeVar("N", bound=Network)


def resolve(parameters: N) -> N:
    """The same with canonical specs of all that a network has."""
    resolved: dict[str, Any] = {
        "fabric": canonical("fabrics", "fabric", parameters.fabric),
        "routing": canonical("routings", "routing", parameters.routing),
    }
    if parameters.fail is not None:
        resolved["fail"] = canonical("faults", "fail", parameters.fail)
    specs = _tulle.resolve(configure(**parameters.settings()))
    if parameters.links or parameters.fabric.startswith("file:"):
        # Defaults follow from the rates and latencies of links, which only the fabric knows.
        return parameters.model_copy(update=resolved)
    return parameters.model_copy(update={**resolved, **specs})


def run(parameters: Network, traffic: str, seed: int, advance: Advance) -> tuple[tulle.Fabric, Simulation]:
    """Builds, routes, loads with `traffic` and simulates under one seed."""
    fabric = build_failed(parameters.fabric, seed, parameters.fail, parameters.links)
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
