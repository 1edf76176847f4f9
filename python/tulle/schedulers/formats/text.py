"""Format the texts that the files of several schedulers share: the comment at the top, and quoted names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tulle._internal.text import one_line

if TYPE_CHECKING:
    from tulle.schedulers.tree import NetworkTree

WRITTEN = "# Written by tulle export"
"""The first words of every file. Without ``--force``, ``tulle export`` replaces only files that start with them."""


def header(tree: NetworkTree, what: str) -> str:
    """Return the comment at the top of a file: the network, the text `what`, and the throughputs of the tree."""
    lines = [f"{WRITTEN} for {one_line(tree.fabric)} with the routing {one_line(tree.routing)}.", what]
    if tree.tiers:
        lines += [
            "Throughput between groups, as a fraction of a link's rate: sustained by the network, implied by the tree.",
            *(
                f"  {tier.name}: {tier.sustained:.3f} sustained, {tier.implied:.3f} implied, error {tier.error:+.0%}"
                for tier in tree.tiers
            ),
        ]
    return "\n".join(line if line.startswith("#") else f"# {line}" for line in lines) + "\n"


def quoted(text: str) -> str:
    """Return a YAML string in quotes. Without quotes, YAML reads ``no`` as a boolean and ``1e3`` as a number."""
    return json.dumps(text)
