"""Resolve a study file into runs: every case × every grid point × every seed, each with a hash."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from tulle import __version__
from tulle._internal.html_summary import Overview, Shown
from tulle._internal.reading import sha256
from tulle._internal.text import did_you_mean
from tulle.errors import FileError, StudyError, TulleError
from tulle.study.engine.model import Comparison, Reference, StudyFile, Value, shown
from tulle.study.engine.paths import Paths
from tulle.study.engine.problems import first_problem
from tulle.study.engine.versions import computing
from tulle.study.measurements.registry import Measurement, measurement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from tulle.metric import Curves, Distribution
    from tulle.study.measurements.parameters import Parameters


@dataclass(frozen=True)
class Run(Shown):
    """One point of a study."""

    id: str
    """16 hexadecimal digits of the hash of `configuration`."""
    case: str
    point: Mapping[str, Value]
    """The values of the grid parameters, as written in the study file."""
    seed: int
    parameters: Parameters
    """Canonical parameters; paths are relative to the working directory."""
    configuration: Mapping[str, Any]
    """Everything that determines the result: measurement, canonical parameters, seed, versions, hashes of input
    files. Paths are relative to the folder of the study file."""

    def _overview(self) -> Overview:
        return Overview("Run", self.id, {"case": self.case, **self.point, "seed": self.seed})


@dataclass(frozen=True)
class Plan(Shown):
    """A study with its runs, in the order of its tables: points of the grid, cases, seeds."""

    study: StudyFile
    measurement: Measurement[Any]
    runs: tuple[Run, ...]
    id: str
    """8 hexadecimal digits of the hash of everything on which the files of the run directory depend. The manifest also
    depends on other data, for example the time."""

    def _overview(self) -> Overview:
        values = {
            "measurement": self.measurement.name,
            "cases": len(self.study.case),
            "points": len(self.points),
            "runs": len(self.runs),
            "directory": self.directory,
        }
        return Overview("Plan", self.study.name, values)

    @property
    def directory(self) -> str:
        """The name of the study's run directory."""
        return f"{self.study.name}-{self.id}"

    @property
    def points(self) -> list[dict[str, Value]]:
        """The points of the grid; the last parameter varies fastest."""
        return points(self.study)

    def only(self, wanted: Callable[[Run], bool]) -> Plan:
        """Return the part of the plan with the wanted runs. The part has no plots, because plots show all cases."""
        runs = tuple(run for run in self.runs if wanted(run))
        study = self.study.model_copy(update={"plots": []})
        return Plan(study, self.measurement, runs, _identity(study, runs))

    @property
    def plots(self) -> list[Distribution]:
        """The distributions to plot: those that the study names, or the measurement's defaults."""
        wanted = self.measurement.plots if self.study.plots is None else self.study.plots
        by_key = {distribution.key: distribution for distribution in self.measurement.distributions}
        return [by_key[key] for key in wanted if key in by_key]

    @property
    def curves(self) -> list[Curves]:
        """The curves to plot: those that the study names, or all curves over a parameter with several numbers."""
        wanted = self.study.plots
        return [
            each
            for each in self.measurement.curves
            if (_has_numbers(self.study, each.over) if wanted is None else each.key in wanted)
        ]

    def reference(self, case: str, point: Mapping[str, Value]) -> Reference | None:
        """Return the reference for a case at a grid point, or None."""
        return self.study.reference_at(case, point)


def _has_numbers(study: StudyFile, name: str) -> bool:
    """Return whether the grid has several values of a parameter, and all of them are numbers."""
    values = study.axes.get(name, [])
    return len(values) > 1 and all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in values)


def points(study: StudyFile) -> list[dict[str, Value]]:
    """Return the points of the study's grid."""
    return [dict(zip(study.axes, values, strict=True)) for values in product(*study.axes.values())]


def plan(study: StudyFile) -> Plan:
    """Resolve a study into runs.

    Raises
    ------
    tulle.StudyError
        For an unknown measurement, parameter, spec or case, or an illegal value. The message is one line with the file
        and the key.
    """
    try:
        measured = measurement(study)
    except TulleError as error:
        raise StudyError(f"{study.path}: {error}") from None
    _check(study, measured)
    runs: list[Run] = []
    hashes: dict[Path, str] = {}
    paths = Paths(study.path.parent)
    for point in points(study):
        for case in study.case:
            where = f"{study.path}: case '{case.name}'"
            parameters = _parameters(where, measured, {**study.common, **case.parameters, **point}, paths)
            files = {paths.name(str(path)): hash_file(where, path, hashes) for path in measured.inputs(parameters)}
            for seed in study.seeds_of(case, point):
                configuration = {
                    "tulle": __version__,
                    "measurement": measured.name,
                    "parameters": _hashed_parameters(paths.written(parameters)),
                    "seed": seed,
                    "inputs": files,
                    "libraries": computing(),
                }
                runs.append(Run(_hash(configuration)[:16], case.name, point, seed, parameters, configuration))
    _check_unused(study, measured, paths)
    return Plan(study, measured, tuple(runs), _identity(study, runs))


def _check_unused(study: StudyFile, measured: Measurement[Any], paths: Paths) -> None:
    """Check the values of ``common`` that every case replaces, because no run uses them.

    A value is illegal if it is illegal in every case, and in the example of the measurement: other values of a case can
    make a legal value illegal.
    """
    bases: list[Mapping[str, Value]] = [
        *({**study.common, **case.parameters, **point} for point in points(study)[:1] for case in study.case),
        measured.example,
    ]
    for name, value in study.common.items():
        if not all(name in case.parameters for case in study.case):
            continue
        problems: list[str] = []
        for base in bases:
            try:
                _parameters(f"{study.path}: common", measured, {**base, name: value}, paths)
                break
            except StudyError as error:
                problems.append(str(error))
        else:
            raise StudyError(problems[0])


# Fields of a study file that change its outputs even if its runs stay the same.
_REPORTED = {"name", "title", "measurement", "words", "plots", "reference", "comparison"}


def _identity(study: StudyFile, runs: Sequence[Run]) -> str:
    identity = {
        "study": study.model_dump(include=_REPORTED),
        "runs": [(run.case, dict(run.point), run.seed, run.id) for run in runs],
    }
    return _hash(identity)[:8]


def _check(study: StudyFile, measured: Measurement[Any]) -> None:
    """Check that names are unique and that references name existing cases, metrics and grid values."""
    legal = list(measured.parameters.model_fields)
    given: list[tuple[str, Mapping[str, object]]] = [("common", study.common), ("grid", study.grid)]
    given += [(f"case '{case.name}'", case.parameters) for case in study.case]
    for where, names in given:
        for name in names:
            if name not in legal:
                raise StudyError(f"{study.path}: {where}: unknown key '{name}'; {did_you_mean(name, legal)}")
            if where != "grid" and name in study.grid:
                raise StudyError(f"{study.path}: {where}: '{name}' is also in the grid; legal: one of them")
    for name, values in study.paper.items():
        if name not in study.grid:
            raise StudyError(f"{study.path}: paper: '{name}' is not in the grid; {did_you_mean(name, [*study.grid])}")
        for value in values:
            if value in study.grid[name]:
                raise StudyError(f"{study.path}: paper: {name} = {value!r} is also in the grid; legal: one of them")
    if study.paper_seeds is not None and not study.paper and all(case.size == "small" for case in study.case):
        raise StudyError(
            f"{study.path}: paper_seeds: no case or grid value has size paper; legal: only with such a case or [paper]"
        )
    cases = [case.name for case in study.case]
    for name in cases:
        if cases.count(name) > 1:
            raise StudyError(f"{study.path}: case '{name}' appears {cases.count(name)} times; legal: different names")
    figures = [figure.key for figure in measured.figures]
    for key in study.figures:
        if key not in figures:
            raise StudyError(f"{study.path}: figures: unknown figure '{key}'; {did_you_mean(key, figures)}")
    over = {curves.key: curves.over for curves in measured.curves}
    plots = [*(distribution.key for distribution in measured.distributions), *over]
    for key in study.plots or []:
        if key not in plots:
            raise StudyError(f"{study.path}: plots: unknown plot '{key}'; {did_you_mean(key, plots)}")
        if key in over and not _has_numbers(study, over[key]):
            raise StudyError(f"{study.path}: plots: '{key}' needs several numbers as values of {over[key]} in the grid")
    in_grid = [shown(value) for values in study.axes.values() for value in values]
    for name in study.words:
        if name not in in_grid:
            raise StudyError(f"{study.path}: words: '{name}' is not in the grid; {did_you_mean(name, in_grid)}")
    for number, reference in enumerate(study.reference):
        where = f"{study.path}: reference[{number}]"
        if reference.case not in cases:
            raise StudyError(f"{where}: unknown case '{reference.case}'; {did_you_mean(reference.case, cases)}")
        _check_point(where, reference, study)
        _check_figures(where, reference, figures)
        for earlier in study.reference[:number]:
            if earlier.case == reference.case and _overlap(earlier.point, reference.point):
                raise StudyError(
                    f"{where}: a point of case '{reference.case}' has two references; legal: one reference"
                )

    for number, comparison in enumerate(study.comparison):
        where = f"{study.path}: comparison[{number}]"
        for name in (comparison.case, comparison.over):
            if name not in cases:
                raise StudyError(f"{where}: unknown case '{name}'; {did_you_mean(name, cases)}")
        if comparison.case == comparison.over:
            raise StudyError(f"{where}: case '{comparison.case}' is compared with itself; legal: two different cases")
        _check_point(where, comparison, study)
        bounds = {"least": comparison.least, "most": comparison.most, "apart": comparison.apart}
        if not any(bounds.values()):
            raise StudyError(f"{where}: needs 'least', 'most' or 'apart'")
        _check_known(where, bounds, figures)


def _overlap(one: Mapping[str, Value], other: Mapping[str, Value]) -> bool:
    """Return whether a grid point can match the points of two references: no parameter has different values in them."""
    return all(other.get(name, value) == value for name, value in one.items())


def _check_point(where: str, entry: Reference | Comparison, study: StudyFile) -> None:
    for name, value in entry.point.items():
        if name not in study.grid:
            legal = [*type(entry).model_fields, *study.grid]
            raise StudyError(f"{where}: unknown key '{name}'; {did_you_mean(name, legal)}")
        if value not in study.axes[name]:
            legal = [shown(other) for other in study.axes[name]]
            raise StudyError(f"{where}: {name} = {value!r} is not in the grid; {did_you_mean(shown(value), legal)}")


def _check_known(where: str, by_name: Mapping[str, Iterable[str]], figures: list[str]) -> None:
    for name, given in by_name.items():
        for key in given:
            if key not in figures:
                raise StudyError(f"{where}: {name}: unknown figure '{key}'; {did_you_mean(key, figures)}")


def _check_figures(where: str, reference: Reference, figures: list[str]) -> None:
    """Check a reference.

    It must have values or limits, the measurement must have the results that it names, and every tolerance must belong
    to a value of the paper.
    """
    by_name = {name: getattr(reference, name) for name in ("paper", "tolerance", "least", "most")}
    if not any(by_name.values()):
        raise StudyError(f"{where}: needs 'paper', 'least' or 'most'")
    _check_known(where, by_name, figures)
    for key in reference.tolerance:
        if key not in reference.paper:
            legal = ", ".join(reference.paper) or "none"
            raise StudyError(f"{where}: tolerance: '{key}' has no value in paper; legal: {legal}")


def _parameters(where: str, measured: Measurement[Any], given: Mapping[str, Value], paths: Paths) -> Parameters:
    try:
        parameters: Parameters = measured.parameters.model_validate(given)
    except ValidationError as error:
        raise StudyError(f"{where}: {first_problem(error, measured.parameters)}") from None
    located = paths.locate(parameters)
    if (name := paths.missing()) is not None:
        place = (paths.folder / name).resolve()
        raise StudyError(
            f"{where}: {name} does not exist (looked for at {place}); legal: a path relative to the folder of the study"
        )
    try:
        resolved: Parameters = measured.resolve(located)
    except TulleError as error:
        raise StudyError(f"{where}: {error}") from None
    return resolved


# The hash omits a parameter that has one of these values. So runs have the same ids as before the parameter was
# introduced. The values mean the same as a missing parameter, for example an empty list of link rules.
_EMPTY: Sequence[object] = ([], None, 0, "0")
_OMITTED: dict[str, Sequence[object]] = {
    "links": _EMPTY,
    "cycle_ps": _EMPTY,
    "software": _EMPTY,
    "gap": _EMPTY,
    "saturation": ("arrivals",),
}


def _hashed_parameters(parameters: Parameters) -> dict[str, Any]:
    """Return the parameters that are part of a run's hash, without those that do not affect the result."""
    dumped = parameters.model_dump()
    omitted = {**_OMITTED, **parameters.OMITTED}
    return {name: value for name, value in dumped.items() if value not in omitted.get(name, ())}


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def hash_file(where: str, path: Path, known: dict[Path, str]) -> str:
    """Return the SHA-256 of a file and remember it in `known`.

    Raises
    ------
    tulle.FileError
        If the file cannot be read; the message begins with `where`.
    """
    if path not in known:
        try:
            known[path] = sha256(path)[1]
        except FileError as error:
            raise FileError(f"{where}: {error}") from None
    return known[path]
