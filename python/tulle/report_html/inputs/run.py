"""The report of a study's run directory, which ``tulle run`` wrote."""

from __future__ import annotations

import os
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict, Field

from tulle._internal.arguments import input_files
from tulle._internal.reading import read_text, sha256
from tulle.design.prices import read_prices
from tulle.errors import FileError, FormatError
from tulle.fabric import build_with_failures
from tulle.report_html.document import Page
from tulle.report_html.inputs.model import Document, Input, Settings
from tulle.report_html.manifest import manifest
from tulle.report_html.model import Cell, Chart, Column, Section, Table
from tulle.report_html.networks import bills, explorer, network, racks_and_bills, size_table
from tulle.report_html.unchanged import check_present
from tulle.report_html.wording import number
from tulle.routing.routing import route

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tulle.report_html.networks import Network

# Maximum number of charts.
_CHARTS = 40
_AT_ITS_PLACE = "the run directory at its old place relative to the study, or --networks 0 to draw no networks"
_SUMMARY, _MANIFEST = "summary.json", "manifest.json"


class _Statistics(Document):
    mean: float | None
    min: float | None
    max: float | None
    half95: float | None


class _Verdict(Document):
    agrees: bool
    wanted: str
    holds: str = ""
    missing: str = ""

    @property
    def word(self) -> str:
        """The verdict in words."""
        return "agrees" if self.agrees else "cannot be judged" if self.missing else "differs"


class _Result(Document):
    """A case at a point of the grid. The point's coordinates are further keys."""

    model_config = ConfigDict(extra="allow")

    case: str
    seeds: tuple[int, ...]
    figures: dict[str, _Statistics]
    verdicts: dict[str, _Verdict]


class _Comparison(Document):
    model_config = ConfigDict(extra="allow")

    case: str
    over: str
    figure: str
    ratio: float | None
    half95: float | None
    verdict: _Verdict
    source: str | None
    why: str


class Summary(Document):
    """What ``summary.json`` of a run directory has."""

    study: str
    title: str
    measurement: str
    figures: dict[str, str]
    results: tuple[_Result, ...]
    comparisons: tuple[_Comparison, ...]


class _Study(Document):
    figures: tuple[str, ...] | None = None
    words: dict[str, str] = Field(default_factory=dict)
    intervals: bool = False


class _Configuration(Document):
    parameters: dict[str, Any]
    seed: int
    inputs: dict[str, str] = Field(default_factory=dict)


class _Run(Document):
    """A run. The coordinates of its grid point are further keys."""

    model_config = ConfigDict(extra="allow")

    case: str
    configuration: _Configuration


class Manifest(Document):
    """What ``manifest.json`` of a run directory has."""

    study: _Study
    id: str
    study_folder: str | None = None
    """Relative to the run directory. Paths of the study are relative to it."""
    tulle: str
    build: str
    started: str
    finished: str
    seconds: float
    libraries: dict[str, str | None]
    runs: tuple[_Run, ...]
    files: dict[str, str]


def page(path: Path, found: Summary, settings: Settings) -> Page:
    """Make the report of a study."""
    known = _manifest(path / _MANIFEST)
    drawn, others = _networks(path, known, settings)
    prices = None if settings.prices is None else read_prices(settings.prices)
    wanted = known.study.figures or tuple(found.figures)
    named = {key: found.figures[key] for key in wanted if key in found.figures}
    charts = _charts(found, named, known)
    text = [_conditions(found, known)]
    if len(charts) > _CHARTS:
        text.append(f"The first {_CHARTS} of {len(charts)} charts are drawn; the table has all values.")
    sections = [
        Section("Results", tuple(text), (_table(found, named, known), *charts[:_CHARTS])),
        *([_comparisons(found, known)] if found.comparisons else []),
        *(
            [Section("Networks of the study", (), (size_table(drawn),)), explorer(drawn, settings, others)]
            if drawn
            else []
        ),
        *([racks_and_bills(drawn, *bills(drawn, prices, None))] if drawn else []),
        Section("Every figure", (), (_everything(found, known),)),
    ]
    libraries = ", ".join(f"{name} {version}" for name, version in known.libraries.items() if version)
    more = [
        ("study", found.study),
        ("run directory", known.id),
        ("measured by", f"tulle {known.tulle}, build {known.build}"),
        ("started", known.started),
        ("finished", known.finished),
        ("libraries", libraries),
        ("seeds", ", ".join(map(str, sorted({seed for result in found.results for seed in result.seeds})))),
        *((f"SHA-256 of {name}", digest) for name, digest in known.files.items()),
    ]
    title = found.title or found.study
    return Page(
        title,
        tuple(_summary(found, named, known)),
        tuple(sections),
        manifest(INPUT.command, path / _SUMMARY, drawn, more),
    )


def _manifest(file: Path) -> Manifest:
    from pydantic import ValidationError

    if not file.exists():
        raise FileError(
            f"{file.parent}: has no {_MANIFEST}, so it is incomplete; the `tulle run` of its study writes it"
        )
    try:
        return Manifest.model_validate_json(read_text(file), strict=True)
    except ValidationError as error:
        from tulle.study.engine.problems import first_problem

        raise FormatError(f"{file}: {first_problem(error, Manifest)}; legal: as tulle run writes it") from None


def _networks(path: Path, known: Manifest, settings: Settings) -> tuple[list[Network], int]:
    """Return the first distinct networks of the cases, and the number of further networks."""
    from tulle.study.engine.paths import mapped_spec

    def located(name: str) -> str:
        """Return the path of an input file that the study names, relative to the working directory."""
        if known.study_folder is None or Path(name).is_absolute():
            return name
        return os.path.relpath(path.resolve() / known.study_folder / name)

    def present(name: str) -> str:
        file = located(name)
        check_present(path, name, file, _AT_ITS_PLACE)
        return file

    distinct: dict[tuple[str, str | None], _Run] = {}
    for run in known.runs:
        values = run.configuration.parameters
        if isinstance(values.get("fabric"), str):
            distinct.setdefault((values["fabric"], values.get("fail")), run)
    found, names = [], _names([*distinct.values()], known)
    for ((spec, fail), run), name in zip([*distinct.items()][: settings.networks], names, strict=False):
        configuration = run.configuration
        values, seed, routing = configuration.parameters, configuration.seed, settings.routing
        spec = mapped_spec("fabrics", spec, present)
        if routing is None and isinstance(values.get("routing"), str):
            routing = mapped_spec("routings", values["routing"], present)
        measured = {Path(located(name)): digest for name, digest in configuration.inputs.items()}
        _check_files(path, {file: measured[file] for file in input_files(spec, routing) if file in measured})
        fabric = build_with_failures(spec, seed, fail, values.get("links"))
        found.append(network(name, fabric, None if routing is None else route(fabric, routing, seed), seed))
    return found, len(distinct) - len(found)


def _names(runs: list[_Run], known: Manifest) -> list[str]:
    """Return a name for the network of each run: the case. If a case has several networks, the names are letters.

    A word that the study gives to a network of the grid is better than a letter.
    """
    cases = [run.case for run in runs]
    if len({*cases}) == len(cases):
        return cases
    words = [known.study.words.get(str((run.model_extra or {}).get("fabric")), "") for run in runs]
    if all(words) and len({*words}) == len(words):
        return words
    return [ascii_uppercase[at] if at < len(ascii_uppercase) else str(at + 1) for at in range(len(runs))]


def _check_files(path: Path, digests: dict[Path, str]) -> None:
    for file, digest in digests.items():
        if sha256(file)[1] != digest:
            raise FormatError(f"{path}: {file} has changed since the study ran; run the study again")


def _point(result: Document, known: Manifest) -> dict[str, str]:
    """Return the coordinates of a grid point, with the names that the study gives to values."""
    return {
        name: known.study.words.get(str(value), str(value))
        for name, value in (result.model_extra or {}).items()
        if isinstance(value, (str, int, float)) and name not in ("reference", "why", "source")
    }


def _conditions(found: Summary, known: Manifest) -> str:
    counts = sorted({len(result.seeds) for result in found.results})
    interval = "; ± is a 95% confidence interval" if known.study.intervals else ""
    seeds = " or ".join(map(str, counts)) + (" seed" if counts == [1] else " seeds")
    ranges = "Ranges span minimum and maximum over the seeds."
    return f"Measurement {found.measurement}: means over {seeds}{interval}. {ranges}"


def _summary(found: Summary, named: dict[str, str], known: Manifest) -> Iterator[str]:
    cases = list(dict.fromkeys(result.case for result in found.results))
    yield f"{len(cases)} cases, {len(found.results)} results: {', '.join(cases)}."
    for what, verdicts in (
        ("References", [verdict for result in found.results for verdict in result.verdicts.values()]),
        ("Comparisons of cases", [pair.verdict for pair in found.comparisons]),
    ):
        if verdicts:
            yield f"{what}: {_counts(verdicts)}."
    for pair in found.comparisons:
        at = ", ".join([f"{pair.case} / {pair.over}", *_point(pair, known).values()])
        where = f"{at}: {named.get(pair.figure, pair.figure)}"
        if pair.verdict.missing:
            yield f"{where}: {pair.verdict.wanted} cannot be judged: {pair.verdict.missing}."
        elif not pair.verdict.agrees:
            ratio = "–" if pair.ratio is None else number(pair.ratio)
            only = f" (only {pair.verdict.holds} holds)" if pair.verdict.holds else ""
            yield f"{where}: the ratio {ratio} differs from {pair.verdict.wanted}{only}."


def _counts(verdicts: list[_Verdict]) -> str:
    """Return how many verdicts agree and differ, and how many claims cannot be judged, if any."""
    words = [verdict.word for verdict in verdicts]
    unknown = words.count("cannot be judged")
    beside = f", {unknown} cannot be judged" if unknown else ""
    return f"{words.count('agrees')} agree, {words.count('differs')} differ{beside}"


def _table(found: Summary, named: dict[str, str], known: Manifest) -> Table:
    grid = list(dict.fromkeys(name for result in found.results for name in _point(result, known)))
    columns = [Column("case"), *(Column(name) for name in grid)]
    # Only these metrics get a column of intervals. For metrics that do not depend on the seed, all intervals are zero.
    varying = {
        key
        for key in named
        if known.study.intervals and any(of.half95 for result in found.results if (of := result.figures.get(key)))
    }
    for key, title in named.items():
        columns += [Column(title, "number"), *([Column(f"± {title}", "number")] if key in varying else [])]
    rows: list[tuple[Cell, ...]] = []
    for result in found.results:
        point = _point(result, known)
        cells: list[Cell] = [result.case, *(point.get(name) for name in grid)]
        for key in named:
            of = result.figures.get(key)
            cells.append(None if of is None else of.mean)
            if key in varying:
                cells.append(None if of is None else of.half95)
        rows.append(tuple(cells))
    return Table("Results", tuple(columns), tuple(rows))


def _charts(found: Summary, named: dict[str, str], known: Manifest) -> list[Chart]:
    """Return the charts of the results. Metrics that have one value everywhere are only in the table.

    If a coordinate of the grid has three or more values, all numbers, lines show each metric over this coordinate, with
    a chart for each combination of the other coordinates. Otherwise each metric has a chart of bars per grid point, or
    one chart if its values are the same at all points.
    """
    axis = _number_axis(found)
    charts = []
    for key, title in named.items():
        results = [result for result in found.results if key in result.figures and result.figures[key].mean is not None]
        if len({result.figures[key].mean for result in results}) < 2:
            continue
        by_point: dict[str, list[_Result]] = {}
        for result in results:
            others = [text for name, text in _point(result, known).items() if name != axis]
            by_point.setdefault(", ".join(others), []).append(result)
        rows = {
            point: tuple(_chart_row(result, result.figures[key], axis) for result in here)
            for point, here in by_point.items()
        }
        if len(set(map(str, rows.values()))) == 1:
            rows = {"": next(iter(rows.values()))}
        for name, values in rows.items():
            head = f"{title}: {name}" if name else title
            if axis is None:
                charts.append(Chart("bars", head, values, title))
            else:
                charts.append(Chart("curves", head, values, axis, title))
    return charts


def _chart_row(result: _Result, of: _Statistics, axis: str | None) -> dict[str, Cell]:
    row: dict[str, Cell] = {"name": result.case}
    if axis is not None:
        row["x"] = (result.model_extra or {})[axis]
    return {**row, "value": of.mean, "low": of.min, "high": of.max}


def _number_axis(found: Summary) -> str | None:
    """Return the first coordinate of the grid that has three or more values, all of them numbers; None if none has."""
    points = [result.model_extra or {} for result in found.results]
    for name in points[0] if points else ():
        values = [point.get(name) for point in points]
        if all(type(value) in (int, float) for value in values) and len(set(values)) > 2:
            return name
    return None


def _comparisons(found: Summary, known: Manifest) -> Section:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            f"{pair.case} / {pair.over}",
            ", ".join(_point(pair, known).values()),
            found.figures.get(pair.figure, pair.figure),
            pair.ratio,
            pair.half95,
            pair.verdict.word,
            pair.verdict.wanted,
            pair.source,
            pair.why or None,
        )
        for pair in found.comparisons
    )
    columns = (
        Column("comparison"),
        Column("at"),
        Column("figure"),
        Column("ratio", "number"),
        Column("±", "number"),
        Column("verdict"),
        Column("wanted"),
        Column("source"),
        Column("why"),
    )
    text = "A ratio compares means over seeds. ± is a 95% confidence interval of the ratios seed by seed."
    return Section("Comparisons", (text,), (Table("Comparisons", columns, rows),))


def _everything(found: Summary, known: Manifest) -> Table:
    """Return one row per case, grid point and metric."""
    rows: list[tuple[Cell, ...]] = [
        (result.case, ", ".join(_point(result, known).values()), title, of.mean, of.half95, of.min, of.max)
        for result in found.results
        for key, title in found.figures.items()
        if (of := result.figures.get(key)) is not None and of.mean is not None
    ]
    heads = ("mean", "± 95%", "minimum", "maximum")
    columns = (Column("case"), Column("at"), Column("figure"), *(Column(head, "number") for head in heads))
    return Table("Every figure of every case", columns, tuple(rows), folded=True)


INPUT = Input(
    command="tulle run", keys=("study", "results", "comparisons", "runs"), model=Summary, page=page, file=_SUMMARY
)
