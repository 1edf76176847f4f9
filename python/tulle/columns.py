"""Tables as columns: a read-only dictionary from names to arrays of equal length."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from tulle._internal.results import equal_content
from tulle.errors import InputError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    import pandas
    import polars
    from numpy.typing import NDArray

    _Dictionary = dict[str, NDArray[Any]]
else:
    _Dictionary = dict

__all__ = ["Columns"]


class Columns(_Dictionary):
    """A table: ordered columns of equal length, by name. ``len`` gives the number of rows. A table is read-only.

    `Columns` is a dictionary and implements Arrow's C stream protocol (``__arrow_c_stream__``), so
    ``polars.DataFrame(columns)``, ``pandas.DataFrame(columns)`` and ``pyarrow.table(columns)`` accept it directly. Two
    objects are equal if their names, types and values are equal; NaN equals NaN.

    Parameters
    ----------
    columns
        Arrays by name.
    units
        Units by column name, for example ``{"start": "ps"}``. In CSV files, this column ``start``
        is called ``start_ps``.

    Raises
    ------
    tulle.InputError
        If the columns differ in length, or one of them has several dimensions.
    """

    def __init__(self, columns: Mapping[str, NDArray[Any]], units: Mapping[str, str] | None = None) -> None:
        super().__init__({name: _read_only(name, column) for name, column in columns.items()})
        lengths = {len(column) for column in self.values()}
        if len(lengths) > 1:
            rows = ", ".join(map(str, sorted(lengths)))
            raise InputError(f"columns have {rows} rows; legal: columns of equal length")
        self.units = MappingProxyType(dict(units or {}))

    def __len__(self) -> int:
        return self.num_rows

    @property
    def num_rows(self) -> int:
        """The number of rows, which is the length of every column."""
        return next((len(column) for column in self.values()), 0)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Columns):
            return NotImplemented
        return equal_content(dict(self), dict(other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (dict(self), dict(self.units))

    def __copy__(self) -> Columns:
        return self

    def __deepcopy__(self, _: object) -> Columns:
        return self

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the columns as one batch through Arrow's C stream interface. Numbers are not copied."""
        from tulle._internal.results import stream

        return stream(self)

    def to_polars(self) -> polars.DataFrame:
        """Return the columns as a ``polars.DataFrame``. Needs polars, which ``tulle[data]`` installs."""
        try:
            import polars
        except ModuleNotFoundError:
            raise MissingDependencyError("to_polars needs polars; install tulle[data]") from None
        return polars.DataFrame(dict(self))

    def to_pandas(self) -> pandas.DataFrame:
        """Return the columns as a ``pandas.DataFrame``. Needs pandas."""
        try:
            import pandas
        except ModuleNotFoundError:
            raise MissingDependencyError("to_pandas needs pandas; install pandas") from None
        return pandas.DataFrame(dict(self))

    def to_csv(self) -> str:
        """Return the columns as comma-separated text.

        The header includes units, as described in `Columns`. Each float has the shortest text that gives the same value
        when it is read as a float64. A float always has a decimal point or an exponent, for example ``2.0``, so that
        programs that read the file recognise columns of floats.
        """
        from tulle._internal.text import csv_cells, csv_row

        columns = [csv_cells([*map(str, column.tolist())], column.dtype) for column in self.values()]
        head = [_with_unit(name, self.units.get(name)) for name in self]
        return "".join(f"{line}\n" for line in [csv_row(head), *map(",".join, zip(*columns, strict=True))])

    def write_csv(self, path: str | PathLike[str]) -> None:
        """Write the columns to a CSV file. The file appears only when it is complete.

        Raises
        ------
        tulle.FileError
            If the file cannot be written.
        """
        from tulle._internal.writing.atomic import replacing

        with replacing(Path(path)) as file:
            file.write(self.to_csv().encode())

    def __repr__(self) -> str:
        columns = ", ".join(f"{name}: {column.dtype}" for name, column in self.items())
        return f"<Columns {self.num_rows} rows; {columns}>"

    def _repr_html_(self) -> str:
        from tulle._internal.html_summary import ROWS, table

        heads = [_with_unit(name, self.units.get(name)) for name in self]
        rows = zip(*([*map(str, column[:ROWS].tolist())] for column in self.values()), strict=True)
        return table(heads, rows, self.num_rows)

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("columns are read-only; dict(columns) returns a dictionary that can be changed")

    __setitem__ = __delitem__ = __ior__ = _refuse
    update = pop = popitem = clear = setdefault = _refuse


def _with_unit(name: str, unit: str | None) -> str:
    return name if unit is None or name.endswith(f"_{unit}") else f"{name}_{unit}"


def _read_only(name: str, column: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view of an array."""
    array = np.asarray(column)
    if array.ndim != 1:
        raise InputError(f"column '{name}' has {array.ndim} dimensions; legal: 1")
    if not array.dtype.isnative:
        # Many libraries accept only arrays in native byte order.
        array = array.astype(array.dtype.newbyteorder("="))
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array
