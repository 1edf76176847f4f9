"""Make the report of results: find out which command wrote each, and let the module of this command describe it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tulle._internal.text import brief
from tulle.errors import InputError
from tulle.report_html.combined import combined
from tulle.report_html.inputs import read
from tulle.report_html.inputs.model import Settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from tulle.report_html.document import Page

_MAX_TITLE = 200


def report(
    *sources: str | PathLike[str],
    routing: str | None = None,
    prices: str | None = None,
    networks: int = 4,
    cuts: int | None = None,
    title: str | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Page:
    """Make a report of the results of one command or several.

    The networks are built and routed again from the specs and seeds of the results, so that readers can explore them.
    The network and the routing of a bundle are read from its files instead.

    Parameters
    ----------
    sources
        At least one result. Each is the JSON that ``tulle compare``, ``design``, ``layout`` or ``resilience`` printed
        with ``--json``; the run directory of a study; or a bundle of ``tulle deploy``.
    routing
        The routing to show, except for comparisons and bundles. None means the routing of the result, or minimal paths
        for designs and layouts, which have none.
    prices
        A price list for the bills, by name or as a ``.toml`` file. None means the list of the result; results without
        prices then have no bill.
    networks
        Maximum number of networks that are drawn per result, from 0 to 16.
    cuts
        Number of cables per network for which rerouting after a failure is computed, from 0 to 1,000. None means a
        number that depends on the size: all cables of a small network, fewer for larger ones, but at least 12 (or all,
        if there are fewer).
    title
        The heading of the report: one line of at most 200 characters. If it is None, the heading describes the results.
    progress
        Called with the number of finished networks and the number of all networks of a result.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        If a source cannot be read, or no command of tulle wrote it.
    tulle.InputError, tulle.SpecError
        Without a source, for a number out of range, an illegal title, an illegal routing or an illegal price list.
    """
    if not sources:
        raise InputError("a report needs a result; legal: one or more files or folders that tulle wrote")
    if title is not None and not (title.strip() and title.isprintable() and len(title) <= _MAX_TITLE):
        raise InputError(
            f"title={brief(repr(title))} is not a heading; legal: one line of 1 to {_MAX_TITLE} characters"
        )
    settings = Settings(routing, prices, networks, cuts, progress, results=len(sources))
    # All results are read before the first network is built, so that a wrong file is reported immediately.
    found = [(Path(source), *read(Path(source))) for source in sources]
    page = combined([kind.page(path, document, settings) for path, kind, document in found])
    return page if title is None else replace(page, title=title.strip())
