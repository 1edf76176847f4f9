"""A whole report, which can be written to a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tulle._internal.writing.atomic import replacing
from tulle.report_html.render import html

if TYPE_CHECKING:
    from os import PathLike

    from tulle.report_html.model import Cell, Section

__all__ = ["Page"]


@dataclass(frozen=True)
class Page:
    """A whole report. Made by `tulle.report_html.report`."""

    title: str
    summary: tuple[str, ...]
    """The results in sentences, the most important first."""
    sections: tuple[Section, ...]
    manifest: tuple[tuple[str, Cell], ...]
    """Specs, seeds and versions: name and value."""

    def html(self) -> str:
        """Return the report as one HTML file. Equal reports give equal text."""
        return html(self)

    def write(self, path: str | PathLike[str]) -> None:
        """Write the report to a file, which appears only once it is complete.

        Raises
        ------
        tulle.FileError
            If the file cannot be written.
        """
        content = self.html().encode()
        with replacing(Path(path)) as file:
            file.write(content)
