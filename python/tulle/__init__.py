"""tulle: design, route, analyse and simulate low-diameter networks.

>>> import tulle
>>> fabric = tulle.Fabric("slimfly:q=5")
>>> fabric.num_switches, fabric.num_endpoints, fabric.diameter
(50, 200, 2)

The public names load on first use, so that ``import tulle`` and ``tulle --help`` are fast.
"""

from tulle._internal.lazy import attach

# The module typing is not imported, because it takes longer to load than this package.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from tulle import analysis as analysis
    from tulle import cabling as cabling
    from tulle import compare as compare
    from tulle import deploy as deploy
    from tulle import design as design
    from tulle import errors as errors
    from tulle import executors as executors
    from tulle import fabric as fabric
    from tulle import faults as faults
    from tulle import flit as flit
    from tulle import flit_patterns as flit_patterns
    from tulle import flit_selectors as flit_selectors
    from tulle import lab as lab
    from tulle import metrics as metrics
    from tulle import nics as nics
    from tulle import packet as packet
    from tulle import patterns as patterns
    from tulle import policies as policies
    from tulle import queues as queues
    from tulle import report_html as report_html
    from tulle import routers as routers
    from tulle import routing as routing
    from tulle import schemes as schemes
    from tulle import selectors as selectors
    from tulle import study as study
    from tulle import topologies as topologies
    from tulle import transports as transports
    from tulle import vc_schemes as vc_schemes
    from tulle._tulle import __version__ as __version__
    from tulle.analysis.worst_case import stress as stress
    from tulle.columns import Columns as Columns
    from tulle.design.bill import Bill as Bill
    from tulle.design.placement import Layout as Layout
    from tulle.design.placement import place as place
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
    from tulle.flit.outcome import FlitSimulation as FlitSimulation
    from tulle.flit.run import Saturation as Saturation
    from tulle.flit.run import saturation as saturation
    from tulle.flit.run import simulate_flits as simulate_flits
    from tulle.flit.run_to_completion import ExchangeSimulation as ExchangeSimulation
    from tulle.flit.run_to_completion import simulate_exchange as simulate_exchange
    from tulle.packet.outcome import Progress as Progress
    from tulle.packet.outcome import Simulation as Simulation
    from tulle.packet.run import simulate as simulate
    from tulle.registry import registered as registered
    from tulle.routing.routing import Routing as Routing
    from tulle.routing.routing import route as route
    from tulle.tuning import Tuning as Tuning
    from tulle.tuning import tune as tune
    from tulle.workload import Workload as Workload
    from tulle.workload import traffic as traffic

# Public name -> module that defines it.
_HOMES = {
    "__version__": "tulle._tulle",
    "Bill": "tulle.design.bill",
    "Columns": "tulle.columns",
    "ConstructionError": "tulle.errors",
    "ExchangeSimulation": "tulle.flit.run_to_completion",
    "Fabric": "tulle.fabric.fabric",
    "FileError": "tulle.errors",
    "FlitSimulation": "tulle.flit.outcome",
    "FormatError": "tulle.errors",
    "InputError": "tulle.errors",
    "Layout": "tulle.design.placement",
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
    "Tuning": "tulle.tuning",
    "Workload": "tulle.workload",
    "simulate_exchange": "tulle.flit.run_to_completion",
    "simulate_flits": "tulle.flit.run",
    "place": "tulle.design.placement",
    "read_prices": "tulle.design.prices",
    "registered": "tulle.registry",
    "route": "tulle.routing.routing",
    "saturation": "tulle.flit.run",
    "simulate": "tulle.packet.run",
    "traffic": "tulle.workload",
    "stress": "tulle.analysis.worst_case",
    "tune": "tulle.tuning",
}

_MODULES = (
    "analysis",
    "cabling",
    "compare",
    "deploy",
    "design",
    "errors",
    "executors",
    "fabric",
    "faults",
    "flit",
    "flit_patterns",
    "flit_selectors",
    "lab",
    "metrics",
    "nics",
    "packet",
    "patterns",
    "policies",
    "queues",
    "report_html",
    "routers",
    "routing",
    "schemes",
    "selectors",
    "study",
    "topologies",
    "transports",
    "vc_schemes",
)

__all__ = [*_HOMES, *_MODULES]

if not TYPE_CHECKING:
    # Type checkers must not see `__getattr__`: with it, they accept any name in this module.
    __getattr__, __dir__ = attach(__name__, _HOMES, _MODULES)
