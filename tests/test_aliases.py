"""Check that aliases work in specs, and that canonical specs do not contain aliases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import tulle
from tulle.registry import KINDS, registered
from tulle.study.measurements import network
from tulle.study.measurements.simulate import Simulate

if TYPE_CHECKING:
    from conftest import Cli


@pytest.mark.parametrize(
    ("alias", "spec"),
    [
        ("fattree:k=8", "fattree:levels=3,radix=8"),
        ("fattree:levels=2,k=8", "fattree:levels=2,radix=8"),
        ("torus:dims=4x4", "torus:shape=4x4"),
        ("hyperx:dims=3x4,p=2", "hyperx:shape=3x4,p=2"),
    ],
)
def test_fabrics(alias: str, spec: str) -> None:
    assert tulle.Fabric(alias).spec == tulle.Fabric(spec).spec


def test_a_parameter_is_given_once() -> None:
    with pytest.raises(tulle.SpecError, match="radix= is given twice; k= means radix=;"):
        tulle.Fabric("fattree:radix=8,k=8")
    with pytest.raises(tulle.SpecError, match="fattree: radix=7 is odd; legal: 6 or 8"):
        tulle.Fabric("fattree:k=7")


def test_ecmp_is_minimal_routing_with_hashing() -> None:
    fabric = tulle.Fabric("slimfly:q=3")
    routing = tulle.route(fabric, "ecmp")
    assert (routing.spec, routing.selector) == ("minimal", "ecmp")
    assert tulle.route(fabric, "minimal").selector is None

    def selector(*arguments: str) -> str:
        return tulle.simulate(fabric, *arguments).configuration["selector"].partition(":")[0]

    assert selector("ecmp", "permutation:bytes=9KB") == "ecmp"
    assert selector("minimal", "permutation:bytes=9KB") == "recycle"
    assert selector("ecmp", "permutation:bytes=9KB", "purified", "random") == "random"


def test_studies_know_ecmp() -> None:
    given = Simulate(fabric="slimfly:q=3", routing="ecmp", traffic="permutation")
    resolved = network.resolve(given)
    assert (resolved.routing, resolved.selector) == ("minimal", "ecmp")


def test_diameter_is_a_metric(tulle: Cli) -> None:
    found = json.loads(tulle("analyze", "slimfly:q=5", "diameter", "--json").stdout)
    assert (found["metric"], found["diameter"]) == ("distances", 2)


def test_lists_and_help_know_aliases(capsys: pytest.CaptureFixture[str]) -> None:
    from tulle.cli.reference.help import show_help
    from tulle.cli.reference.list import list_kind

    list_kind("routings", "ecmp")
    assert "also called  ecmp\n" in capsys.readouterr().out
    list_kind("fabrics", "fattree")
    assert "radix or k " in capsys.readouterr().out
    # `ecmp` names both a routing and a selector.
    show_help("ecmp")
    result = capsys.readouterr().out
    assert "kind         routings" in result
    assert "kind         selectors" in result


def test_no_alias_is_another_name() -> None:
    for kind in KINDS:
        entries = registered(kind)
        names = [name for entry in entries for name in (entry["name"], *entry["aliases"])]
        assert len(names) == len({*names}), kind
