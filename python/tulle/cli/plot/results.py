"""Commands of ``tulle plot`` that draw results of other commands, for example ``tulle plot cdf``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tulle.cli.plot.options import Output, write

Flows = Annotated[
    list[str],
    typer.Argument(
        metavar="[NAME=]FILE…",
        help="Flows that 'tulle simulate -o' or a study (flows.csv) wrote, or a run directory; NAME is their name in "
        "the legend.",
    ),
]
Runs = Annotated[
    list[str],
    typer.Argument(metavar="[NAME=]FILE…", help="Runs that 'tulle flit -o' wrote; NAME is their name in the legend."),
]
LinkSamples = Annotated[
    Path, typer.Argument(metavar="FILE", help="Samples that 'tulle simulate --link-samples' wrote.")
]
Sweep = Annotated[Path, typer.Argument(metavar="FILE", help="The output of 'tulle resilience --json'.")]
Cases = Annotated[
    list[str] | None, typer.Option("--case", metavar="NAME", help="Of a study, draw only this case; repeatable.")
]
At = Annotated[
    list[str] | None,
    typer.Option("--at", metavar="NAME=VALUE", help="Of a study, draw only grid points with this value; repeatable."),
]
OfFlows = Annotated[
    str, typer.Option("--of", metavar="WHAT", help="What is drawn: fct (completion time), slowdown or throughput.")
]
OfRuns = Annotated[
    str | None,
    typer.Option("--of", metavar="WHAT", help="What is drawn: latency or accepted; default: both side by side."),
]
OfLinks = Annotated[
    str | None,
    typer.Option("--of", metavar="WHAT", help="What is drawn: queue or utilisation; default: one below the other."),
]
OfSweep = Annotated[
    str | None,
    typer.Option("--of", metavar="METRIC", help="One metric, for example diameter; default: a panel per metric."),
]


def cdf(files: Flows, output: Output, of: OfFlows = "fct", case: Cases = None, at: At = None) -> None:
    """Draws distributions over flows.

    There is a line per file: the fraction of flows with a value of at most x. A study's flows.csv has a line per case
    and grid point, over the flows of all seeds.
    """
    from tulle.plot.flows import plot_cdfs, read_of
    from tulle.plot.result_files import read_flows

    read_of(of)
    flows = read_flows(files, case or (), at or ())
    write(plot_cdfs({name: found[of] for name, found in flows.items()}, of), output)


def by_size(files: Flows, output: Output, of: OfFlows = "fct", case: Cases = None, at: At = None) -> None:
    """Draws completion times over message size.

    There are two lines per file: median and 99th percentile. A study's flows.csv has two lines per case and grid point,
    over the flows of all seeds.
    """
    from tulle.plot.flows import plot_all_by_size, read_of
    from tulle.plot.result_files import read_flows

    read_of(of)
    flows = read_flows(files, case or (), at or ())
    write(plot_all_by_size({name: (found["bytes"], found[of]) for name, found in flows.items()}, of), output)


def timeseries(file: LinkSamples, output: Output, of: OfLinks = None) -> None:
    """Draws queue and utilisation of links over time.

    There is a line per link. tulle simulate --sample-links chooses the links.
    """
    from tulle.plot.result_files import read_link_samples
    from tulle.plot.timeseries import plot_timeseries

    write(plot_timeseries(read_link_samples(file), of), output)


def latency_load(files: Runs, output: Output, of: OfRuns = None) -> None:
    """Draws latency and accepted load over offered load.

    There is a line per file, with a band over seeds. Hollow markers show loads at which a run saturated.
    """
    from tulle.plot.latency_load import plot_latency_load
    from tulle.plot.result_files import read_runs

    runs = read_runs(files)
    # A single curve needs no legend.
    write(plot_latency_load(runs if len(runs) > 1 else {"": next(iter(runs.values()))}, of), output)


def resilience(file: Sweep, output: Output, of: OfSweep = None) -> None:
    """Draws a network's metrics after failures.

    Lines are medians, and bands reach from minimum to maximum over seeds.
    """
    from tulle.analysis.failure_sweep import read_sweep

    write(read_sweep(file).plot(of), output)
