"""The keys of study files. Unknown keys and illegal values are errors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from tulle._internal.reading import read_toml
from tulle._internal.text import did_you_mean
from tulle.errors import FormatError, StudyError
from tulle.study.engine.problems import NAME, first_problem
from tulle.study.engine.shipped import find

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

Texts = Annotated[tuple[str, ...], Field(strict=False)]
"""A list of texts, stored as a tuple."""
Value = str | int | float | bool | Texts
Seed = Annotated[int, Field(ge=0, lt=1 << 64)]
Size = Literal["small", "paper"]


def _different(values: list[Any]) -> list[Any]:
    if len({repr(value) for value in values}) < len(values):
        raise ValueError("has the same value twice; legal: different values")
    return values


def _different_or_none(values: list[Any] | None) -> list[Any] | None:
    return None if values is None else _different(values)


def point_values(extra: dict[str, Any] | None) -> dict[str, Value]:
    """Return the additional keys of a reference, comparison or check, as values of grid parameters.

    Additional keys are keys for which its class has no field. Lists become tuples.
    """
    return {name: tuple(value) if isinstance(value, list) else value for name, value in (extra or {}).items()}


def shown(value: Value) -> str:
    """Format a value for printed output; the texts of a list are joined by spaces."""
    return (" ".join(value) or "none") if isinstance(value, tuple) else str(value)


def holds_at(given: Mapping[str, Value], point: Mapping[str, Value]) -> bool:
    """Whether a point of the grid has the given values."""
    return all(point[name] == value for name, value in given.items())


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


Seeds = Annotated[list[Seed], Field(min_length=1), AfterValidator(_different)]


Grid = dict[str, Annotated[list[Value], Field(min_length=1), AfterValidator(_different)]]


class Reference(BaseModel):
    """Values that a paper reports for a case, at some points of the grid.

    Each dictionary maps the name of a figure, which is a metric of the measurement, to a value. The table shows the
    values in `paper` beside the measured ones. A figure gets a verdict (it agrees or differs) if it has a `tolerance`
    (the precision of the paper's value), or a `least` or `most` (the paper's claim). `why` explains a difference in one
    line. Additional keys are grid parameters.
    """

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    case: str
    source: str
    paper: dict[str, FiniteFloat] = {}
    tolerance: dict[str, Annotated[FiniteFloat, Field(ge=0)]] = {}
    least: dict[str, FiniteFloat] = {}
    most: dict[str, FiniteFloat] = {}
    why: str = ""

    @property
    def point(self) -> dict[str, Value]:
        """The values of grid parameters to which the reference applies."""
        return point_values(self.model_extra)


class Comparison(BaseModel):
    """A comparison of two cases. `least` and `most` bound the mean of a result in `case` divided by its mean in `over`.

    The 95% intervals of the results in `apart` must not overlap. Additional keys are grid parameters; the comparison
    applies to every grid point with these values.
    """

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    case: str
    over: str
    source: str
    least: dict[str, FiniteFloat] = {}
    most: dict[str, FiniteFloat] = {}
    apart: Annotated[list[str], AfterValidator(_different)] = []
    why: str = ""

    @property
    def figures(self) -> list[str]:
        """The names of the results that the comparison bounds, each once, in the order of verdicts."""
        return list(dict.fromkeys([*self.least, *self.most, *self.apart]))

    @property
    def point(self) -> dict[str, Value]:
        """The values of grid parameters to which the comparison applies."""
        return point_values(self.model_extra)


class Case(BaseModel):
    """A case of a study, which is a row of its table; extra keys are parameters of the measurement.

    Cases of size ``small`` usually take seconds each; cases of size ``paper`` are the large networks of a paper.
    """

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    name: Annotated[str, Field(min_length=1)]
    size: Size = "small"
    seeds: Seeds | None = None

    @property
    def parameters(self) -> dict[str, Value]:
        """The parameters that this case sets."""
        return self.model_extra or {}


class StudyFile(_Table):
    """The content of a study file; `tulle.study.engine.plan` resolves it into runs."""

    name: Annotated[str, Field(pattern=NAME, max_length=100)]
    title: str = ""
    measurement: str
    seeds: Seeds = [0]
    figures: Annotated[list[str], AfterValidator(_different)] = []
    intervals: bool = False
    """Whether the table shows 95% confidence intervals of means over seeds."""
    words: dict[str, str] = {}
    """The name that plots and tables show for each grid value."""
    plots: Annotated[list[str] | None, AfterValidator(_different_or_none)] = None
    common: dict[str, Value] = {}
    grid: Grid = {}
    paper: Grid = {}
    """Additional values of grid parameters that only size ``paper`` uses."""
    paper_seeds: Seeds | None = None
    """Seeds for the cases and grid values that size ``paper`` adds; None: the study's seeds."""
    case: Annotated[list[Case], Field(min_length=1)]
    reference: list[Reference] = []
    comparison: list[Comparison] = []
    path: Path = Field(default=Path("study"), exclude=True)

    @property
    def axes(self) -> dict[str, list[Value]]:
        """The values of each grid parameter: those of ``grid``, then those of ``paper``."""
        return {name: [*values, *self.paper.get(name, [])] for name, values in self.grid.items()}

    def seeds_of(self, case: Case, point: Mapping[str, Value]) -> list[Seed]:
        """Return the seeds of a case at a grid point: the case's own, `paper_seeds` for size ``paper``, or `seeds`."""
        if case.seeds is not None:
            return case.seeds
        large = case.size == "paper" or any(value in self.paper.get(name, []) for name, value in point.items())
        return self.paper_seeds if large and self.paper_seeds is not None else self.seeds

    def reference_at(self, case: str, point: Mapping[str, Value]) -> Reference | None:
        """Return the reference for a case at a grid point, or None."""
        fits = (given for given in self.reference if given.case == case and holds_at(given.point, point))
        return next(fits, None)

    def of_cases(self, cases: list[Case]) -> StudyFile:
        """Return the study with some of its cases, without values of ``common`` that only the other cases use.

        The caller removes references to other cases.
        """
        others = [case for case in self.case if case not in cases]

        def stays(name: str) -> bool:
            return any(name not in case.parameters for case in cases) or all(name in case.parameters for case in others)

        common = {name: value for name, value in self.common.items() if stays(name)}
        return self.model_copy(update={"case": cases, "common": common})

    def of_size(self, size: Size) -> StudyFile:
        """Return the study restricted to a size: ``small`` leaves out cases and grid values of size ``paper``.

        Raises
        ------
        tulle.StudyError
            If no case is left.
        """
        if size == "paper":
            return self
        cases = [case for case in self.case if case.size == "small"]
        if not cases:
            raise StudyError(f"{self.path}: no case of size 'small'; legal: paper")
        names = {case.name for case in cases}
        # References to unknown cases are kept, because `tulle.study.engine.plan` reports them.
        left_out = {case.name for case in self.case} - names

        def stays(point: Mapping[str, Value], *cases: str) -> bool:
            return not left_out & set(cases) and all(
                value not in self.paper.get(name, []) for name, value in point.items()
            )

        references = [reference for reference in self.reference if stays(reference.point, reference.case)]
        comparisons = [pair for pair in self.comparison if stays(pair.point, pair.case, pair.over)]
        large = {shown(value) for values in self.paper.values() for value in values}
        words = {value: name for value, name in self.words.items() if value not in large}
        return self.of_cases(cases).model_copy(
            update={
                "paper": {},
                "paper_seeds": None,
                "words": words,
                "reference": references,
                "comparison": comparisons,
            }
        )


def load(path: str | PathLike[str]) -> StudyFile:
    """Read a study from its file, or one of tulle's studies by its name, for example ``quickstart``.

    Raises
    ------
    tulle.FileError
        If the file cannot be read.
    tulle.StudyError
        If there is no such study, the file is not TOML, or a key or value is illegal. The message is one line with
        the file, the key and the value.
    """
    path = find(Path(path))
    try:
        content = read_toml(path)
    except FormatError as error:
        raise StudyError(str(error)) from None
    if "path" in content:
        names = [name for name, field in StudyFile.model_fields.items() if not field.exclude]
        raise StudyError(f"{path}: unknown key 'path'; {did_you_mean('path', names)}")
    try:
        return StudyFile.model_validate({**content, "path": path})
    except ValidationError as error:
        raise StudyError(f"{path}: {first_problem(error, StudyFile)}") from None
