"""Check that a misspelt keyword argument is an error in mypy and at run time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import tulle

ROOT = Path(__file__).parent.parent

SNIPPET = """\
import tulle

F = tulle.Fabric("clique:degree=3,p=2")
R = tulle.route(F, "minimal")
tulle.simulate_flits(F, R, load=0.3, vcs=2)
tulle.simulate_flits(F, R, lod=0.3)
tulle.simulate_exchange(F, R, "all-to-all:bytes=1KB", routr="diameter-two")
tulle.simulate(F, R, "permutation:bytes=1KB", rat="10Gbps")
tulle.simulate_flits(F, R, load="0.3")
"""


def test_mypy_finds_a_misspelt_keyword(tmp_path: Path) -> None:
    path = tmp_path / "snippet.py"
    path.write_text(SNIPPET, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--config-file",
        "pyproject.toml",
        "--no-error-summary",
        "--hide-error-context",
    ]
    found = subprocess.run([*command, str(path)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 1, found.stdout + found.stderr
    lines = [line.split("snippet.py:")[-1] for line in found.stdout.splitlines() if ": error: " in line]
    assert lines == [
        '6: error: Unexpected keyword argument "lod" for "simulate_flits"; did you mean "load"?  [call-arg]',
        '7: error: Unexpected keyword argument "routr" for "simulate_exchange"; did you mean "router"?  [call-arg]',
        '8: error: Unexpected keyword argument "rat" for "simulate"; did you mean "rate"?  [call-arg]',
        '9: error: Argument "load" to "simulate_flits" has incompatible type "str"; expected "float"  [arg-type]',
    ]


def test_so_does_a_call() -> None:
    fabric = tulle.Fabric("clique:degree=3,p=2")
    routing = tulle.route(fabric, "minimal")
    with pytest.raises(tulle.InputError, match=r"^unknown setting 'lod'; did you mean load\?$"):
        tulle.simulate_flits(fabric, routing, lod=0.3)  # type: ignore[call-arg]
    with pytest.raises(tulle.InputError, match=r"^unknown setting 'routr'; did you mean router\?$"):
        tulle.simulate_exchange(fabric, routing, "permutation:bytes=1KB", routr="diameter-two")  # type: ignore[call-arg]
    with pytest.raises(tulle.InputError, match=r"^unknown setting 'rat'; did you mean rate\?$"):
        tulle.simulate(fabric, routing, "permutation:bytes=1KB", rat="10Gbps")  # type: ignore[call-arg]
