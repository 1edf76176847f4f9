"""The model file of NVIDIA topograph. Topograph makes the topology of Slurm, Slinky and Kubernetes from this file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.schedulers.formats.text import header, quoted
from tulle.schedulers.hostlist import lists
from tulle.schedulers.model import Described, Scheduler

if TYPE_CHECKING:
    from tulle.schedulers.tree import NetworkTree


def files(tree: NetworkTree) -> Described:
    """Return ``topograph.yaml``: the switches with their parts, and a block of hosts per leaf."""
    switches = "".join(
        f"  {quoted(group)}:\n    switches:\n{''.join(f'    - {quoted(part)}{chr(10)}' for part in parts)}"
        for group, parts in tree.children.items()
    )
    # If the network is a single leaf, there are no groups, so the leaf itself is listed.
    switches = switches or "".join(f"  {quoted(leaf.name)}: {{}}\n" for leaf in tree.leaves)
    # Topograph does not accept commas outside of brackets, so entries of `nodes` have at most one bracket, as `h[1-3]`.
    blocks = "".join(
        f"- switch: {quoted(leaf.name)}\n  nodes: [{', '.join(map(quoted, lists(leaf.hosts)))}]\n"
        for leaf in tree.leaves
    )
    what = "A model for topograph 1.0 or later, for the parameter modelFileName of its provider `test`."
    return Described({"topograph.yaml": f"{header(tree, what)}switches:\n{switches}blocks:\n{blocks}"})


SCHEDULER = Scheduler(
    name="topograph",
    summary="a model of NVIDIA topograph, which describes networks to Slurm, Slinky and Kubernetes",
    paper="NVIDIA topograph 1.0: Modeling and API Simulation",
    limitations="The model has no accelerator domains, because a fabric does not say which hosts share NVLink. "
    "Topograph needs these domains for Slurm's topology/block; `tulle export slurm --plugin block` does not. Only for "
    "topograph 1.0 or later.",
    examples=("topograph",),
    help="Writes a model of NVIDIA topograph.",
    files=files,
)
