"""For tests of deploy commands: the output of a command that works, and the message of a command that is refused."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from subprocess import CompletedProcess


def done(result: CompletedProcess[str]) -> str:
    """Check that a command worked, and return its standard output."""
    assert result.returncode == 0, result.stderr
    return result.stdout


def refused(result: CompletedProcess[str], code: int = 2) -> str:
    """Check that a command failed with one line on standard error and no other output, and return this line."""
    assert (result.returncode, result.stderr.count("\n"), result.stdout) == (code, 1, ""), result.stderr
    return result.stderr


def version(number: int) -> Path:
    """The folder of a version of the bundle `b`."""
    return Path(f"b/versions/{number:04}")
