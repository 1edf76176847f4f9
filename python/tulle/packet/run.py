"""Running a packet simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._internal.runtime import reporting
from tulle._internal.settings import documented
from tulle.fabric import as_fabric
from tulle.packet.configuration import TRANSPORT, configure, resolve, without_run
from tulle.packet.options import DEFAULTS, HELP, Settings
from tulle.packet.outcome import Simulation
from tulle.packet.virtual_lanes import planned
from tulle.routing.routing import as_routing
from tulle.workload import as_workload

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Unpack

    from tulle.fabric import Fabric
    from tulle.packet.outcome import Progress
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan
    from tulle.workload import Workload


@documented(Settings, DEFAULTS, HELP)
def simulate(
    fabric: Fabric | str,
    routing: Routing | str,
    workload: Workload | str,
    transport: str = TRANSPORT,
    selector: str | None = None,
    *,
    deadlock: str | VcPlan | None = None,
    seed: int = 0,
    progress: Callable[[Progress], object] | None = None,
    keep_partial: bool = False,
    **settings: Unpack[Settings],
) -> Simulation:
    """Simulate a workload over a routed fabric, packet by packet.

    Links have the default rate and latency if the fabric does not define them. Several simulations can run in parallel
    threads, because each runs without the interpreter's lock. The result depends only on the arguments other than
    ``threads``.

    Parameters
    ----------
    fabric, routing, workload
        The network, its routing and the messages, or their specs, which are built with ``seed``.
    transport, selector
        Specs. ``tulle list transports`` and ``tulle list selectors`` list them. Without a selector, the routing
        ``ecmp`` uses ``ecmp``. All other routings use the transport's default: ``flowlet`` with ``dcqcn``, otherwise
        ``recycle``.
    deadlock
        A deadlock scheme, for example ``dfsssp``, or the plan that `tulle.Routing.assign_vcs` returned for `routing`.
        Every virtual channel of the plan becomes a virtual lane of the queue ``pfc``. If the scheme had to change
        paths, the simulation uses the changed routing. If None, switches have no virtual lanes.
    seed
        The seed of all random choices.
    progress
        Called about twenty times a second with the progress of the run. An exception that it raises ends the run.
        Without it, runs of more than two seconds show a progress bar on a terminal or in a notebook.
    keep_partial
        On Ctrl-C, return the result so far, marked ``partial``, instead of raising KeyboardInterrupt.
    settings
        The options of `tulle.packet.options.Settings`.

    Raises
    ------
    tulle.SpecError
        For an unknown transport, selector, queue, nic or fault or an illegal value.
    tulle.InputError
        For a routing of another fabric, messages that do not fit the fabric, or a deadlock scheme with a queue that
        drops packets.
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

    With the virtual lanes of a plan:

    >>> result = tulle.simulate(
    ...     fabric, "random:layers=4", workload, "ndp", "round-robin", queue="pfc", deadlock="dfsssp:vcs=8", seed=1
    ... )
    >>> result.num_lanes, result.deadlock
    (8, None)
    """
    fabric = as_fabric(fabric, seed)
    routing, workload = as_routing(fabric, routing, seed), as_workload(fabric, workload, seed)
    routing, plan = planned(routing, deadlock)
    given = configure(transport, routing.selector if selector is None else selector, seed=seed, **settings)
    resolved = resolve(given)
    # If the fabric has link properties, the Rust core resolves defaults that depend on rate or latency separately for
    # each port.
    configuration = given if fabric._core.has_links else resolved
    with reporting(progress, lambda state: (state.delivered, state.packets)) as observe:
        vcs = None if plan is None else plan._core
        core = _tulle.simulate(routing._core, vcs, workload._core, configuration, keep_partial, observe)
    return Simulation(core, without_run({**configuration}), fabric)
