"""Progress bars for work that takes longer than two seconds: on terminals by rich, in notebooks by IPython.

``TULLE_PROGRESS=0`` in the environment turns the bars off.
"""

from __future__ import annotations

import os
import sys
import threading
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PATIENCE", "Bar", "CallBar", "is_wanted", "make"]

PATIENCE = 2.0
"""Seconds after which work gets a progress bar."""
# Seconds between two updates of a bar in a notebook. Each update is a message to the browser.
_PERIOD = 0.25


class Bar(Protocol):
    """A progress bar that is shown."""

    def update(self, done: float, total: int | None, beside: str = "") -> None:
        """Show that `done` of `total` steps are done; the total may be unknown. `beside` is shown next to the bar."""

    def stop(self) -> None:
        """Remove the bar."""


def is_wanted() -> bool:
    """Return whether bars can be shown: in a notebook, or on standard error if it is a terminal."""
    return os.environ.get("TULLE_PROGRESS") != "0" and (_notebook() is not None or sys.stderr.isatty())


def make(what: str, *, estimate: bool = True, rate: bool = False) -> Bar:
    """Make a bar, and show it. `what` names the steps. Call this function only if `is_wanted` returns true.

    A bar on a terminal shows the remaining time only with `estimate`, and the finished steps per second with `rate`. A
    bar in a notebook always shows the remaining time.
    """
    notebook = _notebook()
    return _Terminal(what, estimate=estimate, rate=rate) if notebook is None else _Notebook(what, notebook)


def _notebook() -> Any:
    """Return the module IPython.display if this process is the kernel of a notebook; otherwise None."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if getattr(shell, "kernel", None) is None:
        return None
    from importlib import import_module

    return import_module("IPython.display")


class _Terminal:
    """A bar on standard error, which disappears at its end."""

    def __init__(self, what: str, *, estimate: bool, rate: bool) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            ProgressColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        columns: list[ProgressColumn] = [TextColumn("{task.description}"), BarColumn()]
        columns += [MofNCompleteColumn(), TimeElapsedColumn()]
        if rate:
            columns += [TextColumn("{task.fields[rate]}")]
        if estimate:
            columns += [TextColumn("left"), TimeRemainingColumn()]
        columns += [TextColumn("{task.fields[beside]}")]
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(what, total=None, rate="", beside="")
        self._bar.start()

    def update(self, done: float, total: int | None, beside: str = "") -> None:
        speed = next(task.speed for task in self._bar.tasks if task.id == self._task)
        rate = f"{speed:.3g}/s" if speed else ""
        self._bar.update(self._task, completed=done, total=total, rate=rate, beside=beside)

    def stop(self) -> None:
        self._bar.stop()


class _Notebook:
    """A bar below the cell of a notebook, which disappears at its end."""

    def __init__(self, what: str, display: Any) -> None:
        self._what, self._last = what, -_PERIOD
        # Time and number of finished steps at the first update. The speed is measured from this update on.
        self._first: tuple[float, float] | None = None
        self._handle = display.display(self._content(0, None, ""), raw=True, display_id=True)

    def update(self, done: float, total: int | None, beside: str = "") -> None:
        if monotonic() - self._last >= _PERIOD:
            self._last = monotonic()
            self._handle.update(self._content(done, total, beside), raw=True)

    def stop(self) -> None:
        self._handle.update({"text/plain": "", "text/html": ""}, raw=True)

    def _content(self, done: float, total: int | None, beside: str) -> dict[str, str]:
        """Return the bar as HTML, and as text for programs that show no HTML."""
        from html import escape

        left = ""
        if total:
            since, before = self._first = self._first or (monotonic(), done)
            taken = monotonic() - since
            if before < done < total and taken > 1:
                left = f", {taken * (total - done) / (done - before):,.0f} s left"
        line = f"{self._what}: {done:,.0f} of {total:,}{left}" if total else self._what
        line = f"{line} {beside}".strip()
        value = f' value="{done:g}" max="{total}"' if total else ""
        return {"text/plain": line, "text/html": f"<progress{value}></progress> {escape(line)}"}


class CallBar:
    """A bar for long calls of the Rust core. The core reports their steps.

    Only calls of the main thread get a bar, because threads of a program may make several calls at the same time.
    """

    def __init__(self, may_show: Callable[[], bool] = lambda: True) -> None:
        self._may_show = may_show
        self._bar: Bar | None = None
        self._since: float | None = None

    def show(self, done: float, total: int, need: int = 0) -> None:  # noqa: ARG002 - the core passes all arguments
        """Show that `done` of `total` steps are done. A `total` of 0 ends the call."""
        if threading.current_thread() is not threading.main_thread():
            return
        if total == 0:
            if self._bar is not None:
                self._bar.stop()
            self._bar = self._since = None
        elif self._since is None:
            self._since = monotonic()
        elif self._bar is not None:
            self._bar.update(done, total)
        elif monotonic() - self._since > PATIENCE and self._may_show() and is_wanted():
            self._bar = make("steps")
            self._bar.update(done, total)
