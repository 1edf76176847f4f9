"""Check the layers of the Python package: no module imports a module of a higher layer."""

from __future__ import annotations

import ast
from pathlib import Path

from tulle.typed_specs import MODULES

PACKAGE = Path(__file__).parent.parent / "python" / "tulle"
# The layers of the package from bottom to top, as in docs/explanation/architecture.md.
LAYERS = (
    "_tulle",
    "_internal",
    "errors",
    "declarations",
    "columns",
    "metric",
    "plot",
    "fabric",
    "workload",
    "routing",
    "analysis",
    "tuning",
    "design",
    "cabling",
    "packet",
    "flit",
    "compare",
    "deploy",
    "schedulers",
    "lab",
    "study",
    "report_html",
    "registry",
    "typed_specs",
    *sorted(MODULES.values()),
    "cli",
)
# All layers can import `errors`, because lower layers raise errors, too.
BELOW = ("errors",)


def layer(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def imports(tree: ast.Module) -> list[tuple[str, int]]:
    """Return the tulle modules that a file imports, with line numbers; imports for type checking count, too."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "tulle":
            names = [f"tulle.{name.name}" for name in node.names] if node.module == "tulle" else [node.module]
            found += [(name, node.lineno) for name in names]
        elif isinstance(node, ast.Import):
            found += [(name.name, node.lineno) for name in node.names if name.name.split(".")[0] == "tulle"]
    return found


def upward(source: str, name: str) -> list[str]:
    """Return a file's imports of modules from higher layers."""
    own = LAYERS.index(layer(name)) if layer(name) in LAYERS else len(LAYERS)
    return [
        f"{name}:{line}: {module}"
        for module, line in imports(ast.parse(source))
        if layer(module) in LAYERS and layer(module) not in BELOW and LAYERS.index(layer(module)) > own
    ]


def test_every_module_has_a_layer() -> None:
    found = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert found - {"__init__", "__main__"} == {*LAYERS} - {"_tulle"}


def test_no_import_leads_up() -> None:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        if len(parts) > 2 or parts[-1] not in ("__init__", "__main__"):
            found += upward(path.read_text(), ".".join(parts))
    assert found == []


def test_one_that_does_is_found() -> None:
    text = "from tulle import cli\nfrom tulle.deploy.reach import x\nfrom tulle.fabric import Fabric\n"
    assert upward(text, "tulle.routing.mine") == [
        "tulle.routing.mine:1: tulle.cli",
        "tulle.routing.mine:2: tulle.deploy.reach",
    ]
