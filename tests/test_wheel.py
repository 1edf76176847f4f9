"""Install the built wheel into a bare virtual environment, without checkout, Rust and extras, and run it there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

import pytest
from conftest import ROOT
from packaging.requirements import Requirement

# Largest size of a wheel in bytes. A wheel of `make wheel` is smaller than one of `make test`, because it is optimised
# across crates.
LARGEST = 7_000_000

pytestmark = pytest.mark.skipif(not [*ROOT.glob(".venv/wheel/*.whl")], reason="no wheel in .venv/wheel")


def wheel() -> Path:
    (found,) = ROOT.glob(".venv/wheel/*.whl")
    return found


def needed(name: str) -> set[str]:
    """Return the direct and indirect dependencies of a package, without the dependencies of its extras."""
    found: set[str] = set()
    left = [name]
    while left:
        for text in distribution(left.pop()).requires or []:
            requirement = Requirement(text)
            wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            if wanted and requirement.name not in found:
                found.add(requirement.name)
                left.append(requirement.name)
    return found


def link(name: str, packages: Path) -> None:
    """Link the files of an installed distribution into a folder of packages."""
    for file in distribution(name).files or []:
        top = packages / file.parts[0]
        if file.parts[0] not in ("..", "__pycache__") and not top.is_symlink():
            top.symlink_to(Path(str(distribution(name).locate_file(file.parts[0]))))


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a virtual environment with tulle's wheel and only the packages that it needs; return its Python."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    with ZipFile(wheel()) as archive:
        archive.extractall(packages)
    for name in sorted(needed("tulle")):
        link(name, packages)
    return folder / "bin" / "python"


def run(python: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # Without PYTHONPATH and with an empty PATH, the command can use neither the checkout nor a compiler.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | {"PATH": ""}
    return subprocess.run(
        [python, "-m", "tulle", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=folder,
        env=environment,
        check=False,
    )


def test_the_demo_runs_in_a_bare_environment(bare: Path, tmp_path: Path) -> None:
    done = run(bare, tmp_path, "demo")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "tulle: no picture: matplotlib is not installed; `pip install 'tulle[plot]'` installs it\n"
    assert done.stdout.count("Slim Fly, tulle ") == 3
    directory = re.search(r"^run directory: (\S+) ", done.stdout, re.MULTILINE)
    assert directory is not None
    assert (tmp_path / directory[1] / "summary.json").is_file()
    assert "try next:" in done.stdout


@pytest.mark.parametrize(
    ("extra", "command"),
    [
        ("plot", "fabric slimfly:q=3 --plot x.png"),
        ("formats", "fabric file:edges=x.gml"),
        ("partition", "analyze slimfly:q=3 bisection"),
        ("symmetry", "throughput slimfly:q=3 all-to-all --method orbit-lp"),
        ("cluster", "run quickstart --executor dask:workers=2"),
        ("cluster", "run quickstart --executor slurm:memory=1GiB"),
    ],
)
def test_an_error_names_the_extra_that_is_missing(bare: Path, tmp_path: Path, extra: str, command: str) -> None:
    (tmp_path / "x.gml").write_text("graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]\n")
    done = run(bare, tmp_path, *command.split())
    assert done.returncode in (1, 2)
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.endswith(f"; install tulle[{extra}]\n")
    assert [path.name for path in tmp_path.iterdir()] == ["x.gml"]


def test_an_error_in_python_names_the_extra_that_is_missing(bare: Path, tmp_path: Path) -> None:
    code = """
import tulle
for make in (tulle.Columns({}).to_polars, tulle.Fabric("slimfly:q=3").to_networkx, tulle.Fabric("slimfly:q=3").plot):
    try:
        make()
    except tulle.MissingDependencyError as error:
        print(str(error).rpartition(" ")[2])
"""
    done = subprocess.run([bare, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.split() == ["tulle[data]", "tulle[formats]", "tulle[plot]"]


def test_the_wheel_holds_the_studies(bare: Path, tmp_path: Path) -> None:
    with ZipFile(wheel()) as archive:
        names = {*archive.namelist()}
    here = {path.relative_to(ROOT).as_posix() for path in (ROOT / "studies").rglob("*") if path.is_file()}
    assert {name.removeprefix("tulle/") for name in names if name.startswith("tulle/studies/")} == here
    done = run(bare, tmp_path, "run", "quickstart", "--status")
    assert (done.returncode, done.stderr) == (0, "")


def test_the_wheel_is_small_and_says_where_it_comes_from() -> None:
    assert wheel().stat().st_size < LARGEST
    with ZipFile(wheel()) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        text = archive.read(metadata).decode()
    assert "\nProject-URL: " in text
    for extra in ("plot", "data", "formats", "partition", "symmetry", "cluster"):
        assert f"\nProvides-Extra: {extra}\n" in text
