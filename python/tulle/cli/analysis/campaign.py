"""``tulle resilience --campaign``: random failures of a deployed network, and its repairs."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from tulle import __version__
from tulle.cli.terminal.output import ProgressLine, print_fields, print_json
from tulle.errors import SpecError

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.deploy.campaign import Rates
    from tulle.fabric import Fabric

__all__ = ["run_campaign"]


def run_campaign(
    fabric: Fabric,
    routing: str | None,
    deadlock: str | None,
    *,
    failures: int | None,
    rates: list[str],
    seed: int,
    output: Path | None,
    json: bool,
) -> None:
    """Run a failure campaign, and print its totals, or all changes as JSON."""
    from tulle.deploy.campaign import campaign
    from tulle.deploy.infiniband.assign import assign_lanes
    from tulle.routing.routing import as_routing

    drawn = _rates(rates)
    plan = assign_lanes(as_routing(fabric, routing or "almost-minimal:layers=4", seed), deadlock or "colouring")
    with ProgressLine("failures", estimate=True) as line:
        found = campaign(
            plan, failures=1000 if failures is None else failures, rates=drawn, seed=seed, progress=line.show
        )
    if output is not None:
        found.draw(output)
    named = {"fabric": found.fabric, "routing": found.routing, "deadlock": found.scheme, "seed": seed}
    if json:
        changes = {name: column.tolist() for name, column in found.changes.items()}
        print_json({**named, **found.figures(), "tulle": __version__, "changes": changes})
        return
    print_fields({**named, **found.figures()})


def _rates(given: list[str]) -> Rates:
    """Read failure rates and repair times, for example ``deaths=0.1``."""
    from tulle.deploy.campaign import Rates

    names = [field.name for field in fields(Rates)]
    values: dict[str, float] = {}
    for text in (one for some in given for one in some.split(",")):
        name, _, value = text.partition("=")
        try:
            values[name] = float(value)
        except ValueError:
            raise SpecError(f"--rate {text} has no number; legal: NAME=NUMBER, for example deaths=0.1") from None
        if name not in names:
            raise SpecError(f"--rate {text} is unknown; legal: {', '.join(names)}")
    return Rates(**values)
