"""tulle: design, route, analyse and simulate low-diameter networks.

>>> import tulle
>>> fabric = tulle.Fabric("slimfly:q=5")
>>> fabric.num_switches, fabric.num_endpoints, fabric.diameter
(50, 200, 2)

Names load on first use, so that ``import tulle`` and ``tulle --help`` stay quick.
"""

from importlib import import_module

# Not from typing, which takes longer to load than all that is here.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from tulle import analysis as analysis
    from tulle import errors as errors
    from tulle import study as study
    from tulle._tulle import __version__ as __version__
    from tulle.columns import Columns as Columns
    from tulle.errors import ConstructionError as ConstructionError
    from tulle.errors import FileError as FileError
    from tulle.errors import FormatError as FormatError
    from tulle.errors import InputError as InputError
    from tulle.errors import MissingDependencyError as MissingDependencyError
    from tulle.errors import OutOfMemoryError as OutOfMemoryError
    from tulle.errors import SpecError as SpecError
    from tulle.errors import StudyError as StudyError
    from tulle.errors import TulleError as TulleError
    from tulle.exchanges import ExchangeSimulation as ExchangeSimulation
    from tulle.exchanges import exchange as exchange
    from tulle.fabric import Fabric as Fabric
    from tulle.flits import FlitSimulation as FlitSimulation
    from tulle.flits import Saturation as Saturation
    from tulle.flits import flit as flit
    from tulle.flits import saturation as saturation
    from tulle.packet import Progress as Progress
    from tulle.packet import Simulation as Simulation
    from tulle.packet import simulate as simulate
    from tulle.registry import registered as registered
    from tulle.routing import Routing as Routing
    from tulle.routing import route as route
    from tulle.tuning import Tuning as Tuning
    from tulle.tuning import tune as tune
    from tulle.workload import Workload as Workload
    from tulle.workload import stress as stress
    from tulle.workload import traffic as traffic

# Public name -> module it lives in; a module stands for itself.
_HOMES = {
    "__version__": "tulle._tulle",
    "Columns": "tulle.columns",
    "ConstructionError": "tulle.errors",
    "ExchangeSimulation": "tulle.exchanges",
    "Fabric": "tulle.fabric",
    "FileError": "tulle.errors",
    "FlitSimulation": "tulle.flits",
    "FormatError": "tulle.errors",
    "InputError": "tulle.errors",
    "MissingDependencyError": "tulle.errors",
    "OutOfMemoryError": "tulle.errors",
    "Progress": "tulle.packet",
    "Routing": "tulle.routing",
    "Saturation": "tulle.flits",
    "Simulation": "tulle.packet",
    "SpecError": "tulle.errors",
    "StudyError": "tulle.errors",
    "TulleError": "tulle.errors",
    "Tuning": "tulle.tuning",
    "Workload": "tulle.workload",
    "analysis": "tulle.analysis",
    "errors": "tulle.errors",
    "exchange": "tulle.exchanges",
    "flit": "tulle.flits",
    "registered": "tulle.registry",
    "route": "tulle.routing",
    "saturation": "tulle.flits",
    "simulate": "tulle.packet",
    "study": "tulle.study",
    "traffic": "tulle.workload",
    "tune": "tulle.tuning",
    "stress": "tulle.workload",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'tulle' has no attribute '{name}'")
    module = import_module(home)
    value = module if home == f"tulle.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
