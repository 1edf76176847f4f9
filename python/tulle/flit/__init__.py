"""The flit simulator: lossless networks with virtual channels and credits, cycle by cycle."""

from typing import TYPE_CHECKING

from tulle._internal.lazy import attach

if TYPE_CHECKING:
    from tulle.flit.options import FlitConfiguration as FlitConfiguration
    from tulle.flit.outcome import FlitDeadlock as FlitDeadlock
    from tulle.flit.outcome import FlitProgress as FlitProgress
    from tulle.flit.outcome import FlitSimulation as FlitSimulation
    from tulle.flit.run import Saturation as Saturation
    from tulle.flit.run import saturation as saturation
    from tulle.flit.run import simulate_flits as simulate_flits
    from tulle.flit.run_to_completion import ExchangeSimulation as ExchangeSimulation
    from tulle.flit.run_to_completion import simulate_exchange as simulate_exchange
    from tulle.flit.sweep import LoadCurve as LoadCurve
    from tulle.flit.sweep import curve as curve
    from tulle.flit.sweep import draw as draw
    from tulle.flit.sweep import plot_latency_load as plot_latency_load

# Public name -> module it lives in.
_HOMES = {
    "ExchangeSimulation": "tulle.flit.run_to_completion",
    "FlitConfiguration": "tulle.flit.options",
    "FlitDeadlock": "tulle.flit.outcome",
    "FlitProgress": "tulle.flit.outcome",
    "FlitSimulation": "tulle.flit.outcome",
    "LoadCurve": "tulle.flit.sweep",
    "Saturation": "tulle.flit.run",
    "curve": "tulle.flit.sweep",
    "draw": "tulle.flit.sweep",
    "plot_latency_load": "tulle.flit.sweep",
    "simulate_exchange": "tulle.flit.run_to_completion",
    "simulate_flits": "tulle.flit.run",
    "saturation": "tulle.flit.run",
}

__all__ = [*_HOMES]

if not TYPE_CHECKING:
    # Type checkers must not see `__getattr__`: with it, they accept any name in this module.
    __getattr__, __dir__ = attach(__name__, _HOMES)
