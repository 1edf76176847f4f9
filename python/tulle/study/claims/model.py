"""The keys of claims files. Unknown keys and illegal values are errors.

The file ``figure-2.claims.toml`` beside the study ``figure-2.toml`` groups the checks of the study into the claims that
the paper makes, and gives each claim a grade. A claim may also use checks of other studies of the same folder.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, FiniteFloat, ValidationError, model_validator

from tulle._internal.reading import read_toml
from tulle.errors import FormatError, StudyError
from tulle.study.engine.model import Value, point_values
from tulle.study.engine.problems import NAME, first_problem
from tulle.study.engine.shipped import CLAIMS

if TYPE_CHECKING:
    from pathlib import Path

Grade = Literal["agrees", "agrees in direction", "contradicts", "paper's slip", "cannot say"]
GRADES: tuple[Grade, ...] = ("agrees", "agrees in direction", "contradicts", "paper's slip", "cannot say")
Basis = Literal["measured", "supposed"]


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"is not a regular expression: {error}; legal: a Python regular expression") from None
    return text


class ClaimCheck(BaseModel):
    """A check of a claim; extra keys are grid parameters. Without them, the check applies at all grid points.

    Without `over`, it checks a value from the recorded results; with `over`, the ratio of two cases.
    """

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    case: str
    figure: str
    study: str = ""
    """The name of the study's file, without suffix; empty: the study beside the claims file."""
    over: str = ""
    paper: FiniteFloat | None = None
    tolerance: Annotated[FiniteFloat, Field(ge=0)] | None = None
    least: FiniteFloat | None = None
    most: FiniteFloat | None = None

    @property
    def point(self) -> dict[str, Value]:
        """The values of grid parameters for which the check applies."""
        return point_values(self.model_extra)

    @model_validator(mode="after")
    def _bounds(self) -> ClaimCheck:
        if (self.tolerance is None) is not (self.paper is None):
            raise ValueError("has 'paper' or 'tolerance' alone; legal: both, or neither")
        if self.over and self.paper is not None:
            raise ValueError("has 'paper' for a ratio; legal: 'least' or 'most' with 'over'")
        if self.paper is None and self.least is None and self.most is None:
            raise ValueError("has no bound; legal: 'least', 'most', or 'paper' with 'tolerance'")
        return self


class Claim(BaseModel):
    """A claim of a paper, with its grade."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: Annotated[str, Field(pattern=NAME, max_length=100)]
    quote: Annotated[str, Field(min_length=1)]
    """The paper's words, or the name of a table whose numbers are claimed.

    Checks of `studies` belong to the claim if their source has this quote.
    """
    section: str = ""
    reading: str = ""
    """The bound by which vague words of the claim are judged."""
    studies: list[str] = []
    """The studies whose checks belong to the claim; empty: the study beside the claims file."""
    sources: list[str] = []
    """Further quotes, or whole sources. Checks of `studies` with one of them also belong to the claim."""
    counts: Annotated[str, AfterValidator(_pattern)] | None = None
    """A regular expression that selects the checks that count; None: the default of `grading.counted`."""
    needs: Literal["all", "one"] = "all"
    """How many of the checks that count must hold. For a claim such as "up to 3x", one is enough."""
    near: Annotated[FiniteFloat, Field(ge=0)] = 0.1
    """A value that misses its bound by at most this fraction of the bound points in the claimed direction."""
    grade: Grade
    why: str = ""
    basis: Basis | None = None
    """Whether `why` was measured or is only assumed."""
    proof: str = ""
    """For an error of the paper (the grade ``paper's slip``): why the claim cannot be right."""
    needed: str = ""
    """For a claim that cannot be judged: what would be needed to judge it."""
    check: list[ClaimCheck] = []
    """The claim's own checks. If it has any, only these count, unless `counts` selects others, too."""

    @model_validator(mode="after")
    def _complete(self) -> Claim:
        lacking = {"paper's slip": "proof", "cannot say": "needed"}.get(self.grade)
        if lacking is not None and not getattr(self, lacking):
            raise ValueError(f"has the grade {self.grade!r} without '{lacking}'; legal: with '{lacking}'")
        if self.grade in ("agrees in direction", "contradicts") and not (self.why and self.basis):
            raise ValueError(f"has the grade {self.grade!r} without 'why' and 'basis'; legal: with both")
        return self


class ClaimsFile(BaseModel):
    """The content of a claims file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    claim: list[Claim] = []


def load_claims(path: Path) -> tuple[Claim, ...]:
    """Read a claims file.

    Raises
    ------
    tulle.FileError
        If the file cannot be read.
    tulle.StudyError
        If the file is not TOML, or a key or value is illegal. The message is one line.
    """
    try:
        content: dict[str, Any] = read_toml(path)
        found = ClaimsFile.model_validate(content)
    except FormatError as error:
        raise StudyError(str(error)) from None
    except ValidationError as error:
        raise StudyError(f"{path}: {_named(error, content)}{first_problem(error, ClaimsFile)}") from None
    names = [claim.name for claim in found.claim]
    for name in names:
        if names.count(name) > 1:
            raise StudyError(f"{path}: claim '{name}' appears {names.count(name)} times; legal: different names")
    return tuple(found.claim)


def _named(error: ValidationError, content: dict[str, Any]) -> str:
    """Return the name of the claim that has the problem, because the number of a claim is hard to find in a file."""
    match error.errors(include_url=False)[0]["loc"]:
        case ("claim", int(number), *_):
            claim = content["claim"][number]
            return f"claim '{claim['name']}': " if isinstance(claim, dict) and "name" in claim else ""
    return ""


def claims_place(study: Path) -> Path:
    """Return the path of the claims file beside a study file."""
    return study.with_name(f"{study.stem}{CLAIMS}")
