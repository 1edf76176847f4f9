"""Addresses of links: a /31 (RFC 3021) or /127 (RFC 6164) per cable, for switches that take no unnumbered next hops."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_network
from typing import TYPE_CHECKING

from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ipaddress import IPv4Network, IPv6Network

    from tulle.deploy.ethernet.bundle import EthernetBundle
    from tulle.deploy.ethernet.plan import EthernetPlan

__all__ = ["Numbering", "numbering_of"]


@dataclass(frozen=True)
class Numbering:
    """Which address every end of every cable has. Made by `Numbering.of`.

    A cable is numbered by the lower of its two channels in the fabric as it was first: what fails changes no address.
    """

    base: IPv4Network | IPv6Network
    """The prefix that all are in."""
    pairs: tuple[int, ...]
    """Per channel the place of its address in the prefix."""

    @classmethod
    def of(cls, plan: EthernetPlan, prefix: str | None = None, pairs: Sequence[int] | None = None) -> Numbering:
        """The addresses of the links of a plan.

        Parameters
        ----------
        plan
            What is deployed.
        prefix
            The prefix that they are to be in; None: the layer below that of the switches' own addresses, or what is
            free behind that.
        pairs
            Per channel the place of its address, as it was before; None: by the ids of channels.

        Raises
        ------
        tulle.InputError
            For a prefix that is none, of the other IP, in the way of a layer's, or too small.

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
            raise InputError(f"{len(pairs)} addresses of links; legal: {len(fabric.channels)}, one per channel")
        needed = max(pairs, default=0) + 1
        base = _free(plan, needed) if prefix is None else _given(plan, prefix)
        if needed > base.num_addresses:
            raise InputError(
                f"{base} has {base.num_addresses} addresses for links, {needed} are needed; legal: "
                f"--link-prefix with a /{base.max_prefixlen - (needed - 1).bit_length()} or shorter"
            )
        return cls(base, tuple(pairs))

    def left(self, channels: Sequence[int]) -> Numbering:
        """The same addresses for a fabric that has lost parts: of what is left the ids before, as in its `origin`."""
        return Numbering(self.base, tuple(self.pairs[channel] for channel in channels))

    @property
    def length(self) -> int:
        """Of the prefix of a link: 31 or 127."""
        return self.base.max_prefixlen - 1

    def address(self, channel: int) -> str:
        """The address of the port that a channel leaves by."""
        value = int(self.base.network_address) + self.pairs[channel]
        return str(IPv4Address(value) if self.base.version == 4 else IPv6Address(value))


def numbering_of(bundle: EthernetBundle) -> Numbering:
    """The addresses of links of a bundle that has them.

    Raises
    ------
    tulle.InputError
        For a bundle that tells of none, or of others.
    """
    options = bundle.header.options
    return Numbering.of(bundle.plan, options.get("link_prefix"), options.get("links"))


def _free(plan: EthernetPlan, needed: int) -> IPv4Network | IPv6Network:
    """The layer below the switches' own, where no layer is and it suffices; else the next that is free behind them."""
    addressing = plan.addressing
    base, layer = addressing.base, addressing.router_layer - 1
    if addressing.layers <= layer and needed <= 1 << addressing.layer_shift:
        return ip_network(addressing.layer_prefix(layer))
    bits = (needed - 1).bit_length()
    # Both are powers of two, so that the larger one is where a prefix of that length begins.
    at = max(1 << addressing.layer_shift + addressing.router_layer.bit_length(), 1 << bits)
    if at + (1 << bits) > base.num_addresses:
        raise InputError(
            f"{base} has no {1 << bits} addresses left for links beside those of {addressing.layers} layers; legal: "
            f"--link-prefix, as {'172.16.0.0/12' if base.version == 4 else 'fd01::/64'}"
        )
    return ip_network((int(base.network_address) + at, base.max_prefixlen - bits))


def _given(plan: EthernetPlan, prefix: str) -> IPv4Network | IPv6Network:
    try:
        base = ip_network(prefix)
    except ValueError as error:
        raise InputError(f"--link-prefix {prefix}: {error}; legal: a prefix, as 172.16.0.0/16") from None
    addressing = plan.addressing
    if base.version != addressing.version:
        raise InputError(f"--link-prefix {prefix} is of IPv{base.version}; legal: one of IPv{addressing.version}")
    taken = [addressing.layer_prefix(layer) for layer in (*range(addressing.layers), addressing.router_layer)]
    for one in taken:
        if base.overlaps(ip_network(one)):
            raise InputError(
                f"--link-prefix {prefix} overlaps {one}, where hosts or switches have theirs; legal: another"
            )
    return base
