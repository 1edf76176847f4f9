"""Make the gallery of the documentation from the scripts in examples/gallery.

A script starts with a docstring: the title of a section, and a text. Code before the first ``# %%`` is shown once, at
the head of the section. After ``# %% TITLE`` follows the code of one picture, which ends by saving it.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

SCRIPTS = Path(__file__).parents[1] / "examples" / "gallery"
PAGE = "guides/gallery.md"
# The order of the sections.
_SECTIONS = ("networks", "routings", "simulations", "flits", "designs")
_SAVED = re.compile(r'\.savefig\("([\w-]+\.svg)"\)\s*\Z')
_HEAD = """# Gallery

Twenty pictures, each with the Python code that draws it. Every section is a script in the folder `examples/gallery`;
the code at its head runs first. [Plots](../reference/plots.md) lists all kinds of plots, with their commands.

Text in the pictures has the size for a column of a paper. `savefig` writes PDF, SVG and PNG.
"""


@dataclass(frozen=True)
class Picture:
    """A picture of a section."""

    title: str
    code: str
    file: str


@dataclass(frozen=True)
class Section:
    """A script of the gallery."""

    script: Path
    title: str
    text: str
    setup: str
    pictures: tuple[Picture, ...]


def sections() -> list[Section]:
    """Return the sections of the gallery.

    Raises
    ------
    ValueError
        If a part of a script does not end by saving a picture.
    """
    return [_section(SCRIPTS / f"{name}.py") for name in _SECTIONS]


def page() -> str:
    """Return the gallery as Markdown."""
    parts = [_HEAD]
    for section in sections():
        parts += [f"## {section.title}", section.text, _code(section.setup)]
        for picture in section.pictures:
            parts += [f"### {picture.title}", f"![{picture.title}](plots/{picture.file})", _code(picture.code)]
    return "\n\n".join(parts) + "\n"


def _section(script: Path) -> Section:
    source = script.read_text(encoding="utf-8")
    head, *cells = re.split(r"^# %% ", source, flags=re.MULTILINE)
    docstring = ast.get_docstring(ast.parse(head)) or ""
    title, _, text = docstring.partition("\n")
    setup = head.split('"""', 2)[2]
    return Section(
        script, title.rstrip("."), text.strip(), setup.strip(), tuple(_picture(script, cell) for cell in cells)
    )


def _picture(script: Path, cell: str) -> Picture:
    title, _, code = cell.partition("\n")
    saved = _SAVED.search(code)
    if saved is None:
        raise ValueError(f"{script.name}: the part '{title}' does not end by saving an .svg file")
    return Picture(title, code.strip(), saved[1])


def _code(code: str) -> str:
    return f"```python\n{code}\n```"
