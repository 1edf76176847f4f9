"""Arguments of functions: a fabric, a routing, a workload, each as itself or as the spec that makes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing
    from tulle.workload import Workload


def as_fabric(fabric: Fabric | str, seed: int = 0) -> Fabric:
    """A fabric as it is; a spec builds one under `seed`."""
    from tulle.fabric import Fabric

    if isinstance(fabric, str):
        return Fabric(fabric, seed)
    if not isinstance(fabric, Fabric):
        raise InputError(f"fabric is {kind_of(fabric)}; legal: a tulle.Fabric or its spec, as 'slimfly:q=5'")
    return fabric


def as_routing(fabric: Fabric, routing: Routing | str, seed: int = 0) -> Routing:
    """A routing of `fabric` as it is; a spec routes the fabric under `seed`."""
    from tulle.routing.routing import Routing, route

    if isinstance(routing, str):
        return route(fabric, routing, seed)
    if not isinstance(routing, Routing):
        raise InputError(f"routing is {kind_of(routing)}; legal: a tulle.Routing or its spec, as 'random:layers=9'")
    if routing.fabric != fabric:
        raise InputError(f"the routing is of {routing.fabric!r}, not of {fabric!r}; legal: one made for this fabric")
    return routing


def as_workload(fabric: Fabric, workload: Workload | str, seed: int = 0) -> Workload:
    """A workload as it is; a spec makes one on `fabric` under `seed`."""
    from tulle.workload import Workload, traffic

    if isinstance(workload, str):
        return traffic(fabric, workload, seed)
    if not isinstance(workload, Workload):
        raise InputError(f"workload is {kind_of(workload)}; legal: a tulle.Workload or its spec, as 'permutation'")
    return workload


def only_routing(routing: Routing) -> Routing:
    """A routing, where nothing says which fabric a spec would be for."""
    from tulle.routing.routing import Routing

    if not isinstance(routing, Routing):
        raise InputError(f"routing is {kind_of(routing)}; legal: a tulle.Routing, as tulle.route makes it")
    return routing


def as_spec(name: str, spec: str, example: str) -> str:
    """A text; anything else is refused."""
    if not isinstance(spec, str):
        raise InputError(f"{name} is {kind_of(spec)}; legal: a spec, as '{example}'")
    return spec


def kind_of(value: object) -> str:
    """The type of a value, in words."""
    kind = type(value)
    return "None" if value is None else f"a {kind.__qualname__} of {kind.__module__}".removesuffix(" of builtins")
