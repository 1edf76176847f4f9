"""Arrays of cables that also store the cable ids of their rows, so that a row number is never taken for an id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class CableIds(np.ndarray[tuple[int, ...], np.dtype[np.int32]]):
    """Ids of cables, int32: `Fabric.cables`, or a selection from it."""


class Edges(np.ndarray[tuple[int, ...], np.dtype[np.uint32]]):
    """The two switches of each cable, uint32 (n, 2), with the cable id of each row."""

    cables: NDArray[np.int32] | None
    """The ids, int32 (n,); None if the array no longer has one row per cable."""

    def __array_finalize__(self, source: NDArray[Any] | None) -> None:
        self.cables = None

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        cables = self.cables
        rows = key[0] if isinstance(key, tuple) and key and key[0] is not None else key
        if isinstance(found, Edges) and cables is not None and rows is not None and rows is not Ellipsis:
            ids = np.asarray(cables)[rows]
            if np.shape(ids) == found.shape[: np.ndim(ids)] and found.shape[np.ndim(ids) :] == (2,):
                found.cables = ids.view(CableIds) if isinstance(ids, np.ndarray) else ids
        return found


def edges(ends: NDArray[np.uint32], cables: NDArray[np.int32]) -> Edges:
    """Return the rows of `ends` with their cable ids."""
    rows = ends.view(Edges)
    rows.cables = cables
    return rows
