"""Figures to draw on, and their files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tulle._internal.arguments import kind_of
from tulle._internal.text import one_line
from tulle._internal.writing.atomic import replacing
from tulle._internal.writing.checks import check_file
from tulle.errors import DrawingError, InputError, MissingDependencyError, SpecError
from tulle.plot.style import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike
    from typing import IO

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PLOTS = (".pdf", ".png", ".svg")
"""Legal file suffixes of plots."""


class Drawable(ABC):
    """Base of results with one main plot. A subclass implements `plot`; `draw` is inherited."""

    @abstractmethod
    def plot(self) -> Figure:
        """Draw this result and return the matplotlib figure.

        Raises
        ------
        tulle.MissingDependencyError
            If matplotlib is not installed; ``tulle[plot]`` installs it.
        tulle.errors.DrawingError
            If matplotlib fails.
        """

    def draw(self, path: str | PathLike[str]) -> None:
        """Draw this result and write the plot to `path`; the suffix ``.pdf``, ``.png`` or ``.svg`` gives the format.

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
        check_plot(Path(path))
        save_plot(self.plot(), Path(path))


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
    _check_available()


def _check_available() -> None:
    if not available():
        raise MissingDependencyError("drawing needs matplotlib; install tulle[plot]")


@contextmanager
def figure(width: float, height: float) -> Iterator[Figure]:
    """Yield an empty matplotlib figure in tulle's style, with width and height in inches. Draw in the ``with`` block.

    Raises
    ------
    tulle.MissingDependencyError
        If matplotlib is not installed.
    tulle.errors.DrawingError
        If matplotlib fails.
    """
    _check_available()
    from tulle.plot.picture import Picture, quiet

    with quiet(SETTINGS), _told():
        yield Picture(figsize=(width, height), layout="constrained")


@contextmanager
def axes_on(ax: Axes | None, width: float, height: float) -> Iterator[Axes]:
    """Yield `ax`, or the axes of a new figure in tulle's style, if `ax` is None. Draw inside the ``with`` block.

    Raises
    ------
    tulle.InputError
        If `ax` is not an ``Axes`` of matplotlib.
    tulle.MissingDependencyError, tulle.errors.DrawingError
        As for `figure`.
    """
    if ax is None:
        with figure(width, height) as sheet:
            yield sheet.add_subplot()
        return
    _check_available()
    from matplotlib.axes import Axes as AnyAxes

    from tulle.plot.picture import Picture, quiet

    if not isinstance(ax, AnyAxes):
        raise InputError(f"ax is {kind_of(ax)}; legal: an Axes of matplotlib")
    # The user's figure keeps the user's fonts and sizes.
    own = SETTINGS if isinstance(figure_of(ax), Picture) else {"text.parse_math": False}
    with quiet(own), _told():
        yield ax


@contextmanager
def _told() -> Iterator[None]:
    """Turn errors of matplotlib into a `DrawingError` with a message of one line."""
    from tulle.errors import TulleError

    try:
        yield
    except (OSError, TulleError):
        raise
    except Exception as error:
        # Callers catch this error, so that a failed plot does not lose the measured results.
        raise DrawingError(f"matplotlib cannot draw this: {one_line(str(error))}") from error


def not_a_choice(name: str, value: object, legal: str) -> SpecError:
    """Return the error for an illegal choice of what to draw. A file name as first argument is a likely mistake."""
    if str(value).lower().endswith(PLOTS):
        return SpecError(f"{name}={value} is a file; write the returned figure: .savefig('{value}')")
    return SpecError(f"{name}={value} is not a choice; legal: {legal}")


def figure_of(ax: Any) -> Figure:
    """Return the figure of axes, also if the axes are in a subfigure."""
    found: Figure = ax.figure.figure
    return found


def save(figure: Figure, file: Path | IO[bytes], suffix: str) -> None:
    """Write a figure in the format of `suffix`, one of `PLOTS`."""
    with _told():
        figure.savefig(file, format=suffix[1:])


def save_plot(figure: Figure, path: Path) -> None:
    """Write a figure to `path`, which appears only when it is complete. Errors are those of `Drawable.draw`."""
    check_plot(path)
    with replacing(path) as file:
        save(figure, file, path.suffix.lower())
