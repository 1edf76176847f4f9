"""A matplotlib figure that is saved with the same bytes every time."""

from __future__ import annotations

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

    def savefig(self, fname: Any, **settings: Any) -> None:
        """Write the figure to a file, as ``matplotlib.figure.Figure.savefig`` does, without dates and random ids."""
        suffix = Path(fspath(fname)).suffix[1:] if isinstance(fname, (str, Path)) else ""
        kind = str(settings.get("format") or suffix or "png").lower()
        settings.setdefault("metadata", _METADATA.get(kind))
        settings.setdefault("dpi", _DPI)
        with quiet(_SETTINGS):
            super().savefig(fname, **settings)

    def _repr_png_(self) -> bytes:
        """Return the picture that notebooks show, also if ``matplotlib.pyplot`` is not loaded."""
        file = BytesIO()
        self.savefig(file, format="png", dpi=_SCREEN_DPI)
        return file.getvalue()


@contextmanager
def quiet(settings: Any) -> Iterator[None]:
    """Apply settings of matplotlib, without warnings about characters that the font lacks; they become boxes."""
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font", category=UserWarning)
        yield
