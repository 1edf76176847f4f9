"""Routings: the paths that packets may take, their quality, and their deadlock freedom."""

from typing import TYPE_CHECKING

from tulle._internal.lazy import attach

if TYPE_CHECKING:
    from tulle.routing.quality import Quality as Quality
    from tulle.routing.reroute import Rerouted as Rerouted
    from tulle.routing.reroute import Together as Together
    from tulle.routing.routing import PathColumns as PathColumns
    from tulle.routing.routing import Routing as Routing
    from tulle.routing.routing import route as route
    from tulle.routing.vc_plan import VcPlan as VcPlan

# Public name -> module it lives in.
_HOMES = {
    "PathColumns": "tulle.routing.routing",
    "Quality": "tulle.routing.quality",
    "Rerouted": "tulle.routing.reroute",
    "Routing": "tulle.routing.routing",
    "Together": "tulle.routing.reroute",
    "VcPlan": "tulle.routing.vc_plan",
    "route": "tulle.routing.routing",
}

__all__ = [*_HOMES]

if not TYPE_CHECKING:
    # Type checkers must not see `__getattr__`: with it, they accept any name in this module.
    __getattr__, __dir__ = attach(__name__, _HOMES)
