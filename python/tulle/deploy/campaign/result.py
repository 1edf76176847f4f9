"""The result of a failure campaign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle._internal.html_summary import Overview
from tulle._internal.results import Value
from tulle.deploy.campaign.rates import WEEK
from tulle.plot.sheet import Drawable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tulle.columns import Columns

__all__ = ["Campaign"]


@dataclass(frozen=True, eq=False)
class Campaign(Value, Drawable):
    """The changes of a network under random failures. Made by `campaign`."""

    fabric: str
    routing: str
    scheme: str
    seed: int
    failures: int
    """Number of failures."""
    weeks: float
    """Simulated time in weeks."""
    pairs: int
    """Number of ordered pairs of switches with hosts."""
    whole_throughput: float
    """All-to-all throughput of the intact network, as a fraction of the rate of an endpoint's link."""
    changes: Columns
    """A row per change of the network, with these columns:

    * ``seconds``: the time of the change, from the start; ``duration``: the seconds until the next change.
    * ``failures``, ``returns``: the number of parts that failed, and that returned, before the repair was loaded.
    * ``cables_down``, ``switches_down``: the number of parts that are down afterwards.
    * ``broken_pairs``: pairs that lack a path in some layer until the repair is loaded; ``pairs_without_path``: pairs
      that lack a path in all layers.
    * ``layer_pair_seconds``, ``pair_seconds``: how long these pairs lack these paths, in seconds, summed over pairs.
    * ``entries_changed``: the number of changed entries; a switch has one per layer and destination switch.
    * ``drained``: whether traffic had to stop; ``refused``: whether there was no repair; ``cycle``: whether a loaded
      state had a dependency cycle.
    * ``throughput``: the all-to-all throughput until the next change.
    """

    def _sum(self, name: str) -> int:
        return int(self.changes[name].sum())

    @property
    def repairs(self) -> int:
        """The number of changes that were repaired; some repairs keep the loaded tables."""
        return len(self.changes["seconds"]) - self.refused

    @property
    def drained(self) -> int:
        """The number of repairs for which traffic had to stop, because some mixture of states could deadlock."""
        return self._sum("drained")

    @property
    def refused(self) -> int:
        """The number of changes without a repair, for example because the network was disconnected."""
        return self._sum("refused")

    @property
    def cycles(self) -> int:
        """The number of changes after which the loaded state had a dependency cycle."""
        return self._sum("cycle")

    @property
    def entries_changed(self) -> float:
        """The mean number of changed forwarding entries per row of `changes`; see ``entries_changed`` there."""
        return float(self.changes["entries_changed"].mean())

    @property
    def without_path(self) -> float:
        """The fraction of time for which a pair of switches has no path in any layer, averaged over pairs."""
        return float(self.changes["pair_seconds"].sum() / (self.pairs * self.weeks * WEEK))

    @property
    def broken(self) -> float:
        """The fraction of time for which a pair of switches lacks the path of some layer, averaged over pairs."""
        return float(self.changes["layer_pair_seconds"].sum() / (self.pairs * self.weeks * WEEK))

    @property
    def throughput(self) -> float:
        """The mean all-to-all throughput over time, as a fraction of the rate of an endpoint's link."""
        return float(np.average(self.changes["throughput"], weights=self.changes["duration"]))

    @property
    def lowest_throughput(self) -> float:
        """The lowest all-to-all throughput of loaded tables."""
        return float(self.changes["throughput"].min())

    def figures(self) -> dict[str, Any]:
        """Return totals and means over all changes, by name."""
        return {
            "failures": self.failures,
            "weeks": self.weeks,
            "repairs": self.repairs,
            "drained": self.drained,
            "refused": self.refused,
            "cycles": self.cycles,
            "entries_changed": self.entries_changed,
            "without_path": self.without_path,
            "broken": self.broken,
            "throughput": self.throughput,
            "lowest_throughput": self.lowest_throughput,
            "whole_throughput": self.whole_throughput,
        }

    def _overview(self) -> Overview:
        return Overview(
            "Failure campaign", self.fabric, {"routing": self.routing, "scheme": self.scheme, **self.figures()}
        )

    def plot(self) -> Figure:
        """Draw the parts that are down, the entries that change, and the throughput over time.

        Raises
        ------
        tulle.MissingDependencyError
            If matplotlib is not installed; ``tulle[plot]`` installs it.
        """
        from tulle.plot.campaign import plot_campaign

        return plot_campaign(self.changes, self.whole_throughput)
