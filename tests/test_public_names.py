"""Check the names that users import: subpackages are attributes of `tulle`, and no function hides a module."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import tulle

PACKAGES = ("analysis", "cabling", "compare", "deploy", "design", "flit", "lab", "packet", "routing", "study")
LAZY = sorted(
    module.name
    for module in walk_packages(tulle.__path__, "tulle.")
    if module.ispkg and hasattr(import_module(module.name), "_HOMES")
)


def test_packages_are_attributes_in_a_fresh_process() -> None:
    code = f"import tulle; {'; '.join(f'tulle.{name}' for name in PACKAGES)}"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_attributes_are_packages_whatever_was_imported_before() -> None:
    assert {name: getattr(tulle, name).__name__ for name in PACKAGES} == {name: f"tulle.{name}" for name in PACKAGES}


@pytest.mark.parametrize("package", ["tulle", *LAZY])
def test_no_name_is_called_like_a_module(package: str) -> None:
    found = import_module(package)
    homes = vars(found)["_HOMES"]
    modules = {module.name for place in found.__path__ for module in walk_packages([str(Path(place))])}
    assert not {*homes} & modules
    assert {name: getattr(found, name) for name in homes} == {
        name: getattr(import_module(home), name) for name, home in homes.items()
    }
    assert {*homes} <= {*dir(found)}
