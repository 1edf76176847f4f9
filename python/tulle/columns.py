"""Tables as columns: a read-only mapping from names to arrays of one length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from tulle.errors import MissingDependencyError

if TYPE_CHECKING:
    from pathlib import Path

    import polars
    from numpy.typing import NDArray

__all__ = ["Columns"]


class Columns(Mapping[str, "NDArray[Any]"]):
    """Columns of one length by name, in order.

    Rows are counted by `num_rows`; ``len`` counts columns, as for any mapping. Everything that takes a dictionary of
    arrays takes it: ``pandas.DataFrame(dict(columns))``.
    """

    def __init__(self, columns: Mapping[str, NDArray[Any]]) -> None:
        self._columns = dict(columns)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def num_rows(self) -> int:
        """The length of every column."""
        return next((len(column) for column in self._columns.values()), 0)

    def to_polars(self) -> polars.DataFrame:
        """The columns as a ``polars.DataFrame``; needs ``tulle[data]``."""
        try:
            import polars
        except ImportError:
            raise MissingDependencyError("to_polars needs polars; install tulle[data]") from None
        return polars.DataFrame(self._columns)

    def to_csv(self) -> str:
        """The columns as comma-separated text with a header; floats in the shortest form that reads back alike."""
        from tulle._csv import csv_cells, csv_row

        columns = [csv_cells([*map(str, column.tolist())], column.dtype) for column in self._columns.values()]
        return "".join(f"{line}\n" for line in [csv_row(self._columns), *map(",".join, zip(*columns, strict=True))])

    def write_csv(self, path: Path) -> None:
        """Writes them as such text; the file takes its place once it is whole.

        Raises
        ------
        tulle.FileError
            Where it cannot be written.
        """
        from tulle._replacing import replacing

        with replacing(path) as file:
            file.write(self.to_csv().encode())

    def __repr__(self) -> str:
        columns = ", ".join(f"{name}: {column.dtype}" for name, column in self._columns.items())
        return f"<Columns {self.num_rows} rows; {columns}>"

    def _repr_html_(self) -> str:
        shown = 10
        head = "".join(f"<th>{escape(name)}</th>" for name in self._columns)
        rows = zip(*([*map(str, column[:shown].tolist())] for column in self._columns.values()), strict=True)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        more = f"<caption>first {shown} of {self.num_rows} rows</caption>" if self.num_rows > shown else ""
        return f"<table>{more}<tr>{head}</tr>{body}</table>"
