#!/usr/bin/env python3
"""Draw comments, docstrings, help texts, messages and documentation sentences at random, for people to read.

A reader who has not seen the code should understand each text at once. ``--list FILE…`` prints all of some files.
"""

from __future__ import annotations

import argparse
import ast
import io
import random
import re
import subprocess
import tokenize
from pathlib import Path

ROOT = Path(__file__).parent.parent
# Texts with fewer lower-case letters are too short to judge.
LEAST = 25

RUST_COMMENT = re.compile(r"^\s*//[/!]?\s?(.*)$")
RUST_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')


def texts(path: Path) -> list[tuple[int, str]]:
    """Return the texts of a file, each with its first line number."""
    source = path.read_text(encoding="utf-8")
    found = {".py": of_python, ".rs": of_rust, ".md": of_markdown}[path.suffix](source)
    return [(line, " ".join(text.split())) for line, text in found if len(re.findall(r"[a-z]", text)) >= LEAST]


def of_python(source: str) -> list[tuple[int, str]]:
    """Return comments, docstrings, and strings with at least three spaces, such as messages and help texts."""
    found = runs(
        [
            (token.start[0], token.string.lstrip("# "))
            for token in tokenize.generate_tokens(io.StringIO(source).readline)
            if token.type == tokenize.COMMENT
        ]
    )
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.count(" ") >= 3:
            found += [(node.lineno, part) for part in re.split(r"\n\s*\n", node.value)]
        elif isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            found.append((node.lineno, "".join(map(str, parts))))
    return sorted(found)


def of_rust(source: str) -> list[tuple[int, str]]:
    """Return comments, and strings with at least three spaces."""
    comments, found = [], []
    for number, line in enumerate(source.splitlines(), start=1):
        comment = RUST_COMMENT.match(line)
        if comment:
            comments.append((number, comment[1]))
        else:
            found += [(number, text) for text in RUST_TEXT.findall(line) if text.count(" ") >= 3]
    return sorted(runs(comments) + found)


def of_markdown(source: str) -> list[tuple[int, str]]:
    """Return paragraphs, list items and table rows, without code blocks."""
    found, is_code = [], False
    for number, line in enumerate(source.splitlines(), start=1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code and not line.startswith("    ") and line.strip():
            found.append((number, line.strip()))
    return runs(found)


def runs(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Join consecutive lines to one text; an empty line starts another text."""
    found: list[tuple[int, str]] = []
    last = None
    for number, text in lines:
        if found and last == number - 1 and text.strip() and not text.startswith(("* ", "- ", "|", "#")):
            found[-1] = (found[-1][0], f"{found[-1][1]} {text}")
        else:
            found.append((number, text))
        last = number if text.strip() else None
    return found


def files() -> list[Path]:
    """Return the files that people read, except generated pages and files of studies."""
    git = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [
        ROOT / name
        for name in git.stdout.splitlines()
        if name.endswith((".py", ".rs", ".md")) and not name.startswith(("docs/reproduction/", "studies/"))
    ]


def main() -> None:
    """Draw texts, or list all texts of the given files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument(
        "--list", nargs="+", type=Path, metavar="FILE", help="print all texts of these files instead of a sample"
    )
    given = parser.parse_args()
    paths = given.list or files()
    found = [(path, line, text) for path in paths for line, text in texts(path)]
    drawn = found if given.list else random.Random(given.seed).sample(found, given.count)
    for path, line, text in drawn:
        print(f"{path.resolve().relative_to(ROOT)}:{line}: {text}")


if __name__ == "__main__":
    main()
