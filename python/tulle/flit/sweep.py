"""Run many flit simulations in parallel: latency over load, for several seeds."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle._internal.arguments import read_fraction, read_list, read_seeds
from tulle._internal.arrays import frozen
from tulle._internal.runtime import processors, starting
from tulle.columns import Columns
from tulle.errors import InputError
from tulle.fabric import as_fabric
from tulle.flit.run import simulate_flits
from tulle.plot.sheet import Drawable, check_plot, save_plot
from tulle.routing.routing import as_routing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from tulle.fabric import Fabric
    from tulle.flit.configuration import OpenLoopSettings
    from tulle.flit.outcome import FlitProgress, FlitSimulation
    from tulle.routing.routing import Routing
    from tulle.workload import Workload

__all__ = ["LoadCurve", "curve", "draw", "plot_latency_load", "simulations", "tabulate"]

_MAX_SEEDS = 10_000
_FIGURES = ("accepted", "latency_mean", "network_latency_mean", "hops_mean", "minimal")


class LoadCurve(Drawable, Columns):
    """Latency and accepted load over offered load: a row per load and seed. Made by `curve`."""

    def plot_latency_load(self, of: str | None = None, *, label: str = "", ax: Axes | None = None) -> Figure:
        """Draw latency and accepted load over offered load; see `tulle.flit.plot_latency_load`.

        Parameters
        ----------
        of
            ``latency`` or ``accepted``; None: both side by side, or ``latency`` with `ax`.
        label
            The name of the curve in the legend; empty: no legend.
        ax
            Axes of matplotlib to draw on; None: a new figure.
        """
        return plot_latency_load({label: self}, of, ax=ax)

    def plot(self) -> Figure:
        """Draw latency and accepted load over offered load, and return the matplotlib figure."""
        return self.plot_latency_load()


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

    The result has one row per load and seed, in the given order. Its columns:

    * ``load`` (float64) and ``seed`` (int64);
    * results that `FlitSimulation` describes: ``accepted``, ``latency_mean``, ``network_latency_mean``, ``hops_mean``,
      ``minimal``, ``latency_p50`` to ``latency_p999`` (float64, NaN if unknown);
    * ``cycles`` simulated, ``saturated`` (1 if `FlitSimulation.saturated`), and ``deadlock`` (1 if a deadlock
      ended the run; int64).

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
    for name in ("load", "seed"):
        if name in settings:
            raise InputError(f"curve takes {name}s= instead of {name}=; legal: a list of {name}s")
    drawn = read_seeds(seeds, _MAX_SEEDS)
    points = [(read_fraction("load", load), seed) for load in read_list("loads", loads) for seed in drawn]
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
        "saturated": int(result.saturated),
        "deadlock": int(result.deadlock is not None),
    }
    return {"load": load, "seed": seed, **found, **latencies, **ends}


class _Stopped(Exception):  # noqa: N818 - a signal, not an error
    """Raised to stop a run, because another run failed or the user pressed Ctrl-C."""


def plot_latency_load(
    curves: Mapping[str, Mapping[str, NDArray[Any]]], of: str | None = None, *, ax: Axes | None = None
) -> Figure:
    """Draw several results of `curve` into one plot, each labelled with its name in `curves`.

    Lines are means over seeds, and bands reach from minimum to maximum. Hollow markers are loads at which a run
    saturated; see `FlitSimulation.saturated`.

    Parameters
    ----------
    curves
        Results of `curve` by name. The legend shows the names; if all names are empty, the plot has no legend.
    of
        ``latency`` (mean, in cycles) or ``accepted`` (flits per cycle and endpoint); None: both side by side, or
        ``latency`` with `ax`.
    ax
        Axes of matplotlib to draw on; None: a new figure.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.

    Raises
    ------
    tulle.SpecError
        For another value of `of`.
    tulle.InputError
        If there are no curves.
    tulle.MissingDependencyError
        If matplotlib is not installed; ``tulle[plot]`` installs it.
    """
    from tulle.plot import latency_load

    return latency_load.plot_latency_load(curves, of, ax=ax)


def draw(curves: Mapping[str, Columns], path: str | PathLike[str]) -> None:
    """Write the plot of `plot_latency_load` to a file. The suffix is the format: ``.pdf``, ``.png`` or ``.svg``.

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
    check_plot(Path(path))
    save_plot(plot_latency_load(curves), Path(path))
