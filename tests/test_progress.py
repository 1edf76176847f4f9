"""Check that progress bars appear after two seconds, on terminals and in notebooks, and nowhere else."""

from __future__ import annotations

import sys
import threading
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tulle._internal import progress, runtime
from tulle.cli.terminal.progress import CallProgress, ProgressLine


class Shown:
    """A bar that records what it shows."""

    def __init__(self) -> None:
        self.updates: list[tuple[float, int | None, str]] = []
        self.stopped = False

    def update(self, done: float, total: int | None, beside: str = "") -> None:
        self.updates.append((done, total, beside))

    def stop(self) -> None:
        self.stopped = True


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    """Record all bars, as if standard error were a terminal."""
    found: list[Shown] = []

    def make(_: str, **__: bool) -> Shown:
        found.append(Shown())
        return found[-1]

    monkeypatch.setattr(progress, "make", make)
    monkeypatch.setattr(progress, "is_wanted", lambda: True)
    return found


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def test_a_call_gets_a_bar_after_two_seconds(bars: list[Shown], clock: list[float]) -> None:
    bar = progress.CallBar()
    bar.show(0, 10)
    clock[0] += 1.9
    bar.show(5, 10)
    assert not bars
    clock[0] += 0.2
    bar.show(6, 10)
    bar.show(7, 10)
    assert bars[0].updates == [(6, 10, ""), (7, 10, "")]
    bar.show(0, 0)
    assert bars[0].stopped
    # The next call waits two seconds again before it shows a bar.
    bar.show(0, 10)
    bar.show(1, 10)
    assert len(bars) == 1


def test_calls_of_threads_get_no_bar(bars: list[Shown], clock: list[float]) -> None:
    bar = progress.CallBar()

    def work() -> None:
        bar.show(0, 10)
        clock[0] += 9.0
        bar.show(5, 10)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not bars


def test_a_line_shows_its_steps_or_those_of_the_call(bars: list[Shown], monkeypatch: pytest.MonkeyPatch) -> None:
    # The test starts the bar itself instead of waiting for the timer.
    monkeypatch.setattr(progress, "PATIENCE", 600)
    call = CallProgress()
    with ProgressLine("routing") as line:
        call.show(3, 10)
        line._start()
        call.show(4, 10)
        line.show(1, 2, "beside")
        call.show(5, 10)
        assert line.is_shown
    assert bars[0].updates == [(3, 10, ""), (4, 10, ""), (1, 2, "beside")]
    assert bars[0].stopped
    assert not ProgressLine.active
    assert len(bars) == 1


def test_short_work_gets_no_bar(bars: list[Shown]) -> None:
    with ProgressLine("routing") as line:
        line.show(1, 2)
    assert not bars
    assert not ProgressLine.active


def test_no_bar_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not progress.is_wanted()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert progress.is_wanted()
    monkeypatch.setenv("TULLE_PROGRESS", "0")
    assert not progress.is_wanted()


def test_notebooks_show_a_bar_below_the_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[dict[str, str]] = []

    class Handle:
        def update(self, content: dict[str, str], *, raw: bool) -> None:
            assert raw
            sent.append(content)

    def display(content: dict[str, str], *, raw: bool, display_id: bool) -> Handle:
        assert raw
        assert display_id
        sent.append(content)
        return Handle()

    ipython: Any = ModuleType("IPython")
    shell = SimpleNamespace(kernel=None)
    ipython.get_ipython = lambda: shell
    module: Any = ModuleType("IPython.display")
    module.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    # IPython on a terminal has a shell without a kernel.
    assert not progress.is_wanted()
    shell.kernel = object()
    assert progress.is_wanted()
    bar = progress.make("packets <b>")
    bar.update(5, 10)
    bar.update(6, 10)
    bar.stop()
    assert sent[0]["text/html"] == "<progress></progress> packets &lt;b&gt;"
    assert sent[1] == {
        "text/plain": "packets <b>: 5 of 10",
        "text/html": '<progress value="5" max="10"></progress> packets &lt;b&gt;: 5 of 10',
    }
    # Updates within a quarter of a second are left out.
    assert sent[2:] == [{"text/plain": "", "text/html": ""}]


def test_simulations_report_to_the_watcher(monkeypatch: pytest.MonkeyPatch) -> None:
    result: list[tuple[int, int, int]] = []
    monkeypatch.setattr(runtime, "watcher", lambda *state: result.append(state))
    with runtime.reporting(None, lambda state: (state, 10)) as observe:
        assert observe is not None
        observe(4)
        observe(12)
    assert result == [(4, 10, 0), (10, 10, 0), (0, 0, 0)]
    own: list[int] = []
    with runtime.reporting(own.append, lambda state: (state, 10)) as observe:
        assert observe is not None
        observe(4)
    assert own == [4]
    assert len(result) == 3
