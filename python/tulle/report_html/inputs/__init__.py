"""The results that a report can show: one module for each command that writes them."""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tulle._internal.reading import read_text
from tulle.errors import FileError, FormatError

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.report_html.inputs.model import Input

# Name -> module with a constant `INPUT`.
_MODULES = {
    "compare": "tulle.report_html.inputs.compare",
    "design": "tulle.report_html.inputs.design",
    "layout": "tulle.report_html.inputs.layout",
    "resilience": "tulle.report_html.inputs.resilience",
    "run": "tulle.report_html.inputs.run",
    "bundle": "tulle.report_html.inputs.bundle",
}


@cache
def inputs() -> tuple[Input, ...]:
    """Return all kinds of results that a report can show."""
    return tuple(import_module(module).INPUT for module in _MODULES.values())


def read(path: Path) -> tuple[Input, Any]:
    """Read a result. Return its kind, and its values as that kind's model describes them.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        If the file or folder cannot be read, or no command of tulle wrote it.
    """
    from pydantic import ValidationError

    file = path
    if path.is_dir():
        names = [kind.file for kind in inputs() if kind.file]
        found = [name for name in names if (path / name).exists()]
        if not found:
            raise FileError(
                f"{path}: has neither {' nor '.join(names)}; legal: a folder of `tulle run` or `tulle deploy`"
            )
        file = path / found[0]
    text = read_text(file)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{file}: is not JSON: {error}; legal: {_legal()}") from None
    kind = next((kind for kind in inputs() if path.is_dir() == bool(kind.file) and kind.matches(document)), None)
    if kind is None:
        raise FormatError(f"{file}: is not a result that can be shown; legal: {_legal()}")
    try:
        return kind, kind.model.model_validate_json(text, strict=True)
    except ValidationError as error:
        # Loaded only for errors, because it loads all of the package of studies.
        from tulle.study.engine.problems import first_problem

        problem = first_problem(error, kind.model)
        legal = "" if "; legal: " in problem else f"; legal: as {kind.command} writes it"
        raise FormatError(f"{file}: {problem}{legal}") from None


def _legal() -> str:
    return ", ".join(kind.command for kind in inputs())
