"""Check that a new plug-in needs one file and one line, for a toy plug-in of each kind in a copy of the package.

The copy's command line, lists and documentation show the toys, and the conformance tests cover them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from conftest import ROOT

import tulle
from tulle.registry import PYTHON_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGE = Path(tulle.__file__).parent
TOYS = Path(__file__).parent / "toys"
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


class Toy(NamedTuple):
    """The places to which a toy plug-in of one kind is added."""

    source: str
    """The name of the toy's source file in the folder `TOYS`."""
    folder: str
    """The folder of the package that gets the plug-in's file."""
    registry: str
    """The name of the registry file in `folder`, which gets the plug-in's line."""


ADDED = {
    "metrics": Toy("metric.py", "analysis/metrics", "__init__.py"),
    "measurements": Toy("measurement.py", "study/measurements", "registry.py"),
    "executors": Toy("executor.py", "study/executors", "__init__.py"),
    "targets": Toy("target.py", "deploy/targets", "__init__.py"),
    "imports": Toy("network.py", "cabling/networks", "__init__.py"),
    "live-tools": Toy("live_tool.py", "cabling/live", "__init__.py"),
    "exports": Toy("export.py", "cabling/exports", "__init__.py"),
    "schedulers": Toy("scheduler.py", "schedulers/formats", "__init__.py"),
}
SPEC = "slimfly:q=3"


def copied(folder: Path) -> Path:
    """Copy the package `tulle` into a folder, with its compiled modules; return the path of the copy."""
    package = folder / "tulle"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("*.so"))
    for library in PACKAGE.glob("*.so"):
        (package / library.name).symlink_to(library)
    return package


def add(package: Path, toy: Toy, name: str, source: str, line: str) -> None:
    """Add a plug-in to a package: write the plug-in's file, and append its line to the registry file."""
    place = package / toy.folder
    (place / f"{name}.py").write_text(source, encoding="utf-8")
    registry = place / toy.registry
    text, number = re.subn(
        r"^_MODULES = \{\n(?: .*\n)*", rf"\g<0>{line}", registry.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert number == 1
    registry.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a copy of the package, to which a toy plug-in of each kind was added."""
    folder = tmp_path_factory.mktemp("copy")
    package = copied(folder)
    for toy in ADDED.values():
        line = f'    "toy": "tulle.{toy.folder.replace("/", ".")}.toy",\n'
        add(package, toy, "toy", (TOYS / toy.source).read_text(encoding="utf-8"), line)
    return folder


@pytest.fixture
def run(copy: Path, tmp_path: Path) -> Callable[..., str]:
    """Return a function that runs a command of the copied package in a temporary folder and returns its output."""

    def run(*arguments: str, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "tulle", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(copy)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done.stdout if code in (0, 1) else done.stderr

    return run


def test_every_kind_has_a_toy() -> None:
    assert {*ADDED} == {*PYTHON_KINDS}


def test_contributing_names_the_files_of_every_kind() -> None:
    """Check that the folder, the registry file and the example in each row of CONTRIBUTING's tables exist."""
    rows = re.findall(
        r"^\| [\w -]+ \| `((?:crates|python)/[^`]+/)` \| `([^`]+)`[^|]* \|.*\| `([^`]+)` \|$",
        CONTRIBUTING,
        re.MULTILINE,
    )
    assert len(rows) >= 24
    for folder, registry, example in rows:
        place = ROOT / folder
        assert (place / registry).is_file() or (place.parent / registry).is_file(), (folder, registry)
        assert any((base / example).is_file() for base in (ROOT, place, place.parent)), (folder, example)
    python = {(folder, registry, example) for folder, registry, example in rows if folder.startswith("python/")}
    assert python == {
        (f"python/tulle/{toy.folder}/", toy.registry, f"tests/toys/{toy.source}") for toy in ADDED.values()
    }


def test_the_measurement_of_contributing_runs(tmp_path: Path) -> None:
    """Check that the measurement that CONTRIBUTING describes can be added and runs in its study."""
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", CONTRIBUTING, re.MULTILINE | re.DOTALL)
    (source,) = (text for language, text in blocks if language == "python" and "MEASUREMENT = " in text)
    (study,) = (text for language, text in blocks if language == "toml")
    line = f"    {re.findall(r'`_MODULES` is `(.*?,)`', CONTRIBUTING)[0]}\n"
    package = copied(tmp_path)
    add(package, ADDED["measurements"], "far", source, line)
    (tmp_path / "far.toml").write_text(study, encoding="utf-8")
    command = [sys.executable, "-m", "tulle"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    for arguments in (["list", "measurements", "far"], ["run", "far.toml"]):
        done = subprocess.run(
            [*command, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "far" in done.stdout


def test_contributing_prints_the_toys() -> None:
    """Check that CONTRIBUTING prints the source of the toy deploy target and of the toy import format."""
    blocks = re.findall(r"^```python\n(.*?)^```$", CONTRIBUTING, re.MULTILINE | re.DOTALL)
    for name in ("target.py", "network.py"):
        assert (ROOT / "tests/toys" / name).read_text(encoding="utf-8") in blocks


def test_the_tutorial_prints_the_topology_that_is_compiled() -> None:
    """Check that the tutorial's blocks equal the file that cargo test compiles, and that the registry names it."""
    page = (ROOT / "docs/tutorials/add-topology.md").read_text(encoding="utf-8")
    families = ROOT / "crates/tulle-topologies/src/families"
    blocks = re.findall(r"^```rust\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert "\n".join(blocks) == (families / "folded_hypercube.rs").read_text(encoding="utf-8")
    (line,) = re.findall(r"^```rust title=\"families.rs\"\n    pub (.*\n)```$", page, re.MULTILINE)
    assert f"    #[cfg(test)]\n    {line}" in families.with_suffix(".rs").read_text(encoding="utf-8")


def test_lists_and_schemas_show_it(run: Callable[..., str]) -> None:
    listed, schemas = json.loads(run("list", "--json")), json.loads(run("list", "--schema"))["$defs"]
    for kind in ADDED:
        assert listed[kind][-1]["name"] == "toy", kind
        assert schemas[kind]["$defs"]["toy"]["description"] == listed[kind][-1]["summary"]


def test_the_documentation_shows_it(copy: Path) -> None:
    code = "import sys; sys.path.insert(0, 'tools'); from reference import components as c; "
    code += "print(*map(c.page, sys.argv[1:]))"
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    done = subprocess.run(
        [sys.executable, "-c", code, *ADDED], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.count("## toy { #toy }\n") == len(ADDED)


def test_a_metric(run: Callable[..., str]) -> None:
    assert json.loads(run("analyze", SPEC, "toy", "--json"))["switches"] == 36
    assert "times=10 is out of range; legal: 1 to 9" in run("analyze", SPEC, "toy:times=10", code=2)


def test_a_measurement_by_an_executor(run: Callable[..., str], tmp_path: Path) -> None:
    text = 'name = "toy"\ntitle = "Toy"\nmeasurement = "toy"\nseeds = [1, 2]\n[[case]]\nname = "a"\nnumber = 7\n'
    (tmp_path / "toy.toml").write_text(text)
    found = json.loads(run("run", "toy.toml", "--executor", "toy:most=2", "--json"))
    assert json.dumps(found).count("8.5") >= 1
    assert "most = '5' is out of range; legal: 1 to 4" in run("run", "toy.toml", "--executor", "toy:most=5", code=2)


def test_a_target(run: Callable[..., str], tmp_path: Path) -> None:
    assert "Writes a greeting of every switch." in run("deploy", "--help")
    shown = " ".join(run("deploy", "toy", "--help").split())
    assert "--greeting <hello|bye> What switches say. [default: hello]" in shown
    arguments = ("deploy", "toy", SPEC, "minimal", "-o", "out", "--greeting", "bye", "--times", "2")
    written = json.loads(run(*arguments, "--json"))["written"]
    greetings = [path for path in written if path.endswith("/greeting")]
    assert len(greetings) == 18
    assert (tmp_path / greetings[0]).read_text().startswith("byebye ")
    assert "contains a bundle for toy of slimfly" in run("deploy", "linux", SPEC, "minimal", "-o", "out", code=2)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "toy.txt").write_text("mine")
    assert "own/toy.txt: tulle did not write this file" in run("deploy", "toy", SPEC, "minimal", "-o", "own", code=2)
    assert "repaired bundles of the target toy cannot be written" in run(
        "deploy", "repair", "out", "--dead-switch", "s0-0-0", "-o", "new", "--drained", code=2
    )


def broken(copy: Path, tmp_path: Path, kind: str, old: str, new: str, *arguments: str) -> str:
    """Insert a mistake into the toy of a kind, run a command that uses it, and return the one-line error."""
    shutil.copytree(copy, tmp_path / "copy", symlinks=True)
    toy = tmp_path / "copy/tulle" / ADDED[kind].folder / "toy.py"
    text = toy.read_text(encoding="utf-8")
    assert old in text
    toy.write_text(text.replace(old, new), encoding="utf-8")
    (tmp_path / "cables.txt").write_text("LEAF1 SPINE\nnode1 LEAF1\n")
    done = subprocess.run(
        [sys.executable, "-m", "tulle", *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "copy")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    return done.stderr.removeprefix("tulle: ").rstrip("\n")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "return written(plan, paths)",
            "return Written(paths, fields={}, files=1)",
            "plug-in 'toy': write(): Written() got an unexpected keyword argument 'files'; "
            "legal: Written(paths, fields, shown, notes)",
        ),
        (
            "*, greeting: str, times: int, ipv6: bool) -> Written",
            "*, greeting: str, ipv6: bool) -> Written",
            "plug-in 'toy': write(what, place, *, greeting, ipv6): got an unexpected keyword argument 'times'; "
            "legal: write(what, place, *, greeting, times, ipv6)",
        ),
        (
            "return written(plan, paths)",
            "return paths",
            "plug-in 'toy': write() returns a list; legal: an object of the class Written",
        ),
        (
            "plan = plan_of(what, ipv6=ipv6)",
            "(place / 'a' / 'b').write_text('x')",
            "out/a/b: No such file or directory",
        ),
        ("format=ETHERNET", "fmt=ETHERNET", "plug-in 'toy' (tulle.deploy.targets.toy): Target() got an unexpected "),
        ("TARGET = ", "TARGETS = ", "plug-in 'toy': tulle.deploy.targets.toy defines no TARGET; legal: TARGET = "),
    ],
)
def test_a_mistake_in_a_target_is_one_line(copy: Path, tmp_path: Path, old: str, new: str, message: str) -> None:
    expected = broken(copy, tmp_path, "targets", old, new, "deploy", "toy", SPEC, "minimal", "-o", "out")
    assert expected.startswith(message)


def test_a_mistake_in_an_import_format_is_one_line(copy: Path, tmp_path: Path) -> None:
    arguments = ("import", "toy", "cables.txt", "-o", "f.json")
    expected = broken(copy, tmp_path, "imports", "choices: Choices, *, reverse: bool", "*, reverse: bool", *arguments)
    assert expected == (
        "plug-in 'toy': read(paths, *, reverse): too many positional arguments; legal: read(paths, choices, *, reverse)"
    )


def test_an_import_format(run: Callable[..., str], tmp_path: Path) -> None:
    shown = run("import", "--help")
    assert "--reverse" in shown
    assert "topo or toy." in shown
    (tmp_path / "cables.txt").write_text("LEAF1 SPINE\nnode1 LEAF1\n")
    found = json.loads(run("import", "toy", "cables.txt", "--reverse", "-o", "f.json", "--json"))
    assert (found["switches"], found["endpoints"]) == (2, 1)
    refused = run("import", "topo", "cables.txt", "--reverse", "-o", "f.json", code=2)
    assert refused == "tulle: --reverse with topo; legal: with toy\n"


def test_a_live_tool_and_an_export(run: Callable[..., str], tmp_path: Path) -> None:
    assert "table or toy; default" in " ".join(run("cabling", "verify", "--help").split())
    run("cabling", "plan", SPEC, "-o", "plan")
    cables = (tmp_path / "plan" / "exports" / "cables.toy").read_text().splitlines()
    assert len(cables) == 45 + tulle.Fabric(SPEC).num_endpoints
    assert "SONiC, Toy" in (tmp_path / "plan" / "README.md").read_text()
    (tmp_path / "now").write_text("toy sf-s0-r0-i0 1 sf-s0-r0-i1 1\n")
    found = json.loads(run("cabling", "verify", "plan", "--live", "now", "--json", code=1))
    assert found["tool"] == "toy"


def test_a_scheduler(run: Callable[..., str], tmp_path: Path) -> None:
    assert "Writes the hosts of every leaf." in run("export", "--help")
    written = json.loads(run("export", "toy", SPEC, "-o", "out", "--mark", "of", "--json"))["written"]
    assert written == ["out/tree.toy"]
    assert (tmp_path / "out/tree.toy").read_text().endswith("sf-s1-r2-i2 of 3\n")


def test_a_mistake_in_a_scheduler_is_one_line(copy: Path, tmp_path: Path) -> None:
    expected = broken(copy, tmp_path, "schedulers", ", *, mark: str", "", "export", "toy", SPEC, "-o", "out")
    assert expected == (
        "plug-in 'toy': files(tree): got an unexpected keyword argument 'mark'; legal: files(tree, *, mark)"
    )


def test_the_conformance_tests_cover_it(copy: Path, tmp_path: Path) -> None:
    pytest_alone = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist"]
    # In its usual folder, the inner pytest would first delete the temporary files of earlier test runs.
    pytest_alone.append(f"--basetemp={tmp_path / 'inner'}")
    done = subprocess.run(
        [*pytest_alone, "-rA", "-k", "toy", "tests/test_conformance.py"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    passed = {name.partition("[")[0] for name in re.findall(r"PASSED \S+::(\S+)", done.stdout)}
    assert passed >= {
        "test_an_entry_is_whole",
        "test_an_example_of_a_target_runs",
        "test_bundles_of_a_target_are_read_back",
        "test_an_example_of_an_import_format_runs",
        "test_files_of_another_kind_are_no_network",
        "test_the_sample_of_a_tool_is_read_and_recognized",
        "test_an_export_is_what_it_declares",
        "test_an_example_of_a_scheduler_runs",
        "test_an_example_of_a_metric_is_measured",
        "test_the_example_of_a_measurement_runs",
        "test_examples_of_an_executor_are_legal",
    }
    assert sum("-toy] " in line or "-toy]" in line for line in done.stdout.splitlines()) >= len(ADDED)
