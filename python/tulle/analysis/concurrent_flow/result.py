"""Results of throughput computations: two proven bounds and the method that found them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from tulle._internal.html_summary import Shown


class Bounds(NamedTuple):
    """The bounds of the throughput that a method proved."""

    lower: float
    """The throughput of a flow that the method found. The channel loads of this flow are computed independently of the
    method."""
    upper: float
    """A throughput that no flow exceeds, proved by channel lengths (weak duality)."""
    stopped: str | None
    """The reason why the method stopped early; None if it did not stop early."""


@dataclass(frozen=True)
class Throughput(Shown):
    """Bounds of the largest T for which the channels can carry T times the demands. Made by `throughput`."""

    _UNITS: ClassVar = {"lower": "× demands", "upper": "× demands"}
    _MORE = ("gap",)

    lower: float
    """A value of T that a flow reaches. The channel loads of this flow are checked independently of the method."""
    upper: float
    """A value of T that no flow exceeds, proved by weak duality."""
    method: str
    """The name of the method that found the bounds."""
    seconds: float = field(compare=False)
    """Wall-clock time of the method in seconds, without building fabric, routing and traffic."""
    proven: bool
    """Whether the bounds are within the requested gap."""
    note: str | None = None
    """The reason why the method stopped before the bounds were within the gap; None if they are within the gap."""

    @property
    def gap(self) -> float:
        """The relative gap of the bounds, (upper − lower) / lower; infinite if the lower bound is 0."""
        return self.upper / self.lower - 1 if self.lower > 0 else float("inf")

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain values. An infinite upper bound or gap becomes None."""
        return {
            "lower": self.lower,
            "upper": self.upper if self.upper != float("inf") else None,
            "gap": self.gap if self.gap != float("inf") else None,
            "method": self.method,
            "proven": self.proven,
            "note": self.note,
            "seconds": round(self.seconds, 6),
        }
