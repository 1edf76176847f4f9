"""Show progress on standard error: bars, and a line with the expected time and memory of long work."""

from __future__ import annotations

import sys
from resource import RUSAGE_SELF, getrusage
from time import monotonic
from typing import TYPE_CHECKING

from tulle.cli.terminal.text import note

if TYPE_CHECKING:
    from rich.progress import Progress
    from typing_extensions import Self

# Seconds after which a call gets a progress bar; seconds after which its rate is measured; and minimum of an expected
# time that is printed.
_PATIENCE, _TELLING, _LONG = 1.0, 2.0, 60.0


def user_seconds() -> float:
    """Return the user processor time of all threads of this process, in seconds."""
    return getrusage(RUSAGE_SELF).ru_utime


class CallProgress:
    """A progress bar with the remaining time, on standard error, for a long call of the Rust core.

    Only one bar is shown at a time. If the first long call of a command will take minutes, a line also prints the
    expected time, even if standard error is not a terminal.
    """

    def __init__(self) -> None:
        self._line: ProgressLine | None = None
        self._since: float | None = None
        self._forecast = Forecast("steps")

    def show(self, done: int, total: int, need: int = 0) -> None:
        """Show that `done` of `total` steps are done. The call needs `need` bytes. A `total` of 0 ends the call."""
        if total == 0:
            if self._line is not None:
                self._line.__exit__()
            self._line = self._since = None
            self._forecast.begin()
            return
        self._forecast.look(done, total, need)
        if self._since is None:
            self._since = monotonic()
        elif self._line is not None:
            self._line.show(done, total)
        elif ProgressLine.shown == 0 and monotonic() - self._since > _PATIENCE:
            self._line = ProgressLine("steps", estimate=True, forecast=False).__enter__()


class Forecast:
    """Print once, on standard error, the expected time and memory of long work, estimated from its rate so far."""

    def __init__(self, what: str) -> None:
        self._what, self._said = what, False
        self.begin()

    def begin(self) -> None:
        """Start the estimate again, because other work begins."""
        self._since = monotonic()
        self._last = (0.0, 0)

    def look(self, done: float, total: int, need: int = 0) -> None:
        """Update the estimate: `done` of `total` steps are done, and the work needs `need` bytes."""
        if self._said:
            return
        if total != self._last[1] or done < self._last[0]:
            self.begin()
        self._last = (done, total)
        taken = monotonic() - self._since
        if taken < _TELLING or (done == 0 and taken < _LONG):
            return
        whole = f"of {total:,} {self._what}"
        if done == 0:
            cost = f"none {whole} after {_time(taken)}"
        elif taken * total / done > _LONG:
            cost = f"about {_time(taken * (total - done) / done)} to go, {int(done):,} {whole} after {_time(taken)}"
        else:
            return
        self._said = True
        from rich.filesize import decimal

        memory = f", {decimal(int(need))} of memory" if need else ""
        note(f"{cost}{memory}; Ctrl-C ends it")


class ProgressLine:
    """A progress bar on standard error while work runs. There is no bar if standard error is not a terminal.

    With `estimate`, the bar also shows the remaining time, at the speed of the last half minute. With `estimate` and
    `forecast`, a line prints a long expected time, even if standard error is not a terminal. With `rate`, the bar also
    shows the number of finished steps per second.
    """

    shown = 0
    """The number of bars that are shown now."""

    def __init__(self, what: str, *, estimate: bool = False, forecast: bool = True, rate: bool = False) -> None:
        self._what, self._estimate, self._rate = what, estimate, rate
        self._forecast = Forecast(what) if estimate and forecast else None
        self._bar: Progress | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
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
            if self._rate:
                columns += [TextColumn("{task.fields[rate]}")]
            if self._estimate:
                columns += [TextColumn("left"), TimeRemainingColumn()]
            columns += [TextColumn("{task.fields[beside]}")]
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(self._what, total=None, rate="", beside="")
            self._bar.start()
            ProgressLine.shown += 1
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
            ProgressLine.shown -= 1

    @property
    def is_shown(self) -> bool:
        """Whether the bar is shown."""
        return self._bar is not None

    def show(self, done: float, total: int, beside: str = "") -> None:
        """Show that `done` of `total` steps are done. `beside` is a text at the end of the line."""
        if self._forecast is not None:
            self._forecast.look(done, total)
        if self._bar is not None:
            speed = next(task.speed for task in self._bar.tasks if task.id == self._task)
            rate = f"{speed:.3g}/s" if speed else ""
            self._bar.update(self._task, completed=done, total=total, rate=rate, beside=beside)


def _time(seconds: float) -> str:
    """Return a time in its one or two largest units, for example ``2 h 5 min``."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours < 48 else f"{hours / 24:,.0f} days"
