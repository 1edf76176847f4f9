"""Demands: the traffic between every ordered pair of switches."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tulle import _tulle
from tulle._internal.arguments import as_spec, read_seed
from tulle._internal.arrays import frozen, read_integers, read_numbers
from tulle._internal.html_summary import Overview, Shown
from tulle.errors import InputError
from tulle.fabric import as_fabric
from tulle.workload import as_workload, matrix_path

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from tulle.fabric import Fabric
    from tulle.workload import Workload

__all__ = ["Demands", "demands"]


def demands(fabric: Fabric | str, traffic: str | Workload | Demands, seed: int = 0) -> Demands:
    """Compute the demands between switches from a traffic pattern, in units of a link's rate.

    The demand of a pair of switches is the sum of the bytes of its messages. All demands are scaled so that the busiest
    sender sends at one link rate. Traffic between endpoints of one switch crosses no cable and is omitted.

    The pattern ``uniform`` has random messages, so its demands are the expected ones, which are those of
    ``all-to-all``. A workload that this pattern generated has the demands of its messages.

    Parameters
    ----------
    traffic
        ``all-to-all`` (every endpoint sends at one link rate, evenly to all other endpoints), the spec of a traffic
        pattern, ``file:matrix=NAME`` (a file with a matrix of demands in units of a link's rate, with a row per
        endpoint or per switch), a workload, or demands. Demands and matrices are not scaled.
    seed
        Seed of random patterns.

    Raises
    ------
    tulle.SpecError
        For an unknown pattern or parameter or an illegal value.
    tulle.InputError
        For traffic that does not fit the fabric, or traffic that never leaves a switch.

    Examples
    --------
    >>> import tulle
    >>> tulle.analysis.demands(tulle.Fabric("slimfly:q=5"), "all-to-all").num_pairs
    2450
    """
    fabric = as_fabric(fabric, seed)
    if isinstance(traffic, Demands):
        return traffic
    if isinstance(traffic, str) and (path := matrix_path(traffic)) is not None:
        from tulle.analysis.demand_matrix import read_matrix

        return Demands._from_matrix(read_matrix(fabric, path), traffic)
    if not isinstance(traffic, str) or traffic.startswith("file:"):
        traffic = as_workload(fabric, traffic, seed)
        return Demands._of(_tulle.demands_of(fabric._core, traffic._core))
    traffic = as_spec("traffic", traffic, "all-to-all")
    if traffic.partition(":")[0] == "uniform":
        # A sample of messages would have other demands: those of the endpoint that happens to send most are scaled to
        # one link rate, so the throughput would depend on the duration.
        _tulle.canonical("traffics", traffic)
        traffic = "all-to-all"
    return Demands._of(_tulle.demands(fabric._core, traffic, read_seed(seed)))


class Demands(Shown):
    """Demands between switches, as columns. Row i of every column belongs to one ordered pair of switches.

    Parameters
    ----------
    num_switches
        The number of switches of the fabric.
    source, destination
        Ids of the sending and receiving switches, whole numbers (n,).
    amount
        Demands in units of a link's rate, 0 or more, (n,). Several rows of one pair are added.

    Raises
    ------
    tulle.InputError
        For columns of different lengths, values out of range, or no demand between distinct switches.
    """

    _core: _tulle.Demands

    def __init__(self, num_switches: int, source: ArrayLike, destination: ArrayLike, amount: ArrayLike) -> None:
        self._core = self._built(num_switches, "demands", source, destination, amount)

    @staticmethod
    def _built(
        num_switches: int, spec: str, source: ArrayLike, destination: ArrayLike, amount: ArrayLike
    ) -> _tulle.Demands:
        ends = read_integers("source", source), read_integers("destination", destination)
        amounts = read_numbers("amount", amount)
        if not len(ends[0]) == len(ends[1]) == len(amounts):
            lengths = f"{len(ends[0])}, {len(ends[1])}, {len(amounts)}"
            raise InputError(f"source, destination, amount have {lengths} rows; legal: columns of equal length")
        return _tulle.demands_from(num_switches, spec, *ends, amounts)

    @classmethod
    def _of(cls, core: _tulle.Demands) -> Demands:
        demands = cls.__new__(cls)
        demands._core = core
        return demands

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> Demands:
        """Make demands from a matrix. The row is the source switch, the column is the destination switch."""
        values = np.asarray(matrix, dtype=np.float64)
        if values.ndim != 2 or values.shape[0] != values.shape[1]:
            raise InputError(f"matrix has shape {values.shape}; legal: (switches, switches)")
        return cls._from_matrix(values, "demands")

    @classmethod
    def _from_matrix(cls, values: NDArray[np.float64], spec: str) -> Demands:
        source, destination = np.nonzero(values)
        return cls._of(cls._built(len(values), spec, source, destination, values[source, destination]))

    @property
    def spec(self) -> str:
        """The canonical spec of the traffic; ``demands`` if the demands were made from columns."""
        return self._core.spec

    @property
    def num_switches(self) -> int:
        """Number of switches of the fabric."""
        return self._core.num_switches

    @property
    def num_pairs(self) -> int:
        """Number of ordered pairs of switches with a demand."""
        return self._core.num_pairs

    @property
    def all_to_all(self) -> bool:
        """Whether these are the demands called ``all-to-all``."""
        return self._core.all_to_all

    @cached_property
    def _columns(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
        source, destination, amount = self._core.columns()
        return frozen(source), frozen(destination), frozen(amount)

    @property
    def source(self) -> NDArray[np.int32]:
        """The sending switch of every pair, int32 (n,)."""
        return self._columns[0]

    @property
    def destination(self) -> NDArray[np.int32]:
        """The receiving switch of every pair, int32 (n,)."""
        return self._columns[1]

    @property
    def amount(self) -> NDArray[np.float64]:
        """The demand of every pair in units of a link's rate, above 0, float64 (n,)."""
        return self._columns[2]

    def __eq__(self, other: object) -> bool:
        return self._core == other._core if isinstance(other, Demands) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.num_switches, self.spec, self._core.endpoints(), *self._columns)

    def _overview(self) -> Overview:
        values = {"switches": self.num_switches, "pairs": self.num_pairs, "all to all": self.all_to_all}
        return Overview("Demands", self.spec, values)

    def __repr__(self) -> str:
        return f"<Demands {self.spec!r}: {self.num_pairs} pairs of {self.num_switches} switches>"


def _restored(
    num_switches: int,
    spec: str,
    endpoints: list[int] | None,
    source: NDArray[np.int32],
    destination: NDArray[np.int32],
    amount: NDArray[np.float64],
) -> Demands:
    if endpoints is not None:
        return Demands._of(_tulle.demands_all_to_all(endpoints))
    ends = read_integers("source", source), read_integers("destination", destination)
    return Demands._of(_tulle.demands_from(num_switches, spec, *ends, amount))
