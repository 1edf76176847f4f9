"""Check that a sandbox leaves no processes if its owner is killed, and that it has its own network and folders."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from patience import PATIENCE
from sandbox import Sandbox, missing

LACKS = missing("ip", "unshare", "nsenter")
pytestmark = pytest.mark.skipif(bool(LACKS), reason=LACKS)

HOLDS = """
import sys
sys.path.insert(0, {place!r})
from sandbox import Sandbox
sandbox = Sandbox()
sandbox.shell("sleep 987654 > /dev/null 2>&1 &")
print("ready", flush=True)
sys.stdin.read()
"""


def sleepers() -> int:
    count = 0
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        # A process can end before the test reads its file.
        with suppress(OSError):
            count += place.read_bytes() == b"sleep\x00987654\x00"
    return count


def settles(count: int) -> bool:
    """Wait for `count` sleeping processes; return whether this number is reached."""
    until = time.monotonic() + PATIENCE
    while sleepers() != count:
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def test_a_kill_leaves_nothing() -> None:
    script = HOLDS.format(place=str(Path(__file__).parent))
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        # The shell reports "ready" before its child process has executed `sleep`, so the test waits.
        assert settles(1)
        process.send_signal(signal.SIGKILL)
    assert settles(0)


def test_there_is_no_way_out() -> None:
    """Check that the sandbox has only a loopback interface, no route, and its own folders for daemons."""
    with Sandbox() as sandbox:
        assert sandbox.run("ip", "-brief", "link").split()[0] == "lo"
        assert sandbox.run("ip", "-brief", "link").count("\n") == 1
        assert sandbox.run("ip", "route") == ""
        sandbox.shell("touch /run/tulle-was-here")
    assert not Path("/run/tulle-was-here").exists()
