"""Common parts of all plots: file formats, colours, text, and settings that make the files reproducible."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tulle._internal.text import one_line, plain
from tulle._internal.writing.atomic import replacing
from tulle._internal.writing.checks import check_file
from tulle.errors import DrawingError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike
    from typing import IO

# Metadata that would differ between runs (dates, library versions) is omitted, so that equal plots give equal files.
_FORMATS: dict[str, dict[str, Any]] = {
    ".pdf": {"metadata": {"CreationDate": None, "Creator": None, "Producer": None}},
    ".png": {"dpi": 300, "metadata": {"Software": None}},
    ".svg": {"metadata": {"Date": None, "Creator": None}},
}
# Colours that colour-blind readers can tell apart (Okabe and Ito); dashes tell the lines apart in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", "-.", ":", (0, (6, 1.5, 1, 1.5, 1, 1.5)), (0, (8, 2)), (0, (3, 1)))
# Ticks per decade of a logarithmic axis, by the largest ratio of the axis ends. A narrow range needs more ticks per
# decade; in a wide range their labels would overlap.
_TICKS = ((12.0, (1, 1.5, 2, 3, 5, 7)), (300.0, (1, 2, 5)), (float("inf"), (1,)))
PLOTS = tuple(_FORMATS)
"""Legal file suffixes of plots."""


class Drawable(ABC):
    """Base class of results that can be drawn. A subclass draws on the figure in `_paint`; `draw` is inherited."""

    def draw(self, path: str | PathLike[str]) -> None:
        """Draw this result and write the plot to `path`; the suffix ``.pdf``, ``.png`` or ``.svg`` is the format.

        The same result always gives the same file content. Drawing needs matplotlib, which ``tulle[plot]`` installs.

        Raises
        ------
        tulle.MissingDependencyError
            If matplotlib is not installed.
        tulle.FileError
            If the suffix is not one of these three, or the file cannot be written.
        tulle.errors.DrawingError
            If matplotlib fails.
        """
        draw_into(Path(path), self._inches(), self._paint)

    @abstractmethod
    def _inches(self) -> tuple[float, float]:
        """Return the width and height of the figure in inches."""

    @abstractmethod
    def _paint(self, figure: Any) -> None:
        """Draw on an empty matplotlib figure that has the size from `_inches`."""


def draw_into(path: Path, inches: tuple[float, float], paint: Callable[[Any], None]) -> None:
    """Draw a figure of the given size with `paint`, and write it to `path`. Errors are those of `Drawable.draw`."""
    check_plot(path)
    with canvas(*inches) as figure:
        paint(figure)
        with replacing(path) as file:
            save(figure, file, path.suffix.lower())


def available() -> bool:
    """Return whether matplotlib is installed; ``tulle[plot]`` installs it."""
    from importlib.util import find_spec

    return find_spec("matplotlib") is not None


def check_plot(path: Path) -> None:
    """Check that a plot can be drawn and written to `path`.

    Raises
    ------
    tulle.MissingDependencyError
        If matplotlib is not installed.
    tulle.FileError
        If the suffix is not one of `PLOTS`, or the file cannot be written.
    """
    check_file(path, PLOTS)
    if not available():
        raise MissingDependencyError("drawing needs matplotlib; install tulle[plot]")


@contextmanager
def canvas(width: float, height: float) -> Iterator[Any]:
    """Yield an empty matplotlib figure, with width and height in inches. Draw and save it inside the ``with`` block.

    Raises
    ------
    tulle.errors.DrawingError
        If matplotlib fails.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # Without a fixed salt, ids inside the SVG are random. Dollar signs in names must not start formulas. Publishers
    # refuse PDF files with fonts of type 3, so TrueType fonts are embedded.
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
            # Callers catch this error, so that a failed plot does not lose the measured results.
            raise DrawingError(f"matplotlib cannot draw this: {one_line(str(error))}") from error


def name_lines(legend_of: Any, lines: Sequence[Any], names: Sequence[str], **settings: Any) -> None:
    """Add a legend that names every line. By itself, matplotlib omits names that begin with an underscore."""
    legend = legend_of.legend(lines, [str(at) for at in range(len(names))], fontsize=8, frameon=False, **settings)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_text(plain(name))


def save(figure: Any, file: Path | IO[bytes], suffix: str) -> None:
    """Write a figure in the format of `suffix`, one of `PLOTS`."""
    figure.savefig(file, format=suffix[1:], **_FORMATS[suffix])


def decades(axis: Any) -> None:
    """Label the ticks of a logarithmic axis with plain numbers instead of powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    class Locator(LogLocator):
        def tick_values(self, vmin: float, vmax: float) -> Any:
            # The number of ticks depends on the range, so that tick labels do not overlap.
            ratio = vmax / vmin if vmin > 0 else 1.0
            self.set_params(subs=next(subs for most, subs in _TICKS if ratio <= most))
            return super().tick_values(vmin, vmax)

    axis.set_major_locator(Locator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(NullLocator())
