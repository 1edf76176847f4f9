"""Write the pages of the Python reference: one page for each public module, filled by mkdocstrings from docstrings."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from inspect import getdoc, isclass, isfunction, ismodule
from typing import TYPE_CHECKING

import tulle
from reference.components import PAGES as KINDS
from reference.markdown import table
from tulle.typed_specs import MODULES as TYPED

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDER = "reference/api"

# The order of the pages: from the network to the deployed files.
ORDER = (
    "tulle",
    "fabric",
    "routing",
    "analysis",
    "packet",
    "flit",
    "design",
    "compare",
    "cabling",
    "deploy",
    "lab",
    "study",
    "report_html",
    "errors",
)

# Packages whose page documents the names of the listed modules. The package `deploy` does not export these names,
# because the modules for InfiniBand and for Ethernet both define some of them, for example `read_bundle`.
BELOW = {
    "deploy": (
        "tulle.deploy.infiniband.generate",
        "tulle.deploy.infiniband.write",
        "tulle.deploy.infiniband.bundle",
        "tulle.deploy.infiniband.verify",
        "tulle.deploy.infiniband.repair",
        "tulle.deploy.ethernet.plan",
        "tulle.deploy.ethernet.write",
        "tulle.deploy.ethernet.bundle",
        "tulle.deploy.ethernet.verify",
        "tulle.deploy.ethernet.repair",
        "tulle.deploy.read",
    ),
    "lab": ("tulle.lab.lab", "tulle.lab.probe", "tulle.lab.traffic", "tulle.lab.faults"),
}
# Classes of other modules that occur as arguments or results of functions in `tulle`.
ALSO = ("tulle.typed_specs.Spec", "tulle.declarations.Entry", "tulle.declarations.Parameter")


@cache
def pages() -> dict[str, str]:
    """Return the text of every page by its path in the documentation's folder."""
    return {f"{FOLDER}/index.md": _index(), **{f"{FOLDER}/{name}.md": _page(name) for name in ORDER}}


@cache
def names() -> dict[str, list[str]]:
    """Return the full names that each page documents. Every public name is on one page.

    Typed specs are on the pages of the components.
    """
    own = {name: sorted(_public(name), key=lambda path: _rank(name, path)) for name in ORDER if name != "tulle"}
    elsewhere = {id(value(path)) for paths in own.values() for path in paths}
    rest = [path for path in _of(tulle) if id(value(path)) not in elsewhere]
    return {"tulle": [*sorted(rest, key=lambda path: _rank("tulle", path)), *ALSO], **own}


def _rank(page: str, path: str) -> int:
    """Return the rank of a name on its page: first the class with the page's name, then functions, then the rest."""
    if path.rpartition(".")[2] == page.capitalize():
        return 0
    return 1 if isfunction(value(path)) else 2


def aliases() -> dict[str, str]:
    """Return the full names of `tulle` that another page documents, each with its name there."""
    there = {id(value(path)): path for paths in names().values() for path in paths}
    return {path: there[id(value(path))] for path in _of(tulle) if there[id(value(path))] != path}


def _public(name: str) -> list[str]:
    return [path for module in BELOW.get(name, (f"tulle.{name}",)) for path in _of(import_module(module))]


def _of(module: object) -> list[str]:
    """Return the full names of what a module makes public, except modules and `__version__`."""
    name, public = vars(module)["__name__"], vars(module)["__all__"]
    return [f"{name}.{each}" for each in public if each != "__version__" and not ismodule(getattr(module, each))]


def value(path: str) -> object:
    """Return the object with a full name."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def _index() -> str:
    modules = []
    for name in ORDER:
        module = "tulle" if name == "tulle" else f"tulle.{name}"
        modules.append([f"[`{module}`]({name}.md)", _first(import_module(module))])
    specs = [[f"`tulle.{module}`", f"[{KINDS[kind].title}](../components/{kind}.md)"] for kind, module in TYPED.items()]
    return "\n\n".join(
        [
            "# Python",
            "The pages are generated from the docstrings. Arrays are NumPy arrays; arrays that tulle returns are "
            "read-only. If neither name nor text gives a unit, times are in picoseconds, sizes in bytes and rates in "
            "bit/s.",
            table(["module", "content"], modules),
            "## Modules of typed specs",
            "Every function that takes a spec also takes an object of these modules, for example "
            '`tulle.topologies.SlimFly(q=19)` instead of `"slimfly:q=19"`: see [typed specs](../typed-specs.md).',
            table(["module", "classes"], specs),
            "## All names",
            table(["name", "what it is"], [_row(path, "tulle") for paths in names().values() for path in paths]),
        ]
    )


def _page(name: str) -> str:
    module = "tulle" if name == "tulle" else f"tulle.{name}"
    found = names()[name]
    head = "\n      ".join(["members: []", "show_root_heading: false", "show_root_toc_entry: false"])
    parts = [f"# {module}", f"::: {module}\n    options:\n      {head}"]
    parts.append(table(["name", "what it is"], [_row(path, module) for path in found]))
    if name == "tulle":
        rows = [[f"`{path}`", f"[`{to}`][{to}]"] for path, to in aliases().items()]
        parts += ["Other modules document these names of `tulle`:", table(["name", "documented as"], rows)]
    parts += [f"::: {path}" for path in found]
    return "\n\n".join(parts) + "\n"


def _row(path: str, module: str) -> Sequence[str]:
    return [f"[`{path.removeprefix(f'{module}.')}`][{path}]", _first(value(path))]


def _first(of: object) -> str:
    """Return the first paragraph of a docstring; empty for data, whose documentation Python does not store."""
    if not (isclass(of) or isfunction(of) or ismodule(of)):
        return ""
    return (getdoc(of) or "").split("\n\n")[0].replace("\n", " ").replace("<", "&lt;")
