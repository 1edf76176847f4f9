"""The measurement `subflows`: rates of messages by eq. (1) of "Multi-path routing in the Jellyfish network"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

import tulle
from tulle._internal.arguments import input_files
from tulle.columns import Columns
from tulle.fabric import build_with_failures
from tulle.metric import Metric
from tulle.study.measurements.parameters import Routed, Spec
from tulle.study.measurements.registry import Advance, Measurement, Rows

if TYPE_CHECKING:
    from pathlib import Path


class Subflows(Routed):
    """A routing with traffic.

    Fabric and routing use the seed of the run. The seeds of the `instances` traffics are derived from it.
    """

    traffic: Annotated[str, Spec("traffics")]
    """the messages"""
    instances: int = Field(default=1, ge=1, le=100_000)
    """number of random instances of the traffic per seed"""


def resolve(parameters: Subflows) -> Subflows:
    """Return the parameters with canonical specs."""
    return parameters.model_copy(update=parameters.canonical_specs())


def inputs(parameters: Subflows) -> list[Path]:
    """The files that fabric, routing and traffic are read from."""
    return input_files(parameters.fabric, parameters.routing, parameters.traffic)


def subflows(parameters: Subflows, seed: int, advance: Advance) -> Rows:
    """Build and route the fabric with one seed, and load it with `instances` random instances of the traffic."""
    fabric = build_with_failures(parameters.fabric, seed, parameters.fail, parameters.links)
    advance(0.0)
    routing = tulle.route(fabric, parameters.routing, seed)
    means, least, messages = [], [], 0
    for instance in range(parameters.instances):
        advance(instance / parameters.instances)
        # Each seed has 100,000 traffic seeds of its own, and a run has at most 100,000 instances. So runs with
        # different seeds never share a traffic.
        load = tulle.traffic(fabric, parameters.traffic, (seed * 100_000 + instance) % (1 << 64))
        rates = tulle.analysis.subflow_rates(fabric, load, routing)
        senders, of = np.unique(load.source, return_inverse=True)
        sums = np.bincount(of, weights=rates, minlength=len(senders))
        means.append(float(sums.mean()))
        least.append(float(sums.min()))
        messages += len(rates)
    table = Columns(
        {"instance": np.arange(parameters.instances), "rate_mean": np.array(means), "rate_least": np.array(least)}
    )
    figures = {"rate": float(np.mean(means)), "least": float(np.mean(least))}
    return Rows(table, figures, {"messages": messages})


MEASUREMENT = Measurement(
    name="subflows",
    example={"fabric": "slimfly:q=3", "routing": "ksp:k=2", "traffic": "permutation", "instances": 2},
    summary="rates of messages by a model of subflows",
    paper="Multi-path routing in the Jellyfish network, eq. (1)",
    parameters=Subflows,
    resolve=resolve,
    inputs=inputs,
    measure=subflows,
    figures=(Metric("rate", "rate per sender"), Metric("least", "lowest rate of a sender")),
    note="Total rate of a sender's messages, in units of the link rate, by a model that does not optimise rates: "
    "every path of a message has a subflow, whose rate is 1 / (the most subflows on one of its links). The rates are "
    "not bounds.",
    rows_file="instances.csv",
)
