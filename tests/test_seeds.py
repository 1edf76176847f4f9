"""Check that functions that do one run have a parameter `seed`, and functions that repeat runs have `seeds`."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tulle
from tulle._internal.arguments import read_seeds
from tulle.flit import sweep

if TYPE_CHECKING:
    from collections.abc import Callable

FABRIC = tulle.Fabric("clique:degree=4,p=2")
ROUTING = tulle.route(FABRIC, "minimal")

# Each public function with a parameter `seed`, and a quick call of the function.
SEEDED: dict[str, Callable[[Any], object]] = {
    "Fabric": lambda seed: tulle.Fabric("jellyfish:switches=8,degree=3", seed),
    "Fabric.with_failures": lambda seed: FABRIC.with_failures("links=1", seed),
    "Fabric.without": lambda seed: FABRIC.without(links=1, seed=seed),
    "Routing.quality": lambda seed: ROUTING.quality(pairs=3, seed=seed),
    "analysis.bisection": lambda seed: tulle.analysis.bisection(FABRIC, tries=2, seed=seed),
    "analysis.collisions": lambda seed: tulle.analysis.collisions(FABRIC, "permutation", seed=seed),
    "analysis.demands": lambda seed: tulle.analysis.demands(FABRIC, "permutation", seed=seed),
    "analysis.disjoint_paths": lambda seed: tulle.analysis.disjoint_paths(FABRIC, pairs=3, seed=seed),
    "analysis.interference": lambda seed: tulle.analysis.interference(FABRIC, quadruples=3, seed=seed),
    "analysis.measures": lambda seed: tulle.analysis.measures(FABRIC, 2, draws=1, seed=seed),
    "analysis.rank_connectivity": lambda seed: tulle.analysis.rank_connectivity(FABRIC, [[0, 1]], seed=seed),
    "analysis.throughput": lambda seed: tulle.analysis.throughput(FABRIC, "permutation", seed=seed),
    "analysis.virtual_updown_paths": lambda seed: tulle.analysis.virtual_updown_paths(
        "flattenedclos:switches=32,degrees=4x4,p=4", pairs=5, seed=seed
    ),
    "design.optical_switches": lambda seed: tulle.design.optical_switches(FABRIC, seed=seed),
    "design.patch_panels": lambda seed: tulle.design.patch_panels("clique:degree=3,p=2", seed=seed),
    "design.virtual_layered": lambda seed: tulle.design.virtual_layered(
        "flattenedclos:switches=16,degrees=4,p=4,panel_ports=32", "panels", seed=seed
    ),
    "place": lambda seed: tulle.place(FABRIC, seed=seed),
    "route": lambda seed: tulle.route(FABRIC, "random:layers=2", seed),
    "saturation": lambda seed: tulle.saturation(FABRIC, ROUTING, vcs=2, precision=0.5, seed=seed),
    "simulate": lambda seed: tulle.simulate(FABRIC, ROUTING, "permutation:bytes=1KB", seed=seed),
    "simulate_exchange": lambda seed: tulle.simulate_exchange(
        FABRIC, ROUTING, "permutation:bytes=64B", vcs=2, seed=seed
    ),
    "simulate_flits": lambda seed: tulle.simulate_flits(FABRIC, ROUTING, load=0.1, window=50, vcs=2, seed=seed),
    "stress": lambda seed: tulle.stress(ROUTING, "permutation", tries=5, seed=seed),
    "traffic": lambda seed: tulle.traffic(FABRIC, "permutation", seed),
    "tune": lambda seed: tulle.tune("clique:degree=3,p=1", layers=2, seed=seed),
}
REPEATED: dict[str, Callable[[Any], object]] = {
    "analysis.resilience": lambda seeds: tulle.analysis.resilience(
        FABRIC, shares=["10%"], kinds=["links"], seeds=seeds
    ),
    "compare.compare": lambda seeds: tulle.compare.compare(
        ["clique:degree=3,p=1", "clique:degree=4,p=1"], routings=["minimal"], size="1KB", seeds=seeds
    ),
    "flit.sweep.curve": lambda seeds: sweep.curve(FABRIC, ROUTING, loads=[0.1], seeds=seeds, vcs=2, window=50),
}


def _public() -> dict[str, inspect.Signature]:
    """Return the signatures of public functions that have a parameter `seed` or `seeds`."""
    found = {"flit.sweep.curve": inspect.signature(sweep.curve)}
    places = [(tulle, ""), (tulle.analysis, "analysis."), (tulle.design, "design."), (tulle.compare, "compare.")]
    for place, before in places:
        for name in place.__all__:
            value = getattr(place, name)
            if inspect.isfunction(value):
                found[before + name] = inspect.signature(value)
            elif value in (tulle.Fabric, tulle.Routing):
                found[name] = inspect.signature(value)
                for method, function in inspect.getmembers(value, inspect.isfunction):
                    if not method.startswith("_"):
                        found[f"{name}.{method}"] = inspect.signature(function)
    # The constructor of a routing only stores the seed with which the routing was made.
    found.pop("Routing")
    for name in ("place", "throughput"):
        found.pop(f"design.{name}", None)
    return {name: signature for name, signature in found.items() if {"seed", "seeds"} & {*signature.parameters}}


def test_all_are_here() -> None:
    public = _public()
    assert {name for name, signature in public.items() if "seed" in signature.parameters} == {*SEEDED}
    assert {name for name, signature in public.items() if "seeds" in signature.parameters} == {*REPEATED}
    for signature in public.values():
        assert signature.parameters.get("seed", inspect.Parameter("seed", inspect.Parameter.KEYWORD_ONLY)).default in (
            0,
            inspect.Parameter.empty,
        )


@pytest.mark.parametrize("name", SEEDED)
def test_whole_numbers_are_seeds(name: str) -> None:
    call = SEEDED[name]
    for seed in (np.int32(3), np.uint64(2**64 - 1)):
        call(seed)
    for bad, message in [
        (-1, "seed=-1 is out of range; legal: 0 to 2^64-1"),
        (2**64, "seed=18446744073709551616 is out of range; legal: 0 to 2^64-1"),
        (1.0, "seed=1.0 is not a whole number; legal: 0 to 2^64-1"),
        ([1, 2], r"seed=\[1, 2\] is not a whole number; legal: 0 to 2^64-1"),
    ]:
        with pytest.raises(tulle.InputError, match=message.replace("^", r"\^")):
            call(bad)


@pytest.mark.parametrize("name", REPEATED)
def test_numbers_and_lists_of_seeds(name: str) -> None:
    call = REPEATED[name]
    for some in (call(2), call(np.int64(2)), call([0, 1]), call(range(2)), call(np.arange(2))):
        assert _plain(some) == _plain(call((0, 1)))
    for bad in (0, [], "3", [1, 1], [-1], 1.5):
        with pytest.raises(tulle.InputError, match="seed"):
            call(bad)


def _plain(found: Any) -> object:
    return found.to_csv() if isinstance(found, tulle.Columns) else found


def test_seeds_are_read() -> None:
    assert read_seeds(3, 5) == (0, 1, 2)
    assert read_seeds([7, 3], 5) == (7, 3)
    assert read_seeds(np.array([7, 3], dtype=np.uint8), 5) == (7, 3)
    for bad, message in [
        (0, "seeds=0 is out of range; legal: 1 to 5 seeds"),
        (6, "seeds=6 is out of range; legal: 1 to 5 seeds"),
        (range(1 << 40), "seeds=6 is out of range; legal: 1 to 5 seeds"),
        ("12", "seeds='12' is not a number of seeds; legal: 1 to 5, or a list"),
        (0.5, r"seeds=0\.5 is not a number of seeds; legal: 1 to 5, or a list"),
        ([1, 2, 1], "seeds lists 1 more than once; legal: different seeds"),
        ([1, 0.5], r"seed=0\.5 is not a whole number; legal: 0 to 2\^64-1"),
    ]:
        with pytest.raises(tulle.InputError, match=f"^{message}$"):
            read_seeds(bad, 5)  # type: ignore[arg-type]
