"""Addresses, neighbours, routes and MPTCP endpoints of a host, as input of ``ip -batch``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.deploy.ethernet.plan import HOST_INTERFACE

if TYPE_CHECKING:
    from tulle.deploy.ethernet.plan import EthernetPlan, Host

MOST_SUBFLOWS = 8
"""Beyond the first one: what the kernel's path manager takes (MPTCP_PM_ADDR_MAX)."""


def addresses(plan: EthernetPlan, host: Host) -> str:
    """An address per layer."""
    # What is tentative cannot be sent from, and nobody else has it: addresses follow from the plan.
    nodad = " nodad" if plan.addressing.version == 6 else ""
    width = plan.addressing.host_length
    return "".join(f"address replace {address}/{width} dev {HOST_INTERFACE}{nodad}\n" for address in host.addresses)


def neighbours(plan: EthernetPlan, host: Host) -> str:
    """The switch that the host is at: nobody asks for its address."""
    port = plan.by_number[host.switch][host.port]
    router = plan.addressing.router(host.switch)
    return f"neighbour replace {router} lladdr {port.mac} dev {HOST_INTERFACE} nud permanent\n"


def routes(plan: EthernetPlan, host: Host) -> str:
    """A route per layer: the destination's address has the layer, and with it the source's is chosen."""
    router = plan.addressing.router(host.switch)
    return "".join(
        f"route replace {plan.addressing.layer_prefix(layer)} via {router} dev {HOST_INTERFACE} onlink src {address}\n"
        for layer, address in enumerate(host.addresses)
    )


def mptcp(host: Host) -> str:
    """Endpoints that are told to the other side, which then opens a subflow per layer.

    Subflows from here to the peer's first address, as endpoints with ``subflow`` make them, would all go by layer 0:
    the layer is in the destination.
    """
    limits = f"mptcp limits set subflows {MOST_SUBFLOWS} add_addr_accepted {MOST_SUBFLOWS}\n"
    told = enumerate(host.addresses[1 : MOST_SUBFLOWS + 1], 1)
    return limits + "".join(
        f"mptcp endpoint add {address} id {layer} dev {HOST_INTERFACE} signal\n" for layer, address in told
    )
