"""Make cabling plans for technicians, verify actual cables, and import networks from files of other tools."""

from typing import TYPE_CHECKING

from tulle._internal.lazy import attach

if TYPE_CHECKING:
    from tulle.cabling.live import TOOLS as TOOLS
    from tulle.cabling.live import read_live as read_live
    from tulle.cabling.miswirings import Miswiring as Miswiring
    from tulle.cabling.miswirings import Verdict as Verdict
    from tulle.cabling.networks import FORMATS as FORMATS
    from tulle.cabling.networks import Imported as Imported
    from tulle.cabling.networks import read_network as read_network
    from tulle.cabling.plan import Plan as Plan
    from tulle.cabling.plan_file import read_plan as read_plan
    from tulle.cabling.plan_folder import write_plan as write_plan
    from tulle.cabling.planning import plan_cabling as plan_cabling
    from tulle.cabling.verify import verify_cabling as verify_cabling

# Public name -> module that defines it.
_HOMES = {
    "FORMATS": "tulle.cabling.networks",
    "Miswiring": "tulle.cabling.miswirings",
    "Imported": "tulle.cabling.networks",
    "Plan": "tulle.cabling.plan",
    "TOOLS": "tulle.cabling.live",
    "Verdict": "tulle.cabling.miswirings",
    "plan_cabling": "tulle.cabling.planning",
    "read_live": "tulle.cabling.live",
    "read_network": "tulle.cabling.networks",
    "read_plan": "tulle.cabling.plan_file",
    "verify_cabling": "tulle.cabling.verify",
    "write_plan": "tulle.cabling.plan_folder",
}

__all__ = [*_HOMES]

if not TYPE_CHECKING:
    # Type checkers do not see `__getattr__`; otherwise they would accept every name in this module.
    __getattr__, __dir__ = attach(__name__, _HOMES)
