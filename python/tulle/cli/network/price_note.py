"""The note of ``design``, ``compare`` and ``layout`` below prices that are an example."""

from __future__ import annotations


def example_prices(title: str, date: str | None = None) -> str:
    """Return a line that warns that the prices are only an example."""
    when = "" if date is None else f" of {date}"
    return (
        f"prices '{title}' are an example{when}; copy the list (`tulle prices new`), enter your quotes, and delete its "
        "line `example = true`"
    )
