"""The measurement `collisions`: messages per pair of switches under the patterns of FatPaths Fig. 4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

import tulle
from tulle import _tulle
from tulle._arguments import canonical
from tulle.analysis.collisions import collisions
from tulle.columns import Columns
from tulle.study.measurement import Advance, Figure, Links, Measurement, Parameters, Rows

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.fabric import Fabric
    from tulle.workload import Workload

Pattern = Literal["permutation", "off-diagonal", "shuffle", "4 permutations", "stencil"]

# Offsets of the 4-point stencil in large networks (FatPaths §II-C); the off-diagonal takes the larger.
_NEAR, _FAR = 1, 1337


class Collisions(Parameters):
    """The fabric, and who sends to whom."""

    fabric: str
    links: Links = Field(default=[])
    pattern: Pattern


def resolve(parameters: Collisions) -> Collisions:
    """The same with a canonical spec."""
    return parameters.model_copy(update={"fabric": canonical("fabrics", "fabric", parameters.fabric)})


def inputs(parameters: Collisions) -> list[Path]:
    """The files that the fabric is read from."""
    from pathlib import Path

    return [Path(path) for path in _tulle.input_files(parameters.fabric)]


def loads(fabric: Fabric, pattern: Pattern, seed: int) -> list[Workload]:
    """The workloads of a pattern; all but permutations run on endpoints in random order.

    The shuffle rotates the bits of a process id to the left by one; the paper's range 2^i < N < 2^(i+1) leaves it
    the ids below the next power of two, and images beyond N are taken modulo N (§II-C).
    """

    def diagonal(offset: int) -> Workload:
        return tulle.traffic(fabric, f"skewed:bytes=1B,offset={offset % fabric.num_endpoints},mapping=random", seed)

    match pattern:
        case "permutation":
            return [tulle.traffic(fabric, "permutation:bytes=1B", seed)]
        case "4 permutations":
            return [tulle.traffic(fabric, "permutation:bytes=1B", 4 * seed + at) for at in range(4)]
        case "off-diagonal":
            return [diagonal(_FAR)]
        case "stencil":
            return [diagonal(offset) for offset in (_NEAR, -_NEAR, _FAR, -_FAR)]
        case "shuffle":
            number = fabric.num_endpoints
            bits = (number - 1).bit_length()
            process = np.arange(number)
            partner = (process << 1 & (1 << bits) - 1 | process >> (bits - 1)) % number
            # The processes of an off-diagonal by 1 in their order: where each of them runs.
            place = diagonal(1).source
            other = partner != process
            return [tulle.Workload(place[process[other]], place[partner[other]], 1)]


def measure(parameters: Collisions, seed: int, _: Advance) -> Rows:
    """Counts under one seed, which is that of fabric and traffic."""
    fabric = tulle.Fabric(parameters.fabric, seed, parameters.links)
    histogram = collisions(fabric, loads(fabric, parameters.pattern, seed))
    total = int(histogram.sum())
    above = [100 * float(histogram[least:].sum()) / total for least in (4, 9)]
    figures = {
        "endpoints": fabric.num_endpoints,
        "most": len(histogram) - 1,
        "above_3": above[0],
        "nine_or_more": above[1],
    }
    table = {"messages": np.arange(len(histogram)), "pairs": histogram, "share": histogram / total}
    return Rows(Columns(table), figures, {})


MEASUREMENT = Measurement(
    name="collisions",
    parameters=Collisions,
    resolve=resolve,
    inputs=inputs,
    measure=measure,
    figures=(
        Figure("endpoints", "endpoints"),
        Figure("most", "most per pair"),
        Figure("above_3", "pairs with 4 or more (%)"),
        Figure("nine_or_more", "pairs with 9 or more (%)"),
    ),
    note="Messages from one switch to another, over all ordered pairs of switches with endpoints.",
    rows_file="collisions.csv",
)
