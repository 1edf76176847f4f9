"""Test typed specs: each plug-in with a spec has a class, and each object of the class is a checked spec string."""

from __future__ import annotations

import copy
import doctest
import inspect
import pickle
import re
import subprocess
import sys
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tulle
from tulle import (
    _tulle,
    flit_patterns,
    patterns,
    policies,
    queues,
    schemes,
    selectors,
    topologies,
    transports,
    vc_schemes,
)
from tulle.registry import KINDS
from tulle.typed_specs import MODULES, Spec, check, class_name, keyword, typed

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parent.parent


def _of(kind: str, name: str) -> type[Spec]:
    found: type[Spec] = getattr(import_module(f"tulle.{MODULES[kind]}"), class_name(name))
    return found


CLASSES = [
    pytest.param(kind, _of(kind, entry["name"]), id=f"{kind}-{entry['name']}")
    for kind in MODULES
    for entry in tulle.registered(kind)
]
EXAMPLES = [
    pytest.param(kind, _of(kind, entry["name"]), spec, id=f"{kind}-{spec}")
    for kind in MODULES
    for entry in tulle.registered(kind)
    for spec in entry["examples"]
]


def _canonical(kind: str, spec: str) -> str:
    """Return the canonical form of a spec, or the error message if the spec names a file that does not exist."""
    try:
        return check(kind, spec)
    except tulle.FileError as error:
        return str(error)


def test_every_kind_has_a_module_and_every_name_a_class() -> None:
    assert set(MODULES) == {*KINDS} - {"measurements", "targets", "imports", "exports", "live-tools", "schedulers"}
    for kind, name in MODULES.items():
        module = getattr(tulle, name)
        names = [class_name(entry["name"]) for entry in tulle.registered(kind)]
        assert module.__all__ == names
        assert len({*names}) == len(names)
        assert all(of.isidentifier() and of[0].isupper() for of in names)


def test_stubs_are_those_of_the_declarations() -> None:
    command = [sys.executable, str(ROOT / "tools" / "typed_specs.py"), "check"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize(("kind", "of", "spec"), EXAMPLES)
def test_examples_are_the_same_as_values(kind: str, of: type[Spec], spec: str) -> None:
    value = typed(of, spec)
    assert type(value) is of
    assert _canonical(kind, value) == _canonical(kind, spec)
    assert type(str(value)) is str
    assert str(value) == f"{value}" == value
    again = eval(repr(value), dict(vars(sys.modules[of.__module__])))
    for other in (again, pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert type(other) is of
        assert (other, hash(other), repr(other)) == (value, hash(value), repr(value))


@pytest.mark.parametrize(("kind", "of"), CLASSES)
def test_docstrings_and_signatures(kind: str, of: type[Spec]) -> None:
    (entry,) = (entry for entry in tulle.registered(kind) if class_name(entry["name"]) == of.__name__)
    signature = inspect.signature(of)
    assert list(signature.parameters) == [keyword(parameter["name"]) for parameter in entry["parameters"]]
    required = [name for name, argument in signature.parameters.items() if argument.default is argument.empty]
    assert required == [parameter["name"] for parameter in entry["parameters"] if not parameter["default"]]
    text = " ".join(str(of.__doc__).split())
    for part in (entry["paper"], entry["limitations"], *(parameter["help"][1:] for parameter in entry["parameters"])):
        assert " ".join(part.split()) in text
    runner = doctest.DocTestRunner(verbose=False)
    for test in doctest.DocTestFinder(recurse=False).find(
        of, of.__name__, globs=dict(vars(sys.modules[of.__module__]))
    ):
        assert runner.run(test).failed == 0


def test_the_repr_is_the_call_and_the_text_the_spec() -> None:
    for value, call, spec in [
        (topologies.SlimFly(q=19), "SlimFly(q=19)", "slimfly:q=19"),
        (topologies.SlimFly(p=3, q=5), "SlimFly(q=5, p=3)", "slimfly:q=5,p=3"),
        (topologies.HyperX(shape=(4, 4)), "HyperX(shape='4x4')", "hyperx:shape=4x4"),
        (topologies.JellyfishLike(spec=topologies.SlimFly(q=5)),) + 2 * ("",),
        (schemes.Random(layers=9, rho=0.6), "Random(layers=9, rho=0.6)", "random:layers=9,rho=0.6"),
        (schemes.Random(rho="60%", acyclic=True), "Random(rho='60%', acyclic=True)", "random:rho=60%,acyclic=true"),
        (patterns.Permutation(bytes="1MiB"), "Permutation(bytes='1MiB')", "permutation:bytes=1MiB"),
        (
            patterns.Permutation(bytes=np.int64(1500)),  # type: ignore[arg-type]
            "Permutation(bytes='1500B')",
            "permutation:bytes=1500B",
        ),
        (selectors.Flowlet(gap=timedelta(milliseconds=2)), "Flowlet(gap='2000us')", "flowlet:gap=2000us"),
        (transports.Purified(priority=False), "Purified(priority=False)", "purified:priority=no"),
        (queues.Trim(headers=None), "Trim()", "trim"),
        (policies.Crossings(from_="next"), "Crossings(from_='next')", "crossings:from=next"),
        (flit_patterns.Uniform(self=False), "Uniform(self=False)", "uniform:self=no"),
    ]:
        if not call:
            call, spec = "JellyfishLike(spec='slimfly:q=5')", "jellyfish-like:slimfly:q=5"
        assert (repr(value), str(value)) == (call, spec)
    nested = flit_patterns.Bursts(of=flit_patterns.HotSpot(share=0.5, endpoints=3))
    assert str(nested) == 'bursts:of="hot-spot:share=0.5,endpoints=3"'
    assert nested.parameters == {"of": "hot-spot:share=0.5,endpoints=3"}


def test_values_do_not_change() -> None:
    value = topologies.SlimFly(q=5)
    with pytest.raises(AttributeError):
        value.q = 7  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        value.parameters["q"] = 7  # type: ignore[index]
    assert {str(value): 1}[topologies.SlimFly(q=5)] == 1
    assert value != topologies.SlimFly(q=7)


# Generate legal and illegal values of every kind of parameter. A class and a spec string must accept and reject the
# same values.
_TEXTS = st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=8)


def _values(kind: dict[str, Any]) -> st.SearchStrategy[Any]:
    match kind["type"]:
        case "or":
            return st.just(kind["word"]) | _values(kind["kind"])
        case "integer":
            most = kind.get("max")
            return st.integers(int(kind["min"]), 1 << 20 if most is None else int(most))
        case "number":
            return st.floats(kind["min"], 1e9, exclude_min=bool(kind.get("above")))
        case "fraction":
            return st.floats(0, 1, exclude_min=bool(kind.get("above"))) | st.integers(1, 100).map("{}%".format)
        case "word" | "flag":
            return st.sampled_from(list(kind["words"]))
        case "bytes":
            return st.integers(1, 1 << 40) | st.integers(1, 512).map("{}KiB".format)
        case "duration":
            return st.integers(1, 10**6).map("{}us".format) | st.timedeltas(timedelta(0), timedelta(seconds=9))
        case "shape":
            return st.lists(st.integers(1, 12), min_size=1, max_size=3)
        case "rate":
            return st.integers(1, 400).map("{}Gbps".format)
        case _:
            return _TEXTS


@st.composite
def _calls(draw: st.DrawFn) -> tuple[str, Any, dict[str, Any]]:
    kind = draw(st.sampled_from([*MODULES]))
    entry = draw(st.sampled_from([entry for entry in tulle.registered(kind) if not entry["nested"]]))
    optional = {keyword(of["name"]): _values(of["kind"]) for of in entry["parameters"] if of["default"]}
    required = {keyword(of["name"]): _values(of["kind"]) for of in entry["parameters"] if not of["default"]}
    return kind, entry, draw(st.fixed_dictionaries(required, optional=optional))


@settings(max_examples=150, deadline=None)
@given(_calls())
def test_any_value_is_its_text_and_its_call(call: tuple[str, Any, dict[str, Any]]) -> None:
    kind, entry, values = call
    of = _of(kind, entry["name"])
    spelled = {
        parameter["name"]: _spelled(parameter["kind"], values[keyword(parameter["name"])])
        for parameter in entry["parameters"]
        if keyword(parameter["name"]) in values
    }
    try:
        value = of(**values)
    except (tulle.SpecError, tulle.InputError) as error:
        # The class rejects these values, for example because they exclude each other. The spec string must give the
        # same error.
        with pytest.raises(type(error), match=f"^{re.escape(str(error))}$"):
            check(kind, _tulle.join_spec(entry["name"], [*spelled.items()]))
        return
    assert value == _tulle.join_spec(entry["name"], [*spelled.items()])
    assert eval(repr(value), dict(vars(sys.modules[of.__module__]))) == value
    assert list(value.parameters) == list(spelled)


def _spelled(kind: dict[str, Any], value: Any) -> str:
    """Return a parameter's value as users write it in a spec string."""
    if isinstance(value, list):
        return "x".join(map(str, value))
    if isinstance(value, timedelta):
        return f"{value // timedelta(microseconds=1)}us"
    return (
        f"{value}B"
        if isinstance(value, int) and "bytes" in (kind["type"], kind.get("kind", {}).get("type"))
        else str(value)
    )


def test_bad_values_have_the_errors_of_texts() -> None:
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: topologies.SlimFly(q=6), "slimfly:q=6"),
        (lambda: topologies.SlimFly(), "slimfly"),  # type: ignore[call-arg]
        (lambda: topologies.SlimFly(k=8), "slimfly:k=8"),  # type: ignore[call-arg]
        (lambda: topologies.SlimFly(q=5, p=-1), "slimfly:q=5,p=-1"),
        (lambda: topologies.SlimFly(q=5.5), "slimfly:q=5.5"),  # type: ignore[arg-type]
        (lambda: topologies.SlimFly(q=True), "slimfly:q=True"),
        (lambda: topologies.JellyfishLike(spec="slymfly:q=5"), "jellyfish-like:slymfly:q=5"),
    ]
    for make, spec in cases:
        with pytest.raises(tulle.SpecError) as of_text:
            tulle.Fabric(spec)
        with pytest.raises(tulle.SpecError) as of_value:
            make()
        assert str(of_value.value) == str(of_text.value)
    with pytest.raises(tulle.InputError, match=r"^slimfly: q is a list; legal: 3 to 256; a prime power$"):
        topologies.SlimFly(q=[5])  # type: ignore[arg-type]
    with pytest.raises(
        tulle.InputError, match=r"^SlimFly: 19 has no keyword; legal: q, p, for example SlimFly\(q=19\)$"
    ):
        topologies.SlimFly(19)  # type: ignore[call-arg]
    with pytest.raises(tulle.SpecError, match=r"^jellyfish-like: unknown parameter 'of=1'; legal: spec$"):
        topologies.JellyfishLike(of=1)  # type: ignore[call-arg]


def test_a_file_is_read_when_the_spec_is_used(tmp_path: Path) -> None:
    value = topologies.File(edges=tmp_path / "a, b.csv")
    with pytest.raises(tulle.FileError, match=r"a, b\.csv: No such file"):
        tulle.Fabric(value)
    (tmp_path / "a, b.csv").write_text("source,target\n0,1\n1,2\n", encoding="utf-8")
    assert tulle.Fabric(value).num_switches == 3


def test_every_function_takes_both() -> None:
    clique = topologies.Clique(degree=3, p=2)
    fabric = tulle.Fabric(clique)
    assert fabric == tulle.Fabric("clique:degree=3,p=2")
    routing = tulle.route(clique, schemes.Minimal())
    assert routing.spec == tulle.route(fabric, "minimal").spec
    assert routing.assign_vcs(vc_schemes.DFSSSP(vcs=2)).scheme == routing.assign_vcs("dfsssp:vcs=2").scheme
    messages = patterns.Permutation(bytes=3000)
    assert len(tulle.traffic(fabric, messages)) == 8
    ran = tulle.simulate(
        clique,
        schemes.Minimal(),
        messages,
        transports.NDP(window=4),
        selectors.Spray(),
        queue=queues.Trim(packets=4),
        nic=tulle.nics.FIFO(),
        faults=[tulle.faults.Drop(links="1", loss=0.1, until="1us")],
    )
    assert ran.configuration["transport"].startswith("ndp:window=4")
    flits = tulle.simulate_flits(
        clique,
        schemes.Minimal(),
        flit_patterns.Uniform(self=False),
        load=0.1,
        vcs=3,
        router=tulle.routers.InputQueued(buffer=8),
        selector=tulle.flit_selectors.Minimal(),
        policy=policies.Hops(),
        window=200,
    )
    assert flits.accepted > 0
    assert tulle.saturation(clique, schemes.Minimal(), patterns.Permutation(), vcs=3, precision=0.5).accepted > 0
    assert tulle.simulate_exchange(clique, schemes.Minimal(), patterns.AllToAll(bytes="256B"), vcs=3).cycles > 0
    assert tulle.analysis.throughput(clique, patterns.AllToAll()).lower > 0
    assert tulle.place(clique) == tulle.place("clique:degree=3,p=2")
    (forms,) = tulle.design.closed_forms([clique])
    assert forms is not None
    assert forms.endpoints == 8
    assert tulle.tune(clique, layers=2, deadlock=[vc_schemes.Hops()]).fabric == fabric
    card = tulle.compare.compare(
        [clique, topologies.Clique(degree=4, p=2)], routings=[schemes.Minimal()], seeds=1, size="4KB"
    )
    assert [entrant.fabric for entrant in card.entrants] == ["clique:degree=3,p=2", "clique:degree=4,p=2"]


def test_the_examples_of_the_page() -> None:
    text = (ROOT / "docs" / "reference" / "typed-specs.md").read_text(encoding="utf-8")
    script, session = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, Any] = {}
    exec(script, names)
    assert names["result"].summary()["completed"] == 200
    test = doctest.DocTestParser().get_doctest(session, names, "typed-specs.md", None, None)
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0
    for module, call in re.findall(r"^\| `tulle\.(\w+)` \| .* \| `(.*)` \|$", text, re.MULTILINE):
        assert isinstance(eval(call, dict(vars(getattr(tulle, module)))), Spec)
    assert {*re.findall(r"^\| `tulle\.(\w+)`", text, re.MULTILINE)} == {*MODULES.values()}


SNIPPET = """\
import tulle
from tulle.topologies import SlimFly, Dragonfly

SlimFly(q=19)
SlimFly(k=8)
SlimFly(q="19")
Dragonfly(p=2, arrangement="polar")
tulle.schemes.Random(layers=9, rho=0.6, acyclic=True)
tulle.schemes.Random(layer=9)
tulle.Fabric(SlimFly(q=5))
tulle.simulate(SlimFly(q=5), "minimal", tulle.patterns.Permutation(bytes="1MiB"), queue=tulle.queues.Trim())
"""


def test_mypy_finds_wrong_parameters(tmp_path: Path) -> None:
    path = tmp_path / "snippet.py"
    path.write_text(SNIPPET, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--no-error-summary"]
    found = subprocess.run([*command, str(path)], cwd=ROOT, capture_output=True, text=True, check=False)
    lines = [line.split("snippet.py:")[-1] for line in found.stdout.splitlines() if ": error: " in line]
    polar = "Literal['polar']"
    literal = "Literal['absolute', 'relative', 'palm-tree']"
    assert lines == [
        '5: error: Unexpected keyword argument "k" for "SlimFly"  [call-arg]',
        '6: error: Argument "q" to "SlimFly" has incompatible type "str"; expected "int"  [arg-type]',
        '7: error: Argument "arrangement" to "Dragonfly" has incompatible type '
        f'"{polar}"; expected "{literal}"  [arg-type]',
        '9: error: Unexpected keyword argument "layer" for "Random"; did you mean "layers"?  [call-arg]',
    ], found.stdout + found.stderr


@pytest.mark.parametrize(
    ("statement", "error", "message"),
    [
        ("tulle.analyze", AttributeError, "module 'tulle' has no attribute 'analyze'; did you mean analysis?"),
        ("tulle.throughput", AttributeError, "has no attribute 'throughput'; did you mean tulle.analysis.throughput?"),
        ("tulle.resilience", AttributeError, "has no attribute 'resilience'; did you mean tulle.analysis.resilience?"),
        ("tulle.flit.curves", AttributeError, "has no attribute 'curves'; did you mean curve?"),
        ("from tulle import analyse", ImportError, "has no attribute 'analyse'; did you mean analysis?"),
        ("from tulle.topologies import Polarstar", ImportError, "did you mean PolarStar?"),
        ("from tulle.schemes import Spred", ImportError, "did you mean Spread"),
    ],
)
def test_a_name_that_a_module_lacks_is_answered_by_the_nearest(
    statement: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        exec(statement, {"tulle": tulle})
    assert not hasattr(tulle, "analyze")
