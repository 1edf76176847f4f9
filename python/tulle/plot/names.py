"""Names for legends: what a spec is called in a paper, with the parameters that distinguish it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tulle._tulle import split_spec

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMES = {
    "clique": "Clique",
    "jellyfish": "Jellyfish",
    "jellyfish-like": "Jellyfish",
    "xpander": "Xpander",
    "fattree": "Fat tree",
    "clos": "Clos",
    "flattenedclos": "Flattened Clos",
    "slimfly": "Slim Fly",
    "polarfly": "PolarFly",
    "polarstar": "PolarStar",
    "polarfly-extended": "Extended PolarFly",
    "bundlefly": "Bundlefly",
    "spectralfly": "SpectralFly",
    "oft": "OFT",
    "mlfm": "MLFM",
    "sspt": "SSPT",
    "dragonfly": "Dragonfly",
    "dragonfly-map": "Dragonfly",
    "megafly": "Megafly",
    "hyperx": "HyperX",
    "torus": "Torus",
    "twisted-torus": "Twisted torus",
    "mesh": "Mesh",
    "hypercube": "Hypercube",
    "hammingmesh": "HammingMesh",
    "circulant": "Circulant",
    "debruijn": "de Bruijn",
    "kautz": "Kautz",
    "star": "Star",
    "file": "network",
    "edges": "network",
}
"""Family -> its name in papers."""


def family_name(family: str) -> str:
    """Return the name of a family in papers; the family itself if it has none."""
    return _NAMES.get(family, family)


def short_names(specs: Sequence[str]) -> list[str]:
    """Return a name for the fabric of every spec. Fabrics of one family get the parameters in which they differ.

    The name of a fabric that was read from a file is the file's name without extension.

    >>> short_names(["slimfly:q=5,p=4", "fattree:levels=3,radix=8"])
    ['Slim Fly', 'Fat tree']
    >>> short_names(["slimfly:q=5,p=4", "slimfly:q=7,p=4"])
    ['Slim Fly q=5', 'Slim Fly q=7']
    >>> short_names(["file:edges=mine/first.json", "file:edges=mine/second.json,p=4"])
    ['first', 'second']
    """
    parts = [_parts(spec) for spec in specs]
    found = []
    for number, (name, keys) in enumerate(parts):
        others = [other for at, (same, other) in enumerate(parts) if same == name and at != number]
        different = [
            f"{key}={value}" if value else key
            for key, value in keys.items()
            if any(other.get(key) != value for other in others)
        ]
        found.append(" ".join([name, *([", ".join(different)] if different else [])]))
    return found


def _parts(spec: str) -> tuple[str, dict[str, str]]:
    family, _, text = spec.partition(":")
    if family == "file":
        arguments = dict(split_spec(spec)[1])
        return Path(arguments.get("edges", "")).stem or family_name(family), arguments
    keys: dict[str, str] = {}
    for part in text.split(",") if text else ():
        key, _, value = part.partition("=")
        keys[key] = value
    return family_name(family), keys
