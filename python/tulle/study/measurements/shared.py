"""Routed fabrics that the runs of a study share.

Runs that differ in traffic or selector have the same fabric and routing. To route a large network takes longer than
some simulations.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import tulle
from tulle._internal.arguments import input_files
from tulle.fabric import build_with_failures
from tulle.study.measurements.parameters import Routed

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from tulle.study.engine.plan import Run

    Network = tuple[tulle.Fabric, tulle.Routing]

_MOST_BYTES = 1 << 28
"""The memory that stored routings may take in total, in bytes. A larger routing is not stored."""


class _Networks:
    """The networks used last. Several threads can use an object at the same time."""

    def __init__(self) -> None:
        self.users = 0
        self.changing = threading.Lock()
        self.kept: OrderedDict[Any, Network] = OrderedDict()
        self.building: dict[Any, threading.Lock] = {}
        self.too_large: set[Any] = set()

    def find(self, key: Any, build: Callable[[], Network]) -> Network:
        """Return the network of a key. If two threads need it, one builds it and the other waits.

        Threads do not wait for a network that is too large to be stored. Each of them builds it.
        """
        with self.changing:
            lock = self.building.setdefault(key, threading.Lock())
        with lock:
            with self.changing:
                if found := self.kept.get(key):
                    self.kept.move_to_end(key)
                    return found
                is_shared = key not in self.too_large
            if is_shared:
                made = build()
                with self.changing:
                    if self.users:
                        self._keep(key, made)
                return made
        return build()

    def _keep(self, key: Any, made: Network) -> None:
        if _bytes(made[1]) > _MOST_BYTES:
            self.too_large.add(key)
            return
        self.kept[key] = made
        total = sum(_bytes(routing) for _, routing in self.kept.values())
        while total > _MOST_BYTES:
            _, (_, routing) = self.kept.popitem(last=False)
            total -= _bytes(routing)


_networks = _Networks()


@contextmanager
def sharing() -> Iterator[None]:
    """Let runs share routed fabrics in this context, in all threads. At its end, the memory is freed."""
    with _networks.changing:
        _networks.users += 1
    try:
        yield
    finally:
        with _networks.changing:
            _networks.users -= 1
            if not _networks.users:
                _networks.kept.clear()
                _networks.building.clear()
                _networks.too_large.clear()


def routed(parameters: Routed, seed: int, advance: Callable[[float], object] = lambda _: None) -> Network:
    """Build and route the fabric of a run, or return those of an earlier run. `advance` is called between the steps."""

    def build() -> Network:
        fabric = build_with_failures(parameters.fabric, seed, parameters.fail, parameters.links)
        advance(0.0)
        routing = tulle.route(fabric, parameters.routing, seed)
        advance(0.0)
        return fabric, routing

    # Between two studies, a file may change.
    if not _networks.users or input_files(parameters.fabric, parameters.routing):
        return build()
    return _networks.find(_key(parameters, seed), build)


def by_network(runs: Iterable[Run]) -> list[Run]:
    """Return the runs sorted by their networks, in the order in which the networks first appear.

    In the order of a study, runs of one network are far apart. Large networks would be routed again for each of them,
    because `_MOST_BYTES` limits how many are stored.
    """
    places: dict[Hashable, int] = {}

    def place(run: Run) -> int:
        network = _key(run.parameters, run.seed) if isinstance(run.parameters, Routed) else run.id
        return places.setdefault(network, len(places))

    return sorted(runs, key=place)


def _key(parameters: Routed, seed: int) -> Hashable:
    """Return a key that is equal for runs with the same network."""
    return (parameters.fabric, tuple(parameters.links), parameters.fail, parameters.routing, seed)


def _bytes(routing: tulle.Routing) -> int:
    """Return an estimate of the memory of a routing: 8 bytes per layer and pair of switches, or 64 per path."""
    if routing.num_paths is not None:
        return 64 * routing.num_paths
    return 8 * routing.num_layers * routing.fabric.num_switches**2
