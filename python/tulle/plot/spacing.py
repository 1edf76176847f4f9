"""Keep switches and their names apart in the drawing of a fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# Maximum number of rounds that push pairs of switches apart.
_ROUNDS = 200
# Radius of a switch, width of a character and height of a line, in points, for text of 6 points.
_RADIUS, _WIDTH, _HEIGHT = 2.9, 3.5, 7.0
# Distance between the centre of a switch and its name in points: beside it, and in both directions of a diagonal.
_BESIDE, _DIAGONAL = 5.0, 3.5


class Shift(NamedTuple):
    """The place of a name beside its switch."""

    x: float
    y: float
    """Offset of the anchor in points."""
    across: str
    """Horizontal alignment of the text."""
    down: str
    """Vertical alignment of the text."""


_UP, _DOWN = Shift(0, _BESIDE, "center", "bottom"), Shift(0, -_BESIDE, "center", "top")
_RIGHT, _LEFT = Shift(_BESIDE, 0, "left", "center"), Shift(-_BESIDE, 0, "right", "center")
_CORNERS = tuple(
    Shift(x * _DIAGONAL, y * _DIAGONAL, "left" if x > 0 else "right", "bottom" if y > 0 else "top")
    for x in (1, -1)
    for y in (1, -1)
)


def push_apart(spots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Move switches that are too close to each other, in at most 200 rounds; return the positions.

    The minimum distance depends on the number of switches. It is less than the distance between neighbours if all
    switches are on a circle of radius 1, so a ring stays as it is. The rule is symmetric, so equal parts of a network
    move equally.
    """
    count = len(spots)
    if count < 3:
        return spots
    least = min(1.9 * np.sin(np.pi / count), 1.1 / np.sqrt(count))
    spots = spots.copy()
    for _ in range(_ROUNDS):
        between = spots[:, None] - spots
        distance = np.hypot(between[..., 0], between[..., 1])
        np.fill_diagonal(distance, np.inf)
        missing = np.where(distance < 0.999 * least, least - distance, 0)
        if not missing.any():
            break
        spots += 0.5 * (between * (missing / np.maximum(distance, 1e-9))[..., None]).sum(axis=1)
    return spots


def place_names(
    spots: NDArray[np.float64], lengths: Sequence[int], middle: NDArray[np.float64], *, upright: bool
) -> list[Shift]:
    """Return the place of every name beside its switch: where it covers other names and switches least.

    Of equally good places, the one that faces away from `middle` is taken.

    Parameters
    ----------
    spots
        Positions of the switches in points, (S, 2).
    lengths
        Number of characters of every name.
    middle
        The middle of the drawing in points.
    upright
        Prefer the places above and below a switch to the places beside it.
    """
    taken = [(x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS) for x, y in spots.tolist()]
    found = []
    for spot, length in zip(spots, lengths, strict=True):
        x, y = (spot - middle).tolist()
        vertical = (_UP, _DOWN) if y >= 0 else (_DOWN, _UP)
        across = (_RIGHT, _LEFT) if x >= 0 else (_LEFT, _RIGHT)
        order = (*vertical, *across) if upright or abs(y) >= abs(x) else (*across, *vertical)
        boxes = {shift: _box(spot, shift, length) for shift in (*order, *_CORNERS)}
        best = min(boxes, key=lambda shift: sum(_overlap(boxes[shift], other) for other in taken))
        taken.append(boxes[best])
        found.append(best)
    return found


_Box = tuple[float, float, float, float]


def _box(spot: NDArray[np.float64], shift: Shift, length: int) -> _Box:
    width = _WIDTH * length
    x, y = float(spot[0]) + shift.x, float(spot[1]) + shift.y
    left = x - width * {"left": 0.0, "center": 0.5, "right": 1.0}[shift.across]
    bottom = y - _HEIGHT * {"bottom": 0.0, "center": 0.5, "top": 1.0}[shift.down]
    return left, bottom, left + width, bottom + _HEIGHT


def _overlap(one: _Box, other: _Box) -> float:
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return across * down if across > 0 and down > 0 else 0.0
