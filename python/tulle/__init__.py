"""tulle: design, route, analyse and simulate low-diameter networks.

>>> import tulle
>>> fabric = tulle.Fabric("slimfly:q=5")
>>> fabric.num_switches, fabric.num_endpoints, fabric.diameter
(50, 200, 2)

Names load on first use, so that ``import tulle`` and ``tulle --help`` stay quick.
"""

from tulle._internal.lazy import attach

# Not from typing, which takes longer to load than all that is here.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from tulle import analysis as analysis
    from tulle import errors as errors
    from tulle import study as study
    from tulle._tulle import __version__ as __version__
    from tulle.columns import Columns as Columns
    from tulle.design.bill import Bill as Bill
    from tulle.design.layout import Layout as Layout
    from tulle.design.layout import layout as layout
    from tulle.design.prices import Prices as Prices
    from tulle.design.prices import read_prices as read_prices
    from tulle.errors import ConstructionError as ConstructionError
    from tulle.errors import FileError as FileError
    from tulle.errors import FormatError as FormatError
    from tulle.errors import InputError as InputError
    from tulle.errors import MissingDependencyError as MissingDependencyError
    from tulle.errors import OutOfMemoryError as OutOfMemoryError
    from tulle.errors import SpecError as SpecError
    from tulle.errors import StudyError as StudyError
    from tulle.errors import TulleError as TulleError
    from tulle.fabric import Fabric as Fabric
    from tulle.flit.exchange import ExchangeSimulation as ExchangeSimulation
    from tulle.flit.exchange import exchange as exchange
    from tulle.flit.outcome import FlitSimulation as FlitSimulation
    from tulle.flit.run import Saturation as Saturation
    from tulle.flit.run import flit as flit
    from tulle.flit.run import saturation as saturation
    from tulle.packet.outcome import Progress as Progress
    from tulle.packet.outcome import Simulation as Simulation
    from tulle.packet.run import simulate as simulate
    from tulle.registry import registered as registered
    from tulle.routing.routing import Routing as Routing
    from tulle.routing.routing import route as route
    from tulle.routing.tuning import Tuning as Tuning
    from tulle.routing.tuning import tune as tune
    from tulle.workload import Workload as Workload
    from tulle.workload import stress as stress
    from tulle.workload import traffic as traffic

# Public name -> module it lives in.
_HOMES = {
    "__version__": "tulle._tulle",
    "Bill": "tulle.design.bill",
    "Columns": "tulle.columns",
    "ConstructionError": "tulle.errors",
    "ExchangeSimulation": "tulle.flit.exchange",
    "Fabric": "tulle.fabric.fabric",
    "FileError": "tulle.errors",
    "FlitSimulation": "tulle.flit.outcome",
    "FormatError": "tulle.errors",
    "InputError": "tulle.errors",
    "Layout": "tulle.design.layout",
    "MissingDependencyError": "tulle.errors",
    "OutOfMemoryError": "tulle.errors",
    "Prices": "tulle.design.prices",
    "Progress": "tulle.packet.outcome",
    "Routing": "tulle.routing.routing",
    "Saturation": "tulle.flit.run",
    "Simulation": "tulle.packet.outcome",
    "SpecError": "tulle.errors",
    "StudyError": "tulle.errors",
    "TulleError": "tulle.errors",
    "Tuning": "tulle.routing.tuning",
    "Workload": "tulle.workload",
    "exchange": "tulle.flit.exchange",
    "flit": "tulle.flit.run",
    "layout": "tulle.design.layout",
    "read_prices": "tulle.design.prices",
    "registered": "tulle.registry",
    "route": "tulle.routing.routing",
    "saturation": "tulle.flit.run",
    "simulate": "tulle.packet.run",
    "traffic": "tulle.workload",
    "stress": "tulle.workload",
    "tune": "tulle.routing.tuning",
}

_MODULES = ("analysis", "errors", "study")

__all__ = [*_HOMES, *_MODULES]

attach(__name__, _HOMES, _MODULES)
