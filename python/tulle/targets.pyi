"""Typed specs of deployment targets, for example ``InfiniBand(lmc=2)``.

``tulle list targets`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from typing import Literal

from tulle._internal.typed_specs import Spec

class InfiniBand(Spec):
    """Subnets of a stock OpenSM: LIDs, forwarding tables, SL-to-VL tables, settings, what hosts need.

    Parameters
    ----------
    lmc
        LID mask control: an adapter port has 2^lmc LIDs, one per layer. Legal: 0 to 7.
    vls
        Data VLs that every port has: 1, 2, 4, 8 or 15. Legal: 1 to 15.

    Notes
    -----
    Source: Blach et al.: A high-performance design, implementation, deployment, and evaluation of the Slim Fly
    network (NSDI24) §5.

    Limitations: Layers of tables alone; of equal-cost ports a LID takes one. Schemes that InfiniBand can carry:
    one-vc, dfsssp, lash, colouring.

    Examples
    --------
    >>> str(InfiniBand())
    'infiniband'
    """
    def __new__(cls, *, lmc: int = 2, vls: int = 8) -> InfiniBand: ...

class Linux(Spec):
    """Switches and hosts that run Linux: addresses, neighbours and routes for iproute2, unnumbered links.

    Parameters
    ----------
    ip
        Addresses of IPv4 or IPv6. Legal: v4, v6.
    table
        Prefix entries that a switch holds at most. Legal: 1 to 1073741824, or any.
    hosts
        How hosts use layers: a subflow each, per flowlet, per flow. Legal: mptcp, flowlets, hash.
    gap
        Milliseconds that a flow is silent for before it may take another layer. Legal: 1 to 60000.

    Notes
    -----
    Source: Besta et al.: FatPaths (SC20) §V-D, §V-E.

    Limitations: Layers of tables alone. Nothing looks for failures: `tulle deploy repair` mends.

    Examples
    --------
    >>> str(Linux())
    'linux'
    """
    def __new__(
        cls,
        *,
        ip: Literal["v4", "v6"] = "v4",
        table: Literal["any"] | int = "any",
        hosts: Literal["mptcp", "flowlets", "hash"] = "mptcp",
        gap: int = 50,
    ) -> Linux: ...

class FRR(Spec):
    """Switches that run FRR: zebra and staticd, numbered links, a tag per layer.

    Parameters
    ----------
    ip
        Addresses of IPv4 or IPv6. Legal: v4, v6.
    table
        Prefix entries that a switch holds at most. Legal: 1 to 1073741824, or any.

    Notes
    -----
    Source: Besta et al.: FatPaths (SC20) §V-D, §V-E.

    Limitations: Layers of tables alone, without shares of ports: FRR's static routes have none.

    Examples
    --------
    >>> str(FRR())
    'frr'
    """
    def __new__(cls, *, ip: Literal["v4", "v6"] = "v4", table: Literal["any"] | int = "any") -> FRR: ...

class SONiC(Spec):
    """Switches that run SONiC: config_db.json, numbered links, priority flow control of a plan.

    Parameters
    ----------
    ip
        Addresses of IPv4 or IPv6. Legal: v4, v6.
    layers
        Layers are told apart by prefixes, or a layer is a VLAN and a VRF. Legal: prefixes, vlans.
    table
        Prefix entries that a switch holds at most. Legal: 1 to 1073741824, or any.
    lossless
        Lossless priorities that switches have. Legal: 1 to 7, or any.
    buffer
        Packet buffer of a switch; auto: SONiC sizes its pools. Legal: 64KiB to 1TiB, or auto.

    Notes
    -----
    Source: Besta et al.: FatPaths (SC20) §V-D, §V-E; Zhang et al.: Flattened Clos (NSDI23) §2.1.

    Limitations: Layers of tables alone, without shares of ports. Rates of links must be known; with priority flow
    control lengths, too. Schemes that Ethernet can carry: one-vc, dfsssp, lash, hops, colouring.

    Examples
    --------
    >>> str(SONiC())
    'sonic'
    """
    def __new__(
        cls,
        *,
        ip: Literal["v4", "v6"] = "v4",
        layers: Literal["prefixes", "vlans"] = "prefixes",
        table: Literal["any"] | int = "any",
        lossless: Literal["any"] | int = "any",
        buffer: int | str = "auto",
    ) -> SONiC: ...

class OVS(Spec):
    """Switches that run Open vSwitch: a layer is a VLAN, a masked MAC address a switch.

    Parameters
    ----------
    first_vlan
        The VLAN of layer 0; the others follow. Legal: 1 to 4094.
    table
        Entries that a switch holds at most. Legal: 1 to 1073741824, or any.

    Notes
    -----
    Source: Besta et al.: FatPaths (SC20) §V-D, §V-E.

    Limitations: Layers of tables alone. Hosts have the MAC addresses of the bundle, and static neighbours: nothing
    is flooded.

    Examples
    --------
    >>> str(OVS())
    'ovs'
    """
    def __new__(cls, *, first_vlan: int = 100, table: Literal["any"] | int = "any") -> OVS: ...

class Containerlab(Spec):
    """A topology of containers: switches that run FRR or Linux, hosts with MPTCP.

    Parameters
    ----------
    ip
        Addresses of IPv4 or IPv6. Legal: v4, v6.
    switches
        What switches run. Legal: frr, linux.

    Notes
    -----
    Source: Besta et al.: FatPaths (SC20) §V-D, §V-E.

    Limitations: Checked against containerlab's schema; containers are not run by our tests.

    Examples
    --------
    >>> str(Containerlab())
    'containerlab'
    """
    def __new__(cls, *, ip: Literal["v4", "v6"] = "v4", switches: Literal["frr", "linux"] = "frr") -> Containerlab: ...

class SRv6(Spec):
    """Source routes of tables or explicit paths: micro segments of SRv6 for Linux and FRR.

    Parameters
    ----------
    lossless
        Lossless priorities that switches have. Legal: 1 to 7, or any.

    Notes
    -----
    Source: RFC 9800 (NEXT-CSID), RFC 8986; FatPaths (SC20) §V-D; Zhang et al.: Flattened Clos (NSDI23) §2.1.

    Limitations: IPv6 alone. Of equal-cost ports the lowest is taken, and shares are not told apart. Neither verified
    nor repaired: write it anew.

    Examples
    --------
    >>> str(SRv6())
    'srv6'
    """
    def __new__(cls, *, lossless: Literal["any"] | int = "any") -> SRv6: ...
