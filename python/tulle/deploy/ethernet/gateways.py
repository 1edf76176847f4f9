"""The gateways of hosts. All files of a bundle that name a gateway take it from the same function.

Hosts use one of these gateways:

* `routed`: the own address of their switch, in all layers. The targets that write ``hosts/``, and ``containerlab``,
  use it.
* `tulle.deploy.ethernet.sonic_hosts.gateways`: an address per layer in the VLAN of the hosts.
* `bridged`: none, because switches forward Ethernet frames.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tulle._internal.html_summary import shown

if TYPE_CHECKING:
    from tulle.deploy.ethernet.plan import EthernetPlan, Host

__all__ = ["Gateways", "bridged", "routed"]


@shown
class Gateways(NamedTuple):
    """The gateways of a host."""

    addresses: tuple[str, ...]
    """The gateway of each layer; empty if switches have no addresses."""
    mac: str | None
    """The MAC address of the gateways; None if hosts ask for it (ARP, ND), or if there are no gateways."""


def routed(plan: EthernetPlan, host: Host) -> Gateways:
    """Return the own address of the host's switch for every layer, with the MAC address of the host's port."""
    router = plan.addressing.router(host.switch)
    return Gateways((router,) * plan.num_layers, plan.by_number[host.switch][host.port].mac)


def bridged(_plan: EthernetPlan, _host: Host) -> Gateways:
    """Return no gateways."""
    return Gateways((), None)
