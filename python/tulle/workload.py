"""Workloads: messages between endpoints, stored as columns."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tulle import _tulle
from tulle._internal.arguments import as_spec, kind_of, read_seed
from tulle._internal.arrays import frozen, read_durations, read_integers, read_sizes
from tulle._internal.html_summary import Overview, Shown
from tulle._internal.text import brief
from tulle.columns import Columns
from tulle.errors import FormatError, InputError, SpecError
from tulle.fabric import as_fabric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from tulle._internal.arrays import Durations
    from tulle.fabric import Fabric

__all__ = ["Workload", "traffic"]


def traffic(fabric: Fabric | str, spec: str, seed: int = 0) -> Workload:
    """Generate the messages of a traffic pattern among the endpoints of a fabric.

    Parameters
    ----------
    fabric
        A fabric with at least two endpoints, or its spec.
    spec
        ``pattern:key=value,…``, for example ``permutation:bytes=1MiB``; ``tulle list traffics`` shows the patterns.
    seed
        Seed of random patterns, and of the fabric if it is a spec.

    Raises
    ------
    tulle.SpecError
        For an unknown pattern or parameter or an illegal value.
    tulle.InputError
        If the pattern cannot be used on this fabric.
    tulle.FileError, tulle.FormatError
        If a file cannot be read, or its content is invalid. The message names the line or byte.

    Examples
    --------
    >>> import tulle
    >>> load = tulle.traffic(tulle.Fabric("slimfly:q=5"), "permutation:bytes=1MiB", seed=1)
    >>> len(load), int(load.bytes[0])
    (200, 1048576)
    """
    fabric = as_fabric(fabric, seed)
    spec = as_spec("traffic", spec, "permutation:bytes=1MiB")
    refuse_matrix(spec)
    try:
        return Workload._of(_tulle.traffic(fabric._core, spec, read_seed(seed)))
    except FormatError as error:
        from tulle._internal.matrix_file import matrix_hint

        raise FormatError(f"{error}{matrix_hint(spec)}") from None


def foreground_size(fabric: Fabric, spec: str, seed: int) -> int | None:
    """Return how many messages the foreground of ``with-background`` has; they come first. None for other traffic."""
    name, arguments = _tulle.split_spec(spec)
    # With the same seed, the foreground has the same messages without the background.
    return len(traffic(fabric, dict(arguments)["of"], seed)) if name == "with-background" else None


def matrix_path(spec: str) -> str | None:
    """Return the file of the traffic ``file:matrix=NAME``; None for other traffic."""
    before, _, path = spec.partition("file:matrix=")
    return path.strip('"') if path and not before else None


def refuse_matrix(spec: str) -> None:
    """Refuse a traffic matrix where messages are needed."""
    if matrix_path(spec) is not None:
        raise SpecError(
            f"{brief(spec)}: a traffic matrix has no messages; legal: traffic with messages, for example "
            "file:messages=trace.csv; only tulle throughput uses matrices"
        )


class Workload(Shown):
    """Messages (flows) as columns; row i of every column is message i.

    A message may wait for other messages and for computations, which take time but belong to no endpoint. Messages and
    computations are both called steps. With n messages, step i < n is message i, and step n + i is computation i. A
    message ends when its last byte has arrived. A step starts when all steps that it waits for have ended; a message
    also waits for its earliest start.

    Parameters
    ----------
    source, destination
        Endpoint ids, whole numbers (n,). Source and destination of a message differ.
    bytes
        Payload in bytes, at least 1; (n,) or one for all messages: whole numbers, or sizes such as ``"64KiB"``.
    start
        Earliest start, (n,) or one for all messages: durations such as ``"10us"``, `datetime.timedelta`, or whole
        numbers of picoseconds. The column is in picoseconds.
    compute
        Duration of every computation, (m,), in the same forms as `start`.
    dependencies
        Pairs (step, step that it waits for), (d, 2). Steps are whole numbers below n + m.

    Raises
    ------
    tulle.InputError
        For columns of different lengths, values out of range, or steps that wait for each other in a cycle. Whether the
        endpoints exist is checked later, when the workload is used with a fabric.
    """

    _core: _tulle.Workload

    def __init__(
        self,
        source: ArrayLike,
        destination: ArrayLike,
        bytes: ArrayLike | Sequence[str],
        start: Durations = 0,
        *,
        compute: Durations = (),
        dependencies: ArrayLike = (),
    ) -> None:
        sources, destinations = read_integers("source", source), read_integers("destination", destination)
        length = len(sources)
        sizes, starts = (
            np.full(length, column) if column.ndim == 0 else column
            for column in (read_sizes("bytes", bytes), read_durations("start", start))
        )
        columns = (sources, destinations, sizes, starts)
        if any(len(column) != length for column in columns):
            lengths = ", ".join(str(len(column)) for column in columns)
            raise InputError(f"source, destination, bytes, start have {lengths} rows; legal: columns of equal length")
        times, pairs = (
            np.atleast_1d(read_durations("compute", compute)),
            read_integers("dependencies", dependencies, columns=2),
        )
        self._core = _tulle.messages("messages", *columns, times, pairs)

    @classmethod
    def _of(cls, core: _tulle.Workload) -> Workload:
        workload = cls.__new__(cls)
        workload._core = core
        return workload

    @property
    def spec(self) -> str:
        """The canonical spec of the traffic pattern; ``messages`` for a workload made from columns."""
        return self._core.spec

    @property
    def num_endpoints(self) -> int | None:
        """The number of endpoints of the fabric for which the workload was generated; None if it was made from columns.

        The workload cannot be used with a fabric that has a different number of endpoints.
        """
        return self._core.num_endpoints

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings from reading the file of the messages, one line each: ignored columns."""
        return tuple(self._core.warnings)

    @cached_property
    def source(self) -> NDArray[np.int32]:
        """The sending endpoint of every message, int32 (n,)."""
        return frozen(self._core.source())

    @cached_property
    def destination(self) -> NDArray[np.int32]:
        """The receiving endpoint of every message, int32 (n,)."""
        return frozen(self._core.destination())

    @cached_property
    def bytes(self) -> NDArray[np.int64]:
        """The payload of every message in bytes, int64 (n,)."""
        return frozen(self._core.bytes())

    @cached_property
    def start(self) -> NDArray[np.int64]:
        """The earliest start of every message in picoseconds, int64 (n,)."""
        return frozen(self._core.start())

    @cached_property
    def compute(self) -> NDArray[np.int64]:
        """The duration of every computation in picoseconds, int64 (m,)."""
        return frozen(self._core.compute())

    @cached_property
    def dependencies(self) -> NDArray[np.int32]:
        """Pairs (step, step that it waits for), int32 (d, 2), sorted by step. Steps are messages, then computations."""
        return frozen(self._core.dependencies())

    @property
    def columns(self) -> Columns:
        """The columns of the messages by name."""
        return Columns(
            {name: getattr(self, name) for name in ("source", "destination", "bytes", "start")}, {"start": "ps"}
        )

    def __len__(self) -> int:
        return len(self._core)

    def __eq__(self, other: object) -> bool:
        return self._core == other._core if isinstance(other, Workload) else NotImplemented

    def _overview(self) -> Overview:
        values = {
            "messages": len(self),
            "endpoints": self.num_endpoints,
            "total": int(self.bytes.sum()),
            "smallest": int(self.bytes.min()) if len(self) else None,
            "largest": int(self.bytes.max()) if len(self) else None,
            "dependencies": len(self.dependencies),
        }
        return Overview("Workload", self.spec, values, units=dict.fromkeys(("total", "smallest", "largest"), "B"))

    def __repr__(self) -> str:
        return f"<Workload {self.spec!r}: {len(self)} messages, {int(self.bytes.sum())} bytes>"

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        columns = [read_integers(name, column) for name, column in self.columns.items()]
        steps = (self.compute, self.dependencies.astype(np.int64))
        return _restore, (self.spec, self.num_endpoints, *columns, *steps, [*self.warnings])


def _restore(
    spec: str,
    endpoints: int | None,
    source: NDArray[np.int64],
    destination: NDArray[np.int64],
    sizes: NDArray[np.int64],
    start: NDArray[np.int64],
    compute: NDArray[np.int64],
    dependencies: NDArray[np.int64],
    warnings: list[str],
) -> Workload:
    core = _tulle.messages(spec, source, destination, sizes, start, compute, dependencies, endpoints, warnings)
    return Workload._of(core)


def as_workload(fabric: Fabric, workload: Workload | str, seed: int = 0) -> Workload:
    """Return `workload` if it is a `Workload`; if it is a spec, generate it for `fabric` with `seed`."""
    if isinstance(workload, str):
        return traffic(fabric, workload, seed)
    if not isinstance(workload, Workload):
        raise InputError(
            f"workload is {kind_of(workload)}; legal: a tulle.Workload or its spec, for example 'permutation'"
        )
    return workload
