"""Notes below the tables of ``design``: what columns mean, and which switches the prices include."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.design.search import Design, Proposal

COLUMNS = {
    "all-to-all": "fraction of the link rate at which every endpoint can send evenly to all others",
    "cables": "between switches, without those of endpoints",
    "ports each": "switch ports per endpoint",
    "links each": "cables per endpoint, including its own",
    "Moore": "number of switches divided by the Moore bound, the maximum for this degree and diameter",
}
"""Column -> its meaning, for columns whose headings do not explain themselves."""


def legend(columns: Sequence[str]) -> str:
    """Return one line that explains the columns of a table."""
    return "; ".join(f"{name}: {COLUMNS[name]}" for name in COLUMNS if name in columns)


def larger_switches(found: Design, shown: Sequence[Proposal]) -> str | None:
    """Return a line if rows are priced with switches that have more ports than the request; otherwise None."""
    if found.listed is None or found.switch is not None:
        return None
    bought = {found.listed.switch(proposal.forms.radix) for proposal in shown}
    larger = sorted((switch for switch in bought if switch.size > found.radix), key=lambda switch: switch.size)
    if not larger:
        return None
    names = ", ".join(
        counted(switch.size, "port") if switch.name is None else f"{switch.name} ({counted(switch.size, 'port')})"
        for switch in larger
    )
    rows = sum(found.listed.switch(proposal.forms.radix) in larger for proposal in shown)
    return (
        f"{rows} of {len(shown)} costs include switches with more than {counted(found.radix, 'port')}, "
        f"because prices '{found.prices}' have no smaller ones that fit: {names}"
    )
