"""A matplotlib figure that is saved with the same bytes every time."""

from __future__ import annotations

import logging
import warnings
from contextlib import contextmanager
from io import BytesIO
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

# Metadata that would differ between runs (dates, library versions) is omitted, so that equal plots give equal files.
_METADATA: dict[str, dict[str, None]] = {
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
}
# Without a fixed salt, ids inside the SVG are random. Publishers refuse PDF files with fonts of type 3, so TrueType
# fonts are embedded.
_SETTINGS: Any = {"svg.hashsalt": "tulle", "pdf.fonttype": 42}
_DPI, _SCREEN_DPI = 300, 150


class Picture(Figure):
    """A figure that notebooks show, and that `savefig` writes with the same bytes every time."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        FigureCanvasAgg(self)
        # Whether the file stores characters, for which the program that shows it chooses fonts.
        self._keeps_text = False

    def draw(self, renderer: Any) -> None:
        """Draw the figure with fonts for all its characters; see `tulle.plot.fonts.complete`."""
        if not self._keeps_text:
            from tulle.plot.fonts import complete

            complete(self)
        super().draw(renderer)

    def savefig(self, fname: Any, **settings: Any) -> None:
        """Write the figure to a file, as ``matplotlib.figure.Figure.savefig`` does, without dates and random ids."""
        suffix = Path(fspath(fname)).suffix[1:] if isinstance(fname, (str, Path)) else ""
        kind = str(settings.get("format") or suffix or "png").lower()
        settings.setdefault("metadata", _METADATA.get(kind))
        settings.setdefault("dpi", _DPI)
        self._keeps_text = kind in ("svg", "svgz") and mpl.rcParams["svg.fonttype"] == "none"
        try:
            with quiet(_SETTINGS):
                super().savefig(fname, **settings)
        finally:
            self._keeps_text = False

    def _repr_png_(self) -> bytes:
        """Return the picture that notebooks show, also if ``matplotlib.pyplot`` is not loaded."""
        file = BytesIO()
        self.savefig(file, format="png", dpi=_SCREEN_DPI)
        return file.getvalue()


@contextmanager
def quiet(settings: Any) -> Iterator[None]:
    """Apply settings of matplotlib, without its warning about every character that the font lacks.

    `tulle.plot.fonts` names these characters in a single warning. Notes about the weight of a font are left out, too:
    a font that has rare characters may have only one weight.
    """
    log = logging.getLogger("matplotlib.font_manager")
    log.addFilter(_is_not_about_weight)
    try:
        with mpl.rc_context(settings), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from font", category=UserWarning)
            yield
    finally:
        log.removeFilter(_is_not_about_weight)


def _is_not_about_weight(record: logging.LogRecord) -> bool:
    return "Failed to find font weight" not in record.msg
