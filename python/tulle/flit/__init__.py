"""The flit simulator: lossless networks with virtual channels and credits, cycle by cycle."""

from typing import TYPE_CHECKING

from tulle._internal.lazy import attach

if TYPE_CHECKING:
    from tulle.flit.configuration import FlitConfiguration as FlitConfiguration
    from tulle.flit.exchange import ExchangeSimulation as ExchangeSimulation
    from tulle.flit.exchange import exchange as exchange
    from tulle.flit.outcome import FlitDeadlock as FlitDeadlock
    from tulle.flit.outcome import FlitProgress as FlitProgress
    from tulle.flit.outcome import FlitSimulation as FlitSimulation
    from tulle.flit.run import Saturation as Saturation
    from tulle.flit.run import flit as flit
    from tulle.flit.run import saturation as saturation
    from tulle.flit.sweep import curve as curve
    from tulle.flit.sweep import draw as draw

# Public name -> module it lives in.
_HOMES = {
    "ExchangeSimulation": "tulle.flit.exchange",
    "FlitConfiguration": "tulle.flit.configuration",
    "FlitDeadlock": "tulle.flit.outcome",
    "FlitProgress": "tulle.flit.outcome",
    "FlitSimulation": "tulle.flit.outcome",
    "Saturation": "tulle.flit.run",
    "curve": "tulle.flit.sweep",
    "draw": "tulle.flit.sweep",
    "exchange": "tulle.flit.exchange",
    "flit": "tulle.flit.run",
    "saturation": "tulle.flit.run",
}

__all__ = [*_HOMES]

attach(__name__, _HOMES)
