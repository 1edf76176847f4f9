"""Check that functions accept fabrics, routings and workloads as objects or as specs."""

from collections.abc import Callable
from pathlib import Path
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


NAMED = tulle.Fabric.from_edges([[0, 1], [1, 2]], labels=["leaf1", "spine", "leaf2"])
DOWN = "down:links=1,at=1us,until=5us"
PAIR = ["clique:degree=3,p=2", "clique:degree=4,p=2"]


def simulated(**options: Any) -> Any:
    return tulle.simulate(FABRIC, "minimal", "permutation:bytes=20KB", **options).flows["finish"].tolist()


# Each call takes a list, of which a single entry is given in several forms.
SINGLE: dict[str, tuple[Callable[[Any], Any], str]] = {
    "faults": (lambda one: simulated(faults=one), DOWN),
    "sample_links": (lambda one: simulated(sample="1us", sample_links=one), "to:1"),
    "closed_forms": (lambda one: tulle.design.closed_forms(one), "slimfly:q=5"),
    "design families": (
        lambda one: [each.forms.spec for each in tulle.design.design(200, 16, families=one).proposals],
        "slimfly",
    ),
    "largest families": (lambda one: [forms.spec for forms in tulle.design.largest(16, families=one)], "slimfly"),
    "compare routings": (
        lambda one: [row.bands for row in tulle.compare.compare(PAIR, routings=one, seeds=1, size="4KB").rows],
        "minimal",
    ),
    "tune deadlock": (lambda one: tulle.tune(FABRIC, deadlock=one).rows, "dfsssp"),
    "resilience shares": (
        lambda one: tulle.analysis.resilience(FABRIC, shares=one, kinds="links", seeds=1).rows,
        "5%",
    ),
    "resilience kinds": (
        lambda one: tulle.analysis.resilience(FABRIC, shares="5%", kinds=one, seeds=1).rows,
        "links",
    ),
    "without switches": (lambda one: NAMED.without(switches=one).num_switches, "leaf1"),
    "without links": (lambda one: NAMED.without(links=one).num_cables, "leaf1--spine"),
}


@pytest.mark.parametrize("name", SINGLE)
def test_a_single_text_is_a_list_of_one(name: str) -> None:
    call, one = SINGLE[name]
    assert call(one) == call([one]) == call((one,))


def test_a_single_typed_spec_is_a_list_of_one() -> None:
    from tulle.faults import Down
    from tulle.topologies import SlimFly

    fault = Down(links="1", at="1us", until="5us")
    call, text = SINGLE["faults"]
    assert call(fault) == call([fault]) == call(text)
    assert tulle.design.closed_forms(SlimFly(q=5)) == tulle.design.closed_forms(["slimfly:q=5"])


def test_a_single_file_is_a_list_of_one(tmp_path: Path) -> None:
    place = tmp_path / "faults.txt"
    place.write_text(f"{DOWN}\n")
    call, one = SINGLE["faults"]
    assert call(f"@{place}") == call(one)
    for read in (tulle.cabling.read_live, tulle.cabling.read_network):
        for path in (tmp_path / "none.json", str(tmp_path / "none.json")):
            with pytest.raises(tulle.FileError, match=r"none\.json"):
                read("lldp", path)
