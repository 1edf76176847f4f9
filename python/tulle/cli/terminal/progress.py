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

# Seconds after which a call gets a bar; after which its rate is measured; and from which its expected time counts as
# long.
_PATIENCE, _TELLING, _LONG = 1.0, 2.0, 60.0


def user_seconds() -> float:
    """Return the user processor time of all threads of this process, in seconds."""
    return getrusage(RUSAGE_SELF).ru_utime


class CallProgress:
    """A bar on standard error while one call of the core takes long, with the remaining time; only one bar at a time.

    A call that will take minutes prints a line that says so, on a terminal or not: only the first such call of a
    command.
    """

    def __init__(self) -> None:
        self._line: ProgressLine | None = None
        self._since: float | None = None
        self._forecast = Forecast("steps")

    def show(self, done: int, total: int, need: int = 0) -> None:
        """`done` of `total` steps are done, for `need` bytes in all; 0 of 0 when the call has ended."""
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
        """Other work begins."""
        self._since = monotonic()
        self._last = (0.0, 0)

    def look(self, done: float, total: int, need: int = 0) -> None:
        """`done` of `total` are done, for `need` bytes in all."""
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
    """A bar on standard error while work runs; none if standard error is not a terminal.

    With `estimate`, the remaining time at the speed of the last half minute follows the bar. If it is long, a line
    tells it, on a terminal or not, unless there is no `forecast`. With `rate`, the number done per second follows, too.
    """

    shown = 0
    """How many there are now."""

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
        """Whether there is a bar."""
        return self._bar is not None

    def show(self, done: float, total: int, beside: str = "") -> None:
        """Show `done` of `total`; `beside` is text at the end of the line."""
        if self._forecast is not None:
            self._forecast.look(done, total)
        if self._bar is not None:
            speed = next(task.speed for task in self._bar.tasks if task.id == self._task)
            rate = f"{speed:.3g}/s" if speed else ""
            self._bar.update(self._task, completed=done, total=total, rate=rate, beside=beside)


def _time(seconds: float) -> str:
    """Write a time for people, in its one or two largest units."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours < 48 else f"{hours / 24:,.0f} days"
