"""Shared by all plots: their formats, text that stands as it is, the same bytes for the same plot."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tulle._internal.text import one_line, plain
from tulle._internal.writing.checks import check_file
from tulle.errors import DrawingError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import IO

# Without what differs from one drawing to the next: dates, versions of libraries.
_FORMATS: dict[str, dict[str, Any]] = {
    ".pdf": {"metadata": {"CreationDate": None, "Creator": None, "Producer": None}},
    ".png": {"dpi": 300, "metadata": {"Software": None}},
    ".svg": {"metadata": {"Date": None, "Creator": None}},
}
# Told apart by those who do not see all colours (Okabe and Ito), and in grey by their dashes.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", "-.", ":", (0, (6, 1.5, 1, 1.5, 1, 1.5)), (0, (8, 2)), (0, (3, 1)))
# Ticks per decade: far enough apart for their labels, close enough that a narrow range has some.
_TICKS = (1, 1.5, 2, 3, 5, 7)
PLOTS = tuple(_FORMATS)
"""The suffixes of plots."""


def available() -> bool:
    """Whether matplotlib, of ``tulle[plot]``, is installed."""
    from importlib.util import find_spec

    return find_spec("matplotlib") is not None


def check_plot(path: Path) -> None:
    """That a plot can be drawn, and written to `path`.

    Raises
    ------
    tulle.MissingDependencyError
        Without matplotlib.
    tulle.FileError
        For another suffix than those of `PLOTS`, or where the system refuses.
    """
    check_file(path, PLOTS)
    if not available():
        raise MissingDependencyError("drawing needs matplotlib; install tulle[plot]")


@contextmanager
def canvas(width: float, height: float) -> Iterator[Any]:
    """A figure of that size in inches, to be filled and saved inside.

    Raises
    ------
    tulle.errors.DrawingError
        Where matplotlib cannot.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # A fixed salt: otherwise ids inside the SVG are random. Names are no formulas, whatever dollars they have.
    # TrueType fonts in a PDF: publishers refuse those of type 3.
    settings: Any = {"svg.hashsalt": "tulle", "font.size": 9, "text.parse_math": False, "pdf.fonttype": 42}
    with mpl.rc_context(settings), warnings.catch_warnings():
        # A character that the font lacks is drawn as a box.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font", category=UserWarning)
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        try:
            yield figure
        except OSError:
            raise
        except Exception as error:
            # Whatever it is, in another library: what was measured is not to be lost for it.
            raise DrawingError(f"matplotlib cannot draw this: {one_line(str(error))}") from error


def name_lines(legend_of: Any, lines: Sequence[Any], names: Sequence[str], **settings: Any) -> None:
    """A legend in which every line has its name, those too that begin with an underscore."""
    legend = legend_of.legend(lines, [str(at) for at in range(len(names))], fontsize=8, frameon=False, **settings)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_text(plain(name))


def save(figure: Any, file: Path | IO[bytes], suffix: str) -> None:
    """Writes a figure in the format of a suffix of `PLOTS`."""
    figure.savefig(file, format=suffix[1:], **_FORMATS[suffix])


def decades(axis: Any) -> None:
    """Ticks of a logarithmic axis, with numbers as they are written elsewhere."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axis.set_major_locator(LogLocator(subs=_TICKS))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(NullLocator())
