"""Compute digests of the results of every plug-in, to check that a refactoring changes no result.

``golden.json`` has one row per case: the kind of result, the plug-ins' specs, and half of a SHA-256 digest of the
result. ``python tests/golden.py`` rewrites this file from the examples of all plug-ins. Rewrite it only after an
intended change of results, and name the changed results in CHANGELOG.md.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import tulle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROWS = Path(__file__).with_name("golden.json")

FABRIC = "slimfly:q=5"
# Some schemes, selectors and policies do not work on FABRIC, for example because they need levels or groups.
OTHERS = ["fattree:levels=3,radix=4", "dragonfly:p=2", "hyperx:shape=3x3", "flattenedclos:switches=30,ports=12"]


def fabric(spec: str) -> list[Any]:
    """Return a fabric's cables, endpoints, channel classes and coordinates."""
    built = tulle.Fabric(spec, seed=1)
    classes = [] if built.classes is None else built.classes
    coordinates = [] if built.coordinates is None else built.coordinates
    return [built.edges, built.endpoint_switch, classes, coordinates]


def routing(fabric: str, spec: str) -> list[Any]:
    """Return the columns of a routing's paths."""
    paths = tulle.route(fabric, spec, seed=1).path_columns()
    return [getattr(paths, field.name) for field in dataclasses.fields(paths)]


def plan(fabric: str, routing: str, scheme: str) -> list[Any]:
    """Return a deadlock scheme's numbers of virtual channels and service levels, and its certificate."""
    found = tulle.route(fabric, routing, seed=1).assign_vcs(scheme)
    return [found.num_vcs, found.num_sls, found.certificate]


def workload(fabric: str, spec: str) -> list[Any]:
    """Return a workload's columns, computation times and dependencies."""
    made = tulle.traffic(fabric, spec, seed=1)
    return [*made.columns.values(), made.compute, made.dependencies]


def packets(transport: str, selector: str, queue: str | None, nic: str, faults: list[str]) -> list[Any]:
    """Return flows, links and counters of a run of the packet simulator."""
    run = tulle.simulate(
        FABRIC,
        "random:layers=3,rho=0.8",
        "permutation:bytes=300KB",
        transport,
        selector,
        queue=queue,
        nic=nic,
        faults=faults,
        until="20ms",
        seed=1,
    )
    return [*run.flows.values(), *run.links.values(), sorted(run.summary()["counters"].items())]


def flits(fabric: str, routing: str, traffic: str, settings: dict[str, Any]) -> list[Any]:
    """Return latencies, hops, accepted load and counters of a run of the flit simulator."""
    run = tulle.simulate_flits(
        fabric, routing, traffic, load=0.4, warmup=200, window=600, drain=4000, seed=1, **settings
    )
    return [run.latency_mean, run.hops_mean, run.accepted, run.channel_load, sorted(run.counters.items())]


CASES: dict[str, Callable[..., list[Any]]] = {
    case.__name__: case for case in (fabric, routing, plan, workload, packets, flits)
}


def digest(case: str, arguments: dict[str, Any]) -> str:
    """Return the digest of a case's result: 32 hexadecimal digits."""
    hashed = hashlib.sha256()
    for part in CASES[case](**arguments):
        if isinstance(part, np.ndarray):
            hashed.update(f"{part.dtype.str}{part.shape}".encode())
            hashed.update(np.ascontiguousarray(part).tobytes())
        else:
            hashed.update(repr(part).encode())
    return hashed.hexdigest()[:32]


def _examples(kind: str) -> list[str]:
    """Return the examples of a kind of plug-in, without examples that read files."""
    return [
        spec
        for entry in tulle.registered(kind)
        for spec in entry["examples"]
        if "=" not in spec or "file" not in spec.partition("=")[0]
    ]


def _pairs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield all cases from the plug-ins' examples, including invalid combinations of plug-ins."""
    for spec in _examples("fabrics"):
        yield "fabric", {"spec": spec}
    for spec in _examples("routings"):
        for on in [FABRIC, *OTHERS]:
            yield "routing", {"fabric": on, "spec": spec}
    over = [(FABRIC, "minimal"), (FABRIC, "random:layers=3,rho=0.8"), (OTHERS[2], "ksp:k=4"), (OTHERS[0], "updown")]
    for scheme in _examples("deadlocks"):
        for on, routed in [*over, (OTHERS[3], "virtual-updown:min_paths=0"), ("oft:k=4", "minimal")]:
            yield "plan", {"fabric": on, "routing": routed, "scheme": scheme}
    for spec in _examples("traffics"):
        yield "workload", {"fabric": FABRIC, "spec": spec}
    plain: dict[str, Any] = {
        "transport": "purified",
        "selector": "flowlet",
        "queue": None,
        "nic": "round-robin",
        "faults": [],
    }
    for spec in _examples("transports"):
        yield "packets", {**plain, "transport": spec}
        yield "packets", {**plain, "transport": spec, "selector": "ecmp", "nic": "fifo"}
    for transport in ["purified", "tcp"]:
        for spec in _examples("selectors"):
            yield "packets", {**plain, "transport": transport, "selector": spec}
        for spec in _examples("faults"):
            yield "packets", {**plain, "transport": transport, "faults": [spec]}
    for transport in ["purified", "tcp", "dctcp", "dcqcn"]:
        for spec in _examples("queues"):
            yield "packets", {**plain, "transport": transport, "queue": spec}
    flits = {"routing": "minimal", "traffic": "uniform"}
    for on in [FABRIC, *OTHERS]:
        for spec in _examples("routers"):
            yield "flits", {"fabric": on, **flits, "settings": {"router": spec}}
        for spec in _examples("policies"):
            yield "flits", {"fabric": on, **flits, "settings": {"router": "input-queued:vcs=4", "policy": spec}}
        for router in ["input-queued:vcs=8", "virtual-cut-through:vcs=8"]:
            for spec in _examples("flit-selectors"):
                yield "flits", {"fabric": on, **flits, "settings": {"router": router, "selector": spec}}
    for spec in ["ksp-ugal", "ksp-ugal:queue=output", "ksp-adaptive", "ksp-adaptive:queue=class"]:
        settings = {"router": "input-queued:vcs=8", "selector": spec}
        yield "flits", {"fabric": FABRIC, "routing": "ksp:k=4", "traffic": "uniform", "settings": settings}
    over_layers = ["ksp-ugal:candidates=4,bias=8", "ksp-adaptive", "ugal:via=layer,candidates=4,bias=8"]
    for spec in [*over_layers, "par:via=layer", "recycle:via=layer,c=0.7,bias=8,slow=1.3"]:
        for policy in ["hops", "plan:dfsssp"]:
            if spec.startswith("par") and policy != "hops":
                continue
            settings = {"router": "input-queued:vcs=8", "selector": spec, "policy": policy}
            yield "flits", {"fabric": FABRIC, "routing": "spread:layers=4", "traffic": "uniform", "settings": settings}
    # The default policy has too few virtual channels here, so datelines replace it.
    for policy in ["hops", *(spec for spec in _examples("policies") if spec.startswith("datelines"))]:
        settings = {"router": "input-queued:vcs=3", "selector": "dimension-order", "policy": policy}
        yield "flits", {"fabric": "torus:shape=9x4", "routing": "minimal", "traffic": "uniform", "settings": settings}
    for spec in _examples("flit-traffics"):
        yield "flits", {"fabric": FABRIC, "routing": "minimal", "traffic": spec, "settings": {}}


def _rows() -> Iterator[dict[str, Any]]:
    """Yield the rows of all cases except invalid combinations of plug-ins."""
    for case, arguments in _pairs():
        with suppress(tulle.TulleError):
            yield {"case": case, **arguments, "digest": digest(case, arguments)}


def _write() -> None:
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in _rows())
    staged = ROWS.with_suffix(".tmp")
    staged.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    staged.replace(ROWS)


if __name__ == "__main__":
    _write()
