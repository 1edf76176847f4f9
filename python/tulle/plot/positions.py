"""Positions of switches in the drawing of a fabric: rings of groups, a ring, grids, layers, or a spectral layout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle.plot.spacing import push_apart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.plot.network import Network

# Names of coordinates that number groups of switches with many cables inside.
_GROUPS = ("group", "supernode", "rack", "meta-node")
# Names of coordinates that number parts of a network with levels.
_PARTS = ("pod", "group", "layer", "copy")
# Families whose switches are equal and have an order: they are drawn as one ring.
_RINGS = ("clique", "circulant")
# Radius of a group's ring as a fraction of the distance between neighbouring groups.
_INNER = 0.38
# Offset (x, y) per step in the third dimension of a grid. With this offset, switches do not cover those of the first
# two dimensions.
_OBLIQUE = (0.37, 0.29)
# Distance between boards of a HammingMesh, as a multiple of the distance between its accelerators.
_GAP = 1.7
# Exponent that is applied to the radii in the spectral layout.
_CROWDED = 0.6
# Up to this many switches, a dense eigenvalue solver is fast.
_DENSE = 300


@dataclass(frozen=True)
class Positions:
    """Where switches are drawn."""

    xy: NDArray[np.float64]
    """Coordinates of every switch, float64 (S, 2)."""
    kind: str
    """The layout: ``rings``, ``ring``, ``grid``, ``layers`` or ``spectral``."""
    groups: NDArray[np.int64] | None
    """The group of every switch, int64 (S,), from 0; None if the fabric has no groups."""


def positions(network: Network) -> Positions:
    """Choose a layout by the fabric's coordinates, levels and family, and return the positions of its switches."""
    names, values = network.coordinate_names, np.asarray(network.coordinates, dtype=np.int64)
    levels = np.asarray(network.levels, dtype=np.int64)
    if names[:2] == ("subgraph", "x"):
        # Column x of both subgraphs is a rack of the deployed Slim Fly.
        groups = _numbered(values[:, 1])
        return Positions(_rings(groups, levels), "rings", groups)
    if names and names[0] in _GROUPS:
        groups = _numbered(values[:, 0])
        return Positions(_rings(groups, levels), "rings", groups)
    if names == ("boards", "row", "column"):
        return Positions(_boards(network, values), "grid", None)
    if levels.any():
        parts = next((at for at, name in enumerate(names) if name in _PARTS), None)
        # The switches of the top level belong to no part, because they connect all parts.
        of_parts = None if parts is None else _numbered(np.where(levels == levels.max(), -1, values[:, parts]))
        return Positions(_layers(network, levels), "layers", of_parts)
    if names and all(name.startswith("dimension") for name in names):
        return Positions(_grid(values), "grid", None)
    if network.family in _RINGS:
        return Positions(_circle(network.num_switches), "ring", None)
    return Positions(_spectral(network), "spectral", None)


def _numbered(values: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _circle(count: int, turn: float = 0.0) -> NDArray[np.float64]:
    """Return points on the unit circle, clockwise from the top."""
    angles = np.pi / 2 - 2 * np.pi * np.arange(count) / max(count, 1) + turn
    return np.column_stack([np.cos(angles), np.sin(angles)])


def _rings(groups: NDArray[np.int64], levels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Place groups on a circle, and the switches of each group on a smaller circle.

    If a group has several levels, each level is a row, with the lowest level outside.
    """
    count = int(groups.max(initial=-1)) + 1
    centres = _circle(count)
    if count == 1:
        centres = np.zeros((1, 2))
    apart = 2 * np.sin(np.pi / count) if count > 2 else 2.0
    radius = _INNER * min(apart, 1.0)
    xy = np.zeros((len(groups), 2))
    for group in range(count):
        members = np.flatnonzero(groups == group)
        out = centres[group] if count > 1 else np.array([0.0, 1.0])
        along = np.array([out[1], -out[0]])
        own = levels[members]
        if own.min() == own.max():
            turned = _circle(len(members)) if len(members) > 1 else np.zeros((1, 2))
            # The first switch of a group is on the outer side of the group.
            spots = turned[:, :1] * along + turned[:, 1:] * out
        else:
            spots = np.zeros((len(members), 2))
            for level in np.unique(own):
                of = np.flatnonzero(own == level)
                across = np.linspace(-1, 1, len(of)) if len(of) > 1 else np.zeros(1)
                depth = 0.8 - 1.6 * (level - own.min()) / (own.max() - own.min())
                spots[of] = (0.85 + 0.25 * depth) * across[:, None] * along + depth * out
        xy[members] = centres[group] + radius * spots
    return xy


def _grid(values: NDArray[np.int64]) -> NDArray[np.float64]:
    """Place switches on a grid: two dimensions flat, the third oblique, the fourth as a row of grids, and so on."""
    xy = np.zeros((len(values), 2))
    extent = np.zeros(2)
    for number, column in enumerate(values.T[::-1]):
        most = int(column.max(initial=0))
        if number < 3:
            step = np.array([(1.0, 0.0), (0.0, -1.0), _OBLIQUE][number])
        else:
            axis = number % 2
            step = np.zeros(2)
            step[1 - axis] = (1 if axis else -1) * (extent[1 - axis] + 1)
        xy += column[:, None] * step
        extent += most * np.abs(step)
    return xy


def _boards(network: Network, values: NDArray[np.int64]) -> NDArray[np.float64]:
    """Place the boards of a HammingMesh with gaps between them, and its switches at the ends of rows and columns."""
    tails, heads = np.asarray(network.channels, dtype=np.int64).T
    inside = np.asarray(network.classes) == network.class_names.index("board")
    xy = np.zeros((len(values), 2))
    for axis, column in enumerate((values[:, 2], values[:, 1])):
        is_joined = np.zeros(int(column.max(initial=0)) + 1, dtype=bool)
        lower = np.minimum(column[tails], column[heads])[inside & (column[tails] != column[heads])]
        is_joined[lower] = True
        places = np.concatenate([[0.0], np.cumsum(np.where(is_joined[:-1], 1.0, _GAP))])
        xy[:, axis] = places[column] * (1 if axis == 0 else -1)
    # Several switches of a row or column are drawn side by side.
    _, same, many = np.unique(xy, axis=0, return_inverse=True, return_counts=True)
    same = same.reshape(-1)
    for number in np.flatnonzero(many > 1).tolist():
        members = np.flatnonzero(same == number)
        is_row = xy[members, 0] == xy[:, 0].max()
        xy[members, 0] += np.where(is_row, 0.5 * np.arange(len(members)), 0)
        xy[members, 1] -= np.where(is_row, 0, 0.5 * np.arange(len(members)))
    return xy


def _layers(network: Network, levels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Place the switches of a level in a row, ordered by the mean position of their neighbours in lower levels."""
    xy = np.zeros((len(levels), 2))
    xy[:, 1] = levels
    tails, heads = np.asarray(network.channels, dtype=np.int64).T
    for level in np.unique(levels):
        members = np.flatnonzero(levels == level)
        below = (levels[tails] == level) & (levels[heads] < level)
        count = np.bincount(tails[below], minlength=len(levels))[members]
        total = np.bincount(tails[below], weights=xy[heads[below], 0], minlength=len(levels))[members]
        mean = np.divide(total, count, out=np.zeros(len(members)), where=count > 0)
        order = np.argsort(np.round(mean, 9), kind="stable")
        xy[members[order], 0] = (np.arange(len(members)) + 0.5) / len(members)
    return xy


def _spectral(network: Network) -> NDArray[np.float64]:
    """Place each component by two eigenvectors of its normalised adjacency matrix, the largest component on top."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    size = network.num_switches
    tails, heads = np.asarray(network.channels, dtype=np.int64).T
    matrix = csr_array((np.ones(len(tails)), (tails, heads)), shape=(size, size))
    count, component = connected_components(matrix, directed=False)
    sizes = np.bincount(component, minlength=count)
    xy = np.zeros((size, 2))
    ranked = np.argsort(-sizes, kind="stable")
    width = 2.0 / max(count - 1, 4)
    for place, number in enumerate(ranked.tolist()):
        members = np.flatnonzero(component == number)
        spots = _eigenvectors(matrix[members][:, members])
        if place == 0:
            xy[members] = spots
        else:
            xy[members] = 0.35 * width * spots + (-1 + width * (place - 0.5), -1.3)
    return xy


def _apart(spots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Move switches with the same position, for example leaves of the same spines, to a small circle around it."""
    _, same, many = np.unique(np.round(spots, 3), axis=0, return_inverse=True, return_counts=True)
    same = same.reshape(-1)
    for number in np.flatnonzero(many > 1).tolist():
        members = np.flatnonzero(same == number)
        spots[members] += min(0.02 + 0.005 * len(members), 0.1) * _circle(len(members))
    return spots


def _eigenvectors(matrix: Any) -> NDArray[np.float64]:
    """Return the second and third eigenvector, scaled to −1 to 1."""
    from scipy.linalg import eigh
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import eigsh

    size = matrix.shape[0]
    if size <= 3:
        return _circle(size) if size > 1 else np.zeros((1, 2))
    scale = 1 / np.sqrt(np.asarray(matrix.sum(axis=1)).reshape(-1))
    normal = diags_array(scale) @ matrix @ diags_array(scale)
    if size <= _DENSE:
        vectors = eigh(normal.toarray(), subset_by_index=[size - 3, size - 2])[1][:, ::-1]
    else:
        # A fixed start vector makes the result reproducible.
        values, found = eigsh(normal, k=3, which="LA", v0=np.cos(np.arange(size)))
        vectors = found[:, np.argsort(-values)[1:]]
    vectors = vectors * scale[:, None]
    vectors = vectors / np.abs(vectors).max(axis=0)
    # The sign of an eigenvector is arbitrary.
    first = np.argmax(np.abs(vectors) > 0.5, axis=0)
    spots = _apart(np.asarray(vectors * np.sign(vectors[first, [0, 1]]), dtype=np.float64))
    # In random and other well-connected graphs, switches crowd in the middle. Therefore small radii are increased most.
    # Equal radii stay equal.
    radius = np.hypot(*spots.T)
    spots = spots * np.where(radius > 0, radius, 1.0)[:, None] ** (_CROWDED - 1)
    return push_apart(spots) if size <= _DENSE else spots
