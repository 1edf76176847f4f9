"""Check the third-party code in the wheel: sources, licences and duplicate versions; write the licence texts.

``crates.py check`` reads ``cargo metadata``. It fails if a crate breaks a rule, or if the file of licence texts is out
of date. ``crates.py write`` writes this file, which is part of every wheel.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TEXTS = ROOT / "THIRD-PARTY-LICENSES.txt"
# The file with the licence texts of the scripts that reports contain.
SCRIPTS = ROOT / "python" / "tulle" / "report_html" / "vendor" / "LICENSES.txt"

SOURCE = "registry+https://github.com/rust-lang/crates.io-index"

# Licences of code that the wheel may contain, together with their texts.
PERMISSIVE = {"Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "ISC", "MIT"}
PERMISSIVE |= {"Unicode-3.0", "Unlicense", "Zlib"}

# Crates that may occur in two versions, each with the reason.
DUPLICATES = {
    "ndarray": "the crate numpy needs 0.17, and the crate lapjv still needs an older version",
    "syn": "derive macros of several crates, at compile time only",
}

Package = dict[str, Any]


def metadata() -> dict[str, Any]:
    """Return cargo's metadata of the workspace and its dependencies, as locked in Cargo.lock."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    loaded: dict[str, Any] = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)
    return loaded


def permitted(licence: str) -> bool:
    """Return whether an SPDX expression allows use under a permissive licence; ``/`` is an old form of OR."""
    tokens = re.findall(r"\(|\)|[^\s()/]+|/", licence)
    position = 0

    def expression() -> bool:
        nonlocal position
        # AND binds more tightly than OR.
        holds = conjunction()
        while position < len(tokens) and tokens[position] in ("OR", "/"):
            position += 1
            holds = conjunction() or holds
        return holds

    def conjunction() -> bool:
        nonlocal position
        holds = term()
        while position < len(tokens) and tokens[position] == "AND":
            position += 1
            holds = term() and holds
        return holds

    def term() -> bool:
        nonlocal position
        token = tokens[position]
        position += 1
        if token == "(":
            holds = expression()
            position += 1
            return holds
        if tokens[position : position + 1] == ["WITH"]:
            token = f"{token} WITH {tokens[position + 1]}"
            position += 2
        return token in PERMISSIVE

    return bool(tokens) and expression() and position == len(tokens)


def problems(known: dict[str, Any]) -> list[str]:
    """Return the violations of the rules for crates, one line each."""
    found, versions = [], defaultdict(set)
    for package in known["packages"]:
        name = f"{package['name']} {package['version']}"
        versions[package["name"]].add(package["version"])
        if package["source"] not in (None, SOURCE):
            found.append(f"{name} comes from {package['source']}; legal: {SOURCE}")
        if package["source"] is None and not Path(package["manifest_path"]).is_relative_to(ROOT):
            found.append(f"{name} is a local crate outside the repository")
        if not permitted(package["license"] or ""):
            found.append(f"{name} has licence {package['license']}; legal: one of {', '.join(sorted(PERMISSIVE))}")
    for name, several in sorted(versions.items()):
        if len(several) > 1 and name not in DUPLICATES:
            found.append(
                f"{name} occurs in versions {', '.join(sorted(several))}; legal: one, or a reason in DUPLICATES"
            )
    once = [name for name in DUPLICATES if len(versions[name]) < 2]
    return found + [f"{name} no longer occurs in two versions; remove its reason" for name in once]


def linked(known: dict[str, Any]) -> list[Package]:
    """Return the third-party crates in the wheel. They include macro crates, but no crates that only tests need."""
    nodes = {node["id"]: node for node in known["resolve"]["nodes"]}
    packages = {package["id"]: package for package in known["packages"]}
    queue = [package["id"] for package in known["packages"] if package["name"] == "tulle-python"]
    seen = set(queue)
    while queue:
        for dependency in nodes[queue.pop()]["deps"]:
            # Kind null marks dependencies of the program itself, unlike test and build dependencies. Dependencies for
            # Windows are not part of the wheels.
            normal = any(kind["kind"] is None and _here(kind["target"]) for kind in dependency["dep_kinds"])
            if normal and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                queue.append(dependency["pkg"])
    others = [packages[identity] for identity in seen if packages[identity]["source"] is not None]
    return sorted(others, key=lambda package: (package["name"], package["version"]))


def _here(target: str | None) -> bool:
    return target is None or "windows" not in target.replace("not(windows)", "")


def texts(known: dict[str, Any]) -> str:
    """Return the list of all linked crates, then each distinct licence text once, then the texts of the scripts."""
    crates = linked(known)
    owners: dict[str, list[str]] = defaultdict(list)
    lines = ["Third-party code in tulle's compiled core, and its licences.", ""]
    lines.append("The standard library of Rust: MIT OR Apache-2.0")
    for package in crates:
        name = f"{package['name']} {package['version']}"
        lines.append(f"{name}: {package['license']}")
        folder = Path(package["manifest_path"]).parent
        files = sorted(
            path for path in folder.iterdir() if re.match(r"(?i)(licen[cs]e|copying|unlicense|notice)", path.name)
        )
        for path in files:
            if path.is_file():
                text = path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").strip()
                owners["\n".join(line.rstrip() for line in text.split("\n"))].append(f"{name} ({path.name})")
    for text, names in sorted(owners.items(), key=lambda item: item[1]):
        lines += ["", "=" * 80, *names, "=" * 80, "", text]
    return "\n".join(lines) + "\n\n" + SCRIPTS.read_text(encoding="utf-8")


def main() -> int:
    """Check or write; return the exit code."""
    known = metadata()
    if sys.argv[1:] == ["write"]:
        TEXTS.write_text(texts(known), encoding="utf-8")
        return 0
    if sys.argv[1:] != ["check"]:
        print("crates.py: legal: check, write", file=sys.stderr)
        return 2
    found = problems(known)
    if not TEXTS.is_file() or TEXTS.read_text(encoding="utf-8") != texts(known):
        found.append(f"{TEXTS.name} is out of date; python tools/crates.py write updates it")
    for problem in found:
        print(f"crates.py: {problem}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
