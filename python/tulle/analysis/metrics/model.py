"""The declaration and the result of a metric."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tulle import _tulle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tulle.columns import Columns
    from tulle.declarations import Declaration, Entry
    from tulle.fabric import Fabric
    from tulle.metric import Distribution, Metric


@dataclass(frozen=True)
class Finding:
    """The result of a metric."""

    figures: Mapping[str, float | int | None]
    """Numbers of the fabric as a whole, by `Metric.key`."""
    rows: Columns | None = None
    """A row per item measured."""


@dataclass(frozen=True)
class MetricGroup:
    """A registered analysis, with the metrics that it computes together."""

    declaration: Declaration
    figures: tuple[Metric, ...]
    """The metrics that it reports, in order."""
    measure: Callable[..., Finding]
    """Measures a fabric under a seed; the parameters are keywords."""
    distributions: tuple[Distribution, ...] = ()
    """The distributions over its rows that a study may plot."""

    @cached_property
    def _declared(self) -> _tulle.Declared:
        return _tulle.Declared(self.declaration)

    @cached_property
    def entry(self) -> Entry:
        """The entry of the registry."""
        return self._declared.entry()

    def parse(self, spec: str) -> tuple[str, Callable[[Fabric, int], Finding]]:
        """Return the canonical form of `spec`, and the function that measures it.

        Raises
        ------
        tulle.SpecError
            For an unknown parameter or an illegal value.
        """
        resolved, values = self._declared.read(spec)
        return resolved, lambda fabric, seed: self.measure(fabric, seed, **values)
