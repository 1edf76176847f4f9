"""Show results as HTML tables in notebooks: `_repr_html_` of all result classes.

A result class inherits from `Shown`. Dataclasses need nothing else: the table has their fields. Other classes, and
results with a better overview than their fields, define `_overview`. A named tuple cannot inherit from another class,
so it uses the decorator `shown` instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from tulle._internal.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Maximum number of rows of a table, and of entries of a list, that are shown.
ROWS, _ENTRIES = 10, 6
# Suffix of a name -> unit.
_SUFFIXES = {"us": "µs", "ps": "ps", "gbps": "Gb/s", "bytes": "B"}
_WORDS = {"fct": "FCT", "vcs": "VCs", "sls": "SLs"}


class Overview:
    """What the HTML of a result shows: a title, named values, and rows of a table.

    Parameters
    ----------
    kind
        The class of the result, in words.
    spec
        The spec or name of the result; empty if it has none.
    values
        Values by name. The unit of a value follows from the last word of the name, for example ``end_us``, or is in
        `units`.
    units
        Units by name.
    rows
        Rows of a second table, each a dictionary with the same names; the first ten are shown.
    all_rows
        Show all rows instead.
    note
        A sentence below the tables.
    """

    def __init__(
        self,
        kind: str,
        spec: str,
        values: Mapping[str, Any],
        *,
        units: Mapping[str, str] | None = None,
        rows: Iterable[Mapping[str, Any]] = (),
        all_rows: bool = False,
        note: str = "",
    ) -> None:
        self.kind = kind
        self.spec = spec
        self.values = values
        self.units = units or {}
        self.rows = list(rows)
        self.all_rows = all_rows
        self.note = note

    def html(self) -> str:
        """Return the tables as well-formed HTML; all texts are escaped."""
        from html import escape

        spec = f" <code>{escape(self.spec)}</code>" if self.spec else ""
        lines = []
        for name, value in self.values.items():
            head, unit = named(name, self.units.get(name, ""))
            lines.append(f"<tr><th {_LEFT}>{escape(head)}</th><td {_LEFT}>{escape(text(value, unit))}</td></tr>")
        # The title is a paragraph, because a caption is as narrow as its table and would wrap long specs.
        tables = f"<p><strong>{escape(self.kind)}</strong>{spec}</p><table>{''.join(lines)}</table>"
        if self.rows:
            heads = [_with_unit(*named(name, self.units.get(name, ""))) for name in self.rows[0]]
            tables += table(
                heads,
                [
                    [text(cell) for cell in row.values()]
                    for row in self.rows[: len(self.rows) if self.all_rows else ROWS]
                ],
                len(self.rows),
            )
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return f"<div>{tables}{note}</div>"


_T = TypeVar("_T")
_LEFT = 'style="text-align: left"'


class Shown:
    """Base of results that notebooks show as a table."""

    _UNITS: ClassVar[Mapping[str, str]] = {}
    """Units of fields, by name."""
    _MORE: ClassVar[tuple[str, ...]] = ()
    """Properties that the table shows in addition to the fields."""

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        # `dataclass` keeps a `__repr__` that the class already has. The one that it writes would fill the screen with
        # arrays and collections.
        if cls.__repr__ in (object.__repr__, short_repr):
            type.__setattr__(cls, "__repr__", short_repr)

    def _repr_html_(self) -> str:
        return self._overview().html()

    def _overview(self) -> Overview:
        return of_fields(self, units=self._UNITS, more=self._MORE)


def short_repr(result: Any) -> str:
    """Return the `repr` of a dataclass, with long arrays and collections as their type and shape."""
    # Imported here, because commands that print no result start faster without it.
    from dataclasses import fields, is_dataclass

    if not is_dataclass(result):
        return object.__repr__(result)
    inner = ", ".join(f"{field.name}={_short(getattr(result, field.name))}" for field in fields(result) if field.repr)
    return f"{type(result).__qualname__}({inner})"


def _short(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape is not None and hasattr(value, "dtype"):
        return repr(value) if value.size <= _ENTRIES else f"<{value.dtype} array {tuple(map(int, shape))}>"
    # Named tuples have names for their entries, so they are shown in full.
    is_long = isinstance(value, (tuple, list, set, frozenset, dict)) and len(value) > _ENTRIES
    return f"<{type(value).__name__} of {len(value)}>" if is_long and not hasattr(value, "_fields") else repr(value)


def shown(kind: type[_T]) -> type[_T]:
    """Show a named tuple as a table of its fields."""
    kind._repr_html_ = lambda self: of_fields(self).html()  # type: ignore[attr-defined]
    return kind


def of_fields(result: Any, *, units: Mapping[str, str] | None = None, more: Iterable[str] = ()) -> Overview:
    """Return the overview of a dataclass or named tuple: its fields, and the properties `more`."""
    names = getattr(result, "_fields", None) or [
        # Skip fields that comparisons ignore, for example elapsed seconds, because they differ between equal results.
        name
        for name, field in result.__dataclass_fields__.items()
        if field.compare and not name.startswith("_")
    ]
    values = {name: getattr(result, name) for name in [*names, *more]}
    spec = values.pop("spec", "")
    return Overview(type(result).__name__, spec, values, units=units)


def flat(summary: Mapping[str, Any], without: Iterable[str] = ()) -> dict[str, Any]:
    """Return a summary without nested dictionaries: ``{"fct_us": {"mean": 1}}`` gives ``{"fct_mean_us": 1}``."""
    found: dict[str, Any] = {}
    for name, value in summary.items():
        if name in without:
            continue
        if isinstance(value, dict):
            start, _, last = name.rpartition("_")
            name, end = (start, f"_{last}") if last in _SUFFIXES else (name, "")
            found |= {f"{name}_{inner}{end}": each for inner, each in value.items()}
        else:
            found[name] = value
    return found


def named(name: str, unit: str = "") -> tuple[str, str]:
    """Return the heading and the unit of a value: ``end_us`` gives ``end`` and ``µs``."""
    words = name.removeprefix("num_").split("_")
    if not unit and len(words) > 1 and words[-1] in _SUFFIXES:
        unit = _SUFFIXES[words.pop()]
    return " ".join(_WORDS.get(word, word) for word in words), unit


def _with_unit(head: str, unit: str) -> str:
    return f"{head} ({unit})" if unit else head


def table(heads: Iterable[str], rows: Iterable[Iterable[str]], total: int) -> str:
    """Return an HTML table of texts, with a caption if it has fewer rows than `total`."""
    from html import escape

    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    lines = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
    more = f"<caption>first {len(lines)} of {total} rows</caption>" if total > len(lines) else ""
    return f"<table>{more}<tr>{head}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def text(value: Any, unit: str = "") -> str:
    """Return a value as text: numbers rounded, arrays by type and shape, long lists by their length."""
    if value is None or (isinstance(value, float) and value != value):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return f"{_number(value)} {unit}".rstrip()
    if isinstance(value, str):
        return value
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return text(value.item(), unit) if value.ndim == 0 else _shape(value)
    if hasattr(value, "spec"):
        return str(value.spec)
    if isinstance(value, dict) or hasattr(value, "items"):
        return _listed([f"{key}: {text(each)}" for key, each in value.items()])
    if isinstance(value, (tuple, list)):
        plain = all(each is None or isinstance(each, (bool, int, float, str)) for each in value)
        return _listed([text(each, unit) for each in value]) if plain else counted(len(value), "entry", "entries")
    return repr(value) if len(repr(value)) <= 100 else type(value).__name__


def unique(names: Iterable[str]) -> list[str]:
    """Return the names, with a number appended to each repeated name, so that all names can be keys."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def _number(value: float) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if abs(value) == float("inf"):
        return "∞" if value > 0 else "−∞"
    # The general format would write large numbers with an exponent.
    return f"{value:,.0f}" if 1e5 <= abs(value) < 1e15 else f"{value:,.6g}"


def _shape(array: Any) -> str:
    return f"{array.dtype}, {' × '.join(f'{size:,}' for size in array.shape)}"


def _listed(entries: list[str]) -> str:
    if not entries:
        return "none"
    return ", ".join(entries) if len(entries) <= _ENTRIES else counted(len(entries), "entry", "entries")
