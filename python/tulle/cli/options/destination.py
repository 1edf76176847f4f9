"""Check options that name output files. The checks run while arguments are read, before the command starts its work."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer import CallbackParam, Context

from tulle._internal.writing.checks import TABLES, check_file, check_folder, check_graph, check_routing
from tulle.cli.terminal.inputs import TAKEN
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable


def _option(check: Callable[[Path], object]) -> Callable[..., Any]:
    """Return a typer callback that checks the path of an option, and that no other option has the same path."""

    def checked(context: Context, option: CallbackParam, value: Path | None) -> Path | None:
        if value is None:
            return None
        # The check may return a second file that the command writes.
        beside = check(value)
        name = option.opts[-1]
        for path in [value, *([beside] if isinstance(beside, Path) else [])]:
            said = (name, str(option.name))
            other, _ = context.meta.setdefault(TAKEN, {}).setdefault(os.path.realpath(path), said)
            if other != name:
                raise InputError(f"{path}: {other} and {name} would both write this file; legal: two files")
        return value

    # typer chooses the arguments of a callback by their types. They must be types at run time, not text.
    checked.__annotations__ = {"context": Context, "option": CallbackParam, "value": Path | None}
    return checked


def _check_plot(path: Path) -> None:
    from tulle.plot.sheet import check_plot

    check_plot(path)


def _check_rows(path: Path) -> None:
    from tulle.plot.sheet import PLOTS, check_plot

    if path.suffix.lower() in PLOTS:
        check_plot(path)
    else:
        check_file(path, (*TABLES, *PLOTS))


rows = _option(_check_rows)
"""Check an output file for rows, which is a table or a plot, depending on the extension."""
table = _option(lambda path: check_file(path, TABLES))
html = _option(lambda path: check_file(path, (".html",)))
toml = _option(lambda path: check_file(path, (".toml",)))
text = _option(lambda path: check_file(path, (".txt",)))
prometheus = _option(lambda path: check_file(path, (".prom",), "; node_exporter reads no other files"))
routing = _option(check_routing)
plot = _option(_check_plot)


def graph(context: Context, option: CallbackParam, value: Path | None) -> Path | None:
    """Check the output file of a graph, in the format that ``--format`` names."""
    return _option(lambda path: check_graph(path, context.params.get("format")))(context, option, value)  # type: ignore[no-any-return]


graph.__annotations__ = {"context": Context, "option": CallbackParam, "value": Path | None}
folder = _option(check_folder)
