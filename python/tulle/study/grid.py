"""Studies from Python: a grid of parameter values, run like a study file, with the results as a frame."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_origin

import numpy as np
from pydantic import ValidationError

from tulle._internal.arguments import kind_of, read_ratio, read_seeds, read_texts
from tulle._internal.html_summary import Overview, Shown
from tulle._internal.text import counted, did_you_mean, verb
from tulle.errors import InputError, StudyError
from tulle.fabric import Fabric
from tulle.routing import Routing
from tulle.study.engine import objects
from tulle.study.engine.model import StudyFile, shown
from tulle.study.engine.plan import plan
from tulle.study.engine.problems import first_problem
from tulle.study.engine.store import Store
from tulle.study.measurements.registry import parameters_of
from tulle.study.report.frame import Frame, collect, need_arrow
from tulle.study.report.results import results
from tulle.study.runner import measure
from tulle.workload import Workload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from os import PathLike
    from typing import SupportsIndex

    from tulle.study.engine.model import Value
    from tulle.study.engine.plan import Run
    from tulle.study.executors.model import Executor
    from tulle.study.report.results import Result
    from tulle.study.report.verdict import Spread

__all__ = ["Grid"]

_OBJECTS = (Fabric, Routing, Workload)
_MOST_SEEDS = 10_000


@dataclass(frozen=True)
class Axis:
    """The values of a parameter of the grid, and their names in frames and plots."""

    names: tuple[str | int | float | bool, ...]
    values: tuple[Any, ...]


class Grid(Shown):
    """A measurement over a grid of parameters: every combination of values, each with every seed.

    A combination has the same results as the same case of a study file. Results are stored and reused as in
    `tulle.study.run`.

    Parameters
    ----------
    measurement
        One of ``tulle list measurements``.
    seeds
        The seeds of every combination: a list, or the number n of seeds 0 to n − 1.
    cases
        Groups of parameter values that belong together, by the name of a case: ``{"Slim Fly": {"fabric": "slimfly:q=5",
        "routing": "minimal"}, …}``. Without it, there is one case.
    figures
        The metrics that the frame has; by default those of the table of a study file.
    name
        The name of the study: lower-case letters, digits, ``.``, ``_`` and ``-``.
    parameters
        Parameters of the measurement: one value, or several values as a list, or as a dictionary from names to values.
        Names appear in frames and plots. A value is a number, a truth value, a text, a spec or typed spec, or for
        ``fabric``, ``routing`` and ``traffic`` also a `Fabric`, `Routing` or `Workload`. For ``links`` and ``faults``,
        which are lists themselves, several values are a list of lists.

    Raises
    ------
    tulle.InputError
        For an unknown measurement or parameter, or a value of another type. Values are checked when the grid runs.

    Examples
    --------
    >>> grid = Grid("sizes", fabric=["slimfly:q=5", "hyperx:shape=5x5"], seeds=1)
    >>> frame = grid.run()  # doctest: +SKIP
    >>> frame.table.column("switches").to_pylist()  # doctest: +SKIP
    [50, 25]
    """

    def __init__(
        self,
        measurement: str = "simulate",
        *,
        seeds: SupportsIndex | Iterable[SupportsIndex] = 5,
        cases: Mapping[str, Mapping[str, Any]] | None = None,
        figures: str | Iterable[str] = (),
        name: str = "grid",
        **parameters: Any,
    ) -> None:
        self.measurement = measurement
        self.seeds = read_seeds(seeds, _MOST_SEEDS)
        self.name = name
        self.figures = tuple(read_texts("figures", figures))
        self._fields = parameters_of(measurement).model_fields
        self._common: dict[str, Any] = {}
        self._axes: dict[str, Axis] = {}
        for key, given in parameters.items():
            found = self._read(key, given)
            if isinstance(found, Axis):
                self._axes[key] = found
            else:
                self._common[key] = found
        self._cases = {
            case: {key: self._one(key, value) for key, value in of.items()} for case, of in (cases or {}).items()
        }

    def _overview(self) -> Overview:
        axes = {name: ", ".join(map(str, axis.names)) for name, axis in self._axes.items()}
        values = {
            "measurement": self.measurement,
            "seeds": len(self.seeds),
            **({"cases": ", ".join(self._cases)} if self._cases else {}),
            **axes,
        }
        return Overview("Grid", self.name, values)

    def study(self, out: str | PathLike[str] = "runs", *, seeds: Iterable[int] | None = None) -> StudyFile:
        """Return the study of this grid, for example for `tulle.study.run`, which writes a run directory.

        Parameters
        ----------
        out
            Routings and workloads become files in ``out/inputs``. A fabric also becomes a file, unless its spec builds
            the same fabric with every seed.
        seeds
            Seeds instead of those of the grid.

        Raises
        ------
        tulle.StudyError
            For a name that is not a legal name of a study.
        tulle.FileError
            If an object cannot be written.
        """
        chosen = list(self.seeds if seeds is None else seeds)
        known: dict[int, str] = {}

        def plain(value: Any) -> Value:
            if not isinstance(value, _OBJECTS):
                return value  # type: ignore[no-any-return]
            if id(value) not in known:
                known[id(value)] = objects.as_spec(value, chosen, Path(out) / "inputs")
            return known[id(value)]

        axes = {key: [plain(value) for value in axis.values] for key, axis in self._axes.items()}
        words = {
            shown(value): str(name)
            for key, axis in self._axes.items()
            for name, value in zip(axis.names, axes[key], strict=True)
            if str(name) != shown(value)
        }
        cases = [
            {"name": case, **{key: plain(value) for key, value in of.items()}}
            for case, of in (self._cases or {self.name: {}}).items()
        ]
        content = {
            "name": self.name,
            "measurement": self.measurement,
            "seeds": chosen,
            "figures": list(self.figures),
            "intervals": len(chosen) > 1,
            "words": words,
            "common": {key: plain(value) for key, value in self._common.items()},
            "grid": axes,
            "case": cases,
        }
        try:
            return StudyFile.model_validate({**content, "path": Path(self.name)})
        except ValidationError as error:
            raise StudyError(f"{self.name}: {first_problem(error, StudyFile)}") from None

    def run(
        self,
        out: str | PathLike[str] = "runs",
        *,
        executor: Executor | str = "local",
        threads: int | None = None,
        fresh: bool = False,
        within: float | str | None = None,
        of: str | Iterable[str] | None = None,
        most_seeds: int = 50,
        progress: Callable[[float, int], object] | None = None,
        say: Callable[[str], object] | None = None,
    ) -> Frame:
        """Measure all combinations and return the results; finished runs in ``out/pieces`` are reused.

        Parameters
        ----------
        out, executor, threads, fresh, progress, say
            As in `tulle.study.run`. No run directory is written.
        within
            If given, a combination gets further seeds until half the width of the 95% interval of each metric in `of`
            is at most this fraction of the mean, for example ``"2%"``. Because the number of seeds depends on the
            results, such an interval contains the true mean slightly less often than in 95% of cases.
        of
            The metrics that decide, for example ``"fct_mean_us"``. Needed with `within`.
        most_seeds
            Largest number of seeds of a combination. A warning gives the number of combinations whose intervals are
            still wider.

        Raises
        ------
        tulle.StudyError
            For an illegal value of a parameter, or a run that fails.
        tulle.InputError
            For an illegal argument.
        tulle.FileError
            If results cannot be written.
        tulle.MissingDependencyError
            If pyarrow, which ``tulle[data]`` installs, or a library that the executor needs is not installed.
        KeyboardInterrupt
            On Ctrl-C. Finished runs are kept, and the next call reuses them.
        """
        need_arrow("Grid.run")
        precision = _Precision.read(within, of, most_seeds, len(self.seeds))
        seeds = self.seeds if precision is None else tuple(islice(self._all_seeds(), precision.most))
        whole = plan(self.study(out, seeds=seeds))
        if precision is not None:
            precision.check([figure.key for figure in whole.measurement.figures])
        store = Store.under(out)
        rank = {seed: number for number, seed in enumerate(seeds)}
        wanted = dict.fromkeys(map(_place, whole.runs), len(self.seeds))
        measured: set[str] = set()

        def is_wanted(run: Run) -> bool:
            return rank[run.seed] < wanted[_place(run)]

        def is_new(run: Run) -> bool:
            return run.id not in measured

        while True:
            part = whole.only(is_wanted)
            new = part.only(is_new)
            measure(new, out, threads=threads, executor=executor, fresh=fresh, progress=progress, say=say)
            measured |= {run.id for run in new.runs}
            found = results(part, [rows.figures for rows in map(store.get, part.runs)])
            more = {} if precision is None else precision.more(found)
            if not more:
                break
            wanted |= more
        if precision is not None and (wide := precision.wide(found)):
            warnings.warn(wide, stacklevel=2)
        names = {
            key: dict(zip(map(shown, whole.study.grid[key]), axis.names, strict=True))
            for key, axis in self._axes.items()
        }
        return collect(part, store, found, names, self.figures, has_cases=bool(self._cases))

    def __repr__(self) -> str:
        sizes = [f"{len(axis.values)} of {key}" for key, axis in self._axes.items()]
        if self._cases:
            sizes.insert(0, f"{len(self._cases)} cases")
        return f"<Grid {self.measurement!r}: {' × '.join(sizes) or '1 case'}, {len(self.seeds)} seeds>"

    def _all_seeds(self) -> Iterable[int]:
        """Yield the seeds of the grid, and then further seeds."""
        yield from self.seeds
        yield from (seed for seed in count() if seed not in self.seeds)

    def _read(self, key: str, given: Any) -> Axis | Any:
        """Return the values of a parameter as an axis, or its only value."""
        if isinstance(given, dict):
            return self._axis(key, [*given.items()])
        if isinstance(given, np.ndarray):
            given = given.tolist()
        several = isinstance(given, (list, tuple, range))
        if several and self._is_list(key):
            several = any(isinstance(each, (list, tuple)) for each in given)
        if not several:
            return self._one(key, given)
        values = [(None, each) for each in given]
        return self._axis(key, values)

    def _axis(self, key: str, pairs: list[tuple[Any, Any]]) -> Axis:
        values = tuple(self._one(key, value) for _, value in pairs)
        names = tuple(
            _name(value) if name is None else str(name) for (name, _), value in zip(pairs, values, strict=True)
        )
        for name in names:
            if names.count(name) > 1:
                raise InputError(
                    f"{key} lists '{name}' more than once; legal: different values, or a dictionary that names them"
                )
        if not names:
            raise InputError(f"{key} has no values; legal: one or more")
        return Axis(names, values)

    def _one(self, key: str, value: Any) -> Any:
        """Return a value of a parameter in the form of a study file; objects of tulle are returned unchanged."""
        if key not in self._fields and self.measurement != "analyze":
            raise InputError(f"unknown parameter '{key}' of {self.measurement}; {did_you_mean(key, [*self._fields])}")
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, _OBJECTS):
            objects.check(key, value)
            return value
        if isinstance(value, (list, tuple)) and self._is_list(key):
            return tuple(map(str, value))
        if isinstance(value, str):
            # A typed spec is an object of a subclass of `str`.
            return (str(value),) if self._is_list(key) else str(value)
        if isinstance(value, (bool, int, float)):
            return value
        raise InputError(
            f"{key} has {kind_of(value)} as a value; legal: texts, numbers, true or false, or objects of tulle"
        )

    def _is_list(self, key: str) -> bool:
        """Return whether a single value of the parameter is a list."""
        return key in self._fields and get_origin(self._fields[key].annotation) is list


def _name(value: Any) -> str | int | float | bool:
    if isinstance(value, Fabric) and (changes := [*value.links, *value.faults]):
        return f"{value.spec} with {', '.join(changes)}"
    if isinstance(value, _OBJECTS):
        return value.spec
    return value if isinstance(value, (bool, int, float)) else shown(value)


def _place(run: Run) -> tuple[Any, ...]:
    """Return the combination of a run: its case and its grid point."""
    return run.case, *run.point.values()


@dataclass(frozen=True)
class _Precision:
    """The wanted precision of a grid's results."""

    within: float
    of: tuple[str, ...]
    most: int

    @classmethod
    def read(
        cls, within: float | str | None, of: str | Iterable[str] | None, most: int, seeds: int
    ) -> _Precision | None:
        figures = (of,) if isinstance(of, str) else tuple(of or ())
        if within is None:
            if figures:
                raise InputError(f"of={figures[0]} without within; legal: both, or none")
            return None
        if not figures:
            raise InputError(f"within={within} without of; legal: both, for example of='fct_mean_us'")
        if seeds < 2:
            raise InputError(f"within={within} needs intervals, but seeds={seeds}; legal: seeds=2 or more")
        if not seeds <= most <= _MOST_SEEDS:
            raise InputError(f"most_seeds={most} is out of range; legal: {seeds} to {_MOST_SEEDS}")
        return cls(read_ratio("within", within), figures, most)

    def check(self, figures: list[str]) -> None:
        for key in self.of:
            if key not in figures:
                raise InputError(f"of: unknown figure '{key}'; {did_you_mean(key, figures)}")

    def more(self, found: Iterable[Result]) -> dict[tuple[Any, ...], int]:
        """Return the new number of seeds of every combination that needs more seeds.

        The new number is computed from the standard deviation over the seeds so far. It is at most twice the old
        number, because a few seeds give only a rough estimate of the standard deviation.
        """
        numbers = {}
        for result in found:
            now = len(result.seeds)
            excess = max(map(self._excess, self._spreads(result)))
            if 1 < excess < math.inf and now < self.most:
                needed = math.ceil(now * excess**2)
                numbers[(result.case, *result.point.values())] = min(max(needed, now + 1), 2 * now, self.most)
        return numbers

    def wide(self, found: Iterable[Result]) -> str:
        """Return a warning about combinations that do not reach the precision; empty if all do."""
        excesses = [max(map(self._excess, self._spreads(result))) for result in found]
        wide = sum(excess > 1 for excess in excesses)
        if not wide:
            return ""
        return (
            f"{wide} of {counted(len(excesses), 'combination')} {verb(wide, 'has', 'have')} intervals wider than "
            f"±{self.within:.3g} of the mean, or no mean"
        )

    def _spreads(self, result: Result) -> list[Spread]:
        return [result.figures[key] for key in self.of]

    def _excess(self, spread: Spread) -> float:
        """Return how many times wider the interval is than wanted; infinite if there is no mean."""
        if spread.mean is None or spread.half95 is None:
            return math.inf
        if spread.half95 == 0:
            return 0.0
        return spread.half95 / (self.within * abs(spread.mean)) if spread.mean else math.inf
