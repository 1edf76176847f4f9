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
from functools import cache
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
# An indented block between blank lines. Every line starts with a command or is a comment.
_COMMAND = r" {4}(?:\.?[\w./]*(?:tulle|make|pip|python|git|sudo|source|docker|ibnetdiscover)\b.*| *#.*)\n"
_COMMANDS = re.compile(rf"(?<=\n\n)(?:{_COMMAND})+(?=\n|\Z)")

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
    text = _COMMANDS.sub(lambda match: f"```sh\n{dedent(match[0])}```\n", text)
    path = PurePosixPath(page.file.src_uri)
    if path.name == PAGE_OF_PLOTS.name:
        return shown(text)
    return filled(text, path.stem) if path.parent == _PAPERS else text


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
    probes = "Probes: " + ", ".join(f"`{probe}`" for probe in PROBES) + "."
    return "\n\n".join([table(["scheme", *CRITERIA], rows), told, probes])
