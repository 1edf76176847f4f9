"""The results of a grid as Arrow tables.

The tables have the means over seeds with confidence intervals, the metrics of every run, and the rows (for example
flows) of every run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tulle._internal.text import did_you_mean
from tulle._internal.writing.atomic import replacing
from tulle.errors import InputError, MissingDependencyError
from tulle.study.engine.model import shown
from tulle.study.report.frame_plots import Plots
from tulle.study.report.results import printed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    import pandas
    import polars
    import pyarrow as pa

    from tulle.metric import Metric
    from tulle.study.engine.plan import Plan, Run
    from tulle.study.engine.store import Store
    from tulle.study.report.results import Result

HALF = "_half95"
"""Suffix of the columns that have half the width of a 95% interval."""


def need_arrow(what: str) -> None:
    """Check that pyarrow is installed; `what` needs it."""
    if find_spec("pyarrow") is None:
        raise MissingDependencyError(f"{what} needs pyarrow; install tulle[data]")


@dataclass(frozen=True)
class Combination:
    """A row of a frame: a case at a point of the grid, with its result over seeds and its runs."""

    names: Mapping[str, str | int | float | bool]
    """The case, if the grid has cases, and the name of the value of every grid parameter."""
    result: Result
    runs: tuple[Run, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Frame:
    """Results of a grid, one row per combination of values. Made by `tulle.study.Grid.run`.

    Frames implement Arrow's C stream protocol, so ``polars.DataFrame(frame)``, ``pandas.DataFrame.from_arrow(frame)``
    and ``pyarrow.table(frame)`` accept them.
    """

    plan: Plan
    combinations: tuple[Combination, ...]
    figures: tuple[Metric, ...]
    """The metrics of `table`."""
    store: Store
    warnings: tuple[str, ...]
    """The warnings of all runs, each once."""

    @cached_property
    def table(self) -> pa.Table:
        """The means over seeds, a ``pyarrow.Table`` with one row per combination.

        Columns: the case, if the grid has cases; every parameter of the grid; ``seeds``, their number; and for every
        metric its mean over seeds and ``<metric>_half95``, half the width of the 95% interval of the mean (Student's
        t). A value is null if it is undefined, for example an interval with one seed.
        """
        columns = self._named()
        columns["seeds"] = [len(each.result.seeds) for each in self.combinations]
        for figure in self.figures:
            spreads = [each.result.figures[figure.key] for each in self.combinations]
            columns[figure.key] = [spread.mean for spread in spreads]
            columns[figure.key + HALF] = [spread.half95 for spread in spreads]
        return _table(columns)

    @cached_property
    def runs(self) -> pa.Table:
        """The metrics of every run, a ``pyarrow.Table`` with one row per combination and seed.

        It has all metrics of the measurement, and ``run``, the id of the run.
        """
        columns: dict[str, list[Any]] = {name: [] for name in self._named()}
        columns |= {"seed": [], "run": []}
        keys = [figure.key for figure in self.plan.measurement.figures]
        columns |= {key: [] for key in keys}
        for each in self.combinations:
            for at, run in enumerate(each.runs):
                for name, value in each.names.items():
                    columns[name].append(value)
                columns["seed"].append(run.seed)
                columns["run"].append(run.id)
                for key in keys:
                    columns[key].append(each.result.figures[key].values[at])
        return _table(columns)

    def rows(self) -> pa.Table:
        """Return the rows of all runs, for example the flows of ``simulate``, preceded by combination and seed.

        The columns of rows are those of the rows file of a run directory. The table can be large; it is read from the
        store.

        Raises
        ------
        tulle.FileError
            If a run is no longer in the store.
        """
        import pyarrow as pa

        parts = []
        for each in self.combinations:
            for run in each.runs:
                rows = self.store.get(run).table
                constant = {name: pa.repeat(pa.scalar(value), len(rows)) for name, value in each.names.items()}
                constant["seed"] = pa.repeat(pa.scalar(run.seed, pa.uint64()), len(rows))
                parts.append(pa.table({**constant, **{name: pa.array(column) for name, column in rows.items()}}))
        return pa.concat_tables(parts)

    @property
    def plot(self) -> Plots:
        """Plots of the frame: ``cdf``, ``curve`` and ``heatmap``."""
        return Plots(self)

    def where(self, **values: Any) -> Frame:
        """Return the rows with the given values of grid parameters; a list selects rows with any of its values.

        Raises
        ------
        tulle.InputError
            For an unknown parameter, or a value that no row has.
        """
        kept = self.combinations
        for name, value in values.items():
            known = self.values(name)
            wanted = list(value) if isinstance(value, (list, tuple)) else [value]
            for each in wanted:
                if each not in known:
                    raise InputError(f"{name}={each!r} is not in the frame; legal: {', '.join(map(repr, known))}")
            kept = tuple(each for each in kept if each.names[name] in wanted)
        if not kept:
            raise InputError("no row has all of these values; legal: values that occur together")
        return replace(self, combinations=kept)

    @property
    def parameters(self) -> list[str]:
        """The columns that identify a combination: the case, if there are cases, and the grid parameters."""
        return [*self.combinations[0].names]

    def values(self, name: str) -> list[Any]:
        """Return the different values of a parameter, in the order of the grid.

        Raises
        ------
        tulle.InputError
            For an unknown parameter.
        """
        if name not in self.parameters:
            raise InputError(f"unknown parameter '{name}' of the frame; {did_you_mean(name, self.parameters)}")
        return list(dict.fromkeys(each.names[name] for each in self.combinations))

    def to_pandas(self) -> pandas.DataFrame:
        """Return `table` as a ``pandas.DataFrame``. Needs pandas."""
        try:
            return self.table.to_pandas()
        except ModuleNotFoundError:
            raise MissingDependencyError("to_pandas needs pandas; install pandas") from None

    def to_polars(self) -> polars.DataFrame:
        """Return `table` as a ``polars.DataFrame``. Needs polars, which ``tulle[data]`` installs."""
        try:
            import polars
        except ModuleNotFoundError:
            raise MissingDependencyError("to_polars needs polars; install tulle[data]") from None
        return polars.DataFrame(self)

    def write_csv(self, path: str | PathLike[str]) -> None:
        """Write `table` to a CSV file, which appears only when it is complete.

        Raises
        ------
        tulle.FileError
            If the file cannot be written.
        """
        from pyarrow import csv

        with replacing(Path(path)) as file:
            csv.write_csv(self.table, file)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export `table` through Arrow's C stream interface."""
        return self.table.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self.combinations)

    def __repr__(self) -> str:
        keys = ", ".join(figure.key for figure in self.figures)
        by = f" by {', '.join(self.parameters)}" if self.parameters else ""
        return f"<Frame {self.plan.measurement.name}: {len(self)} rows{by}; {keys}>"

    def _repr_html_(self) -> str:
        import numpy as np

        from tulle.columns import Columns

        cells = {name: np.array([_cell(value) for value in column]) for name, column in self.table.to_pydict().items()}
        return Columns(cells)._repr_html_()

    def _named(self) -> dict[str, list[Any]]:
        return {name: [each.names[name] for each in self.combinations] for name in self.parameters}


def collect(
    plan: Plan,
    store: Store,
    found: Sequence[Result],
    names: Mapping[str, Mapping[str, str | int | float | bool]],
    figures: Iterable[str],
    *,
    has_cases: bool,
) -> Frame:
    """Return the frame of a plan's results.

    Parameters
    ----------
    found
        The results of the plan, as `tulle.study.report.results.results` returns them.
    names
        The name of every value of every grid parameter, by the text that `shown` returns for the value.
    figures
        The metrics of the frame; if empty, those that the table of a study shows by default.
    has_cases
        Whether the frame has the column ``case``.
    """
    rows = []
    at = 0
    for result in found:
        runs = plan.runs[at : at + len(result.seeds)]
        at += len(runs)
        case = {"case": result.case} if has_cases else {}
        values = {name: names[name][shown(value)] for name, value in result.point.items()}
        rows.append(Combination({**case, **values}, result, tuple(runs)))
    by_key = {figure.key: figure for figure in plan.measurement.figures}
    chosen = tuple(by_key[key] for key in figures) or tuple(printed(plan, found))
    warnings = dict.fromkeys(text for run in plan.runs for text in store.get(run).warnings)
    return Frame(plan, tuple(rows), chosen, store, tuple(warnings))


def _table(columns: Mapping[str, list[Any]]) -> pa.Table:
    import pyarrow as pa

    return pa.table({name: pa.array(values, _type(name, values)) for name, values in columns.items()})


def _type(name: str, values: list[Any]) -> Any:
    """Return the Arrow type of a column. Values of several types are stored as texts or floats."""
    import pyarrow as pa

    kinds = {type(value) for value in values if value is not None}
    if name == "seed":
        return pa.uint64()
    if kinds == {bool}:
        return pa.bool_()
    if kinds == {int}:
        return pa.int64()
    return pa.string() if str in kinds else pa.float64()


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
