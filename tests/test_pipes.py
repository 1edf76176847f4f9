"""If the next program of a pipe ends early, a command finishes its work silently, and its exit code stays the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import preloaded
import pytest
import watched_networks as networks

TULLE = str(Path(sys.executable).with_name("tulle"))


@pytest.fixture(scope="module")
def subnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("subnet")
    networks.subnet(folder)
    return folder


def unread(*arguments: str, cwd: Path, both: bool = False, **environment: str) -> tuple[int, str]:
    """Run a command whose standard output (with `both`, also standard error) has no reader.

    Returns the exit code and the error text.
    """
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [TULLE, *arguments],
            stdout=writer,
            stderr=writer if both else subprocess.PIPE,
            cwd=cwd,
            env={**os.environ, **environment},
            timeout=60,
            check=False,
        )
    finally:
        os.close(writer)
    return done.returncode, "" if both else done.stderr.decode()


def shell(script: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a script in which the command `tulle` starts fast, because a server has already imported the package."""
    environment = {**os.environ, "PATH": preloaded.shell_path()}
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", script],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=environment,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(("unbuffered", "both"), [("", False), ("", True), ("1", False)])
def test_exit_codes_without_a_reader(subnet: Path, unbuffered: str, both: bool) -> None:
    commands = [
        (["--help"], 0),
        (["list", "fabrics"], 0),
        (["deploy", "verify", "bundle", "--live", "cable"], 1),
    ]
    if not (unbuffered or both):
        commands += [
            (["list", "fabrics", "--json"], 0),
            (["deploy", "verify", "bundle", "--live", "good"], 0),
            (["deploy", "watch", "bundle", "--live-command", "cat cable"], 1),
        ]
    for arguments, code in commands:
        assert unread(*arguments, cwd=subnet, both=both, PYTHONUNBUFFERED=unbuffered) == (code, ""), arguments
    code, text = unread("fabric", "slimfly:q=6", cwd=subnet, both=both, PYTHONUNBUFFERED=unbuffered)
    assert (code, text) == (2, "" if both else "tulle: slimfly: q=6 is not a prime power; nearest 5, 7\n")


def test_standard_error_without_a_reader_keeps_the_output(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [TULLE, "fabric", "slimfly:q=5", "--write", "net.ibnet"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=writer, text=True, cwd=tmp_path, check=False)
    os.close(writer)
    # Without a reader of standard error, the note about properties that this format cannot store is discarded.
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].split() == ["written", "net.ibnet"]
    assert (tmp_path / "net.ibnet").stat().st_size > 0


def test_files_are_complete_without_a_reader(subnet: Path) -> None:
    for name, arguments in (("text", ()), ("json", ("--json",))):
        command = ("deploy", "repair", "bundle", "--live", "cable", "-o", name, *arguments)
        code, error = unread(*command, cwd=subnet)
        assert code == 0
        assert "Traceback" not in error
        done = preloaded.run("deploy", "verify", name, "--live", "cable", cwd=subnet)
        assert done.returncode == 0, done.stdout


def test_head_never_changes_the_exit_code(subnet: Path) -> None:
    # With `head`, the write and the end of the reader race. The JSON is larger than the buffer of a pipe (64 KiB).
    assert len(preloaded.run("list", "--json").stdout) > 2 * 65_536
    for command, code in (
        ("tulle list --json | head -n 1", 0),
        ("tulle list fabrics | head -n 1", 0),
        ("tulle deploy verify bundle --live good | head -n 1", 0),
        ("tulle deploy verify bundle --live cable | head -n 1", 1),
        ("tulle deploy verify bundle --live cable | true", 1),
        ("tulle deploy repair bundle --live cable --dry-run 2>&1 | head -n 1", 0),
        ("tulle fabric slimfly:q=6 2>&1 | true", 2),
    ):
        done = shell(f"for run in {{1..4}}; do {command} > /dev/null; echo $?; done", subnet)
        assert done.stdout.split() == [str(code)] * 4, command
        assert done.stderr == "", command


def test_first_line_is_read() -> None:
    done = shell("tulle list --json | head -n 1", Path.cwd())
    assert (done.returncode, done.stdout, done.stderr) == (0, "{\n", "")


def test_watch_without_a_reader_ends(subnet: Path) -> None:
    watch = "tulle deploy watch bundle --live-command 'cat cable' --every"
    for command in (f"{watch} 0.1 | head -n 1", f"{watch} 0.1 --json | head -n 1", f"{watch} 0.1 | true"):
        done = shell(f"{command} > /dev/null", subnet)
        assert (done.returncode, done.stderr) == (0, ""), command
    # It ends even if it has nothing to print, and does not wait for the next check.
    done = shell(f"{watch} 3600 | head -n 1", subnet)
    assert (done.returncode, done.stdout.count("\n"), done.stderr) == (0, 1, "")


def test_watch_with_a_number_of_checks_finishes_them(subnet: Path) -> None:
    watch = "tulle deploy watch bundle --live-command 'cat cable; echo >> runs' --every 0.1 --checks 3"
    done = shell(f"{watch} | true", subnet)
    assert (done.returncode, done.stderr) == (1, "")
    assert (subnet / "runs").read_text() == "\n" * 3
