"""``tulle run STUDY``: run one case (``--case``), and other values of parameters (``--set``)."""

from __future__ import annotations

import json
from ast import literal_eval
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import typer
from pydantic import ValidationError

from tulle._internal.text import did_you_mean
from tulle.errors import StudyError, TulleError
from tulle.study.engine.model import shown
from tulle.study.measurements.registry import measurement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tulle.study import Plan
    from tulle.study.engine.model import Size, StudyFile
    from tulle.study.measurements.parameters import Parameters
    from tulle.study.report.baseline import Baseline


def check(*, case: str | None, at: Sequence[str], seed: int | None, **others: bool) -> None:
    """Check that the options can be combined with ``--case``. The options ``--at`` and ``--seed`` require ``--case``.

    Raises
    ------
    typer.BadParameter
        If they cannot be combined.
    """
    if case is None:
        for name, given in (("at", bool(at)), ("seed", seed is not None)):
            if given:
                raise typer.BadParameter(f"--{name} without --case; legal: both")
        return
    for name, given in others.items():
        if given:
            raise typer.BadParameter(f"--{name} together with --case, which runs one case; legal: one of them")


def one_case(study: StudyFile, name: str, at: Sequence[str], seed: int | None, size: Size) -> Plan:
    """Return the plan of one case at the given size, or at size ``paper`` if the case or a value in `at` has this size.

    Raises
    ------
    typer.BadParameter
        If the study has no such case or grid point.
    """
    from tulle import study as studies

    sizes = {case.name: case.size for case in study.case}
    if name not in sizes:
        raise typer.BadParameter(f"--case: unknown case '{name}'; {did_you_mean(name, [*sizes])}")
    point = _point(study, at)
    large = any(values & {*map(shown, study.paper.get(key, []))} for key, values in point.items())
    sized = study.of_size("paper" if large else sizes[name] if size == "small" else size)
    if seed is not None:
        cases = [case.model_copy(update={"seeds": None}) for case in sized.case]
        sized = sized.model_copy(update={"seeds": [seed], "paper_seeds": None, "case": cases})
    return studies.plan(sized).only(
        lambda run: run.case == name and all(shown(run.point[key]) in values for key, values in point.items())
    )


def check_seeds(plan: Plan, kept: Baseline | None, seed: int | None) -> None:
    """Check that the recorded results are means over the seeds that run.

    Raises
    ------
    typer.BadParameter
        If the recorded results are means over other seeds.
    """
    from tulle.study.report.baseline import kept_cases

    for case in [] if kept is None or seed is None else kept_cases(kept).values():
        if case.case == plan.runs[0].case and case.seeds != (seed,):
            seeds = f"seed{'s' if len(case.seeds) > 1 else ''} {', '.join(map(str, case.seeds))}"
            raise typer.BadParameter(
                f"--check together with --seed {seed}: the recorded results are means over {seeds}; legal: --check "
                "without --seed"
            )


def _point(study: StudyFile, at: Sequence[str]) -> Mapping[str, set[str]]:
    """Return the chosen values of every parameter in `at`, which has values or the words of tables for them."""
    found: dict[str, set[str]] = {}
    if at and not study.grid:
        raise typer.BadParameter(f"--at {at[0]}: the study has no grid; legal: without --at")
    for text in at:
        key, equals, value = text.partition("=")
        if not equals:
            name, values = next(iter(study.axes.items()))
            raise typer.BadParameter(f"--at {text}: no '='; legal: NAME=VALUE, for example {name}={shown(values[0])}")
        if key not in study.grid:
            raise typer.BadParameter(f"--at {text}: unknown parameter '{key}'; {did_you_mean(key, [*study.grid])}")
        known = [shown(each) for each in study.axes[key]]
        # A value can also be written as in the tables.
        words = {study.words.get(each, each): each for each in known}
        chosen = value if value in known else words.get(value)
        if chosen is None:
            raise typer.BadParameter(f"--at {text}: '{value}' is not in the grid; {did_you_mean(value, [*words])}")
        found.setdefault(key, set()).add(chosen)
    return found


def with_settings(study: StudyFile, settings: Sequence[str], case: str | None) -> StudyFile:
    """Return the study with other values of parameters, and only with `case` if it is given.

    The paper's values stay. Verdicts, comparisons and reasons are about the study's own values, so they are left out.

    Raises
    ------
    typer.BadParameter
        If a key is unknown or appears twice.
    """
    # The value may be illegal for other cases.
    cases = [each for each in study.case if each.name == case] or study.case
    changed, keys = study.of_cases(cases), set[str]()
    for text in settings:
        key, equals, value = text.partition("=")
        legal = measurement(changed).parameters
        if not equals:
            raise typer.BadParameter(f"--set {text}: no '='; legal: KEY=VALUE")
        if key not in legal.model_fields:
            raise typer.BadParameter(f"--set {text}: unknown key '{key}'; {did_you_mean(key, [*legal.model_fields])}")
        if key in keys:
            raise typer.BadParameter(f"--set {text}: '{key}' is set twice; legal: once")
        keys.add(key)
        changed = _set(changed, key, _read(legal, key, value))
    axes = changed.axes
    values = {shown(value) for each in axes.values() for value in each}
    update = {
        "title": f"{study.title or study.name}; changed by --set: {', '.join(settings)}",
        "words": {name: words for name, words in study.words.items() if name in values},
        # A curve needs several values in the grid.
        "plots": [] if keys & {*axes} else study.plots,
        "comparison": [],
        "reference": [
            each.model_copy(update={"tolerance": {}, "least": {}, "most": {}, "why": ""})
            for each in study.reference
            if each.paper
            and case in (None, each.case)
            and all(value in axes.get(name, [value]) for name, value in each.point.items())
        ],
    }
    if not changed.paper and all(each.size == "small" for each in cases):
        update["paper_seeds"] = None
    return changed.model_copy(update=update)


def planned(study: StudyFile, settings: Sequence[str], case: str | None, plan: Callable[[StudyFile], Plan]) -> Plan:
    """Return the plan of a study with other values of parameters.

    Raises
    ------
    typer.BadParameter
        If a setting is illegal; the message names the setting instead of the study file.
    """
    if not settings:
        return plan(study)
    try:
        return plan(with_settings(study, settings, case))
    except TulleError as error:
        problem = str(error).removeprefix(f"{study.path}: ")
    # The setting without which the study is legal is the wrong one.
    for text in settings:
        others = [other for other in settings if other is not text]
        try:
            plan(with_settings(study, others, case) if others else study)
        except typer.BadParameter:
            # The options --at name a value of this setting.
            pass
        except TulleError:
            continue
        raise typer.BadParameter(f"--set {text}: {problem}")
    # Either the study itself is wrong, and `plan` raises its error, or several settings are wrong.
    with suppress(typer.BadParameter):
        plan(study)
    raise typer.BadParameter(f"{', '.join(f'--set {text}' for text in settings)}: {problem}")


@contextmanager
def named(settings: Sequence[str]) -> Iterator[None]:
    """Name the settings in errors of runs, because the study file does not have these values."""
    try:
        yield
    except StudyError as error:
        if not settings:
            raise
        raise StudyError(f"{error} (with {', '.join(f'--set {text}' for text in settings)})") from error


def _set(study: StudyFile, key: str, value: Any) -> StudyFile:
    if key in study.grid:
        paper = {name: values for name, values in study.paper.items() if name != key}
        return study.model_copy(update={"grid": {**study.grid, key: [value]}, "paper": paper})
    cases = [case.model_copy(update={key: value}) for case in study.case]
    return study.model_copy(update={"common": {**study.common, key: value}, "case": cases})


def _literal(text: str) -> Any:
    """Return the value of a literal of JSON or TOML, or the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    if text.startswith(("[", "'")):
        # TOML also has texts in single quotes, like Python.
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            return literal_eval(text)
    return text


def _takes_list(legal: type[Parameters], key: str) -> bool:
    """Return whether a parameter can be a list."""
    try:
        legal.model_validate({key: ()})
    except ValidationError as error:
        # Keys that are not set are errors, too.
        return all(problem["loc"][0] != key for problem in error.errors())
    return True


def _read(legal: type[Parameters], key: str, text: str) -> Any:
    """Return a value as a study file has it; an empty text is the default."""
    field = legal.model_fields[key]
    if not text and not field.is_required():
        return field.default
    value = _literal(text)
    if isinstance(value, list):
        return tuple(value)
    # Users may write texts in quotes, as in a study file.
    if isinstance(value, str) and value != text:
        return value
    if text.startswith("[") and _takes_list(legal, key):
        wrong = "is not a list" if text.endswith("]") else "has no ']' at the end of the list"
        raise typer.BadParameter(f'--set {key}={text} {wrong}; legal: {key}=["a", "b"]')
    try:
        legal.model_validate({key: text})
    except ValidationError as error:
        # Keys that are not set are errors, too.
        if any(problem["loc"][0] == key for problem in error.errors()):
            return value
    return text
