"""Run the commands of pages for operators unchanged, with ibsim or on this machine's kernel."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import labs
import preloaded
import pytest
import subnet

from tulle.lab import lab

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {
    "tutorials/deploy-infiniband": subnet.missing,
    "tutorials/deploy-linux": labs.missing,
    "guides/watch-ethernet": labs.missing,
    "guides/keep-throughput": labs.missing,
}
MARK = "----- block "


@pytest.fixture
def place() -> Iterator[Path]:
    with labs.folder() as found:
        yield found


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_the_real_output(page: str, place: Path) -> None:
    """Run all commands of a page in one shell, and check that their output has each line of the page's text blocks."""
    if why := PAGES[page]():
        pytest.skip(why)
    text = (DOCS / f"{page}.md").read_text()
    blocks = re.findall(r"^```(sh|shell|text)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    script = ["set -eu"]
    expected: dict[int, list[str]] = {}
    for kind, text in blocks:
        if kind != "text":
            script += [f"echo '{MARK}{len(expected)}'", text]
            expected[len(expected)] = []
        else:
            expected[len(expected) - 1] = text.splitlines()
    path = os.pathsep.join((preloaded.shell_path(), subnet.PATH))
    with (place / "said").open("wb") as message:
        shell = subprocess.Popen(
            ["bash", "-c", "\n".join(script)],
            cwd=place,
            env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=message,
            stderr=message,
            start_new_session=True,
        )
        try:
            code = shell.wait(600)
        finally:
            # The kill ends background processes of the page's commands, even if the test fails.
            with suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGKILL)
            shell.wait()
            for bundle in ("bundle", "net"):
                lab.down(place / bundle)
    output = (place / "said").read_text()
    assert code == 0, output[-3000:]
    parts = re.split(rf"^{MARK}\d+\n", output, flags=re.MULTILINE)[1:]
    assert len(parts) == len(expected)
    for number, lines in expected.items():
        shown = " ".join(parts[number].split())
        for line in lines:
            assert " ".join(line.split()) in shown, (number, line, parts[number])
