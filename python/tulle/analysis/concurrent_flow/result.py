"""Throughput: two certified bounds and how they were found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Bounds(NamedTuple):
    """The bounds of the throughput that a method proved."""

    lower: float
    """The throughput of a flow whose loads were summed up anew."""
    upper: float
    """A throughput that no flow exceeds, by lengths of channels (weak duality)."""
    stopped: str | None
    """Why the method stopped before its own proof; None where it did not."""


@dataclass(frozen=True)
class Throughput:
    """The largest T such that T times the demands fit the channels, between two bounds. Made by `throughput`."""

    lower: float
    """T that a flow reaches, whose loads were checked apart from the method that found it."""
    upper: float
    """T that no flow exceeds, by weak duality."""
    method: str
    """How the bounds were found."""
    seconds: float = field(compare=False)
    """Wall-clock time of the method, without building fabric, routing and traffic."""
    proven: bool
    """Whether the bounds lie within the gap asked for."""
    note: str | None = None
    """Why the method stopped before its bounds were that near; None where they are."""

    @property
    def gap(self) -> float:
        """(upper − lower) / lower; infinite where nothing positive is reached."""
        return self.upper / self.lower - 1 if self.lower > 0 else float("inf")

    def as_dict(self) -> dict[str, Any]:
        """As plain values; None for an upper bound that there is none of."""
        return {
            "lower": self.lower,
            "upper": self.upper if self.upper != float("inf") else None,
            "gap": self.gap if self.gap != float("inf") else None,
            "method": self.method,
            "proven": self.proven,
            "note": self.note,
            "seconds": round(self.seconds, 6),
        }
