"""Running a packet simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle import _tulle
from tulle.errors import InputError
from tulle.fabric import as_fabric
from tulle.packet.configuration import LINK_LATENCY, MTU, NIC, RATE, SELECTOR, TRANSPORT, configure, resolve
from tulle.packet.outcome import Simulation
from tulle.routing.routing import as_routing
from tulle.workload import as_workload

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tulle.fabric import Fabric
    from tulle.packet.configuration import RunOptions
    from tulle.packet.outcome import Progress
    from tulle.routing.routing import Routing
    from tulle.workload import Workload


def simulate(
    fabric: Fabric | str,
    routing: Routing | str,
    workload: Workload | str,
    transport: str = TRANSPORT,
    selector: str = SELECTOR,
    *,
    rate: str = RATE,
    link_latency: str = LINK_LATENCY,
    mtu: str = MTU,
    queue: str | None = None,
    nic: str = NIC,
    faults: Sequence[str] = (),
    seed: int = 0,
    until: str | None = None,
    sample: str | None = None,
    threads: int | None = None,
    profile: bool = False,
    progress: Callable[[Progress], object] | None = None,
    keep_partial: bool = False,
) -> Simulation:
    """Simulates a workload over a routed fabric, packet by packet.

    All links, those of endpoints included, have one rate and one latency. Runs without the interpreter's lock, so that
    several run side by side; the result depends on the arguments alone, ``threads`` not among them.

    Parameters
    ----------
    fabric, routing, workload
        The network, its routing and the messages, or the specs that make them under ``seed``.
    transport, selector
        Specs; ``tulle list transports`` and ``tulle list selectors`` show what there is.
    queue
        The spec of the queues of switch ports (``tulle list queues``); None: those that the transport is made for:
        ``trim`` for purified and ndp, ``droptail`` for tcp, ``ecn`` for dctcp and mptcp, ``pfc`` for dcqcn.
    nic
        In which order the flows of an endpoint go to its link: ``"round-robin"`` (they take turns) or ``"fifo"``.
    rate
        Of links whose rate the fabric does not know, with its unit: ``"100Gbps"``.
    link_latency
        From the end of a transmission until the packet is at the next port: ``"1us"``.
    mtu
        A full packet on the wire, its header of 64 bytes included: ``"9KB"``.
    faults
        What fails when: ``"down:links=ids:12,at=50us,until=1ms"``, ``"drop:switches=1,loss=1%"``, …; links are
        cables by the lower of their channels. ``"@FILE"`` stands for those that a file lists, one a line.
    seed
        Of all random choices.
    until
        When to cut the run off: ``"10ms"``; None: when every flow has finished.
    sample
        Time from one row of ``samples`` to the next: ``"10us"``; None for none.
    threads
        1 to 64 that share the work; None: one per processor from 4096 endpoints on, else one. With the queue ``pfc``,
        faults, messages that wait for others, or links so short that threads would only wait for each other, one does
        it in any case.
    profile
        Whether to take the times for ``profile`` of the result; costs about a hundredth.
    progress
        Called about twenty times a second with how far the run is; what it raises ends the run.
    keep_partial
        On Ctrl-C, return what happened until then, marked ``partial``, instead of raising KeyboardInterrupt.

    Raises
    ------
    tulle.SpecError
        For an unknown transport, selector, queue, nic or fault or an illegal value.
    tulle.InputError
        For a routing of another fabric, or messages that do not fit it.
    KeyboardInterrupt
        On Ctrl-C, unless ``keep_partial``.

    Examples
    --------
    >>> import tulle
    >>> fabric = tulle.Fabric("slimfly:q=5")
    >>> workload = tulle.traffic(fabric, "permutation:bytes=64KiB", seed=1)
    >>> result = tulle.simulate(fabric, tulle.route(fabric, "minimal"), workload, seed=1)
    >>> result.summary()["completed"]
    200
    """
    fabric = as_fabric(fabric, seed)
    routing, workload = as_routing(fabric, routing, seed), as_workload(fabric, workload, seed)
    given = configure(
        transport,
        selector,
        queue=queue,
        nic=nic,
        rate=rate,
        link_latency=link_latency,
        mtu=mtu,
        faults=faults,
        until=until,
        sample=sample,
        seed=seed,
    )
    resolved = resolve(given)
    # Defaults that follow from a link are those of every port's own, where the fabric knows its links.
    configuration = given if fabric._core.has_links else resolved
    if threads is not None and threads < 0:
        raise InputError(f"threads={threads} is out of range; legal: 1 to 64")
    options: RunOptions = {"threads": threads, "profile": profile, "keep_partial": keep_partial}
    core = _tulle.simulate(routing._core, workload._core, configuration, options, progress)
    return Simulation(core, configuration)
