"""Check that networks, routings and bills are made again as they were: files that a result names may have changed."""

from __future__ import annotations

from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING

from tulle._internal.reading import sha256
from tulle.design.prices import read_prices
from tulle.errors import FileError, FormatError
from tulle.routing.routing import Routing, route

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tulle.design.bill import Bill
    from tulle.design.prices import Prices
    from tulle.fabric import Fabric


_SAME_FOLDER = "the folder in which the result was made, or make the result again"


def check_files_of(path: Path, fabric: str, routing: str = "") -> None:
    """Check that the files exist that specs of the result `path` name, relative to the working directory.

    Raises
    ------
    tulle.FileError
        If a file does not exist.
    """
    from tulle.study.engine.paths import mapped_spec

    def checked(name: str) -> str:
        check_present(path, name, name, _SAME_FOLDER)
        return name

    mapped_spec("fabrics", fabric, checked)
    mapped_spec("routings", routing, checked)


def priced(path: Path, prices: str) -> Prices:
    """Read the price list that the result `path` names.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        If the list is a file that does not exist or is not a price list.
    """
    if prices.endswith(".toml"):
        check_present(path, prices, prices, f"{_SAME_FOLDER}, or name a list with --prices")
    return read_prices(prices)


def check_present(path: Path, name: str, file: str, legal: str) -> None:
    """Check that an input file of the result `path` exists; the result calls it `name`.

    Raises
    ------
    tulle.FileError
        If the file does not exist.
    """
    if not Path(file).exists():
        place = Path(file).resolve()
        where = "" if place == Path(name) else f" (looked for at {place})"
        raise FileError(f"{path}: its input file {name} does not exist{where}; legal: {legal}")


def routed(path: Path, fabric: Fabric, spec: str, seed: int, file: str | None, digest: str | None) -> Routing:
    """Return the routing of the result `path`, from its `file` with this SHA-256, or computed again if `file` is None.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        If the file does not exist or has changed, or if an earlier version of tulle did not store its name.
    """
    if file is None:
        if spec in _FROM_FILES:
            raise FormatError(f"{path}: does not name the file of its routing; legal: run the command again")
        return route(fabric, spec, seed)
    check_files_of(path, fabric.spec, f"@{file}")
    if sha256(Path(file))[1] != digest:
        raise FormatError(f"{path}: {file} is no longer the routing of this file; run the command again")
    return route(fabric, f"@{file}", seed)


# The specs of routings that no scheme makes.
_FROM_FILES = ("next-hop", "paths")


def check_unchanged(path: Path, fabric: Fabric, fingerprint: str | None, has_same_sizes: bool = True) -> None:
    """Check a fabric against the fingerprint in the result `path`; results of earlier versions of tulle have none.

    Raises
    ------
    tulle.FormatError
        If the fabric differs from that of the result.
    """
    if not has_same_sizes or fingerprint not in (None, fabric._fingerprint()):
        raise FormatError(
            f"{path}: {fabric.spec} is no longer the network of this file, because an input file or tulle has changed; "
            "run the command again"
        )


def check_costs(path: Path, costs: Iterable[tuple[Bill | None, float | None]]) -> None:
    """Check bills against the costs per endpoint in the result `path`; None stands for a network without a bill.

    Raises
    ------
    tulle.FormatError
        If a cost differs.
    """
    for bill, cost in costs:
        now = None if bill is None else bill.cost_per_endpoint
        if now != cost and (now is None or cost is None or not isclose(now, cost)):
            raise FormatError(
                f"{path}: prices are no longer those of this file, because a price list or tulle has changed; "
                "run the command again, or name a list with --prices"
            )
