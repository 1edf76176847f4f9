"""The files of Slurm: ``topology.conf`` and ``topology.yaml``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.declarations import Option
from tulle.schedulers.formats.text import header, quoted
from tulle.schedulers.hostlist import compact
from tulle.schedulers.model import Described, Scheduler

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.schedulers.tree import Leaf, NetworkTree

Block = tuple[str, list[str]]


def files(tree: NetworkTree, *, plugin: str) -> Described:
    """Return ``topology.conf`` for one plug-in, and ``topology.yaml``, which has one topology for each plug-in."""
    blocks = _blocks(tree)
    sizes = block_sizes(tree)
    conf = _tree_conf(tree) if plugin == "tree" else _block_conf(blocks, sizes)
    renamed = _renamed(tree.leaves)
    yaml = "".join(
        f"- topology: {quoted(name)}\n  cluster_default: {'true' if name == plugin else 'false'}\n{text}"
        for name, text in (("tree", _tree_yaml(tree)), ("block", _block_yaml(blocks, sizes)))
    )
    notes = [
        "copy one of the files into the folder of slurm.conf: topology.yaml for Slurm 25.05 or later, or topology.conf "
        f"with TopologyPlugin=topology/{plugin}; if both exist, Slurm 25.05 reads only topology.yaml"
    ]
    if (
        plugin == "block"
        and (small := min(blocks, key=lambda block: len(block[1])))
        and len(small[1]) < max(len(of) for _, of in blocks)
    ):
        notes.append(
            f"the base block size is {sizes[0]}, the number of hosts in the smallest block {small[0]}; "
            "in larger blocks, Slurm does not use all hosts"
        )
    return Described(
        {
            "topology.conf": header(tree, f"For slurm.conf: TopologyPlugin=topology/{plugin}") + renamed + conf,
            "topology.yaml": header(tree, "For Slurm 25.05 or later, in the folder of slurm.conf.") + renamed + yaml,
        },
        tuple(notes),
    )


def block_sizes(tree: NetworkTree) -> list[int]:
    """Return Slurm's block sizes: first the number of hosts of the smallest block, then the sizes of larger groups.

    Slurm makes larger blocks from consecutive blocks. Each block size must be the previous one times a power of two.
    Therefore a tier adds a size only if all its groups have the same number of parts, and this number is a power of
    two.
    """
    blocks = _blocks(tree)
    sizes = [min(len(hosts) for _, hosts in blocks)]
    names = {name for name, _ in blocks}
    while True:
        parents = {group: parts for group, parts in tree.children.items() if names.issuperset(parts)}
        counts = {len(parts) for parts in parents.values()}
        if len(counts) != 1 or (count := counts.pop()) < 2 or count & (count - 1):
            return sizes
        sizes.append(sizes[-1] * count)
        names = {*parents}


def _blocks(tree: NetworkTree) -> list[Block]:
    """Return the smallest groups and their hosts, in the order of the tree. Without groups, every leaf is a block."""
    blocks: dict[str, list[str]] = {}
    for leaf in tree.leaves:
        block = leaf.groups[0] if len(leaf.groups) > 1 else leaf.name
        blocks.setdefault(block, []).extend(leaf.hosts)
    return [*blocks.items()]


def _tree_conf(tree: NetworkTree) -> str:
    lines = [f"SwitchName={leaf.name} Nodes={compact(leaf.hosts)}\n" for leaf in tree.leaves]
    lines += [f"SwitchName={group} Switches={compact(parts)}\n" for group, parts in tree.children.items()]
    return "".join(lines)


def _block_conf(blocks: Sequence[Block], sizes: Sequence[int]) -> str:
    lines = [f"BlockName={name} Nodes={compact(hosts)}\n" for name, hosts in blocks]
    return "".join(lines) + f"BlockSizes={','.join(map(str, sizes))}\n"


def _tree_yaml(tree: NetworkTree) -> str:
    rows = [(leaf.name, "nodes", leaf.hosts) for leaf in tree.leaves]
    rows += [(group, "children", tuple(parts)) for group, parts in tree.children.items()]
    text = "".join(f"    - switch: {quoted(name)}\n      {key}: {quoted(compact(of))}\n" for name, key, of in rows)
    return f"  tree:\n    switches:\n{text}"


def _block_yaml(blocks: Sequence[Block], sizes: Sequence[int]) -> str:
    listed = "".join(f"    - {size}\n" for size in sizes)
    text = "".join(f"    - block: {quoted(name)}\n      nodes: {quoted(compact(hosts))}\n" for name, hosts in blocks)
    return f"  block:\n    block_sizes:\n{listed}    blocks:\n{text}"


def _renamed(leaves: Sequence[Leaf]) -> str:
    """Return a comment for every leaf whose name is not the name of its switch."""
    return "".join(
        f"# {leaf.name} is {' and '.join(map(quoted, leaf.switches))}\n"
        for leaf in leaves
        if leaf.switches != (leaf.name,)
    )


SCHEDULER = Scheduler(
    name="slurm",
    summary="topology.conf and topology.yaml of Slurm, as a tree and as blocks",
    paper="Slurm: topology.conf(5), topology.yaml(5)",
    limitations="Slurm's files have no bandwidths, so only comments state how far the tree's throughput is from the "
    "network's. The base block size is the number of hosts in the smallest block. Tested only with Slurm 22.05, which "
    "supports neither topology.yaml nor blocks.",
    examples=("slurm", "slurm --plugin block"),
    help="Writes the topology of Slurm: switches and hosts as topology.conf and topology.yaml.",
    options=(
        Option(
            "plugin",
            ("tree", "block"),
            "The plug-in of topology.conf, and the default topology in topology.yaml.",
            default="tree",
        ),
    ),
    files=files,
)
