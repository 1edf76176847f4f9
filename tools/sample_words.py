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

# A comment, a raw string, a string, or a character such as '"', which starts no string.
RUST_TOKEN = re.compile(
    r"""//[/!]?\ ?(?P<comment>[^\n]*) | r(?P<hashes>\#*)"(?P<raw>.*?)"(?P=hashes)
    | "(?P<string>(?:[^"\\]|\\.)*)" | '(?:[^'\\]|\\.)'""",
    re.DOTALL | re.VERBOSE,
)


def texts(path: Path) -> list[tuple[int, str]]:
    """Return the texts of a file, each with its first line number."""
    source = path.read_text(encoding="utf-8")
    found = {".py": of_python, ".rs": of_rust, ".md": of_markdown, ".toml": of_toml}[path.suffix](source)
    return [(line, " ".join(text.split())) for line, text in found if len(re.findall(r"[a-z]", text)) >= LEAST]


def of_python(source: str) -> list[tuple[int, str]]:
    """Return comments, docstrings, and strings with at least three spaces, such as messages and help texts."""
    found = runs(
        [
            (token.start[0], token.string.lstrip("# "))
            for token in tokenize.generate_tokens(io.StringIO(source).readline)
            if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip()
        ]
    )
    tree = ast.parse(source)
    formatted = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    pieces = {id(piece) for node in formatted for piece in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in pieces:
            parts = re.split(r"\n\s*\n", node.value) if node.value.count(" ") >= 3 else []
            found += [(node.lineno, part) for part in parts]
    for node in formatted:
        values = [piece.value if isinstance(piece, ast.Constant) else "{}" for piece in node.values]
        found.append((node.lineno, "".join(map(str, values))))
    return sorted(found)


def of_rust(source: str) -> list[tuple[int, str]]:
    """Return comments, and strings with at least three spaces."""
    comments, found = [], []
    for token in RUST_TOKEN.finditer(source):
        number = source.count("\n", 0, token.start()) + 1
        is_alone = not source[source.rfind("\n", 0, token.start()) + 1 : token.start()].strip()
        if token["comment"] is not None and is_alone:
            comments.append((number, token["comment"]))
        for text in filter(None, (token["raw"], token["string"])):
            # A backslash at the end of a line joins the next line to it.
            joined = re.sub(r"\\\n\s*", "", text)
            found += [(number, joined)] if joined.count(" ") >= 3 else []
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


def of_toml(source: str) -> list[tuple[int, str]]:
    """Return comments."""
    lines = enumerate(source.splitlines(), start=1)
    return runs([(number, line.lstrip("# ")) for number, line in lines if line.lstrip().startswith("#")])


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
    """Return the files that people read, except generated pages."""
    git = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [
        ROOT / name
        for name in git.stdout.splitlines()
        if name.endswith((".py", ".rs", ".md", ".toml")) and not name.startswith("docs/results/reproduction/")
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
