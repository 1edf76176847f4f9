"""Run the examples in the docstrings of every module."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import tulle

_ROOT = Path(tulle.__file__).parent
MODULES = sorted(
    ".".join(("tulle", *path.relative_to(_ROOT).with_suffix("").parts)).removesuffix(".__init__")
    for path in _ROOT.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("module", MODULES)
def test_examples(module: str) -> None:
    assert doctest.testmod(import_module(module)).failed == 0


def test_there_are_some() -> None:
    assert {
        "tulle",
        "tulle.fabric.fabric",
        "tulle.flit.run",
        "tulle.packet.run",
        "tulle.analysis.concurrent_flow.run",
    } <= {*MODULES}
