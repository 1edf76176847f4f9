"""Check Ctrl-C at random moments: the exit code is 130, the error is one line, and interrupted calls end."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

import tulle
from tulle.analysis import disjoint_paths

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Number of times that the tests run and interrupt each command; the variable TULLE_INTERRUPTS changes it.
INTERRUPTS = int(os.environ.get("TULLE_INTERRUPTS", "3"))

# These commands run long enough to be interrupted: a linear program, a single call of the Rust core, two simulations.
COMMANDS = [
    ["throughput", "slimfly:q=9", "all-to-all", "--method", "edge-lp", "--gap", "1e-9"],
    ["analyze", "clique:degree=400", "disjoint-paths:mode=exact"],
    ["simulate", "slimfly:q=11", "--traffic", "permutation:bytes=1GiB"],
    ["flit", "slimfly:q=7", "--window", "4000000"],
]

# The script writes a byte as soon as tulle handles Ctrl-C. While Python starts, tulle cannot handle Ctrl-C yet.
SCRIPT = """
import os, sys
from tulle.cli import interrupt, main
ready, handle = int(sys.argv.pop(1)), interrupt.handle
interrupt.handle = lambda: (handle(), os.write(ready, b"."))
main()
"""


@contextlib.contextmanager
def started(command: list[str], where: Path) -> Iterator[subprocess.Popen[str]]:
    ready, result = os.pipe()
    # The test keeps Python's hash randomisation, because it changes only import times, not results.
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(result), *command],
        cwd=where,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=[result],
    ) as process:
        os.close(result)
        try:
            assert os.read(ready, 1) == b"."
            yield process
        finally:
            os.close(ready)
            process.kill()


@pytest.mark.parametrize("number", range(len(COMMANDS)))
def test_ctrl_c_at_random_moments(number: int, tmp_path: Path) -> None:
    moments = random.Random(number)
    for _ in range(INTERRUPTS):
        with started(COMMANDS[number], tmp_path) as process:
            # The interrupt comes at a random time between tulle's first import and the middle of its work.
            time.sleep(0.01 + moments.uniform(0, 1) ** 2 * 1.5)
            process.send_signal(signal.SIGINT)
            _, error = process.communicate(timeout=60)
        assert (process.returncode, error) == (130, "tulle: stopped\n")


# These commands spend most of their first 0.4 s on imports.
IMPORTS = [COMMANDS[0], ["list", "measurements"]]


@pytest.mark.parametrize("number", range(len(IMPORTS)))
def test_ctrl_c_during_imports(number: int, tmp_path: Path) -> None:
    moments = random.Random(number)
    for _ in range(INTERRUPTS):
        with started(IMPORTS[number], tmp_path) as process:
            time.sleep(moments.uniform(0, 0.4))
            process.send_signal(signal.SIGINT)
            _, error = process.communicate(timeout=60)
        assert (process.returncode, error) in [(130, "tulle: stopped\n"), (0, "")]


# The signal arrives while a finaliser runs. As in a callback of a compiled library, Python then discards the
# KeyboardInterrupt.
SWALLOWED = """
import signal, time
from tulle.cli import interrupt

class Finalised:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

interrupt.handle()
try:
    Finalised()
    time.sleep(60)
except KeyboardInterrupt:
    interrupt.end()
"""


def test_ctrl_c_in_a_finaliser() -> None:
    command = [sys.executable, "-c", SWALLOWED]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stderr) == (130, "tulle: stopped\n")


def test_ctrl_c_twice_ends_at_once(tmp_path: Path) -> None:
    with started(COMMANDS[0], tmp_path) as process:
        time.sleep(1.5)
        for _ in range(20):
            process.send_signal(signal.SIGINT)
            time.sleep(0.005)
        _, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (130, "tulle: stopped\n")


# The second Ctrl-C arrives while the command handles the first one.
DURING_A_STUDY = """
import signal
from pathlib import Path
from tulle import study
from tulle.cli import interrupt
from tulle.cli.study.parts import resumable

interrupt.handle()
try:
    with resumable(study.plan(study.load("quickstart")), Path("runs"), fresh=False):
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            signal.raise_signal(signal.SIGINT)
finally:
    print("not reached")
"""


def test_ctrl_c_twice_during_a_study_says_how_to_continue(tmp_path: Path) -> None:
    command = [sys.executable, "-c", DURING_A_STUDY]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, cwd=tmp_path)
    told = "tulle: finished runs are stored; the same command continues the study\ntulle: stopped\n"
    assert (done.returncode, done.stdout, done.stderr) == (130, "", told)


def interrupt_soon() -> threading.Timer:
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    return timer


def seconds_of_processor() -> float:
    used = os.times()
    return used.user + used.system


def test_an_interrupted_call_leaves_no_work_behind() -> None:
    fabric = tulle.Fabric("clique:degree=400")
    timer = interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        disjoint_paths(fabric, 3, mode="exact")
    timer.join()
    # If the call left threads running, this process would use processor time for many more seconds.
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        before = seconds_of_processor()
        time.sleep(0.25)
        if seconds_of_processor() - before < 0.05:
            break
    else:
        pytest.fail("the call goes on")
    assert tulle.route(tulle.Fabric("slimfly:q=3"), "minimal").num_layers == 1


def test_calls_of_other_threads_can_be_stopped() -> None:
    fabric = tulle.Fabric("clique:degree=400")
    ended: list[BaseException] = []

    def work() -> None:
        try:
            disjoint_paths(fabric, 3, mode="exact")
        except BaseException as error:
            ended.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        assert thread.ident is not None
        tulle._tulle.stop_calls([thread.ident])
        thread.join(0.05)
    assert [type(error) for error in ended] == [KeyboardInterrupt]


def test_a_program_that_runs_a_command_keeps_its_signals() -> None:
    from tulle.cli import main

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(SystemExit):
        main(["list", "faults"])
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
