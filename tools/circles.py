"""Find import cycles between files of one crate, or of the Python package.

``circles.py`` prints each cycle with its imports, and exits with 1 if it finds one.

A module is its file together with the files below it: ``links.rs`` with ``links/``, or a package with its modules. Only
imports between sibling modules count. For example, an import of ``fabric.rs`` in ``links/rule.rs`` counts as an import
of ``fabric`` in ``links``. So a file may import from its parent module, and a module may re-export names of its files.
If a module re-exports a name, the import counts as an import of the file that defines the name. Imports inside
functions count. Imports in unit tests, and Python imports for type checkers only, do not count.

A comment can allow an import: the script ignores an import if the line above it is ``// circle: REASON`` (in Python
``# circle: REASON``).
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent

Module = tuple[str, ...]


class Import(NamedTuple):
    """An import of `target` by `source`, with the position of its line."""

    source: Module
    target: Module
    place: str


class Circle(NamedTuple):
    """Modules that form an import cycle, and the imports between them."""

    modules: tuple[Module, ...]
    imports: tuple[Import, ...]


def circles(imports: list[Import]) -> list[Circle]:
    """Find the import cycles between sibling modules."""
    levels: dict[Module, dict[tuple[Module, Module], list[Import]]] = {}
    for found in imports:
        shared = next(
            (at for at, (a, b) in enumerate(zip(found.source, found.target, strict=False)) if a != b),
            min(len(found.source), len(found.target)),
        )
        # An import between a module and one of its own files does not count.
        if shared == min(len(found.source), len(found.target)):
            continue
        edge = (found.source[: shared + 1], found.target[: shared + 1])
        levels.setdefault(found.source[:shared], {}).setdefault(edge, []).append(found)
    result = []
    for edges in levels.values():
        for group in _strongly_connected(set(edges)):
            between = [found for (a, b), all_ in edges.items() if a in group and b in group for found in all_]
            result.append(Circle(tuple(sorted(group)), tuple(sorted(between))))
    return sorted(result)


def _strongly_connected(edges: set[tuple[Module, Module]]) -> list[set[Module]]:
    """Return the strongly connected components with more than one module."""
    ahead: dict[Module, set[Module]] = defaultdict(set)
    for a, b in edges:
        ahead[a].add(b)
    reach = {start: _reached(ahead, start) for start in list(ahead)}
    groups = []
    for start in sorted(reach):
        group = {other for other in reach[start] if start in reach.get(other, ())}
        if len(group) > 1 and start == min(group):
            groups.append(group)
    return groups


def _reached(ahead: dict[Module, set[Module]], start: Module) -> set[Module]:
    seen: set[Module] = set()
    queue = [start]
    while queue:
        for other in ahead.get(queue.pop(), ()):
            if other not in seen:
                seen.add(other)
                queue.append(other)
    return seen


_ALLOWED = re.compile(r"^\s*(//|#) circle: \S")
_USE = re.compile(r"^[ \t]*(?P<public>pub(?:\([^)]*\))? )?use (?P<tree>[^;]+);", re.MULTILINE)
_TESTS = re.compile(r"^\s*#\[cfg\(test\)\]\s+(?:pub(?:\([^)]*\))? )?mod (\w+)", re.MULTILINE)
_PATH = re.compile(r"(?<![\w:$])(?:crate|super|self)(?:::\w+)+")


def of_crate(folder: Path) -> list[Import]:
    """Return the imports between the files of a crate's `src`."""
    files = {_rust_module(path.relative_to(folder)): path for path in sorted(folder.rglob("*.rs"))}
    texts = {module: _untested(path.read_text(encoding="utf-8")) for module, path in files.items()}
    exports = {module: _exports(text) for module, text in texts.items()}
    tests = {(*module, name) for module, text in texts.items() for name in _TESTS.findall(text)}
    found = []
    for module, text in texts.items():
        if any(module[: at + 1] in tests for at in range(len(module))):
            continue
        for line, path in _rust_paths(text):
            target = _resolved(module, path, files, exports)
            if target is not None and target != module:
                place = f"{files[module].relative_to(folder.parent.parent)}:{line}"
                found.append(Import(module, target, f"{place}: {'::'.join(path)}"))
    return found


def _rust_module(path: Path) -> Module:
    return () if path.name == "lib.rs" else path.with_suffix("").parts


def _untested(text: str) -> str:
    """Remove unit tests and comments, but keep the line breaks and the comments that allow a cycle (`// circle: …`)."""
    lines = []
    is_test = False
    for line in text.split("\n"):
        # All lines after the start of the unit tests belong to them, because they are always the last part of a file.
        is_test = is_test or line == "mod tests {"
        code = "" if is_test else line if _ALLOWED.match(line) else re.sub(r"//.*", "", line)
        lines.append(code)
    return "\n".join(lines)


def _rust_paths(text: str) -> list[tuple[int, list[str]]]:
    """Return the paths that a file uses, with their line numbers."""
    # The line above the first line has the index −1, so an empty line is appended to the list.
    lines = [*text.split("\n"), ""]
    found = []

    def add(start: int, path: list[str]) -> None:
        line = text.count("\n", 0, start) + 1
        above = line - 2
        while lines[above].strip().startswith("#["):
            above -= 1
        if not _ALLOWED.match(lines[above]):
            found.append((line, path))

    for match in _USE.finditer(text):
        if match["public"] is None:
            for path in _leaves(match["tree"]):
                add(match.start("tree"), path)
    for match in _PATH.finditer(_USE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)):
        add(match.start(), match[0].split("::"))
    return found


def _leaves(tree: str) -> list[list[str]]:
    """Return the paths of a Rust use tree: ``a::{b, c::{self, d}}`` has the three paths a::b, a::c and a::c::d."""
    tree = " ".join(tree.split())
    match = re.fullmatch(r"((?:\w+::)*)\{(.*)\}", tree)
    if match is None:
        return [tree.split(" as ")[0].strip().split("::")]
    prefix = match[1].split("::")[:-1]
    parts, depth = [""], 0
    for letter in match[2]:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [
        [*prefix, *(name for name in path if name != "self")]
        for part in parts
        if part.strip()
        for path in _leaves(part)
    ]


def _exports(text: str) -> dict[str, list[str]]:
    """Return the names that a module re-exports, each with its path relative to the module."""
    found = {}
    for match in _USE.finditer(text):
        if match["public"] is not None:
            for path in _leaves(match["tree"]):
                found[path[-1]] = path
    return found


def _resolved(
    module: Module, path: list[str], files: dict[Module, Path], exports: dict[Module, dict[str, list[str]]]
) -> Module | None:
    """Return the file that defines the item to which a path in `module` leads; None if it is in another crate."""
    at = module
    names = list(path)
    if names[0] == "crate":
        at, names = (), names[1:]
    elif names[0] in ("self", "super"):
        while names and names[0] in ("self", "super"):
            at = at[:-1] if names[0] == "super" else at
            names = names[1:]
    elif (*module, names[0]) not in files:
        return None
    for _ in range(20):
        while names and (*at, names[0]) in files:
            at, names = (*at, names[0]), names[1:]
        if not names or names[0] not in exports[at]:
            return at
        through = exports[at][names[0]]
        target = through + names[1:]
        if through[0] not in ("crate", "self", "super") and (*at, through[0]) not in files:
            return at
        if target[0] == "crate":
            at, names = (), target[1:]
        else:
            names = target
            while names and names[0] in ("self", "super"):
                at = at[:-1] if names[0] == "super" else at
                names = names[1:]
    return at


def of_package(folder: Path) -> list[Import]:
    """Return the imports between the files of a Python package."""
    files = {_python_module(path.relative_to(folder.parent)): path for path in sorted(folder.rglob("*.py"))}
    found = []
    for module, path in files.items():
        text = path.read_text(encoding="utf-8")
        lines = text.split("\n")
        for node in _run(ast.parse(text)):
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            if node.lineno > 1 and _ALLOWED.match(lines[node.lineno - 2]):
                continue
            for name in _python_names(node):
                target = tuple(name)
                while target and target not in files:
                    target = target[:-1]
                if target and target != module:
                    place = f"{path.relative_to(folder.parent)}:{node.lineno}"
                    found.append(Import(module, target, f"{place}: {'.'.join(name)}"))
    return found


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the syntax tree's nodes, without imports that only type checkers use."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING"):
            yield from _run(child)


def _python_module(path: Path) -> Module:
    return path.parent.parts if path.name == "__init__.py" else path.with_suffix("").parts


def _python_names(node: ast.Import | ast.ImportFrom) -> list[list[str]]:
    if isinstance(node, ast.Import):
        return [name.name.split(".") for name in node.names]
    return [[*(node.module or "").split("."), name.name] for name in node.names]


def all_circles() -> list[Circle]:
    """Find the import cycles of every crate and of the Python package."""
    found = []
    for manifest in sorted((ROOT / "crates").glob("*/Cargo.toml")):
        found += circles(of_crate(manifest.parent / "src"))
    return found + circles(of_package(ROOT / "python" / "tulle"))


def main() -> int:
    """Print all cycles; return the exit code."""
    found = all_circles()
    for circle in found:
        print("circle: " + ", ".join("/".join(module) or "lib" for module in circle.modules))
        for one in circle.imports:
            print(f"  {one.place}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
