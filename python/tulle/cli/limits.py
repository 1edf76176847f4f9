"""A limit of the address space (`ulimit -v`), heeded before libraries of others meet it.

Where OpenBLAS gets no memory as it is loaded or first used, it ends the process itself, with lines of its own. So under
such a limit the libraries that hold one are refused where they would not fit, and it starts no more threads than fit.
"""

from __future__ import annotations

import os
import sys

from tulle._internal.runtime import processors

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["heed", "release"]

# Bytes to load a library and what it loads, with the buffers of one thread of OpenBLAS: measured, and a tenth more.
_NEEDS = {"numpy": 92 << 20, "scipy.linalg": 152 << 20, "matplotlib": 114 << 20}
# Bytes of address space per thread of OpenBLAS, which takes 40 MiB of them for a stack and a buffer.
_SHARE = 1 << 29
_THREADS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
_RESERVE = 2 << 20
"""Bytes kept to say that there is no memory."""

_reserves: list[bytearray] = []


class _Guard:
    """Finds no module, and refuses those that do not fit."""

    @staticmethod
    def find_spec(name: str, _path: Sequence[str] | None = None, _target: object = None) -> None:
        if name in _NEEDS:
            from tulle._tulle import require_memory

            require_memory(f"loading {name}", _NEEDS[name])


def heed() -> None:
    """From now on; without a limit it does nothing. What the user says of threads stays."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
    except ImportError:
        # There are no such limits on this system.
        return
    limit, _ = getrlimit(RLIMIT_AS)
    if limit == RLIM_INFINITY:
        return
    _reserves.append(bytearray(_RESERVE))
    threads = max(1, limit // _SHARE)
    if threads < processors() and not any(name in os.environ for name in _THREADS):
        os.environ[_THREADS[0]] = str(threads)
    if not any(isinstance(finder, _Guard) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Guard())


def release() -> bool:
    """Makes room for a last line; whether a limit is heeded."""
    is_heeded = bool(_reserves)
    _reserves.clear()
    return is_heeded
