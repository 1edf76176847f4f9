"""The common part of measurements with the packet simulator: the parameters of a network, and a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

import tulle
from tulle import _tulle
from tulle.packet.configuration import configure
from tulle.packet.notes import layer_notes
from tulle.packet.options import DEFAULTS
from tulle.routing.ecmp import implied_selector
from tulle.study.measurements.options import PacketOptions
from tulle.study.measurements.parameters import Spec
from tulle.study.measurements.shared import routed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tulle.packet.outcome import Simulation
    from tulle.study.measurements.registry import Advance


class Network(PacketOptions):
    """A routed fabric and the settings of the packet simulator.

    The arguments of ``tulle simulate`` except the traffic.
    """

    OMITTED: ClassVar[Mapping[str, Sequence[object]]] = {"deadlock": (None,)}

    deadlock: Annotated[str | None, Spec("deadlocks")] = None
    """a deadlock scheme, which assigns virtual lanes; it needs the queue pfc"""

    def settings(self) -> dict[str, Any]:
        """Return the keyword arguments of `tulle.simulate`."""
        return {name: getattr(self, name) for name in DEFAULTS if name in type(self).model_fields}


N = TypeVar("N", bound=Network)


def resolve(parameters: N) -> N:
    """Return the parameters with canonical specs."""
    if parameters.selector is None:
        parameters = parameters.model_copy(update={"selector": implied_selector(parameters.routing)})
    resolved = parameters.canonical_specs()
    configuration = configure(**parameters.settings())
    specs = _tulle.resolve(configuration)
    if parameters.links or parameters.fabric.startswith("file:"):
        # Some defaults of queues and transports depend on the rates and latencies of links. They are known only after
        # the fabric has been built, so only the selector is completed here. If faults are given as a file, its lines
        # replace its name, because the hash of a run must cover all input.
        known = {"faults": configuration["faults"], "selector": specs["selector"]}
        return parameters.model_copy(update={**resolved, **known})
    return parameters.model_copy(update={**resolved, **specs})


def run(
    parameters: Network, traffic: str, seed: int, advance: Advance
) -> tuple[tulle.Fabric, Simulation, tuple[str, ...]]:
    """Build and route the fabric, create the traffic and simulate it, with one seed.

    The last value has the warnings from reading files, and notes on the selector.
    """
    fabric, routing = routed(parameters, seed, advance)
    workload = tulle.traffic(fabric, traffic, seed)
    result = tulle.simulate(
        fabric,
        routing,
        workload,
        **parameters.settings(),
        deadlock=parameters.deadlock,
        seed=seed,
        # A simulation uses one thread, because several runs share the processors.
        threads=1,
        progress=lambda progress: advance(progress.fraction),
    )
    return fabric, result, (*fabric.warnings, *workload.warnings, *layer_notes(routing, parameters.selector))
