"""The scheduler `toy`: a line per leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.declarations import Option
from tulle.schedulers.formats.text import header
from tulle.schedulers.model import Described, Scheduler

if TYPE_CHECKING:
    from tulle.schedulers.tree import NetworkTree


def files(tree: NetworkTree, *, mark: str) -> Described:
    """Return the file `tree.toy`."""
    lines = [f"{leaf.name} {mark} {len(leaf.hosts)}\n" for leaf in tree.leaves]
    return Described({"tree.toy": header(tree, "A toy.") + "".join(lines)})


SCHEDULER = Scheduler(
    name="toy",
    summary="a line per leaf",
    paper="none",
    limitations="For tests.",
    examples=("toy", "toy --mark of"),
    help="Writes the hosts of every leaf.",
    options=(Option("mark", ("has", "of"), "The word in the middle.", default="has"),),
    files=files,
)
