"""Select the best configurations to show.

Configurations are built, placed, priced and certified, the most promising first, until no other one can be better.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import replace
from typing import TYPE_CHECKING

from tulle._internal.text import counted
from tulle.design import certify
from tulle.design.placement import place
from tulle.design.search import by_cost, in_order
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tulle.design.forms import ClosedForms
    from tulle.design.search import Design, Proposal
    from tulle.fabric import Fabric

__all__ = ["ROWS", "ranked"]

ROWS = 15
"""Default for the maximum number of Pareto-optimal rows."""


def ranked(
    found: Design,
    per_family: int | None = None,
    *,
    rows: int = ROWS,
    certified: bool = True,
    progress: Callable[[int, int], object] | None = None,
) -> Design:
    """Lay out, price and certify the best configurations of a search, and rank them again.

    The certified throughput never exceeds the closed-form bound. Therefore the best uncertified row is always certified
    next, until all rows to show are certified. No other row can then be among the best.

    Parameters
    ----------
    found
        The result of `design`.
    per_family
        Number of rows of each family (`Design.best`); 0: all rows, without measurement. None: the Pareto-optimal rows
        (`Design.pareto`).
    rows
        Maximum number of Pareto-optimal rows.
    certified
        Whether all-to-all throughput is certified; otherwise rows keep their bounds.
    progress
        Called with the number of finished rows and the number of rows to show.

    Raises
    ------
    tulle.InputError
        If no configuration is left, because the price list lacks an item for each of them, for example long fibre, or
        because none reaches the requested minimum throughput.

    Limitations
    -----------
    The selection of rows depends on the estimated cost of their cables. A configuration whose real cables are far
    cheaper than the estimate of `design` can be missed. Fabrics of more than 3,000 switches keep their bounds and
    estimates.

    Examples
    --------
    >>> from tulle.design import design, ranked
    >>> found = ranked(design(200, 11, families=["slimfly"]))
    >>> row = found.proposals[0]
    >>> row.forms.spec, row.all_to_all_is, round(row.all_to_all, 3)
    ('slimfly:q=5,p=4', 'certified', 0.957)
    """
    if per_family is not None:
        return _of_each_family(found, per_family, certified, progress)
    done: dict[str, Proposal] = {}
    current, unpriced, own = found, list[str](), list[str]()
    while True:
        shown = current.pareto(rows)
        if progress is not None:
            progress(sum(_is_final(of, done) for of in shown), len(shown))
        waiting = next((of for of in shown if not _is_final(of, done)), None)
        if waiting is None:
            return current
        measured = _measured(waiting, found, done.values(), certified, unpriced, own)
        kept = [of for of in current.proposals if of is not waiting]
        if measured is not None:
            kept = [of for of in kept if of.forms.spec in done or not _is_beaten(of, measured)]
        if measured is not None:
            done[measured.forms.spec] = measured
            kept.append(measured)
        current = _with(found, kept, unpriced, own)


def _of_each_family(
    found: Design, per_family: int, certified: bool, progress: Callable[[int, int], object] | None
) -> Design:
    """Rank the first rows of each family. A row is marked Pareto-optimal only if the bound of no other row beats it."""
    families: dict[str, list[Proposal]] = {}
    for proposal in found.proposals:
        families.setdefault(proposal.forms.family, []).append(proposal)
    done: dict[str, Proposal] = {}
    unpriced: list[str] = []
    own: list[str] = []
    total = sum(min(per_family, len(rows)) for rows in families.values())
    for rows in families.values() if per_family else ():
        while (waiting := next((of for of in rows[:per_family] if not _is_final(of, done)), None)) is not None:
            if progress is not None:
                progress(min(len(done), total), total)
            rows.remove(waiting)
            measured = _measured(waiting, found, (), certified, unpriced, own)
            if measured is not None:
                done[measured.forms.spec] = measured
                insort(rows, measured, key=by_cost)
    return _with(found, [of for rows in families.values() for of in rows], unpriced, own)


def _with(found: Design, kept: list[Proposal], unpriced: list[str], own: list[str]) -> Design:
    if not kept and unpriced:
        raise InputError(unpriced[0])
    if not kept:
        raise InputError(
            f"none of {len(found.proposals)} configurations has a certified all-to-all throughput of at least "
            f"{found.min_throughput:g}; legal: a lower throughput, another number of endpoints or a larger radix"
        )
    notes = (_own_columns(own),) if own else ()
    return replace(found, proposals=tuple(in_order(kept)), unpriced=tuple(unpriced), notes=notes)


def _own_columns(specs: list[str]) -> str:
    """Return the note about networks on which ``rows=`` of the floor has no effect."""
    further = f" and {counted(len(specs) - 1, 'other network')}" if len(specs) > 1 else ""
    return f"rows= of the floor has no effect on {specs[0]}{further}, whose rack structure defines its own columns"


def _is_final(of: Proposal, done: dict[str, Proposal]) -> bool:
    return of.forms.spec in done or of.forms.switches > certify.SWITCHES


def _measured(
    of: Proposal, found: Design, rivals: Iterable[Proposal], certified: bool, unpriced: list[str], own: list[str]
) -> Proposal | None:
    """Build and measure a configuration; None if it cannot be built or its throughput is below the requested minimum.

    Certification stops as soon as its bounds show that one of `rivals` beats the configuration. If the price list lacks
    an item for the layout, the function adds the reason to `unpriced` and returns None, because one configuration with
    very long cables must not end the search of all others. If ``rows=`` of the floor has no effect on the layout, the
    function adds the spec to `own`.
    """
    fabric = certify.build(of.forms.spec)
    if fabric is None:
        return None
    assert found.listed is not None
    try:
        layout = place(fabric, found.floor)
        bill = layout.bill(found.listed, found.switch)
    except InputError as error:
        unpriced.append(f"{of.forms.spec}: {error}")
        return None
    each = bill.cost_per_endpoint
    assert each is not None
    if layout.notes:
        own.append(of.forms.spec)
    measured = replace(
        of,
        forms=_with_distances(of.forms, fabric),
        cost_per_endpoint=each,
        watts_per_endpoint=None if "switch" in bill.without_watts else bill.watts / fabric.num_endpoints,
        ports_bought=bill.ports_bought,
        ports_used=bill.ports_used,
        laid_out=True,
    )
    if not certified:
        return measured
    measured = replace(measured, certificate=certify.certify(fabric, _worthless(measured, rivals)))
    return measured if (measured.all_to_all or 0.0) >= found.min_throughput else None


def _with_distances(forms: ClosedForms, fabric: Fabric) -> ClosedForms:
    """Return the closed forms with exact distances. Distances without an exact closed form are measured."""
    diameter, average = fabric.diameter, fabric.average_path_length
    if diameter is not None and forms.diameter_is != "exact":
        forms = replace(forms, diameter=diameter, diameter_is="exact")
    if average is not None and forms.average_is != "exact":
        forms = replace(forms, average_path_length=average, average_is="exact")
    return forms


def _worthless(of: Proposal, rivals: Iterable[Proposal]) -> float:
    """Return the highest throughput of `rivals` that are cheaper than the configuration and have no larger diameter."""
    carried = (
        other.all_to_all or 0.0
        for other in rivals
        if other.cost_per_endpoint < of.cost_per_endpoint and other.forms.least_diameter <= of.forms.least_diameter
    )
    return max(carried, default=0.0)


def _is_beaten(of: Proposal, by: Proposal) -> bool:
    """Return whether `of` can be skipped unmeasured, because the measured configuration `by` beats even its bounds."""
    values = [(x.cost_per_endpoint, -(x.all_to_all or 0.0), x.forms.least_diameter) for x in (by, of)]
    return values[0] != values[1] and all(a <= b for a, b in zip(*values, strict=True))
