"""The public addresses of tulle: write them into every file that names them, and check that the files agree.

The table ``[project.urls]`` of ``pyproject.toml`` is the source. The site reads it for its links to the repository.
No address is committed before the repository is public; ``release.py check TAG`` requires all.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = "tools/release.py address REPOSITORY DOCUMENTATION"
_ADDRESS = re.compile(r"https://[a-z0-9-]+(\.[a-z0-9-]+)+(/[\w.~-]+)*")
_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s]+)(?=\))")


class AddressError(ValueError):
    """An address in a wrong form, or a file without the line below which addresses are written."""


def urls(repository: str, documentation: str) -> dict[str, str]:
    """Return the entries of ``[project.urls]``."""
    return {
        "Homepage": documentation,
        "Documentation": documentation,
        "Repository": repository,
        "Issues": f"{repository}/issues",
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
    }


def known(root: Path) -> tuple[str, str]:
    """Return the addresses of the repository and of the documentation; each is empty if it is not set."""
    with (root / "pyproject.toml").open("rb") as file:
        found: dict[str, str] = tomllib.load(file)["project"].get("urls", {})
    return found.get("Repository", ""), found.get("Documentation", "")


def texts(root: Path, repository: str, documentation: str) -> dict[str, str]:
    """Return the new texts of all files that contain an address. If both addresses are empty, the texts contain none.

    Raises
    ------
    AddressError
        If an address is not of the form https://HOST/PATH without a slash at the end, or if a file lacks the line below
        which addresses are written.
    """
    for address in (repository, documentation):
        if (repository or documentation) and not _ADDRESS.fullmatch(address):
            raise AddressError(
                f"address '{address}'; legal: for example https://forge.example/owner/tulle, without / at the end"
            )
    named = bool(repository)
    lines = {
        "pyproject.toml": (
            "[project.urls]",
            [f'{name} = "{url}"' for name, url in urls(repository, documentation).items()],
        ),
        "CITATION.cff": ("license: Apache-2.0", [f"repository-code: {repository}", f"url: {documentation}"]),
        "conda/recipe.yaml": (
            "about:",
            [f"  homepage: {documentation}", f"  repository: {repository}", f"  documentation: {documentation}"],
        ),
    }
    found = {}
    for name, (above, block) in lines.items():
        keys = {re.split(r"[:=]", line)[0] for line in block}
        text = (root / name).read_text(encoding="utf-8").splitlines()
        if above not in text:
            raise AddressError(f"{name} has no line '{above}'")
        head = text[: text.index(above) + 1]
        rest = text[len(head) :]
        # The old addresses are directly below this line.
        while rest and re.split(r"[:=]", rest[0])[0] in keys:
            rest.pop(0)
        found[name] = "\n".join([*head, *(block if named else ()), *rest, ""])
    return found


def problems(root: Path) -> list[str]:
    """Return one line for each file whose addresses differ from those of ``pyproject.toml``."""
    repository, documentation = known(root)
    try:
        wanted = texts(root, repository, documentation)
    except AddressError as error:
        return [f"pyproject.toml: {error}"]
    return [
        f"{name} has other addresses than pyproject.toml; legal: the addresses that {COMMAND} writes"
        for name, text in wanted.items()
        if (root / name).read_text(encoding="utf-8") != text
    ]


def write(root: Path, repository: str, documentation: str) -> list[str]:
    """Write the addresses into all files, and return their names."""
    new = texts(root, repository, documentation)
    for name, text in new.items():
        part = root / f"{name}.part"
        part.write_text(text, encoding="utf-8")
        part.replace(root / name)
    return [*new]


def readme(text: str, repository: str, tag: str) -> str:
    """Return the README with absolute links to the files of a tag, because PyPI shows it without the repository."""

    def absolute(match: re.Match[str]) -> str:
        kind = "raw" if match[1].endswith((".png", ".svg")) else "blob"
        return f"{repository}/{kind}/{tag}/{match[1]}"

    return _LINK.sub(absolute, text)
