"""Measure the rows of a comparison for every fabric, intact and with failed cables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._internal.arguments import read_seeds, read_texts
from tulle._internal.reading import file_and_digest
from tulle._internal.text import counted
from tulle.compare import cost, flows, paths, rates, saturation, throughput
from tulle.compare.card import Card, Entrant, row
from tulle.design.floor import read_floor
from tulle.design.prices import read_prices
from tulle.errors import InputError
from tulle.fabric import Fabric, as_fabric
from tulle.fabric.fabric import without_endpoints
from tulle.packet.configuration import TRANSPORT
from tulle.packet.options import DEFAULTS
from tulle.routing.ecmp import implied_selector
from tulle.routing.recompute import recomputed
from tulle.routing.routing import Routing, route

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tulle.design.floor import Floor

__all__ = ["compare"]

FAILED = "links=5%"
# Limit on the search for a fabric's routing, in estimated seconds on one core. A comparison of three fabrics takes two
# to three minutes, including half a minute for the choice of routings.
_PATIENCE = 10.0
_MAX_SEEDS, _MAX_FABRICS = 1000, 16
_LOADED = {**paths.METRICS, **throughput.METRICS, **saturation.METRICS, **flows.METRICS}
# Metrics of intact fabrics that do not depend on the seed.
_FIXED = (*paths.FIXED, *throughput.FIXED)
# Metrics that depend on the routing. All other metrics depend only on the fabric.
_ROUTED = {**throughput.ROUTED, **saturation.METRICS, **flows.METRICS}


def compare(
    specs: Sequence[str | Fabric],
    *,
    routings: str | Sequence[str] = (),
    selector: str | None = None,
    transport: str = TRANSPORT,
    prices: str = "fatpaths-100gbe",
    switch: str | None = None,
    floor: Floor = None,
    size: str = "256KiB",
    rate: str = DEFAULTS["rate"],
    seeds: int | Sequence[int] = 3,
    progress: Callable[[int, int], object] | None = None,
) -> Card:
    """Compare a few fabrics: cost, throughput, completion times, and the effect of failures.

    Parameters
    ----------
    specs
        At least two fabrics with endpoints, or their specs.
    routings
        One routing for all fabrics, or one per fabric. If empty, `tulle.tune` chooses each routing for permutations,
        skewed traffic and the longest matching.
    selector, transport, size
        Selector, transport and message size of the packet simulations. None as selector means ``ecmp`` if all routings
        are ``ecmp``, otherwise the default of the transport.
    rate
        Rate of the links whose rate a fabric does not define, in the packet simulations. A line of `Card.notes` says if
        the rates of links differ.
    prices
        A price list, by name or as a ``.toml`` file.
    switch
        The switch of the price list for all switches of all fabrics, by name or number of ports. None means for each
        switch the smallest one with enough ports.
    floor
        The floor of all layouts, as for `tulle.place`; None: the standard floor.
    seeds
        Seeds of traffic, of the numbering of switches for disjoint paths and skewed traffic, of simulations and of
        failures, and of routings: a number n for the seeds 0 to n − 1, or a list. Fabrics and layouts use only the
        first seed.
    progress
        Called with the number of finished steps and the number of all steps.

    Raises
    ------
    tulle.SpecError, tulle.InputError
        For illegal specs, numbers out of range, and fabrics that have no endpoints or are not connected.

    Examples
    --------
    >>> import tulle
    >>> fabrics = ["clique:degree=3,p=2", "clique:degree=4,p=2"]
    >>> card = tulle.compare.compare(fabrics, routings=["minimal"], seeds=1, size="4KB")
    >>> [entrant.fabric for entrant in card.entrants]
    ['clique:degree=3,p=2', 'clique:degree=4,p=2']
    """
    given_fabrics = [specs] if isinstance(specs, Fabric) else read_texts("specs", specs)
    routings = read_texts("routings", routings)
    drawn = read_seeds(seeds, _MAX_SEEDS)
    first = drawn[0]
    if not 2 <= len(given_fabrics) <= _MAX_FABRICS:
        raise InputError(f"{counted(len(given_fabrics), 'fabric')} to compare; legal: 2 to {_MAX_FABRICS}")
    if len(routings) not in (0, 1, len(given_fabrics)):
        raise InputError(
            f"{counted(len(routings), 'routing')} for {len(given_fabrics)} fabrics; "
            "legal: no routing, one routing for all fabrics, or one per fabric"
        )
    if selector is None:
        # All simulations of a comparison use the same selector: the one that all routings imply, or the transport's
        # default.
        implied = {implied_selector(routing) for routing in routings}
        selector = implied.pop() if len(implied) == 1 else None
        selector = _tulle.default_selector(transport) if selector is None else selector
    packets = flows.Packets(size, transport, selector, rate)
    listed, room = read_prices(prices), None if floor is None else read_floor(floor)
    fabrics = [as_fabric(fabric, first) for fabric in given_fabrics]
    for fabric in fabrics:
        if fabric.num_endpoints == 0:
            raise without_endpoints(fabric)
        if fabric.average_path_length is None:
            raise InputError(
                f"{fabric.spec} is disconnected, or all endpoints are at one switch; legal: a connected fabric"
            )
    # All fabrics have the same hop limit, also after failures, although failures may increase the diameter.
    hops = min(max(fabric.diameter or 0 for fabric in fabrics) + 1, paths.MAX_HOPS)
    total = len(fabrics) * (1 + 2 * len(drawn))
    steps = iter(range(1, total + 1))

    def advance() -> None:
        if progress is not None:
            progress(next(steps), total)

    entrants, costs, whole, failed = [], [], [], []
    unplaced: list[int] = []
    left_out: list[str] = []
    notes = rates.notes(fabrics, rate)
    for at, fabric in enumerate(fabrics):
        given = routings[at if len(routings) > 1 else 0] if routings else None
        routing = _tuned(fabric, first) if given is None else route(fabric, given, first)
        values, bill, missing, told, by_id = cost.measure(fabric, listed, switch, first, room)
        unplaced += [at] if by_id else []
        costs.append([values])
        left_out += missing
        notes += told
        any_paths = throughput.any_paths(fabric)
        sizes = (fabric.num_endpoints, fabric.num_switches, fabric.num_cables, fabric.radix)
        bought, used = (None, None) if bill is None else (bill.ports_bought, bill.ports_used)
        read = file_and_digest(given)
        advance()
        draws, damaged, worst = [], [], []
        for number in drawn:
            # Every seed has its own routing, unless the routing came from a file.
            if number != first and routing.seed is not None:
                try:
                    routing = route(fabric, routing.spec, number)
                except InputError as error:
                    left_out.append(
                        f"{fabric.spec}, seed {number}: the routing, replaced by that of another seed: {error}"
                    )
            simulated, missing = _simulated(fabric, routing, number, packets)
            loads, name = throughput.measure_intact(fabric, routing, number, any_paths)
            draws.append({**paths.measure(fabric, hops, number), **loads, **simulated})
            worst.append((loads["worst_routed"] or 0.0, name))
            left_out += [f"{fabric.spec}, seed {number}: {line}" for line in missing]
            advance()
            found, missing = _damaged(fabric, routing, hops, number, packets)
            damaged.append(found)
            left_out += [f"{fabric.spec} without {FAILED}, seed {number}: {line}" for line in missing]
            advance()
        least = min(worst, key=lambda each: each[0])[1]
        entrants.append(Entrant(fabric.spec, *sizes, routing.spec, least, bought, used, fabric._fingerprint(), *read))
        whole.append(draws)
        failed.append(damaged)
    loaded = {**_LOADED, **paths.limited(hops)}
    rows = [
        row(name, metric, costs, fixed=True, vague=unplaced if name in cost.FLOOR else ())
        for name, metric in cost.METRICS.items()
    ]
    rows += [row(name, metric, whole, fixed=name in _FIXED) for name, metric in loaded.items()]
    for name, metric in loaded.items():
        if name in throughput.INTACT:
            continue
        way = ", rerouted" if name in _ROUTED else ""
        rows.append(replace(row(name, metric, failed), name=f"failed_{name}", head=f"5% failed{way}: {metric.head}"))
        if name in _ROUTED:
            anew = row(f"anew_{name}", metric, failed)
            head = f"5% failed, routed anew: {metric.head}"
            rows.append(replace(anew, name=f"failed_anew_{name}", head=head))
    return Card(
        tuple(entrants),
        listed.currency,
        listed.title,
        selector,
        transport,
        len(drawn),
        tuple(rows),
        tuple(left_out),
        room,
        tuple(notes),
        rate,
    )


def _tuned(fabric: Fabric, seed: int) -> Routing:
    from tulle.tuning import tune

    return tune(fabric, for_="all", patience=_PATIENCE, seed=seed).routing


_Values = dict[str, float | None]


def _simulated(fabric: Fabric, routing: Routing, seed: int, packets: flows.Packets) -> tuple[_Values, list[str]]:
    """Return the results of the packet and the flit simulator, and a line if the flit simulator gave none."""
    values = flows.measure(fabric, routing, packets, seed)
    try:
        return {**values, **saturation.measure(fabric, routing, seed)}, []
    except InputError as error:
        return values, [f"saturation: {error}"]


def _damaged(
    fabric: Fabric, routing: Routing, hops: int, seed: int, packets: flows.Packets
) -> tuple[_Values, list[str]]:
    """Return the metrics after failures, and lines with the reasons for missing metrics.

    If failures disconnect switches, all metrics are missing. Metrics that depend on the routing are measured twice:
    after rerouting, and, with the prefix ``anew_``, after a new routing is computed.
    """
    damaged = fabric.with_failures(FAILED, seed)
    values: _Values = {}
    try:
        values.update(paths.measure(damaged, hops, seed))
        rerouted = routing.reroute(damaged).routing
        loads, _ = throughput.measure(damaged, rerouted, seed, throughput.any_paths(damaged))
        simulated, missing = _simulated(damaged, rerouted, seed, packets)
    except InputError as error:
        return {}, [str(error)]
    values.update(loads, **simulated)
    anew = recomputed(routing, damaged)
    if anew is None:
        return values, [*missing, f"routed anew: {routing.spec} cannot route the fabric after failures"]
    loads = throughput.measure_routed(damaged, anew, seed)[0]
    simulated, lines = _simulated(damaged, anew, seed, packets)
    values.update({f"anew_{name}": value for name, value in {**loads, **simulated}.items()})
    return values, [*missing, *(f"routed anew: {line}" for line in lines)]
