"""Make the tutorial *Your first figure* from its notebook: the cells, and what they print, return and draw."""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tools"))

import notebooks
from pictures import changed_since_last_use
from reference import repository

NOTEBOOK = repository.ROOT / "examples" / "notebooks" / "first-figure.ipynb"
PAGE = "tutorials/first-figure.md"
_STYLE = re.compile(r"<style.*?</style>", re.DOTALL)


def write(folder: Path) -> tuple[str, list[Path]]:
    """Run the notebook in a folder if the notebook or tulle has changed; return the page and its pictures."""
    with changed_since_last_use(folder, NOTEBOOK) as changed:
        if changed:
            for old in folder.glob("*.png"):
                old.unlink()
            (folder / "page.md").write_text(_page(notebooks.run(NOTEBOOK, folder), folder), encoding="utf-8")
    return (folder / "page.md").read_text(encoding="utf-8"), sorted(folder.glob("*.png"))


def _page(outputs: list[notebooks.Output], folder: Path) -> str:
    left = iter(enumerate(outputs, 1))
    parts = []
    for cell in notebooks.cells(NOTEBOOK):
        if cell.kind == "markdown":
            parts.append(cell.source)
            continue
        number, output = next(left)
        parts.append(f"```python\n{cell.source}\n```")
        if output.printed:
            parts.append(f"```text\n{output.printed.rstrip()}\n```")
        if output.html:
            parts.append(_plain(output.html))
        if output.png:
            picture = folder / f"first-figure-{number}.png"
            picture.write_bytes(output.png)
            parts.append(f"![Output of cell {number}](plots/{picture.name})")
    parts.append(f"All cells are in the notebook {_link()}.")
    return "\n\n".join(parts) + "\n"


def _plain(html: str) -> str:
    """Return HTML on one line, with tables in the style of the site instead of their own."""
    text = re.sub(r"<table[^>]*>", "<table>", _STYLE.sub("", html))
    return re.sub(r"\s*\n\s*", "", text)


def _link() -> str:
    name = NOTEBOOK.relative_to(repository.ROOT).as_posix()
    url = repository.url_of_repository()
    return f"[{name}]({url}/blob/main/{name})" if url else f"`{name}`"
