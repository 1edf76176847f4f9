"""Addresses of links: a /31 (RFC 3021) or /127 (RFC 6164) per cable, for switches that need numbered next hops."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_network
from typing import TYPE_CHECKING

from tulle._internal.text import counted
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ipaddress import IPv4Network, IPv6Network

    from tulle.deploy.ethernet.bundle import EthernetBundle
    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.deploy.ethernet.repair import Repair

__all__ = ["Numbering", "numbering_of", "numberings_of"]


@dataclass(frozen=True)
class Numbering:
    """The address of each end of each cable. Made by `Numbering.of`.

    The address follows from the lower id of the cable's two channels in the original fabric, so that failures change no
    address.
    """

    base: IPv4Network | IPv6Network
    """The prefix that contains all addresses of links."""
    pairs: tuple[int, ...]
    """Per channel, the offset of its address in the prefix."""

    @classmethod
    def of(cls, plan: EthernetPlan, prefix: str | None = None, pairs: Sequence[int] | None = None) -> Numbering:
        """Choose the addresses of the links of a plan.

        Parameters
        ----------
        plan
            The deployed plan.
        prefix
            The prefix of the addresses; None: the range of the layer number before that of the switches' own addresses,
            if no layer uses it and it is large enough, otherwise the next free prefix.
        pairs
            For each channel, the offset of its address, to keep earlier addresses; None: by the ids of channels.

        Raises
        ------
        tulle.InputError
            For a prefix that is invalid, has the other IP version, overlaps a layer, or is too small.

        Examples
        --------
        >>> import tulle
        >>> from tulle.deploy.ethernet.plan import plan_ethernet
        >>> links = Numbering.of(plan_ethernet(tulle.route("clique:degree=3", "minimal")))
        >>> links.base, links.address(0), links.length
        (IPv4Network('10.254.0.0/16'), '10.254.0.0', 31)
        """
        fabric = plan.fabric
        if pairs is None:
            before = fabric.origin
            first = range(len(fabric.channels)) if before is None else before["channels"].tolist()
            reverse = fabric.reverse.tolist()
            pairs = [
                2 * min(first[channel], first[back]) + int(first[channel] > first[back])
                for channel, back in enumerate(reverse)
            ]
        elif len(pairs) != len(fabric.channels):
            raise InputError(f"{len(pairs)} link addresses; legal: {len(fabric.channels)}, one per channel")
        needed = max(pairs, default=0) + 1
        base = _free(plan, needed) if prefix is None else _given(plan, prefix)
        if needed > base.num_addresses:
            raise InputError(
                f"{base} has {base.num_addresses} addresses, but links need {needed}; legal: "
                f"--link-prefix with a /{base.max_prefixlen - (needed - 1).bit_length()} or shorter"
            )
        return cls(base, tuple(pairs))

    def left(self, channels: Sequence[int]) -> Numbering:
        """Keep the same addresses for a damaged fabric, given the original ids of its channels."""
        return Numbering(self.base, tuple(self.pairs[channel] for channel in channels))

    @property
    def length(self) -> int:
        """The prefix length of a link: 31 or 127."""
        return self.base.max_prefixlen - 1

    def address(self, channel: int) -> str:
        """The address of the port from which a channel starts."""
        value = int(self.base.network_address) + self.pairs[channel]
        return str(IPv4Address(value) if self.base.version == 4 else IPv6Address(value))


def numbering_of(bundle: EthernetBundle) -> Numbering:
    """Read the link addresses of a bundle.

    Raises
    ------
    tulle.InputError
        If the link addresses of the bundle do not match its fabric.
    """
    options = bundle.header.options
    return Numbering.of(bundle.plan, options.get("link_prefix"), options.get("links"))


def numberings_of(repaired: Repair) -> tuple[Numbering, Numbering]:
    """The link addresses before and after a repair, or a change to another bundle.

    Raises
    ------
    tulle.InputError
        If the link addresses of the bundle do not match its fabric.
    """
    before = numbering_of(repaired.bundle)
    if repaired.header is repaired.bundle.header:
        origin = repaired.plan.fabric.origin
        assert origin is not None
        return before, before.left(origin["channels"].tolist())
    options = repaired.header.options
    return before, Numbering.of(repaired.plan, options.get("link_prefix"), options.get("links"))


def _free(plan: EthernetPlan, needed: int) -> IPv4Network | IPv6Network:
    """Return the prefix of the layer number before that of the switches' own addresses, or the next free prefix.

    The next free prefix is returned if a layer uses this number, or if its prefix is too small.
    """
    addressing = plan.addressing
    base, layer = addressing.base, addressing.router_layer - 1
    if addressing.layers <= layer and needed <= 1 << addressing.layer_shift:
        return ip_network(addressing.layer_prefix(layer))
    bits = (needed - 1).bit_length()
    # The prefix begins after the addresses of all layers. `at` is a power of two and at least the size of the prefix,
    # which is a power of two as well, so the prefix is aligned.
    at = max(1 << addressing.layer_shift + addressing.router_layer.bit_length(), 1 << bits)
    if at + (1 << bits) > base.num_addresses:
        raise InputError(
            f"{base} has no {1 << bits} free addresses for links, besides the addresses of "
            f"{counted(addressing.layers, 'layer')}; "
            f"legal: --link-prefix, for example {'172.16.0.0/12' if base.version == 4 else 'fd01::/64'}"
        )
    return ip_network((int(base.network_address) + at, base.max_prefixlen - bits))


def _given(plan: EthernetPlan, prefix: str) -> IPv4Network | IPv6Network:
    try:
        base = ip_network(prefix)
    except ValueError as error:
        raise InputError(f"--link-prefix {prefix}: {error}; legal: a prefix, for example 172.16.0.0/16") from None
    addressing = plan.addressing
    if base.version != addressing.version:
        raise InputError(
            f"--link-prefix {prefix} is an IPv{base.version} prefix; legal: an IPv{addressing.version} prefix"
        )
    taken = [addressing.layer_prefix(layer) for layer in (*range(addressing.layers), addressing.router_layer)]
    for one in taken:
        if base.overlaps(ip_network(one)):
            raise InputError(
                f"--link-prefix {prefix} overlaps {one}, which has the addresses of hosts or switches; legal: another "
                "prefix"
            )
    return base
