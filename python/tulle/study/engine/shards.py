"""Shards: parts of a study's runs, for machines that share only a folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.study.engine.plan import Plan, Run

_LARGEST = 1_000_000


@dataclass(frozen=True)
class Shard:
    """One of ``of`` shards of a study; ``number`` counts from 1."""

    number: int = 1
    of: int = 1

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def runs(self, planned: Plan) -> list[Run]:
        """Return the runs of the shard in the order of the study, without repeated configurations.

        Runs are assigned to shards in turn, in the order of their ids. Ids are hashes, so long runs spread over all
        shards.
        """
        by_id: dict[str, Run] = {}
        for run in planned.runs:
            # Of equal runs of several cases, the first one is kept.
            by_id.setdefault(run.id, run)
        own = set(sorted(by_id)[self.number - 1 :: self.of])
        return [run for id, run in by_id.items() if id in own]


def read_shard(text: str) -> Shard:
    """Read a shard from ``NUMBER/OF``, for example ``1/4``.

    Raises
    ------
    tulle.InputError
        For another text, or a number that is not from 1 to ``OF``.
    """
    found = re.fullmatch(r"(\d{1,7})/(\d{1,7})", text, re.ASCII)
    number, of = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= of <= _LARGEST:
        largest, limit = (of, "") if 1 <= of <= _LARGEST else ("n", f", n up to {_LARGEST}" if of else "")
        example = "1/4" if largest == "n" else f"1/{largest}"
        raise InputError(f"shard {text}: legal: i/{largest} with i from 1 to {largest}{limit}, for example {example}")
    return Shard(number, of)
