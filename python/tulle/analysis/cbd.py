"""Cyclic buffer dependencies (CBD) of random fabrics: how likely lossless networks can deadlock."""

from __future__ import annotations

from typing import Literal

from tulle import _tulle
from tulle._internal.arguments import read_seed
from tulle.errors import InputError, SpecError

__all__ = ["cbd_count"]


def cbd_count(
    spec: str, share: float = 1.0, paths: Literal["all", "one"] = "all", trials: int = 100, seed: int = 0
) -> int:
    """How many of `trials` random fabrics have a cyclic buffer dependency (Flattened Clos §2.2.1.1, Fig. 3).

    Every trial draws the fabric and the traffic anew. Trial i is the same whatever the number of trials.

    Parameters
    ----------
    spec
        A fabric, as ``jellyfish:switches=20,degree=5``.
    share
        To how large a share of the others every switch sends, from 0 to 1, drawn alike; 1 is all to all.
    paths
        ``all`` shortest paths of a pair, or ``one`` drawn hop by hop: the two readings of the paper's "ECMP".
    trials
        At least 1.
    seed
        Of fabrics, traffic and paths.

    Raises
    ------
    tulle.SpecError, tulle.InputError
        For an illegal spec or value, or a fabric that is not connected.
    """
    if paths not in ("all", "one"):
        raise SpecError(f"paths={paths} is not a choice; legal: all, one")
    if not 1 <= trials < 1 << 32:
        raise InputError(f"trials={trials} is out of range; legal: 1 to {(1 << 32) - 1}")
    return _tulle.cbd(spec, float(share), paths == "one", trials, read_seed(seed))
