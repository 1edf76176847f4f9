"""The notes of ``design``, ``compare``, ``layout`` and ``cabling plan`` about prices."""

from __future__ import annotations


def example_prices(title: str, date: str | None = None) -> str:
    """Return a line that warns that the prices are only an example."""
    when = "" if date is None else f" of {date}"
    return (
        f"prices '{title}' are an example{when}; copy the list (`tulle prices new`), enter your quotes, and delete its "
        "line `example = true`"
    )


def without_nics(title: str) -> str:
    """Return a line that says that costs leave out the adapters of hosts."""
    return f"prices '{title}' have no adapters (NICs) of hosts: costs, also per endpoint, leave them out"
