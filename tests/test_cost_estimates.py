"""Check that a command prints the expected duration of long work in one line, also without a terminal."""

from __future__ import annotations

import pytest

from tulle.cli.terminal import progress


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def test_a_line_by_the_rate_of_the_first_seconds(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    bar = progress.CallProgress()
    for seconds, done in ((0.0, 0), (1.9, 95), (2.0, 100), (3.0, 120)):
        clock[0] = 100.0 + seconds
        bar.show(done, 4_498_500, 90_000_000)
    expected = "about 24 h 59 min to go, 100 of 4,498,500 steps after 2 s, 90.0 MB of memory; Ctrl-C ends it"
    assert capsys.readouterr() == ("", f"tulle: {expected}\n")


def test_nothing_where_it_is_short_or_new(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    bar = progress.CallProgress()
    bar.show(0, 100)
    clock[0] += 30.0
    bar.show(51, 100)
    # A new call measures its time from zero.
    bar.show(0, 0)
    bar.show(1, 1_000_000)
    assert capsys.readouterr() == ("", "")


def test_not_one_step_in_a_minute(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    bar = progress.CallProgress()
    bar.show(0, 7)
    clock[0] += 59.0
    bar.show(0, 7)
    assert capsys.readouterr().err == ""
    clock[0] += 2.0
    bar.show(0, 7)
    assert capsys.readouterr().err == "tulle: none of 7 steps after 1 min; Ctrl-C ends it\n"


def test_a_new_line_if_the_work_takes_twice_as_long(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    bar = progress.ProgressLine("steps", estimate=True)
    for seconds, done in ((0.0, 0), (16.0, 2), (90.0, 3), (170.0, 4), (190.0, 5)):
        clock[0] = 100.0 + seconds
        bar.show(done, 12)
    told = capsys.readouterr().err.splitlines()
    assert told == [
        "tulle: about 1 min to go, 2 of 12 steps after 16 s; Ctrl-C ends it",
        "tulle: about 4 min to go, 5 of 12 steps after 3 min; Ctrl-C ends it",
    ]


def test_steps_that_were_done_before_take_no_time(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    bar = progress.ProgressLine("steps", estimate=True)
    for seconds, done in ((0.0, 1000), (10.0, 1010)):
        clock[0] = 100.0 + seconds
        bar.show(done, 2000)
    assert capsys.readouterr().err == "tulle: about 16 min to go, 1,010 of 2,000 steps after 10 s; Ctrl-C ends it\n"


def test_work_that_begins_while_no_line_is_due(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    bar = progress.CallProgress()
    # The first call ends after 10 s instead of the 1,000 s that the line says. No further line is due for 1,980 s.
    for seconds, done, total in ((0.0, 0, 100), (10.0, 1, 100), (11.0, 0, 0), (11.0, 0, 4000), (2100.0, 2089, 4000)):
        clock[0] = 100.0 + seconds
        bar.show(done, total)
    told = capsys.readouterr().err.splitlines()
    assert told[1:] == ["tulle: about 32 min to go, 2,089 of 4,000 steps after 35 min; Ctrl-C ends it"]
