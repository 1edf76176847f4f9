"""The measurement `campaign`: random failures of a deployed network over simulated weeks, with a repair after each."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field

import tulle
from tulle._internal.arguments import input_files
from tulle.deploy.campaign import Rates, campaign
from tulle.deploy.infiniband.assign import assign_lanes
from tulle.fabric import build_with_failures
from tulle.metric import Distribution, Metric
from tulle.study.measurements.parameters import Routed, Spec
from tulle.study.measurements.registry import Advance, Measurement, Rows

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from tulle.columns import Columns


class Campaign(Routed):
    """A deployed network. Fabric, routing and failures use the seed of the run."""

    deadlock: Annotated[str, Spec("deadlocks")] = "colouring"
    """the scheme that assigns virtual lanes"""
    failures: int = Field(default=1000, ge=1, le=1_000_000)
    """number of failures, after which the campaign ends"""
    flaps: float = Rates.flaps
    """short failures per cable and year"""
    flap_minutes: float = Rates.flap_minutes
    """mean time for which a flapping link is down, in minutes"""
    deaths: float = Rates.deaths
    """permanent failures per cable and year: the cable must be replaced"""
    switch_deaths: float = Rates.switch_deaths
    """failures per switch and year"""
    repair_days: float = Rates.repair_days
    """mean time until a dead cable or switch is replaced, in days"""
    reaction_seconds: float = Rates.reaction_seconds
    """time from a change until new tables are loaded, in seconds"""
    query_minutes: float = Rates.query_minutes
    """time from a change until all hosts have queried path records again, in minutes"""


def resolve(parameters: Campaign) -> Campaign:
    """Check the rates, and return the parameters with canonical specs."""
    _rates(parameters)
    return parameters.model_copy(update=parameters.canonical_specs())


def inputs(parameters: Campaign) -> list[Path]:
    """The files that fabric and routing are read from."""
    return input_files(parameters.fabric, parameters.routing)


def measure(parameters: Campaign, seed: int, advance: Advance) -> Rows:
    """Run a campaign."""
    fabric = build_with_failures(parameters.fabric, seed, parameters.fail, parameters.links)
    advance(0.0)
    plan = assign_lanes(tulle.route(fabric, parameters.routing, seed), parameters.deadlock)
    found = campaign(
        plan,
        failures=parameters.failures,
        rates=_rates(parameters),
        seed=seed,
        progress=lambda done, count: advance(done / count),
    )
    return Rows(found.changes, found.figures(), {"changes": len(found.changes["seconds"])})


def _rates(parameters: Campaign) -> Rates:
    return Rates(**{field.name: getattr(parameters, field.name) for field in fields(Rates)})


def _throughputs(changes: Columns) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the throughput after every change, weighted by the seconds until the next change."""
    return changes["throughput"], np.rint(changes["duration"]).astype(np.int64)


def _changed_entries(changes: Columns) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the number of entries that each repair changed, without repairs that changed none."""
    entries = changes["entries_changed"]
    entries = entries[entries > 0]
    return entries, np.ones(len(entries), dtype=np.int64)


MEASUREMENT = Measurement(
    name="campaign",
    example={"fabric": "slimfly:q=3", "routing": "almost-minimal:layers=2", "failures": 3},
    summary="random failures of a deployed InfiniBand network over weeks, with a repair after each",
    paper="Slim Fly deployment §5 (InfiniBand); rates: Gill et al., SIGCOMM 2011",
    parameters=Campaign,
    resolve=resolve,
    inputs=inputs,
    measure=measure,
    figures=(
        Metric("failures", "failures"),
        Metric("weeks", "weeks"),
        Metric("repairs", "repairs"),
        Metric("drained", "repairs without traffic", usually_zero=True),
        Metric("refused", "changes without repair", usually_zero=True),
        Metric("cycles", "loaded states with a cycle", usually_zero=True),
        Metric("entries_changed", "entries changed"),
        Metric("without_path", "time without path"),
        Metric("broken", "time without some layer"),
        Metric("throughput", "mean throughput"),
        Metric("lowest_throughput", "lowest throughput"),
        Metric("whole_throughput", "without failures"),
    ),
    note="Times are fractions of the campaign, averaged over ordered pairs of switches with hosts. Throughput is "
    "all-to-all with an even split over layers. Entries are counted by switch, layer and destination switch.",
    rows_file="changes.csv",
    distributions=(
        Distribution("throughput_over_time", "throughput, weighted by time (fraction of a link's rate)", _throughputs),
        Distribution("changed_entries", "entries that a repair changes", _changed_entries, logarithmic=True),
    ),
    plots=("throughput_over_time", "changed_entries"),
)
