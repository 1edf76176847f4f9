"""Write flow completion times in the format of HPCC's ns-3 simulator (``fct.txt``), for scripts that read it.

The file has a line per finished flow, in the order of completion: source and destination address (hexadecimal), source
and destination port, payload (bytes), start, completion time, and the closed-form completion time of the flow on an
idle network (ns, rounded down).

Source: alibaba-edu/High-Precision-Congestion-Control, ``simulation/scratch/third.cc`` (``qp_finish``,
``node_id_to_ip``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.columns import Columns

# Source ports of a pair of hosts start at 10,000. The destination port is 100, as in HPCC's flow files.
_FIRST_PORT, _PORT, _PORTS = 10_000, 100, 1 << 16
_NANOSECOND = 1000


def fct_lines(flows: Columns, alone: NDArray[np.int64]) -> str:
    """Return the text of the file for `flows` of a simulation.

    The array `alone` has the completion times of the flows on an idle network, in picoseconds.
    """
    finish = flows["finish"]
    source, destination = flows["source"], flows["destination"]
    ports = _ports(source, destination)
    order = np.argsort(finish, kind="stable")
    order = order[finish[order] >= 0]
    columns = (
        _addresses(source),
        _addresses(destination),
        ports,
        flows["bytes"],
        flows["start"] // _NANOSECOND,
        (finish - flows["start"]) // _NANOSECOND,
        alone // _NANOSECOND,
    )
    rows = zip(*(column[order].tolist() for column in columns), strict=True)
    return "".join(
        f"{a:08x} {b:08x} {port} {_PORT} {size} {start} {time} {least}\n"
        for a, b, port, size, start, time, least in rows
    )


def _addresses(endpoints: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the address of host n: 11.0.0.1 plus n in the middle two bytes."""
    wide = endpoints.astype(np.int64)
    return 0x0B000001 + (wide // 256 << 16) + (wide % 256 << 8)


def _ports(source: NDArray[np.int32], destination: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return source ports: flows of an ordered pair get consecutive ports in the order of the list."""
    order = np.lexsort((destination, source))
    new = np.ones(len(order), bool)
    new[1:] = (np.diff(source[order]) != 0) | (np.diff(destination[order]) != 0)
    places = np.arange(len(order))
    ports = np.empty(len(order), np.int64)
    ports[order] = places - np.maximum.accumulate(np.where(new, places, 0))
    return (_FIRST_PORT + ports) % _PORTS
