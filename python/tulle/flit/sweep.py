"""Run many flit simulations in parallel: latency over load, for several seeds."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle._internal.arguments import read_list, read_seeds
from tulle._internal.arrays import frozen
from tulle._internal.drawing import Drawable, decades, draw_into, name_lines
from tulle._internal.runtime import processors, starting
from tulle.columns import Columns
from tulle.errors import InputError
from tulle.fabric import as_fabric
from tulle.flit.run import simulate_flits
from tulle.routing.routing import as_routing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike

    from matplotlib.figure import Figure
    from typing_extensions import Unpack

    from tulle.fabric import Fabric
    from tulle.flit.configuration import OpenLoopSettings
    from tulle.flit.outcome import FlitProgress, FlitSimulation
    from tulle.routing.routing import Routing
    from tulle.workload import Workload

__all__ = ["LoadCurve", "curve", "draw", "simulations", "tabulate"]

_MAX_SEEDS = 10_000
_INCHES = (9.0, 3.6)
_FIGURES = ("accepted", "latency_mean", "network_latency_mean", "hops_mean", "minimal")


class LoadCurve(Drawable, Columns):
    """Latency and accepted load over offered load: a row per load and seed. Made by `curve`."""

    def _inches(self) -> tuple[float, float]:
        return _INCHES

    def _paint(self, figure: Figure) -> None:
        _paint(figure, {"": self})


def curve(
    fabric: Fabric | str,
    routing: Routing | str,
    traffic: str | Workload = "uniform",
    *,
    loads: Sequence[float],
    seeds: int | Sequence[int] = 1,
    runs_at_a_time: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    **settings: Unpack[OpenLoopSettings],
) -> LoadCurve:
    """Measure latency and accepted load over offered load, for every load and seed.

    The result has one row per load and seed, in the given order. Its columns: ``load`` (float64), ``seed`` (int64),
    ``accepted``, ``latency_mean``, ``network_latency_mean``, ``hops_mean``, ``minimal``, ``latency_p50`` to
    ``latency_p999`` (cycles; float64, NaN if no packet arrived), ``cycles`` simulated, ``saturated`` (Jellyfish's rule
    of 500 cycles) and ``deadlock`` (1 if a deadlock ended the run), int64.

    Parameters
    ----------
    loads
        Offered loads, 0 to 1.
    seeds
        Seeds of traffic and simulation: a number n for the seeds 0 to n − 1, or a list. Fabric and routing stay the
        same.
    runs_at_a_time
        Number of parallel simulations, which does not affect the results; None: one per processor.
    progress
        Called with the numbers of finished runs and of all runs, from the calling thread.
    fabric, routing, traffic, settings
        As for `tulle.simulate_flits`.

    Raises
    ------
    tulle.SpecError, tulle.InputError
        For the same reasons as in `tulle.simulate_flits`, if no loads are given, or for seeds out of range.

    Examples
    --------
    >>> import tulle
    >>> found = tulle.flit.curve("slimfly:q=3", "minimal", loads=[0.1, 0.5], vcs=2, window=500)
    >>> [round(float(load), 1) for load in found["load"]]
    [0.1, 0.5]
    """
    drawn = read_seeds(seeds, _MAX_SEEDS)
    points = [(float(load), seed) for load in read_list("loads", loads) for seed in drawn]
    if not points:
        raise InputError("no loads; legal: at least one")
    found = simulations(fabric, routing, traffic, points, runs_at_a_time=runs_at_a_time, progress=progress, **settings)
    return tabulate(points, found)


def simulations(
    fabric: Fabric | str,
    routing: Routing | str,
    traffic: str | Workload,
    points: Sequence[tuple[float, int]],
    *,
    runs_at_a_time: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    **settings: Unpack[OpenLoopSettings],
) -> list[FlitSimulation]:
    """Simulate each pair of load and seed in `points`, in that order; the other parameters are those of `curve`."""
    fabric = as_fabric(fabric)
    routing = as_routing(fabric, routing)
    workers = processors() if runs_at_a_time is None else runs_at_a_time
    if workers < 1:
        raise InputError(f"runs_at_a_time={workers} is out of range; legal: 1 or more")
    stop = threading.Event()

    def watch(_: FlitProgress) -> None:
        if stop.is_set():
            raise _Stopped

    def run(point: tuple[float, int]) -> FlitSimulation:
        load, seed = point
        return simulate_flits(fabric, routing, traffic, load=load, seed=seed, progress=watch, **settings)

    pool = ThreadPoolExecutor(workers, thread_name_prefix="curve")
    try:
        with starting():
            futures = [pool.submit(run, point) for point in points]
        results = []
        for done, future in enumerate(futures):
            results.append(future.result())
            if progress is not None:
                progress(done + 1, len(points))
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
    return results


def tabulate(points: Sequence[tuple[float, int]], results: Sequence[FlitSimulation]) -> LoadCurve:
    """Return the columns of `curve`: one row per load and seed, with the results of its simulation."""
    rows = [_row(*point, result) for point, result in zip(points, results, strict=True)]
    units = {name: "cycles" for name in rows[0] if "latency" in name}
    return LoadCurve({name: frozen(np.array([row[name] for row in rows])) for name in rows[0]}, units)


def _row(load: float, seed: int, result: FlitSimulation) -> dict[str, Any]:
    found = {name: np.nan if (value := result.figures[name]) is None else value for name in _FIGURES}
    percentiles = result.percentiles.items()
    latencies = {f"latency_{name}": np.nan if value is None else float(value) for name, value in percentiles}
    ends = {
        "cycles": result.counters["cycles"],
        "saturated": int(result.exceeds_500_cycles),
        "deadlock": int(result.deadlock is not None),
    }
    return {"load": load, "seed": seed, **found, **latencies, **ends}


class _Stopped(Exception):  # noqa: N818 - a signal, not an error
    """Raised to stop a run, because another run failed or the user pressed Ctrl-C."""


def draw(curves: Mapping[str, Columns], path: str | PathLike[str]) -> None:
    """Draw several results of `curve` into one plot, each labelled with its name in `curves`.

    The left plot shows mean latency over offered load, the right plot accepted over offered load. Lines are means over
    seeds, and bands reach from minimum to maximum. The suffix of `path` is the format: ``.pdf``, ``.png`` or ``.svg``.
    Equal curves give identical files. Needs matplotlib, which ``tulle[plot]`` installs.

    Raises
    ------
    tulle.MissingDependencyError
        If matplotlib is not installed.
    tulle.FileError
        If the suffix is not ``.pdf``, ``.png`` or ``.svg``, or the file cannot be written.
    tulle.errors.DrawingError
        If matplotlib fails.
    """
    draw_into(Path(path), _INCHES, lambda figure: _paint(figure, curves))


def _paint(figure: Figure, curves: Mapping[str, Columns]) -> None:
    panels = figure.subplots(1, 2)
    lines = []
    for columns in curves.values():
        loads = np.unique(columns["load"])
        for panel, key in zip(panels, ("latency_mean", "accepted"), strict=True):
            values = [columns[key][columns["load"] == load] for load in loads]
            (line,) = panel.plot(loads, [part.mean() for part in values], marker=".")
            least, most = [part.min() for part in values], [part.max() for part in values]
            panel.fill_between(loads, least, most, alpha=0.25, color=line.get_color(), linewidth=0)
        lines.append(line)
    panels[0].set_ylabel("mean latency (cycles)")
    panels[0].set_yscale("log")
    decades(panels[0].yaxis)
    panels[1].set_ylabel("accepted load")
    for panel in panels:
        panel.set_xlabel("offered load (flits per cycle and endpoint)")
        panel.grid(visible=True, alpha=0.3)
    if any(curves):
        name_lines(panels[1], lines, list(curves))
