"""Check that functions accept fabrics, routings and workloads as objects or as specs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tulle

FABRIC = "slimfly:q=3"
Call = Callable[[Any, Any, Any], Any]

CALLS: dict[str, Call] = {
    "simulate": lambda f, r, w: tulle.simulate(f, r, w, seed=2).flows["finish"].tolist(),
    "flit": lambda f, r, w: tulle.simulate_flits(f, r, w, load=0.2, vcs=3, window=500, seed=2).accepted,
    "exchange": lambda f, r, w: tulle.simulate_exchange(f, r, w, vcs=3, seed=2).arrival.tolist(),
    "throughput": lambda f, r, w: tulle.analysis.throughput(f, w, r, seed=2).lower,
    "demands": lambda f, _, w: tulle.analysis.demands(f, w, seed=2).amount.tolist(),
    "route": lambda f, _, __: tulle.route(f, "random:layers=2", seed=2).next_hop.tolist(),
    "traffic": lambda f, _, __: tulle.traffic(f, "permutation", seed=2).columns.to_csv(),
    "disjoint_paths": lambda f, _, __: tulle.analysis.disjoint_paths(f, seed=2).mean,
    "distances": lambda f, _, __: tulle.analysis.distances(f).hops.tolist(),
    "spectrum": lambda f, _, __: tulle.analysis.spectrum(f),
}


@pytest.mark.parametrize("name", CALLS)
def test_specs_stand_for_what_they_make(name: str) -> None:
    call = CALLS[name]
    fabric = tulle.Fabric(FABRIC, seed=2)
    routing = tulle.route(fabric, "random:layers=2", seed=2)
    load = tulle.traffic(fabric, "permutation:bytes=20KB", seed=2)
    expected = call(fabric, routing, load)
    assert call(FABRIC, routing, load) == expected
    assert call(FABRIC, "random:layers=2", "permutation:bytes=20KB") == expected


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("wrong", [None, 5, [1, 2], np.zeros(3), object()])
def test_a_wrong_type_names_the_expected_type(name: str, wrong: object) -> None:
    with pytest.raises(
        tulle.InputError, match=r"^fabric is .*; legal: a tulle.Fabric or its spec, for example 'slimfly:q=5'$"
    ):
        CALLS[name](wrong, "minimal", "permutation")


@pytest.mark.parametrize("name", ["simulate", "flit", "exchange"])
def test_wrong_routings_and_workloads(name: str) -> None:
    fabric, other = tulle.Fabric(FABRIC), tulle.Fabric("slimfly:q=5")
    with pytest.raises(tulle.InputError, match=r"^routing is an int; legal: a tulle.Routing or its spec"):
        CALLS[name](fabric, 5, "permutation")
    with pytest.raises(tulle.InputError, match="the routing is of"):
        CALLS[name](fabric, tulle.route(other, "minimal"), "permutation")
    with pytest.raises(tulle.InputError, match=r"^workload is a list; legal: a tulle.Workload or its spec"):
        CALLS[name](fabric, "minimal", [1])
    with pytest.raises(tulle.TulleError, match="legal"):
        CALLS[name](fabric, "minimal", tulle.traffic(other, "permutation"))


def test_specs_are_texts() -> None:
    fabric = tulle.Fabric(FABRIC)
    for call in (
        lambda: tulle.Fabric(5),  # type: ignore[arg-type]
        lambda: tulle.route(fabric, fabric),  # type: ignore[arg-type]
        lambda: tulle.traffic(fabric, None),  # type: ignore[arg-type]
        lambda: tulle.simulate(fabric, "minimal", "permutation", transport=5),  # type: ignore[arg-type]
        lambda: tulle.route(fabric, "minimal").assign_vcs(3),  # type: ignore[arg-type]
        lambda: tulle.stress("minimal", "permutation"),  # type: ignore[arg-type]
    ):
        with pytest.raises(tulle.InputError, match="; legal: a "):
            call()
