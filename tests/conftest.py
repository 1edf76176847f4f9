"""Fixtures that tests share."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Background jobs of shells ignore interrupts; tests send them, to themselves and to what they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def tulle(tmp_path: Path) -> Cli:
    """Runs the installed command in a directory of its own; standard output and error are no terminal."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = Path(sys.executable).with_name("tulle")
        return subprocess.run(
            [command, *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            cwd=tmp_path,
            env={**os.environ, **environment},
            check=False,
        )

    return run
