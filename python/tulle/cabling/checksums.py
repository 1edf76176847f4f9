"""Write and read the checksums of a plan's files, by which tulle finds files that a user has changed."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from tulle._internal.reading import read_text, sha256

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["SUMS", "changed_files", "recorded", "sums_text"]

SUMS = "SHA256SUMS"
"""A file with the SHA-256 of every other file of the plan; plans of earlier versions of tulle have none."""


def sums_text(texts: Mapping[str, str]) -> str:
    """Return the text of `SUMS` in the format of sha256sum, from the texts of the files by name."""
    return "".join(f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n" for name, text in texts.items())


def recorded(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file of a plan, as it was written; empty if the folder has no readable `SUMS`."""
    try:
        lines = read_text(folder / SUMS).splitlines()
    except (OSError, ValueError):
        return {}
    parts = [line.partition("  ") for line in lines]
    return {name: digest for digest, _, name in parts if len(digest) == 64}


def changed_files(folder: Path) -> list[str]:
    """Return the files of a plan whose content differs from the one that tulle wrote, without missing files."""
    files = recorded(folder).items()
    return [name for name, digest in files if (folder / name).is_file() and sha256(folder / name)[1] != digest]
