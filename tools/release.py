"""Prepare a release.

``release.py check [TAG]`` checks it. ``release.py notes VERSION`` prints its entry in the changelog. ``release.py
address REPOSITORY DOCUMENTATION`` sets the public addresses. ``release.py readme TAG`` makes the links of README.md
absolute, for PyPI; only the release workflow runs it, and nobody commits the result.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import addresses

ROOT = Path(__file__).resolve().parent.parent
# File -> pattern of the line with the version. The package takes its version from Cargo.toml.
_PLACES = {
    "Cargo.toml": r'^version = "(.+)"$',
    "CITATION.cff": r"^version: (.+)$",
    "conda/recipe.yaml": r'^  version: "(.+)"$',
}


def versions(root: Path = ROOT) -> dict[str, str]:
    """Return the version in each file that has one; empty if a file names none."""
    found = {}
    for name, pattern in _PLACES.items():
        match = re.search(pattern, (root / name).read_text(encoding="utf-8"), re.MULTILINE)
        found[name] = match[1] if match else ""
    return found


def entry(version: str, root: Path = ROOT) -> str:
    """Return the text of a version in the changelog, without its heading; empty if the version is missing."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    match = re.search(rf"^## {re.escape(version)}(?: [^\n]*)?\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return match[1].strip() if match else ""


def problems(tag: str | None, root: Path = ROOT) -> list[str]:
    """Return what must change before a release; `tag` is the tag of the release, if it exists."""
    found = versions(root)
    version = found["Cargo.toml"]
    wrong = [f"{name} has version '{own}'; legal: '{version}', as in Cargo.toml" for name, own in found.items()]
    wrong = [line for line, own in zip(wrong, found.values(), strict=True) if own != version]
    wrong += addresses.problems(root)
    if tag is None:
        return wrong
    if tag != f"v{version}":
        wrong.append(f"tag '{tag}'; legal: 'v{version}', as in Cargo.toml")
    if not all(addresses.known(root)):
        wrong.append(
            "pyproject.toml names no addresses of repository and documentation; "
            f"legal: the addresses that {addresses.COMMAND} writes"
        )
    if not entry(version, root):
        wrong.append(f"CHANGELOG.md has no entry '## {version}'")
    if entry("Unreleased", root):
        wrong.append(f"CHANGELOG.md has entries under 'Unreleased'; legal: all under '## {version}'")
    return wrong


def main(arguments: list[str]) -> int:
    """Run a command; return the exit code."""
    match arguments:
        case ["check", *tag] if len(tag) <= 1:
            found = problems(tag[0] if tag else None)
            for problem in found:
                print(f"release.py: {problem}", file=sys.stderr)
            return 1 if found else 0
        case ["notes", version] if text := entry(version):
            print(text)
            return 0
        case ["notes", version]:
            print(f"release.py: CHANGELOG.md has no entry '## {version}'", file=sys.stderr)
            return 1
        case ["address", repository, documentation]:
            try:
                print(*addresses.write(ROOT, repository, documentation))
            except addresses.AddressError as error:
                print(f"release.py: {error}", file=sys.stderr)
                return 2
            return 0
        case ["readme", tag] if all(addresses.known(ROOT)):
            place = ROOT / "README.md"
            text = addresses.readme(place.read_text(encoding="utf-8"), addresses.known(ROOT)[0], tag)
            place.write_text(text, encoding="utf-8")
            return 0
        case ["readme", _]:
            print(
                f"release.py: pyproject.toml names no address of the repository; first run {addresses.COMMAND}",
                file=sys.stderr,
            )
            return 1
    print(
        "usage: release.py check [TAG] | notes VERSION | address REPOSITORY DOCUMENTATION | readme TAG", file=sys.stderr
    )
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
