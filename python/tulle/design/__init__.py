"""Design networks: search configurations, place racks, compute cable lengths and bills of materials.

Cables may pass through optical switches or patch panels.

>>> import tulle
>>> layout = tulle.place("slimfly:q=5")
>>> len(layout.racks), int(layout.cable_copper.sum()), layout.bill("infiniband-edr").currency
(5, 75, 'USD')

Names load on first use.
"""

from typing import TYPE_CHECKING

from tulle._internal.lazy import attach

if TYPE_CHECKING:
    from tulle.design.bill import Bill as Bill
    from tulle.design.bill import BillRow as BillRow
    from tulle.design.bill import Items as Items
    from tulle.design.certify import Certificate as Certificate
    from tulle.design.forms import ClosedForms as ClosedForms
    from tulle.design.forms import closed_forms as closed_forms
    from tulle.design.largest_within import largest as largest
    from tulle.design.placement import Layout as Layout
    from tulle.design.placement import place as place
    from tulle.design.prices import Prices as Prices
    from tulle.design.prices import read_prices as read_prices
    from tulle.design.ranking import ranked as ranked
    from tulle.design.search import Design as Design
    from tulle.design.search import Proposal as Proposal
    from tulle.design.search import design as design
    from tulle.design.shipped_files import shipped as shipped
    from tulle.design.through import Circuits as Circuits
    from tulle.design.through import optical_switches as optical_switches
    from tulle.design.through import patch_panels as patch_panels
    from tulle.design.through import virtual_layered as virtual_layered

# Public name -> module it lives in.
_HOMES = {
    "Bill": "tulle.design.bill",
    "BillRow": "tulle.design.bill",
    "Certificate": "tulle.design.certify",
    "Circuits": "tulle.design.through",
    "ClosedForms": "tulle.design.forms",
    "Design": "tulle.design.search",
    "Items": "tulle.design.bill",
    "Layout": "tulle.design.placement",
    "Prices": "tulle.design.prices",
    "Proposal": "tulle.design.search",
    "closed_forms": "tulle.design.forms",
    "design": "tulle.design.search",
    "largest": "tulle.design.largest_within",
    "place": "tulle.design.placement",
    "optical_switches": "tulle.design.through",
    "patch_panels": "tulle.design.through",
    "virtual_layered": "tulle.design.through",
    "ranked": "tulle.design.ranking",
    "read_prices": "tulle.design.prices",
    "shipped": "tulle.design.shipped_files",
}

__all__ = [*_HOMES]

if not TYPE_CHECKING:
    # Type checkers do not see `__getattr__`; otherwise they would accept every name in this module.
    __getattr__, __dir__ = attach(__name__, _HOMES)
