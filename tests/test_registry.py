"""Check that lists, schemas and parsers agree on each parameter, which is declared once."""

import json
import re
from typing import Any

import preloaded
import pytest
from conftest import ROOT

import tulle
from tulle import _tulle
from tulle.analysis import metrics
from tulle.declarations import Declaration, DeclaredParameter, Entry, Parameter
from tulle.registry import KINDS, PYTHON_KINDS, schema

RUST = [kind for kind in KINDS if kind not in PYTHON_KINDS]
ENTRIES = [pytest.param(kind, entry, id=f"{kind}-{entry['name']}") for kind in RUST for entry in tulle.registered(kind)]


def _listed(*arguments: str) -> dict[str, Any]:
    listed: dict[str, Any] = json.loads(preloaded.run("list", *arguments).stdout)
    return listed


def test_list_and_schema_agree() -> None:
    everything, schemas = _listed("--json"), _listed("--schema")["$defs"]
    assert list(everything) == list(schemas) == list(KINDS)
    for kind, entries in everything.items():
        found = schemas[kind]["$defs"]
        assert [entry["name"] for entry in entries] == list(found)
        for entry in entries:
            of, parameters = found[entry["name"]], entry["parameters"]
            assert list(of["properties"]) == [parameter["name"] for parameter in parameters]
            assert of["required"] == [parameter["name"] for parameter in parameters if not parameter["default"]]
            for parameter in parameters:
                _compare(parameter, of["properties"][parameter["name"]])


def test_the_benchmark_of_families_has_every_family() -> None:
    source = (ROOT / "crates" / "tulle-topologies" / "benches" / "families.rs").read_text(encoding="utf-8")
    benched = set(re.findall(r'"([\w-]+):', source))
    assert benched >= {entry["name"] for entry in tulle.registered("fabrics")}


def _compare(parameter: Parameter, found: dict[str, Any]) -> None:
    assert found["description"] == f"{parameter['help']}; legal: {parameter['legal']}"
    assert str(found.get("default", found.get("x-default", ""))) in {parameter["default"], f"{parameter['default']}.0"}
    kind, alternatives = parameter["kind"], found.get("anyOf", [found])[1:]
    while kind["type"] == "or":
        assert {"const": kind["word"]} in alternatives
        assert kind["word"] in parameter["legal"]
        kind = kind["kind"]
    value = found.get("anyOf", [found])[0]
    value = value.get("anyOf", [value])[0]
    for end, name in [("inimum", "min"), ("aximum", "max")]:
        bounds = [bound for key, bound in value.items() if key.endswith(end)]
        assert bounds == ([kind[name]] if kind.get(name) is not None else []), parameter["name"]
    if "words" in kind:
        assert value["enum"] == list(kind["words"])
        assert parameter["legal"].startswith(", ".join(kind["words"]))


def test_schema_of_one() -> None:
    one = _listed("fabrics", "slimfly", "--schema")
    assert one["required"] == ["q"]
    assert one["properties"]["q"]["minimum"] == 3
    assert one == {"$schema": one["$schema"], **schema("fabrics")["slimfly"]}


@pytest.mark.parametrize("entry", [pytest.param(entry.values[1], id=entry.id) for entry in ENTRIES])
def test_declarations_in_python_are_read_like_those_in_rust(entry: Entry) -> None:
    """Check that a Python declaration with a Rust plug-in's parameters lists and accepts the same values."""
    parameters = [
        DeclaredParameter(name=of["name"], kind=of["kind"], default="", help=of["help"])
        for of in entry["parameters"]
        if not {"path", "text"} & {of["kind"]["type"], of["kind"].get("kind", {}).get("type")}
    ]
    twin = _tulle.Declared(
        Declaration(
            name=entry["name"],
            summary=entry["summary"],
            parameters=parameters,
            paper=entry["paper"],
            limitations=entry["limitations"],
            examples=entry["examples"],
        )
    )
    for parameter in twin.entry()["parameters"]:
        (other,) = (of for of in entry["parameters"] if of["name"] == parameter["name"])
        assert parameter["kind"] == other["kind"]
        # `kind` has no maximum if the maximum is 2⁵³ or more. So the twin, which is declared from `kind`, has another
        # legal range, and the test does not compare the two ranges.
        if not other["legal"].startswith("0 to 1000000s"):
            assert other["legal"] in (parameter["legal"], f"{parameter['legal']}; {other['note']}")


def test_errors_are_equal_in_python_and_rust() -> None:
    """Check that a metric (Python) and a fabric (Rust) give the same error for the same bad value, except for names."""
    for metric, fabric in [
        ("walks:hops=65", "clique:degree=999999"),
        ("walks:hops=two", "clique:degree=two"),
        ("walks:steps=2", "clique:steps=2"),
        ("walks:hops=2,hops=2", "clique:degree=2,degree=2"),
        ("walks:", "clique:"),
        ("walks:hops=", "clique:degree="),
        ('walks:hops="2', 'clique:degree="2'),
    ]:
        with pytest.raises(tulle.SpecError) as in_python:
            metrics.metric(metric).parse(metric)
        with pytest.raises(tulle.SpecError) as in_rust:
            tulle.Fabric(fabric)
        rust = str(in_rust.value).replace("clique", "walks").replace("degree=", "hops=").replace("999999", "65")
        # The lists of legal values differ, so the test removes them.
        python, rust = (re.sub(r"(legal:|did you mean).*", "", text) for text in (str(in_python.value), rust))
        assert python == rust


@pytest.mark.parametrize(("kind", "entry"), ENTRIES)
def test_defaults_read_as_given_ones(kind: str, entry: Entry) -> None:
    """Check that a spec with an explicit default value has the same canonical form as without it."""
    example = _plain(entry)
    if example is None:
        pytest.skip("every example reads a file or another spec")
    canonical = _canonical(kind, example)
    for parameter in entry["parameters"]:
        key, default = parameter["name"], parameter["default"]
        if parameter["derived"] or not default or f"{key}=" in example:
            continue
        given = f"{example}{',' if ':' in example else ':'}{key}={default}"
        refused = _refusal(kind, given)
        # Some default values are legal only if other parameters are not given.
        assert re.search("exclude|needs|say the same|do not go", refused) or _canonical(kind, given) == canonical


@pytest.mark.parametrize(("kind", "entry"), ENTRIES)
def test_ranges_are_those_that_are_listed(kind: str, entry: Entry) -> None:
    """Check that the error about a value out of range states the same range as `tulle list`."""
    example = _plain(entry)
    if example is None:
        pytest.skip("every example reads a file or another spec")
    for parameter in entry["parameters"]:
        key, ranged = parameter["name"], parameter["kind"]
        ranged = ranged["kind"] if ranged["type"] == "or" else ranged
        if ranged["type"] != "integer" or not ranged["max"]:
            continue
        head, _, given = example.partition(":")
        kept = [pair for pair in given.split(",") if pair and not pair.startswith(f"{key}=")]
        beyond = f"{key}={int(ranged['max']) + 1}"
        legal = parameter["legal"].removesuffix(f"; {parameter['note']}")
        refused = _refusal(kind, f"{head}:{','.join([*kept, beyond])}")
        assert f"{beyond} is out of range; legal: {legal}" in refused


def _refusal(kind: str, spec: str) -> str:
    """Return the error about a spec; an empty string if the spec is legal."""
    try:
        _canonical(kind, spec)
    except tulle.SpecError as error:
        return str(error)
    return ""


def _canonical(kind: str, spec: str) -> str:
    """Return the canonical form of a spec; failure specs are parsed as the packet simulator parses them."""
    if kind != "faults":
        return _tulle.canonical(kind, spec)
    return str(_tulle.canonical("faults-in-time", spec))


def _plain(entry: Entry) -> str | None:
    """Return a plug-in's shortest example spec that reads no file and contains no other spec."""
    paths = [p["name"] for p in entry["parameters"] if p["kind"]["type"] == "path" and not p["default"]]
    examples = [] if entry["nested"] or paths else [spec for spec in entry["examples"] if '"' not in spec]
    return min(examples, key=len, default=None)
