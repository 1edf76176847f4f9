"""Add generated pages to the site, fill markers with generated content, and check the links of the finished site.

These markers, each alone on a line, are replaced on every page:

* ``<!-- names: fabrics -->``: a table with the names of one kind of component.
* ``<!-- options: packet -->``: the table of a simulator's options.
* ``<!-- features -->``: the table that compares routing schemes.
* ``<!-- crates -->``: the table of ``crates/README.md``.
* ``<!-- playground -->``: the HTML elements of the playground.

On the page of plots, ``<!-- plot: x.svg -->`` becomes the picture that a command above it draws. On the page of a
paper, ``<!-- exhibit: Fig. 2 -->`` becomes the claims, figures and plots of that exhibit, from the stored results of
studies. The page of the gallery is generated, and one tutorial is generated from its notebook.

If the environment variable ``TULLE_DRAFT`` is set, as in ``make lint-docs``, the pages are complete, but most plots of
papers are empty and the example report has no networks. This takes less than half of the time.
"""

from __future__ import annotations

import os
import re
import sys
from functools import cache, partial
from html import unescape
from os.path import normpath
from pathlib import Path, PurePosixPath
from textwrap import dedent
from typing import TYPE_CHECKING

from mkdocs.structure.files import File, Files

from tulle.routing.features import CRITERIA, PROBES, features

sys.path.append(str(Path(__file__).parents[1] / "tools"))

sys.path.append(str(Path(__file__).parent))

import gallery
import notebook_page
from exhibit.exhibits import ROOT
from exhibit.pages import filled
from exhibit.plots import draw_all, sketch_all
from pictures import PAGE_OF_PLOTS, draw_gallery, draw_page, shown, write_report, write_short_report
from reference import api, commands, components, repository, site_links
from reference.markdown import table

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

_DRAFT = "TULLE_DRAFT" in os.environ
_NAMES = re.compile(r"^<!-- names: ([\w-]+) -->$", re.MULTILINE)
_OPTIONS = re.compile(r"^<!-- options: ([\w-]+) -->$", re.MULTILINE)
_CRATES = re.compile(r"^<!-- crates -->$", re.MULTILINE)
_FEATURES = re.compile(r"^<!-- features -->$", re.MULTILINE)
_PLAYGROUND = re.compile(r"^<!-- playground -->$", re.MULTILINE)
# The playground's program, which `make playground` builds, and the scripts that it shares with reports.
_PROGRAM = ROOT / "target" / "playground" / "tulle.wasm"
_SCRIPTS = ROOT / "python" / "tulle" / "report_html" / "vendor"
# An indented block between blank lines. Every line starts with a command, continues the line above or is a comment.
_PROGRAMS = "tulle|make|pip|python|git|sudo|source|docker|containerlab|cd|cargo|ibnetdiscover|dump_fts"
_COMMAND = rf" {{4}}(?:\.?[\w./]*(?:{_PROGRAMS})\b(?!:)(?:.*\\\n {{4}})*.*| *#.*)\n"
_COMMANDS = re.compile(rf"(?<=\n\n)(?:{_COMMAND})+(?=\n|\Z)")
# The beginning and the code of a block with comments that begin with #.
_BLOCK = re.compile(r"^(```(?:python|toml)\b.*\n)((?:.*\n)*?)(?=```)", re.MULTILINE)
# Number of characters of code that fit on a line of a page.
_LINE = 92
_COMMENT = re.compile(r"^(.*\S) {2,}(# .*)$", re.MULTILINE)
# The HTML of a block of output, and what a line with columns or a diagram contains.
_OUTPUT = re.compile(r'(<div class="language-text )(highlight">.*?</pre>)', re.DOTALL)
_COLUMNS = re.compile(r"\S {2,}\S|[│├└]")
# Code in a text or a table, but not in a block. Code of up to this number of characters stays on one line. Longer code
# may break at these places, and names also after hyphens.
_CODE = re.compile(r"(?<!</span>)<code>([^<]+)</code>")
_UNBROKEN = 18
_BREAK = re.compile(r"(?<=[ ,(/|+])(?=[^ ,)])|(?<=[=_.:])(?=[^ ,)=]{4})")
# A heading of a column may break more often, because its cells are often short.
_UNBROKEN_IN_HEADS = 12
_HEAD = re.compile(r"<th\b.*?</th>", re.DOTALL)
# Relations such as "≥ 5" and pairs such as "1.11 / 1.07" stay on one line. Blocks of code are not changed.
_BLOCKS = re.compile(r"(<pre\b.*?</pre>)", re.DOTALL)
_RELATION = re.compile(r"(?<=[≥≤≈±]) (?=\d)| (?=± \d)")
_PAIR = re.compile(r"(?<=<td>)([\d.]{1,6}) / ([\d.]{1,6})(?=</td>)")
_HYPHEN = re.compile(r"(?<=\w-)(?=\w)")
_IMAGE = re.compile(r'<img (?=[^>]*src="([^"]+\.svg)")')
# Pictures of this width in points, or wider, have small text on a phone.
_WIDE = 380.0
_WIDTH = re.compile(r' width="([\d.]+)pt"')

_SECTIONS = (api, commands, components)
_PAPERS = PurePosixPath("results/reproduction")
_PLOTS = PurePosixPath("reference")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the generated pages and the links to the repository; mkdocs calls this with the configuration."""
    config.nav = [_extended(entry) for entry in config.nav or []]
    repository.link(config)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages, and the plots that pages show; mkdocs calls this with the files of the site."""
    for part in (*_SECTIONS, repository):
        for path, text in part.pages().items():
            files.append(File.generated(config, path, content=text))
    files.append(File.generated(config, gallery.PAGE, content=gallery.page()))
    for folder, plots in (
        (_PAPERS, sketch_all() if _DRAFT else draw_all()),
        (_PLOTS, draw_page(ROOT / "target" / "plots")),
        (PurePosixPath(gallery.PAGE).parent, draw_gallery(ROOT / "target" / "gallery")),
    ):
        for plot in plots:
            files.append(File.generated(config, f"{folder}/plots/{plot.name}", abs_src_path=str(plot)))
    if _has_playground():
        for path in (_PROGRAM, *sorted(_SCRIPTS.glob("*.js"))):
            files.append(File.generated(config, f"playground/{path.name}", abs_src_path=str(path)))
    page, drawn = notebook_page.write(ROOT / "target" / "notebook")
    files.append(File.generated(config, notebook_page.PAGE, content=page))
    for picture in drawn:
        files.append(File.generated(config, f"tutorials/plots/{picture.name}", abs_src_path=str(picture)))
    if _DRAFT:
        report = write_short_report(ROOT / "target" / "draft" / "reports")
    else:
        report = write_report(ROOT / "target" / "reports")
    files.append(File.generated(config, f"reports/{report.name}", abs_src_path=str(report)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Fill the markers of a page; mkdocs calls this with the text of every page."""
    text = _NAMES.sub(lambda match: components.names(match[1]), markdown)
    text = _OPTIONS.sub(lambda match: components.options(match[1]), text)
    text = _FEATURES.sub(lambda _: _features(), text)
    text = _PLAYGROUND.sub(lambda _: _playground(), text)
    text = _CRATES.sub(lambda _: repository.crates(), text)
    path = PurePosixPath(page.file.src_uri)
    if path.parent == _PAPERS:
        text = filled(text, path.stem)
    text = _BLOCK.sub(lambda block: f"{block[1]}{_fitting(block[2])}", text)
    text = _COMMANDS.sub(_commands, text)
    return shown(text) if path.name == PAGE_OF_PLOTS.name else text


def on_page_content(html: str, page: Page, files: Files, **_: object) -> str:
    """Choose where code breaks, and which pictures scroll on a phone; mkdocs calls this with the HTML of every page.

    Code in texts and tables breaks only between its words. Output without columns gets the class ``prose``, so that its
    long lines break. Wide pictures get the class ``panels``.
    """

    def image(match: re.Match[str]) -> str:
        file = files.get_file_from_path(normpath(PurePosixPath(page.file.src_uri).parent / match[1]))
        return (
            f'{match[0]}class="panels" ' if file is not None and _is_wide(Path(file.abs_src_path or "")) else match[0]
        )

    html = _HEAD.sub(lambda head: _CODE.sub(partial(_breakable, unbroken=_UNBROKEN_IN_HEADS), head[0]), html)
    html = _IMAGE.sub(image, _CODE.sub(_breakable, html))
    parts = _BLOCKS.split(html)
    parts[::2] = [_PAIR.sub(r"\1&nbsp;/&nbsp;\2", _RELATION.sub("&nbsp;", part)) for part in parts[::2]]
    html = "".join(parts)
    return _OUTPUT.sub(lambda block: block[0] if _COLUMNS.search(block[2]) else f"{block[1]}prose {block[2]}", html)


def on_post_build(config: MkDocsConfig) -> None:
    """Check that no link of the site leads nowhere; mkdocs calls this at the end."""
    site_links.check(Path(config.site_dir))


def _extended(entry: object) -> object:
    """Replace folders of generated pages in an entry of the navigation by their pages."""
    if isinstance(entry, list):
        return [_extended(one) for one in entry]
    if isinstance(entry, dict):
        return {title: _extended(below) for title, below in entry.items()}
    found = [part for part in _SECTIONS if entry == f"{part.FOLDER}/"]
    return list(found[0].pages()) if found else entry


def _commands(match: re.Match[str]) -> str:
    """Return a block of commands. Comments begin in the first column that is free in all lines with a comment."""
    code = dedent(match[0])
    column = max((len(line[1]) for line in _COMMENT.finditer(code)), default=0)
    return f"```sh\n{_fitting(_COMMENT.sub(lambda line: f'{line[1]:{column}}  {line[2]}', code))}```\n"


def _fitting(code: str) -> str:
    """Return code in which the comment of a line that is too long is closer to the code, or above it."""

    def fitted(line: re.Match[str]) -> str:
        closer = f"{line[1]}  {line[2]}"
        if len(line[0]) <= _LINE or len(closer) <= _LINE or "\\\n" in code:
            return line[0] if len(line[0]) <= _LINE else closer
        return f"{line[1][: -len(line[1].lstrip())]}{line[2]}\n{line[1]}"

    return _COMMENT.sub(fitted, code)


def _breakable(match: re.Match[str], unbroken: int = _UNBROKEN) -> str:
    """Mark the places where long code may break."""
    code = match[1]
    if len(unescape(code)) > unbroken:
        code = _BREAK.sub("<wbr>", code if " " in code else _HYPHEN.sub("<wbr>", code))
    return f'<code class="words">{code}</code>'


def _is_wide(path: Path) -> bool:
    """Return whether an SVG file of matplotlib is wider than a phone's screen."""
    with path.open(encoding="utf-8") as file:
        found = _WIDTH.search(file.read(1000))
    return found is not None and float(found[1]) >= _WIDE


@cache
def _has_playground() -> bool:
    """Return whether the playground's program was built before this build of the site began."""
    return _PROGRAM.exists()


def _playground() -> str:
    """Return the HTML elements of the playground, or a note if the playground's program has not been built."""
    if not _has_playground():
        return "*This build of the documentation does not contain the playground. `make playground` builds it.*"
    scripts = [f"playground/{path.name}" for path in sorted(_SCRIPTS.glob("*.js"))]
    scripts += [f"playground/{name}.js" for name in ("program", "drawing", "playground")]
    tags = [f'<script src="{script}"></script>' for script in scripts]
    style = '<link rel="stylesheet" href="playground/playground.css">'
    return "\n".join([style, '<div id="tulle-playground"></div>', *tags])


def _features() -> str:
    rows = ([f"`{scheme.spec}`", *scheme.cells()] for scheme in features())
    told = "\n".join(f"* **{name}**: {what}" for name, what in CRITERIA.items())
    probes = "The test fabrics are " + ", ".join(f"`{probe}`" for probe in PROBES) + "."
    return "\n\n".join([told, probes, table(["scheme", *CRITERIA], rows)])
