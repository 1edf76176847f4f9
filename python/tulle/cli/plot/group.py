"""The command group ``tulle plot``: one command per kind of plot, and a line per command in this file."""

from __future__ import annotations

import typer

from tulle.cli.plot.fabric import adjacency, fabric
from tulle.cli.plot.layout import layout
from tulle.cli.plot.results import by_size, cdf, latency_load, resilience, timeseries
from tulle.cli.plot.routing import load, paths

plot = typer.Typer(
    help="Draws fabrics, routings, layouts, and results that other commands wrote, as figures for papers.",
    rich_markup_mode=None,
)

plot.command("fabric")(fabric)
plot.command("adjacency")(adjacency)
plot.command("paths")(paths)
plot.command("load")(load)
plot.command("layout")(layout)
plot.command("cdf")(cdf)
plot.command("fct-by-size")(by_size)
plot.command("timeseries")(timeseries)
plot.command("latency-load")(latency_load)
plot.command("resilience")(resilience)
