"""The packet simulator: switches, queues, transports and selectors, packet by packet."""

from typing import TYPE_CHECKING

from tulle._internal.lazy import attach

if TYPE_CHECKING:
    from tulle.packet.options import Configuration as Configuration
    from tulle.packet.outcome import Deadlock as Deadlock
    from tulle.packet.outcome import FaultReport as FaultReport
    from tulle.packet.outcome import HeldPort as HeldPort
    from tulle.packet.outcome import Profile as Profile
    from tulle.packet.outcome import Progress as Progress
    from tulle.packet.outcome import Simulation as Simulation
    from tulle.packet.run import simulate as simulate

# Public name -> module it lives in.
_HOMES = {
    "Configuration": "tulle.packet.options",
    "Deadlock": "tulle.packet.outcome",
    "FaultReport": "tulle.packet.outcome",
    "HeldPort": "tulle.packet.outcome",
    "Profile": "tulle.packet.outcome",
    "Progress": "tulle.packet.outcome",
    "Simulation": "tulle.packet.outcome",
    "simulate": "tulle.packet.run",
}

__all__ = [*_HOMES]

if not TYPE_CHECKING:
    # Type checkers must not see `__getattr__`: with it, they accept any name in this module.
    __getattr__, __dir__ = attach(__name__, _HOMES)
