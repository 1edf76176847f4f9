"""Run the code blocks of a documentation page in one shell, in the order of the page.

A block ``sh`` is a part of the shell's script, and a block ``python`` is a program. A block with a title, for example
``csv title="cables.csv"``, is first written to the file that the title names. A block ``text`` has lines of the output
of the block above it; a line ``…`` stands for omitted lines. Other blocks are not run. A block ``shell`` needs network
namespaces: ``tests/deploy/test_tutorial.py`` runs it, with the blocks ``sh`` of its page.
"""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING, NamedTuple

import preloaded
from conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_FENCE = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MARK = "----- block "


class Block(NamedTuple):
    """A code block, with the lines that its output must have."""

    code: str
    expected: list[str]


def run(page: Path, folder: Path, smaller: Mapping[str, str] | None = None) -> list[tuple[Block, str]]:
    """Run the blocks of a page in a folder; return each block with its output.

    `smaller` has texts of the page that are replaced, so that the page's commands take less time.
    """
    (folder / "studies").symlink_to(ROOT / "studies")
    script, blocks, runs = ["set -eu"], list[Block](), True
    content = page.read_text(encoding="utf-8")
    for old, new in (smaller or {}).items():
        assert old in content
        content = content.replace(old, new)
    for kind, title, text in _FENCE.findall(content):
        if title:
            (folder / title).write_text(text, encoding="utf-8")
        elif kind in ("sh", "python"):
            script += [f"echo '{_MARK}{len(blocks)}'"]
            if kind == "python":
                program = folder / f".block-{len(blocks)}.py"
                program.write_text(text, encoding="utf-8")
                script.append(f"python {program.name}")
            else:
                script.append(text)
            blocks.append(Block(text, []))
            runs = True
        elif kind == "shell":
            runs = False
        elif kind == "text" and runs:
            blocks[-1].expected.extend(text.splitlines())
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=folder,
        env={**os.environ, "PATH": preloaded.shell_path(COLUMNS="140"), "COLUMNS": "140"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, f"{page.name}: {done.stdout[-3000:]}"
    outputs = re.split(rf"^{_MARK}\d+\n", done.stdout, flags=re.MULTILINE)[1:]
    return list(zip(blocks, outputs, strict=True))


def missing(block: Block, output: str) -> list[str]:
    """Return the expected lines that the output lacks. The number of spaces between words does not matter."""
    shown = [" ".join(line.split()) for line in output.splitlines()]
    wanted = [" ".join(line.split()) for line in block.expected]
    return [line for line in wanted if line and line != "…" and not any(line in each for each in shown)]
