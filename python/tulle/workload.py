"""Workloads: messages between endpoints, as columns."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tulle import _tulle
from tulle._arguments import frozen, read_integers, read_seed
from tulle.columns import Columns
from tulle.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from tulle.fabric import Fabric

__all__ = ["Workload", "traffic"]


def traffic(fabric: Fabric, spec: str, seed: int = 0) -> Workload:
    """The messages of a traffic pattern among the endpoints of a fabric.

    Parameters
    ----------
    fabric
        A fabric with at least two endpoints.
    spec
        ``pattern:key=value,…``, as ``permutation:bytes=1MiB``; ``tulle list traffics`` shows the patterns.
    seed
        Of random patterns; others ignore it.

    Raises
    ------
    tulle.SpecError
        For an unknown pattern or parameter or an illegal value.
    tulle.InputError
        For a fabric that the pattern does not fit.

    Examples
    --------
    >>> import tulle
    >>> load = tulle.traffic(tulle.Fabric("slimfly:q=5"), "permutation:bytes=1MiB", seed=1)
    >>> len(load), int(load.bytes[0])
    (200, 1048576)
    """
    return Workload._of(_tulle.traffic(fabric._core, spec, read_seed(seed)))


class Workload:
    """Messages (flows) as columns; row i of every column is message i.

    Parameters
    ----------
    source, destination
        Endpoints, whole numbers (n,); a message never goes to its own endpoint.
    bytes
        Payloads in bytes, 1 or more, (n,) or one number for all.
    start
        Earliest starts in picoseconds, (n,) or one number for all.

    Raises
    ------
    tulle.InputError
        For columns of different lengths, or values out of range. Whether the endpoints exist is checked where the
        workload meets a fabric.
    """

    _core: _tulle.Workload

    def __init__(self, source: ArrayLike, destination: ArrayLike, bytes: ArrayLike, start: ArrayLike = 0) -> None:
        columns = [read_integers("source", source), read_integers("destination", destination)]
        length = len(columns[0])
        for name, values in (("bytes", bytes), ("start", start)):
            alike = np.full(length, values) if np.ndim(values) == 0 else values
            columns.append(read_integers(name, alike))
        if any(len(column) != length for column in columns):
            lengths = ", ".join(str(len(column)) for column in columns)
            raise InputError(f"source, destination, bytes, start have {lengths} rows; legal: columns of one length")
        self._core = _tulle.messages("messages", *columns)

    @classmethod
    def _of(cls, core: _tulle.Workload) -> Workload:
        workload = cls.__new__(cls)
        workload._core = core
        return workload

    @property
    def spec(self) -> str:
        """The canonical spec; ``messages`` for workloads from columns."""
        return self._core.spec

    @cached_property
    def source(self) -> NDArray[np.int32]:
        """The endpoint that sends, int32 (n,)."""
        return frozen(self._core.source())

    @cached_property
    def destination(self) -> NDArray[np.int32]:
        """The endpoint that receives, int32 (n,)."""
        return frozen(self._core.destination())

    @cached_property
    def bytes(self) -> NDArray[np.int64]:
        """Payload in bytes, int64 (n,)."""
        return frozen(self._core.bytes())

    @cached_property
    def start(self) -> NDArray[np.int64]:
        """Earliest start in picoseconds, int64 (n,)."""
        return frozen(self._core.start())

    @property
    def columns(self) -> Columns:
        """All columns by name."""
        return Columns({name: getattr(self, name) for name in ("source", "destination", "bytes", "start")})

    def __len__(self) -> int:
        return len(self._core)

    def __eq__(self, other: object) -> bool:
        return self._core == other._core if isinstance(other, Workload) else NotImplemented

    def __repr__(self) -> str:
        return f"<Workload {self.spec!r}: {len(self)} messages, {int(self.bytes.sum())} bytes>"

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        columns = [read_integers(name, column) for name, column in self.columns.items()]
        return _restore, (self.spec, *columns)


def _restore(spec: str, *columns: NDArray[np.int64]) -> Workload:
    return Workload._of(_tulle.messages(spec, *columns))
