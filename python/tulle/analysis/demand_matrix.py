"""Traffic matrices in files: the traffic ``file:matrix=NAME`` of `demands`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.matrix_file import read_rows
from tulle.errors import FormatError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.fabric import Fabric


def read_matrix(fabric: Fabric, path: str) -> NDArray[np.float64]:
    """Read a matrix of demands, and return the demands between switches, float64 (switches, switches).

    A matrix with a row per endpoint has demands between endpoints; otherwise it has a row per switch. If both numbers
    are equal, rows are endpoints. Values are separated by commas, semicolons, tabs or spaces.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, and for values or sizes that are illegal; the message names the line.
    """
    rows = read_rows(path)
    shape = (len(rows), len(rows[0]) if rows else 0)
    endpoints, switches = fabric.num_endpoints, fabric.num_switches
    if shape not in ((endpoints, endpoints), (switches, switches)):
        raise FormatError(
            f"{path}: a matrix of {shape[0]} × {shape[1]} values; legal for {fabric.spec}: {endpoints} × {endpoints} "
            f"(between endpoints) or {switches} × {switches} (between switches)"
        )
    matrix = np.array(rows, dtype=np.float64)
    if shape[0] != endpoints:
        return matrix
    between = np.zeros((switches, switches))
    at = fabric.endpoint_switch
    np.add.at(between, (at[:, None], at[None, :]), matrix)
    return between
