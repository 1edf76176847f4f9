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
    """The result of an analysis of a fabric."""

    values: Mapping[str, float | int | None]
    """Numbers that describe the whole fabric, by `Metric.key`."""
    rows: Columns | None = None
    """A table with one row per measured item, for example per pair of switches; None if there is no table."""


@dataclass(frozen=True)
class MetricGroup:
    """A registered analysis that computes several metrics together."""

    declaration: Declaration
    metrics: tuple[Metric, ...]
    """The metrics that the analysis reports, in order."""
    measure: Callable[..., Finding]
    """A function that measures a fabric; its arguments are the fabric, a seed, and the parameters as keywords."""
    distributions: tuple[Distribution, ...] = ()
    """Distributions over the rows of the result; a study can plot them."""

    @cached_property
    def _declared(self) -> _tulle.Declared:
        return _tulle.Declared(self.declaration)

    @cached_property
    def entry(self) -> Entry:
        """The entry of this analysis in the registry."""
        return self._declared.entry()

    def parse(self, spec: str) -> tuple[str, Callable[[Fabric, int], Finding]]:
        """Return the canonical form of `spec`, and a function that measures a fabric with its parameters.

        Raises
        ------
        tulle.SpecError
            For an unknown parameter or an illegal value.
        """
        resolved, values = self._declared.read(spec)
        return resolved, lambda fabric, seed: self.measure(fabric, seed, **values)
