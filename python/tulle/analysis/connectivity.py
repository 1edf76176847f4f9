"""Compute edge connectivity by maximum flows, the equivalent-flow tree, or ranks of matrices (FatPaths App. B)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from tulle import _tulle
from tulle._internal.arguments import read_seed
from tulle._internal.arrays import frozen, read_integers
from tulle._internal.results import Value
from tulle.errors import InputError, SpecError
from tulle.fabric import as_fabric

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from tulle.fabric import Fabric

__all__ = ["FlowTree", "edge_connectivity", "flow_tree", "rank_connectivity"]

_MAX_HOPS = 64


@dataclass(frozen=True, eq=False)
class FlowTree(Value):
    """The edge connectivity of all pairs of switches, stored as a tree. Made by `flow_tree`.

    The edge connectivity of two switches is the smallest flow on the tree path between them.
    """

    _MORE = ("smallest",)

    edges: NDArray[np.int32]
    """Rows (switch, its parent in the tree, flow between the two), int32 (S − 1, 3)."""

    @property
    def smallest(self) -> int | None:
        """The edge connectivity of the fabric: the minimum number of cables whose removal disconnects the fabric.

        None if the fabric has only one switch.
        """
        return int(self.edges[:, 2].min()) if len(self.edges) else None

    def row(self, switch: int) -> NDArray[np.int32]:
        """Return the edge connectivity between `switch` and every other switch, int32 (S,).

        The entry of `switch` itself is −1.
        """
        switches = len(self.edges) + 1
        if not 0 <= switch < switches:
            raise InputError(f"switch={switch} is unknown; legal: 0 to {switches - 1}")
        above = np.concatenate([[0], self.edges[:, 1]])
        flows = np.concatenate([[-1], self.edges[:, 2]])
        row = np.full(switches, -1, dtype=np.int32)
        known = np.zeros(switches, dtype=bool)
        known[switch] = True
        at, smallest = switch, np.iinfo(np.int32).max
        while at != 0:
            smallest = min(smallest, int(flows[at]))
            at = int(above[at])
            row[at], known[at] = smallest, True
        for other in range(1, switches):
            if not known[other]:
                way = row[above[other]] if above[other] != switch else np.iinfo(np.int32).max
                row[other], known[other] = min(int(way), int(flows[other])), True
        return frozen(row)


def flow_tree(fabric: Fabric | str) -> FlowTree:
    """Compute the equivalent-flow tree of a connected fabric by S − 1 maximum flows (Gusfield 1990).

    Examples
    --------
    >>> import tulle
    >>> tree = tulle.analysis.flow_tree("slimfly:q=5")
    >>> int(tree.row(0)[9])
    7
    """
    fabric = as_fabric(fabric)
    return FlowTree(frozen(_tulle.flow_tree(fabric._core)))


def edge_connectivity(fabric: Fabric | str, pairs: ArrayLike) -> NDArray[np.uint32]:
    """Return the minimum number of cable failures that disconnect each pair of switches, uint32 (n,).

    One maximum flow is computed per pair.

    Raises
    ------
    tulle.InputError
        For a fabric that is not connected, an unknown switch, or a pair with the same switch twice.

    Examples
    --------
    >>> import tulle
    >>> tulle.analysis.edge_connectivity("slimfly:q=5", [(0, 9), (3, 40)]).tolist()
    [7, 7]
    """
    fabric = as_fabric(fabric)
    return frozen(_tulle.edge_connectivity(fabric._core, read_integers("pairs", pairs, columns=2)))


def rank_connectivity(
    fabric: Fabric | str,
    pairs: ArrayLike,
    max_hops: int | None = None,
    disjoint: Literal["edges", "vertices"] = "edges",
    seed: int = 0,
) -> NDArray[np.uint32]:
    """Compute connectivity within `max_hops` hops by the algebraic method of FatPaths App. B-C, uint32 (n,).

    As in network coding, channels forward random linear combinations of vectors, over the field of 2⁶¹ − 1 elements.
    The result is the rank of the vectors that arrive at the second switch. It is at least the maximum number of
    disjoint paths within the hop limit. For ``"edges"`` it equals this maximum up to three hops, and without a limit
    (None). With other limits it may be larger, because walks that cross a cut after different numbers of hops are
    counted more than once. With ``"vertices"``, paths share only their end switches. The method is slow, so use it for
    samples of pairs. Without a hop limit, it allows up to 2048 channels (edges) or switches (vertices).

    Raises
    ------
    tulle.InputError
        In the same cases as in `edge_connectivity`; also for `max_hops` outside 1 to 64, or if `max_hops` is None and
        the fabric is too large.
    tulle.SpecError
        If `disjoint` is neither ``"edges"`` nor ``"vertices"``.

    Examples
    --------
    >>> import tulle
    >>> tulle.analysis.rank_connectivity("slimfly:q=5", [(0, 9)], max_hops=3).tolist()
    [7]
    """
    fabric = as_fabric(fabric, seed)
    if disjoint not in ("edges", "vertices"):
        raise SpecError(f"disjoint={disjoint} is not a choice; legal: edges, vertices")
    if max_hops is not None and not 1 <= max_hops <= _MAX_HOPS:
        raise InputError(f"max_hops={max_hops} is out of range; legal: 1 to {_MAX_HOPS}")
    rows = read_integers("pairs", pairs, columns=2)
    return frozen(_tulle.rank_connectivity(fabric._core, rows, max_hops, disjoint == "vertices", read_seed(seed)))
