"""Show progress on standard error: bars, and a line with the expected time and memory of long work."""

from __future__ import annotations

import threading
from math import inf
from resource import RUSAGE_SELF, getrusage
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from tulle._internal import progress
from tulle.cli.terminal.text import note

if TYPE_CHECKING:
    from typing_extensions import Self

# In seconds: the time after which the rate of the work is first measured, and the shortest total time that is printed.
_TELLING, _LONG = 2.0, 60.0


def user_seconds() -> float:
    """Return the user processor time of all threads of this process, in seconds."""
    return getrusage(RUSAGE_SELF).ru_utime


class CallProgress:
    """A progress bar with the remaining time, on standard error, for a long call of the Rust core.

    Only one bar is shown at a time. If a `ProgressLine` is open that counts no steps itself, it shows the steps of the
    call. If a call will take more than a minute, a note also gives the expected time, even if standard error is not a
    terminal; see `Forecast`.
    """

    def __init__(self) -> None:
        self._bar = progress.CallBar(lambda: not ProgressLine.active)
        self._forecast = Forecast("steps")

    def show(self, done: int, total: int, need: int = 0) -> None:
        """Show that `done` of `total` steps are done. The call needs `need` bytes. A `total` of 0 ends the call."""
        if total == 0:
            self._forecast.begin()
        else:
            self._forecast.look(done, total, need)
            if ProgressLine.active:
                ProgressLine.active[-1].show_call(done, total)
        self._bar.show(done, total)


class Forecast:
    """Print on standard error the expected time and memory of long work, estimated from its rate so far.

    If the work takes twice as long as expected, a new estimate is printed: steps can differ much in length.
    """

    def __init__(self, what: str) -> None:
        self._what, self._quiet_until = what, 0.0
        self.begin()

    def begin(self) -> None:
        """Start the estimate again, because other work begins."""
        self._since = monotonic()
        self._last = (0.0, 0)
        # Number of steps that were done when the estimate started. They took no time since then.
        self._begun = 0.0

    def look(self, done: float, total: int, need: int = 0) -> None:
        """Update the estimate: `done` of `total` steps are done, and the work needs `need` bytes."""
        # Other work is noticed also while no note is due, so that its time is measured from its start.
        if total != self._last[1] or done < self._last[0]:
            self.begin()
            self._begun = done
        self._last = (done, total)
        if monotonic() < self._quiet_until:
            return
        taken, steps = monotonic() - self._since, done - self._begun
        if taken < _TELLING or (steps == 0 and taken < _LONG):
            return
        whole = f"of {total:,} {self._what}"
        if steps == 0:
            left, cost = inf, f"{f'{int(done):,}' if done else 'none'} {whole} after {duration(taken)}"
        elif taken * (total - self._begun) / steps > _LONG:
            left = taken * (total - done) / steps
            cost = f"about {duration(left)} to go, {int(done):,} {whole} after {duration(taken)}"
        else:
            return
        self._quiet_until = monotonic() + 2 * max(left, _LONG)
        from rich.filesize import decimal

        memory = f", {decimal(int(need))} of memory" if need else ""
        note(f"{cost}{memory}; Ctrl-C ends it")


class ProgressLine:
    """A progress bar on standard error while work runs. There is no bar if standard error is not a terminal.

    The bar appears after two seconds, so that short commands show none. With `estimate`, the bar also shows the
    remaining time, at the speed of the last half minute. With `estimate` and `forecast`, a note gives the expected time
    of long work, even if standard error is not a terminal. With `rate`, the bar also shows the number of finished steps
    per second.
    """

    active: ClassVar[list[ProgressLine]] = []
    """The lines of the running work; each has a bar, or will have one after two seconds."""

    def __init__(self, what: str, *, estimate: bool = False, forecast: bool = True, rate: bool = False) -> None:
        self._what, self._estimate, self._rate = what, estimate, rate
        self._forecast = Forecast(what) if estimate and forecast else None
        self._bar: progress.Bar | None = None
        self._state: tuple[float, int | None, str] = (0, None, "")
        self._timer = threading.Timer(progress.PATIENCE, self._start)
        self._timer.daemon = True
        self._counts = self._ended = False
        # The timer's thread and the thread of the work both use the bar.
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        if progress.is_wanted():
            self.active.append(self)
            self._timer.start()
        return self

    def _start(self) -> None:
        with self._lock:
            if not self._ended:
                self._bar = progress.make(self._what, estimate=self._estimate, rate=self._rate)
                self._bar.update(*self._state)

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            self._ended = True
            if self._bar is not None:
                self._bar.stop()
                self._bar = None
        if self in self.active:
            self.active.remove(self)

    @property
    def is_shown(self) -> bool:
        """Whether the work has a bar, or will have one after two seconds."""
        return self in self.active

    def show(self, done: float, total: int, beside: str = "") -> None:
        """Show that `done` of `total` steps are done. `beside` is a text at the end of the line."""
        if self._forecast is not None:
            self._forecast.look(done, total)
        self._counts = True
        self._update(done, total, beside)

    def show_call(self, done: float, total: int) -> None:
        """Show the steps of a call of the core, if the work has not counted its own steps."""
        if not self._counts:
            self._update(done, total, "")

    def _update(self, done: float, total: int, beside: str) -> None:
        with self._lock:
            self._state = (done, total, beside)
            if self._bar is not None:
                self._bar.update(done, total, beside)


def duration(seconds: float) -> str:
    """Return a time in its one or two largest units, for example ``2 h 5 min``."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours < 48 else f"{hours / 24:,.0f} days"
