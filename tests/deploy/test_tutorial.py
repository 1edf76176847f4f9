"""The operator's tutorial, run word for word against ibsim."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from subnet import PATH, missing

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

PAGE = Path(__file__).parents[2] / "docs" / "deploy-infiniband.md"
MARK = "----- block "


def test_tutorial_says_what_happens(tmp_path: Path) -> None:
    """All commands in one shell; every line of a text behind a block is part of what the block prints."""
    blocks = re.findall(r"^```(sh|text)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    script = ["set -eu"]
    expected: dict[int, list[str]] = {}
    for kind, text in blocks:
        if kind == "sh":
            script += [f"echo '{MARK}{len(expected)}'", text]
            expected[len(expected)] = []
        else:
            expected[len(expected) - 1] = text.splitlines()
    path = os.pathsep.join((str(Path(sys.executable).parent), PATH))
    with (tmp_path / "said").open("wb") as said:
        shell = subprocess.Popen(
            ["bash", "-c", "\n".join(script)],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
        try:
            code = shell.wait(100)
        finally:
            # What it started goes with it, however it ended.
            with suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGKILL)
            shell.wait()
    output = (tmp_path / "said").read_text()
    assert code == 0, output[-3000:]
    parts = re.split(rf"^{MARK}\d+\n", output, flags=re.MULTILINE)[1:]
    assert len(parts) == len(expected)
    for number, lines in expected.items():
        shown = " ".join(parts[number].split())
        for line in lines:
            assert " ".join(line.split()) in shown, (number, line, parts[number])
