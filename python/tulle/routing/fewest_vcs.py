"""The deadlock scheme that needs the fewest virtual channels for a routing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle import _tulle
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan

_MAX_PATHS, _PER_PATH = 20_000_000, ("dfsssp", "lash")
"""Above this number of paths, schemes that store every pair of consecutive channels of every path are skipped: they
would need tens of gigabytes."""

_SLOW_PATHS, _SLOW = 1_000_000, "dfsssp"
"""Above this number of paths, `dfsssp` is tried only if no other scheme is good enough (see `fewest`). On Slim Flies,
a Jellyfish and a fat tree with 1 to 4.7 million paths, it takes 1.0 to 3.7 times the processor time of `hops`, and 1.0
to 1.2 times that of `lash` (``benches/fewest_vcs.py``)."""


def fewest(routing: Routing, deadlock: Sequence[str], vcs: int | None = None) -> VcPlan | None:
    """Return the first plan that needs the fewest virtual channels; None if no scheme works.

    For more than a million paths, `dfsssp` is tried last, and only if every other scheme needs more than `vcs` virtual
    channels (without `vcs`: only if no other scheme works). No limit on the number of paths applies to path sets.
    """
    best: VcPlan | None = None
    paths = routing.num_layers * routing.fabric.num_switches**2
    schemes = [scheme for scheme in deadlock if paths <= _MAX_PATHS or _tulle.spec_name(scheme) not in _PER_PATH]
    if paths > _SLOW_PATHS:
        schemes.sort(key=lambda scheme: _tulle.spec_name(scheme) == _SLOW)
    for scheme in schemes:
        enough = best is not None and (vcs is None or best.needed_vcs <= vcs)
        if enough and paths > _SLOW_PATHS and _tulle.spec_name(scheme) == _SLOW:
            break
        try:
            plan = routing.assign_vcs(scheme)
        except InputError:
            continue
        # A deadlock scheme that changes paths is ignored, because the measured paths would no longer be used.
        if plan.routing is routing and (best is None or plan.needed_vcs < best.needed_vcs):
            best = plan
        if best is not None and best.needed_vcs == 1:
            break
    return best
