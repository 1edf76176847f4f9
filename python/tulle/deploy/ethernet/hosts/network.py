"""Addresses, neighbours, routes and MPTCP endpoints of a host, as input of ``ip -batch``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.deploy.ethernet.gateways import routed
from tulle.deploy.ethernet.saved_state import PROTOCOL

if TYPE_CHECKING:
    from tulle.deploy.ethernet.plan import EthernetPlan, Host

MOST_SUBFLOWS = 8
"""The kernel's limit of endpoints, and of subflows beyond the first (MPTCP_PM_ADDR_MAX)."""


def addresses(plan: EthernetPlan, host: Host) -> str:
    """An address per layer."""
    # Duplicate address detection is off: the plan guarantees unique addresses, and the kernel would not send from an
    # address during the detection.
    nodad = " nodad" if plan.addressing.version == 6 else ""
    width = plan.addressing.host_length
    return "".join(f"address replace {address}/{width} dev {host.interface}{nodad}\n" for address in host.addresses)


def neighbours(plan: EthernetPlan, host: Host) -> str:
    """A static neighbour entry for the switch of the host."""
    gateways = routed(plan, host)
    return f"neighbour replace {gateways.addresses[0]} lladdr {gateways.mac} dev {host.interface} nud permanent\n"


def routes(plan: EthernetPlan, host: Host) -> str:
    """A route per layer that sets the source address, so that both addresses of a packet belong to the same layer."""
    return "".join(
        f"route replace {plan.addressing.layer_prefix(layer)} via {gateway} dev {host.interface} onlink src {address} "
        f"proto {PROTOCOL}\n"
        for layer, (address, gateway) in enumerate(zip(host.addresses, routed(plan, host).addresses, strict=True))
    )


def mptcp(host: Host) -> str:
    """MPTCP endpoints that are announced to the peer, which then opens a subflow per layer.

    The endpoints have the type ``signal``. Endpoints of the type ``subflow`` would open all subflows to the peer's
    first address, and so in layer 0, because the destination address determines the layer. The kernel assigns the ids,
    because the site's own endpoints have ids too.
    """
    limits = f"mptcp limits set subflows {MOST_SUBFLOWS} add_addr_accepted {MOST_SUBFLOWS}\n"
    announced = host.addresses[1 : MOST_SUBFLOWS + 1]
    return limits + "".join(f"mptcp endpoint add {address} dev {host.interface} signal\n" for address in announced)
