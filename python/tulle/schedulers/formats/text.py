"""Write names and comments as the files of several schedulers need them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tulle._internal.text import one_line

if TYPE_CHECKING:
    from tulle.schedulers.tree import NetworkTree

WRITTEN = "# Written by tulle export"
"""How the files start. The command replaces only files that start with it."""


def header(tree: NetworkTree, what: str) -> str:
    """Return the comment at the top of a file: the network, and how much the tree errs."""
    lines = [f"{WRITTEN} for {one_line(tree.fabric)} with the routing {one_line(tree.routing)}.", what]
    if tree.tiers:
        lines += [
            "Throughput between groups, as a share of a link's rate: sustained by the network, implied by this tree.",
            *(
                f"  {tier.name}: {tier.sustained:.3f} sustained, {tier.implied:.3f} implied, error {tier.error:+.0%}"
                for tier in tree.tiers
            ),
        ]
    return "\n".join(line if line.startswith("#") else f"# {line}" for line in lines) + "\n"


def quoted(text: str) -> str:
    """Return a YAML scalar in quotes. Without quotes, a name such as ``no`` or ``1e3`` would be another type."""
    return json.dumps(text)
