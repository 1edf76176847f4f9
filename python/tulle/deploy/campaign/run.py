"""Run a failure campaign: make random failures, repair the tables after each, and check every state that is loaded."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from tulle.columns import Columns
from tulle.deploy.campaign.events import events
from tulle.deploy.campaign.network import Failed, Network
from tulle.deploy.campaign.rates import WEEK, Rates
from tulle.deploy.campaign.result import Campaign
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tulle.deploy.campaign.events import Event
    from tulle.deploy.campaign.network import Tables
    from tulle.routing.vc_plan import VcPlan

__all__ = ["campaign"]

_MOST_FAILURES = 1_000_000
_DATA_VLS = (1, 2, 4, 8, 15)


def campaign(
    plan: VcPlan,
    *,
    failures: int = 1000,
    rates: Rates | None = None,
    vls: int = 8,
    seed: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> Campaign:
    """Let cables and switches fail and return at random times, and repair the tables after each change.

    After a failure, the campaign repairs the loaded tables, as ``tulle deploy repair`` does. If this is impossible, or
    some mixture of old and new tables, lanes and service levels could deadlock, it repairs the tables of the
    intact network instead. If the change to these could deadlock too, traffic stops before they are loaded.

    When a part comes back, the campaign repairs the tables of the intact network for the parts that are still down. It
    loads the result if no mixture can deadlock. Otherwise the loaded tables stay, unless they have no entries for a
    working switch with hosts.

    Hosts use older service levels until they have queried path records again.

    Parameters
    ----------
    plan
        The virtual-channel plan of the intact network, with its routing: tables of single next hops.
    failures
        Number of failures, after which the campaign ends. The last repair also covers failures that happen before it is
        loaded, so the result can have more.
    rates
        Failures per part and year, and mean times; None: the defaults of `Rates`.
    vls
        Data VLs of every port: 1, 2, 4, 8 or 15.
    seed
        Seed of the failures.
    progress
        Called with the number of failures so far and the number of all failures.

    Returns
    -------
    Campaign
        A row per change of the network, and totals and means over all changes.

    Raises
    ------
    tulle.InputError
        For values out of range, or a plan that InfiniBand switches cannot load.

    Notes
    -----
    Limitations: hosts, their cables and the subnet manager do not fail. Failures are independent of each other. The
    check for deadlocks covers the data VLs, not multicast.

    Examples
    --------
    >>> import tulle
    >>> plan = tulle.route("slimfly:q=5", "almost-minimal:layers=4").assign_vcs("colouring")
    >>> found = campaign(plan, failures=5)
    >>> found.failures, found.cycles
    (5, 0)
    """
    if not 1 <= failures <= _MOST_FAILURES:
        raise InputError(f"failures={failures} is out of range; legal: 1 to {_MOST_FAILURES}")
    if vls not in _DATA_VLS:
        raise InputError(f"vls={vls} is not a number of data VLs; legal: 1, 2, 4, 8 or 15")
    rates = Rates() if rates is None else rates
    network = Network(plan, vls)
    run = _Run(network, rates)
    count = 0
    batch: list[Event] = []
    for event in events(network.fabric, rates, seed):
        # A repair also covers the events that happen before it is loaded.
        if batch and event.seconds >= batch[0].seconds + rates.reaction_seconds:
            run.change(batch, event.seconds)
            batch = []
            if progress is not None:
                progress(min(count, failures), failures)
            # A batch can have several failures, so the count can pass the target.
            if count >= failures:
                break
        batch.append(event)
        count += event.is_failure
    fabric = network.fabric
    pairs = len(np.unique(fabric.endpoint_switch))
    return Campaign(
        fabric.spec,
        plan.routing.spec,
        plan.spec,
        seed,
        count,
        run.now / WEEK,
        pairs * (pairs - 1),
        run.whole_throughput,
        Columns({name: np.array([row[name] for row in run.rows]) for name in run.rows[0]}),
    )


class _Run:
    """The network at a point in time."""

    def __init__(self, network: Network, rates: Rates) -> None:
        self.network, self.rates = network, rates
        self.loaded: Tables = network.whole
        self.throughput = self.whole_throughput = network.whole.throughput
        self.down: set[tuple[str, int]] = set()
        self.now = 0.0
        # Older service levels that hosts may still use, each with the time when all hosts have queried new ones.
        self.older: list[tuple[float, NDArray[np.uint16]]] = []
        self.rows: list[dict[str, float]] = []

    def change(self, batch: list[Event], until: float) -> None:
        """Apply events, repair the tables, and add a row. The next event is at the time `until`."""
        for event in batch:
            (self.down.add if event.is_failure else self.down.discard)((event.part, event.number))
        start = batch[0].seconds
        failed = Failed(*(tuple(sorted(at for part, at in self.down if part == kind)) for kind in ("cable", "switch")))
        network, rates = self.network, self.rates
        broken, without = network.broken(failed, self.loaded)
        before = self.loaded
        self.older = [(end, levels) for end, levels in self.older if end > start]
        older = reduce(np.bitwise_or, (levels for _, levels in self.older), np.zeros_like(before.levels))
        new, is_drained = self._next(failed, older)
        is_refused = new is None
        new = before if new is None else new
        # Only tables that were not proved safe are searched for cycles: if all mixtures of old and new tables were
        # proved safe, the new tables are safe too.
        is_unproved = is_drained or is_refused
        is_circular = is_unproved and network.has_cycle(failed, [new], None if is_drained else older)
        if is_drained:
            # Hosts query path records again before traffic starts.
            self.older = []
        elif not np.array_equal(before.levels, new.levels):
            self.older.append((start + rates.query_minutes * 60, before.levels))
        if new is not before:
            self.loaded, self.throughput = new, new.throughput
        reacted = min(rates.reaction_seconds, until - start)
        left_broken, left_without = network.broken(failed, new)
        known = new.ports < network.num_ports
        self.now = until
        self.rows.append(
            {
                "seconds": start,
                "failures": sum(event.is_failure for event in batch),
                "returns": sum(not event.is_failure for event in batch),
                "cables_down": len(failed.cables),
                "switches_down": len(failed.switches),
                "broken_pairs": broken,
                "pairs_without_path": without,
                "pair_seconds": without * reacted + left_without * (until - start - reacted),
                "layer_pair_seconds": broken * reacted + left_broken * (until - start - reacted),
                "entries_changed": int(np.count_nonzero(known & (new.ports != before.ports))),
                "drained": int(is_drained),
                "refused": int(is_refused),
                "cycle": int(is_circular),
                "throughput": self.throughput,
                "duration": until - start,
            }
        )

    def _next(self, failed: Failed, older: NDArray[np.uint16]) -> tuple[Tables | None, bool]:
        """Return the tables to load (None if no repair is possible), and whether traffic must stop before loading."""
        network, before = self.network, self.loaded
        must_change = network.must_change(before, failed)
        last: Tables | None = None
        for first in (before, network.whole) if must_change else (network.whole,):
            try:
                new = network.repaired(first, failed)
            except InputError:
                continue
            if network.must_change(new, failed):
                continue
            if not network.has_cycle(failed, [before, new], older):
                return new, False
            last = new
        return (last, last is not None) if must_change else (before, False)
