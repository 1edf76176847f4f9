"""Design search: find, price and rank all configurations of all families near a number of endpoints."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from numbers import Real
from typing import TYPE_CHECKING

from tulle._internal.arguments import read_list, read_texts
from tulle._internal.html_summary import Overview, Shown
from tulle._internal.quantities import metres
from tulle._internal.text import did_you_mean
from tulle.design.bill import Items
from tulle.design.candidates import SEARCHED, Wanted, candidates
from tulle.design.floor import read_floor
from tulle.design.forms import ClosedForms, closed_forms
from tulle.design.prices import Prices, read_prices
from tulle.errors import InputError
from tulle.plot.sheet import Drawable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from matplotlib.figure import Figure

    from tulle.design.certify import Certificate
    from tulle.design.floor import Floor

__all__ = ["LIDS", "LONGEST", "RADIX", "Design", "Proposal", "by_cost", "design", "in_order"]

LIDS = 49151
"""Number of unicast addresses of an InfiniBand subnet: 1 to 0xBFFF."""
_MOST = 1 << 28
RADIX = 4096
"""Maximum number of ports of a switch."""
LONGEST = 10_000
"""Maximum assumed length of a cable, in metres."""


@dataclass(frozen=True)
class Proposal(Shown):
    """A configuration of a family with its cost. Made by `design` and `tulle.design.ranked`."""

    forms: ClosedForms
    cost_per_endpoint: float
    watts_per_endpoint: float | None
    """Watts per endpoint of the items whose power the price list gives; None if it gives none for switches."""
    ports_bought: int
    """Ports of all switches bought."""
    ports_used: int
    pareto: bool
    """Whether the configuration is Pareto-optimal in cost, all-to-all throughput and diameter."""
    certificate: Certificate | None = None
    """Lower and upper bound of all-to-all throughput; None if only the closed-form bound is known."""
    laid_out: bool = False
    """Whether the cost comes from the layout (`Layout.bill`); otherwise cable lengths are estimated."""

    def _overview(self) -> Overview:
        forms = self.forms
        values = {
            "endpoints": forms.endpoints,
            "switches": forms.switches,
            "cables": forms.cables,
            "diameter": forms.diameter,
            "all_to_all": self.all_to_all,
            "all_to_all_is": self.all_to_all_is,
            "cost_per_endpoint": self.cost_per_endpoint,
            "power_per_endpoint": self.watts_per_endpoint,
            "ports_bought": self.ports_bought,
            "ports_used": self.ports_used,
            "pareto": self.pareto,
        }
        return Overview("Proposal", forms.spec, values, units={"power_per_endpoint": "W"})

    @property
    def all_to_all(self) -> float | None:
        """All-to-all throughput, as a fraction of the endpoints' link rate; None if unknown.

        If the value is certified, a computed flow reaches it. Otherwise the value is the closed-form upper bound.
        """
        return self.forms.all_to_all if self.certificate is None else self.certificate.lower

    @property
    def all_to_all_is(self) -> str:
        """``certified``, ``bound`` or ``unknown``."""
        if self.certificate is not None:
            return "certified"
        return "unknown" if self.forms.all_to_all is None else "bound"

    @property
    def cost_per_throughput(self) -> float:
        """Cost per endpoint divided by its all-to-all throughput; infinite if the throughput is unknown."""
        return self.cost_per_endpoint / self.all_to_all if self.all_to_all else inf


@dataclass(frozen=True)
class Design(Shown, Drawable):
    """The configurations that match a request, with the request. Made by `design`."""

    endpoints: int
    low: int
    high: int
    radix: int
    prices: str
    currency: str
    proposals: tuple[Proposal, ...]
    """The configurations, sorted by `Proposal.cost_per_throughput`, lowest first."""
    tried: int
    """Number of configurations examined."""
    fitting: int
    """Number of examined configurations that match the request."""
    min_throughput: float = 0.0
    listed: Prices | None = field(default=None, repr=False)
    """The price list."""
    switch: str | None = None
    """The switch model of all configurations; None: the smallest one in the price list that fits."""
    unpriced: tuple[str, ...] = ()
    """Configurations that `ranked` left out, because the price list lacks an item for their layout, with the reason."""
    floor: str | None = None
    """The floor on which `ranked` places the networks, in canonical form; None: the standard floor."""
    notes: tuple[str, ...] = ()
    """A line with the networks on whose layout ``rows=`` of the floor has no effect; see `Layout.notes`."""

    def _overview(self) -> Overview:
        values = {
            "endpoints": f"{self.low:,} to {self.high:,}",
            "ports per switch": self.radix,
            "configurations tried": self.tried,
            "configurations that fit": self.fitting,
            "prices": self.prices,
        }
        rows = [
            {
                "fabric": each.forms.spec,
                "endpoints": each.forms.endpoints,
                "switches": each.forms.switches,
                "diameter": each.forms.diameter,
                "all_to_all": each.all_to_all,
                "all_to_all_is": each.all_to_all_is,
                "cost_per_endpoint": each.cost_per_endpoint,
                "power_per_endpoint": each.watts_per_endpoint,
            }
            for each in self.best(per_family=1)
        ]
        units = {"cost_per_endpoint": self.currency, "power_per_endpoint": "W"}
        return Overview("Design", "", values, units=units, rows=rows)

    def best(self, per_family: int) -> tuple[Proposal, ...]:
        """Return the first `per_family` configurations of each family; 0 returns all."""
        seen: dict[str, int] = {}
        kept = []
        for proposal in self.proposals:
            family = proposal.forms.family
            seen[family] = seen.get(family, 0) + 1
            if per_family == 0 or seen[family] <= per_family:
                kept.append(proposal)
        return tuple(kept)

    def plot(self) -> Figure:
        """Draw for each family the lowest cost per endpoint over the throughput, and return the matplotlib figure.

        Raises
        ------
        tulle.MissingDependencyError
            If matplotlib is not installed; ``tulle[plot]`` installs it.
        """
        from tulle.design.curves import plot_costs

        return plot_costs(self)

    def pareto(self, rows: int = 15) -> tuple[Proposal, ...]:
        """Return the first `rows` Pareto-optimal configurations."""
        return tuple(proposal for proposal in self.proposals if proposal.pareto)[:rows]


def design(
    endpoints: int,
    radix: int = 64,
    *,
    tolerance: float = 0.1,
    families: str | Sequence[str] | None = None,
    oversubscription: Sequence[float] = (1.0,),
    min_throughput: float = 0.0,
    lids_per_endpoint: int | None = None,
    prices: Prices | str | PathLike[str] = "fatpaths-100gbe",
    switch: str | None = None,
    cable: float | str = 10.0,
    floor: Floor = None,
) -> Design:
    """Find all configurations with about `endpoints` endpoints on switches of at most `radix` ports.

    No fabric is built: sizes, distances and bounds are closed forms. The cost is an estimate: endpoints use copper
    cables of 2 m, and cables between switches are fibre of `cable` metres. `tulle.design.ranked` certifies and prices
    the best configurations.

    Parameters
    ----------
    endpoints
        The number of endpoints, N.
    radix
        The number of ports of a switch, k.
    tolerance
        The largest relative difference of the number of endpoints from N.
    families
        Names of families; None: all families that support this search.
    oversubscription
        Endpoints per uplink of the leaves of trees. Each value makes separate configurations.
    min_throughput
        The lowest accepted all-to-all bound.
    lids_per_endpoint
        InfiniBand addresses of an endpoint, 2^LMC. All addresses, with one per switch, must not exceed 49,151
        (Blach et al., NSDI24, §5.4).
    prices
        As for `Layout.bill`.
    switch
        The switch model of all configurations: its name or number of ports in the price list. At most `radix` of its
        ports are used. None: the smallest model that fits.
    cable
        Length of a cable between switches: a number in metres, or a text such as ``"10m"``.
    floor
        The floor on which `tulle.design.ranked` places the networks, as for `tulle.place`; None: the standard floor.

    Raises
    ------
    tulle.InputError
        For an unknown family or a value out of range. Also if no configuration matches; then the message names requests
        that can be met, if any were found.

    Limitations
    -----------
    Of random families (jellyfish, xpander, flattenedclos), only configurations are examined that use all ports of a
    switch. Their average path length is assumed to be the lowest of any graph of that degree, so the real throughput is
    a few percent below the bound.

    Examples
    --------
    >>> found = design(200, 11, families=["slimfly"])
    >>> found.proposals[0].forms.spec
    'slimfly:q=5,p=4'
    """
    cable = metres("cable", cable)
    _check(endpoints, radix, tolerance, families, oversubscription, min_throughput, lids_per_endpoint, cable)
    listed = prices if isinstance(prices, Prices) else read_prices(prices)
    if switch is not None:
        radix = min(radix, listed.switch(1, switch).size)
    names = list(SEARCHED) if families is None else read_texts("families", families)
    span = tolerance * endpoints
    wanted = Wanted(endpoints, int(endpoints - span + 0.999999), int(endpoints + span), radix, tuple(oversubscription))
    found, tried = _fitting(names, wanted, min_throughput, lids_per_endpoint)
    if not found:
        raise InputError(_what_would(names, wanted, min_throughput, lids_per_endpoint))
    proposals = _priced(found, listed, switch, cable)
    return Design(
        endpoints,
        wanted.low,
        wanted.high,
        radix,
        listed.title,
        listed.currency,
        tuple(proposals),
        tried,
        len(proposals),
        min_throughput,
        listed,
        switch,
        floor=None if floor is None else read_floor(floor),
    )


def _check(
    endpoints: int,
    radix: int,
    tolerance: float,
    families: str | Sequence[str] | None,
    oversubscription: Sequence[float],
    min_throughput: float,
    lids_per_endpoint: int | None,
    cable: float,
) -> None:
    for name in read_texts("families", families or ()):
        if name not in SEARCHED:
            raise InputError(f"the search does not include a family '{name}'; {did_you_mean(name, SEARCHED)}")
    for value, what, low, high in (
        (endpoints, "endpoints", 1, _MOST),
        (radix, "radix", 2, RADIX),
        (tolerance, "tolerance", 0, 1),
        (min_throughput, "min_throughput", 0, 1),
        (cable, "cable", 0, LONGEST),
        *((over, "oversubscription", 0.1, 100) for over in read_list("oversubscription", oversubscription)),
        *((lids, "lids_per_endpoint", 1, 128) for lids in (lids_per_endpoint,) if lids is not None),
    ):
        if isinstance(value, bool) or not isinstance(value, Real):
            raise InputError(f"{what}={value!r} is not a number; legal: {low} to {high}")
        if not low <= value <= high:
            raise InputError(f"{what}={value} is out of range; legal: {low} to {high}")


def _fitting(
    names: Iterable[str], wanted: Wanted, min_throughput: float, lids_per_endpoint: int | None
) -> tuple[list[ClosedForms], int]:
    """Return the configurations that match, and the number of configurations tried."""
    specs = list(dict.fromkeys(spec for name in names for spec in candidates(name, wanted)))
    fitting = [
        forms
        for forms in closed_forms(specs)
        if forms is not None
        and wanted.low <= forms.endpoints <= wanted.high
        and forms.radix <= wanted.radix
        and (forms.all_to_all or 0.0) >= min_throughput
        and (lids_per_endpoint is None or forms.endpoints * lids_per_endpoint + forms.switches <= LIDS)
    ]
    return fitting, len(specs)


def _priced(found: list[ClosedForms], prices: Prices, switch: str | None, cable: float) -> list[Proposal]:
    # A search can price tens of thousands of networks, so unit costs are computed once. The cost of a network is then
    # the sum of counts times unit costs.
    length = max(round(1000 * cable), 1)
    switches = {ports: Items({ports: 1}, {}, {}).bill(prices, switch) for ports in {forms.radix for forms in found}}
    endpoint = Items({}, {2000: 1}, {}, endpoints=1).bill(prices)
    between = Items({}, {}, {length: 1}).bill(prices)
    priced = []
    for forms in found:
        bought = switches[forms.radix]
        powered = all(row.unit_watts is not None for row in bought.rows)
        counts = ((forms.switches, bought), (forms.endpoints, endpoint), (forms.cables, between))
        cost = sum(count * bill.cost for count, bill in counts) / forms.endpoints
        watts = sum(count * bill.watts for count, bill in counts) / forms.endpoints if powered else None
        ports = forms.switches * bought.ports_bought, 2 * forms.cables + forms.endpoints
        priced.append(Proposal(forms, cost, watts, *ports, pareto=False))
    return in_order(priced)


def by_cost(of: Proposal) -> tuple[float, float, str]:
    """Return the sort key of a row, which starts with the cost per unit of throughput."""
    return of.cost_per_throughput, of.cost_per_endpoint, of.forms.spec


def in_order(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Sort configurations by `by_cost` and mark the Pareto-optimal ones."""
    ordered = sorted(proposals, key=by_cost)
    best = _pareto([(of.cost_per_endpoint, -(of.all_to_all or 0.0), of.forms.least_diameter) for of in ordered])
    return [replace(of, pareto=on) if of.pareto != on else of for of, on in zip(ordered, best, strict=True)]


def _pareto(rows: list[tuple[float, float, float]]) -> list[bool]:
    """Return for each row whether it is Pareto-optimal; lower values are better."""
    order = sorted(range(len(rows)), key=lambda row: rows[row])
    on = [False] * len(rows)
    # Third value of a row -> the lowest second value among the rows so far that have this third value, and its row.
    lowest: dict[float, tuple[float, tuple[float, float, float]]] = {}
    for row in order:
        _, second, third = rows[row]
        beaten = any(third >= known and second >= value and by != rows[row] for known, (value, by) in lowest.items())
        on[row] = not beaten
        if third not in lowest or second < lowest[third][0]:
            lowest[third] = (second, rows[row])
    return on


def _what_would(names: list[str], wanted: Wanted, min_throughput: float, lids_per_endpoint: int | None) -> str:
    """Return the error text: the request, the smallest radix that would suffice, and a smaller possible network."""
    asked = f"{wanted.endpoints} endpoints ({wanted.low} to {wanted.high}) on switches of {wanted.radix} ports"
    if min_throughput:
        asked += f" with an all-to-all bound of {min_throughput:g}"
    if lids_per_endpoint is not None:
        asked += f" with {lids_per_endpoint} LIDs per endpoint"
    hints = []

    def fitting(endpoints: int, radix: int) -> list[ClosedForms]:
        share = (wanted.high - wanted.low) / (2 * wanted.endpoints)
        low, high = int(endpoints * (1 - share) + 0.999999), int(endpoints * (1 + share))
        of = Wanted(endpoints, low, high, radix, wanted.oversubscription)
        return _fitting(names, of, min_throughput, lids_per_endpoint)[0]

    radix = next((k for k in range(wanted.radix + 1, 257) if fitting(wanted.endpoints, k)), None)
    if radix is not None:
        hints.append(f"--radix {radix} ({fitting(wanted.endpoints, radix)[0].spec})")
    fewer = wanted.endpoints
    while fewer > 1:
        fewer = fewer * 3 // 4
        found = fitting(fewer, wanted.radix)
        if found:
            largest = max(found, key=lambda forms: forms.endpoints)
            hints.append(f"about {largest.endpoints} endpoints ({largest.spec})")
            break
    legal = " or ".join(hints) if hints else "a larger radix, or another number of endpoints"
    return f"no network has {asked}; legal: {legal}"
