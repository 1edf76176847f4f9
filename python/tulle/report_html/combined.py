"""Combine the reports of several results into one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tulle.report_html.document import Page

if TYPE_CHECKING:
    from collections.abc import Sequence


def combined(pages: Sequence[Page]) -> Page:
    """Return one report with the contents of all `pages`, in their order. A single page is returned unchanged."""
    if len(pages) == 1:
        return pages[0]
    numbered = [(f"Result {at}", page) for at, page in enumerate(pages, start=1)]
    return Page(
        f"{len(pages)} results",
        tuple(
            line
            for name, page in numbered
            for line in (f"{name}: {page.title}.", *(f"{name}: {of}" for of in page.summary))
        ),
        tuple(
            replace(section, title=f"{name}: {section.title}") for name, page in numbered for section in page.sections
        ),
        tuple((f"{name}: {row}", value) for name, page in numbered for row, value in page.manifest),
    )
