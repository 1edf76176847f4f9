"""Addresses: every host has an address per layer, and every switch has a prefix per layer for its hosts.

FatPaths §V-D: "partitioning of the address space", "One inserts the layer tag anywhere in the address"; §V-E: "all
endpoints on one router share the routes towards that router". Prefixes meet both requirements.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import TYPE_CHECKING, Any, Literal

from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.fabric import Fabric

__all__ = ["MOST_LAYERS", "Addressing"]

MOST_LAYERS = 255
"""The largest number of layers. One more value of the layer field is reserved for the switches' own addresses."""

IPV4 = "10.0.0.0/8"
IPV6 = "fd00::/16"
_GROUP = 16
"""Bits of one colon-separated group of an IPv6 address."""
_MOST_HOSTS = 253


@dataclass(frozen=True)
class Addressing:
    """The addresses of hosts, switches and layers. Made by `Addressing.of`.

    An address consists of the base prefix and three bit fields: the layer, the number of the switch, and the number of
    the host at that switch.
    """

    base: IPv4Network | IPv6Network
    """The prefix that contains all addresses."""
    layers: int
    layer_shift: int
    """Bits to the right of the layer field."""
    switch_shift: int
    """Bits to the right of the switch field, that is, the width of the host field."""
    router_layer: int
    """The value of the layer field in the switches' own addresses: all bits set."""
    numbers: tuple[int, ...]
    """The number of each switch in addresses: its id in the original fabric, which failures do not change."""
    places: tuple[int, ...]
    """The number of each endpoint at its switch, from 1."""

    @classmethod
    def of(
        cls, fabric: Fabric, layers: int, *, ipv6: bool = False, prefix: str | None = None, gateways: bool = False
    ) -> Addressing:
        """Choose the addresses of a fabric.

        IPv4 addresses are ``10.layer.switch.host`` if the numbers fit into octets. Otherwise, or with a given prefix,
        the numbers are bit fields of minimum width at the right end of the address. IPv6 addresses are
        ``fd00:layer:switch::host``. With a given IPv6 prefix, the layer and the switch take the next 16 bits each. If
        the prefix is too long for that, they are bit fields of minimum width too.

        Parameters
        ----------
        fabric
            The fabric.
        layers
            Layers of the routing, 1 to 255.
        ipv6
            Whether addresses are IPv6 if no prefix is given.
        prefix
            The prefix that contains all addresses, for example ``10.64.0.0/12`` or ``fd12:3456::/32``.
        gateways
            Whether to leave an address for the gateway of each switch's hosts.

        Raises
        ------
        tulle.InputError
            For more than 255 layers, an invalid prefix, or a prefix with too few bits.

        Examples
        --------
        >>> import tulle
        >>> one = Addressing.of(tulle.Fabric("slimfly:q=5"), 4)
        >>> one.host(1, 37, 2), one.prefix(1, 37), one.layer_prefix(1), one.router(37)
        ('10.1.37.2', '10.1.37.0/24', '10.1.0.0/16', '10.255.37.1')
        >>> one = Addressing.of(tulle.Fabric("slimfly:q=5"), 4, ipv6=True)
        >>> one.host(1, 37, 2), one.prefix(1, 37), one.router(37)
        ('fd00:1:25::2', 'fd00:1:25::/48', 'fd00:ffff:25::1')
        """
        if layers > MOST_LAYERS:
            raise InputError(f"{layers} layers cannot be addressed; legal: 1 to {MOST_LAYERS}")
        switches = fabric.num_switches
        places, counts = [], [0] * switches
        for switch in fabric.endpoint_switch.tolist():
            counts[switch] += 1
            places.append(counts[switch])
        hosts = max(counts, default=0)
        bits = _host_bits(hosts + gateways)
        base = _network(prefix or (IPV6 if ipv6 else IPV4))
        if isinstance(base, IPv6Network):
            groups = 2 * _GROUP + max(_GROUP, bits) <= 128 - base.prefixlen and switches <= 1 << _GROUP
            if groups:
                shifts = 128 - base.prefixlen - _GROUP, 128 - base.prefixlen - 2 * _GROUP
                return cls(base, layers, *shifts, (1 << _GROUP) - 1, tuple(range(switches)), tuple(places))
        elif prefix is None and switches <= 256 and hosts <= _MOST_HOSTS:
            return cls(base, layers, 16, 8, 255, tuple(range(switches)), tuple(places))
        fields = layers.bit_length(), (switches - 1).bit_length(), bits
        free = base.max_prefixlen - base.prefixlen
        if sum(fields) > free:
            raise InputError(
                f"{base} leaves {free} bits for addresses, but {sum(fields)} are needed: {fields[0]} for {layers} "
                f"layers and the switches' own addresses, {fields[1]} for {switches} switches, {fields[2]} for {hosts} "
                f"hosts per switch; legal: a /{base.max_prefixlen - sum(fields)} or shorter"
                + (", or --ipv6" if base.version == 4 else "")
            )
        shifts = fields[1] + fields[2], fields[2]
        return cls(base, layers, *shifts, (1 << fields[0]) - 1, tuple(range(switches)), tuple(places))

    @property
    def version(self) -> Literal[4, 6]:
        """The version of IP."""
        return self.base.version

    @property
    def host_length(self) -> int:
        """The prefix length of a single address: 32 or 128."""
        return self.base.max_prefixlen

    @property
    def switch_length(self) -> int:
        """The prefix length of a switch in a layer."""
        return self.host_length - self.switch_shift

    @property
    def layer_length(self) -> int:
        """The prefix length of a layer."""
        return self.host_length - self.layer_shift

    def host(self, layer: int, switch: int, place: int) -> str:
        """The address of a host in a layer. The host is given by its switch and its number at that switch, from 1."""
        return self._text(self._at(layer, switch) | place)

    def prefix(self, layer: int, switch: int) -> str:
        """The prefix of all hosts of a switch in a layer. Other switches have one table entry for this prefix."""
        return f"{self._text(self._at(layer, switch))}/{self.switch_length}"

    def layer_prefix(self, layer: int) -> str:
        """The prefix of all hosts in a layer."""
        return f"{self._text(int(self.base.network_address) | layer << self.layer_shift)}/{self.layer_length}"

    def router(self, switch: int) -> str:
        """The address of a switch itself."""
        return self._text(self._at(self.router_layer, switch) | 1)

    @property
    def layer_mask(self) -> str:
        """The bits of the layer field, written as an address. With these bits at 0, an address is that of layer 0."""
        return self._text(self.router_layer << self.layer_shift)

    def without(self, switches: Sequence[int], endpoints: Sequence[int]) -> Addressing:
        """Keep the same addresses for a damaged fabric, given the original ids of its switches and endpoints."""
        numbers = tuple(self.numbers[switch] for switch in switches)
        places = tuple(self.places[endpoint] for endpoint in endpoints)
        return Addressing(
            self.base, self.layers, self.layer_shift, self.switch_shift, self.router_layer, numbers, places
        )

    def fields(self) -> dict[str, Any]:
        """The fields for JSON."""
        return {
            "version": self.version,
            "base": str(self.base),
            "layers": self.layers,
            "layer_shift": self.layer_shift,
            "switch_shift": self.switch_shift,
            "router_layer": self.router_layer,
            "numbers": list(self.numbers),
            "places": list(self.places),
        }

    @classmethod
    def read(cls, fields: dict[str, Any]) -> Addressing:
        """Read an addressing from the dictionary that `fields` returns.

        Raises
        ------
        ValueError, KeyError, TypeError
            For missing or inconsistent fields.
        """
        base = ip_network(fields["base"])
        whole = [int(fields[name]) for name in ("layers", "layer_shift", "switch_shift", "router_layer")]
        numbers, places = (tuple(int(value) for value in fields[name]) for name in ("numbers", "places"))
        read = cls(base, whole[0], whole[1], whole[2], whole[3], numbers, places)
        if not read.is_valid():
            raise ValueError("fields that contradict each other")
        return read

    def is_valid(self) -> bool:
        """Whether all numbers fit into their bit fields, and no two switches have the same number."""
        if not 0 < self.switch_shift < self.layer_shift < self.base.max_prefixlen - self.base.prefixlen:
            return False
        most = 1 << (self.layer_shift - self.switch_shift)
        free = 1 << (self.base.max_prefixlen - self.base.prefixlen - self.layer_shift)
        return (
            0 < self.layers <= self.router_layer < free
            and all(0 <= number < most for number in self.numbers)
            and len({*self.numbers}) == len(self.numbers)
            and all(0 < place < 1 << self.switch_shift for place in self.places)
        )

    def _at(self, layer: int, switch: int) -> int:
        number = self.numbers[switch]
        return int(self.base.network_address) | layer << self.layer_shift | number << self.switch_shift

    def _text(self, address: int) -> str:
        if self.base.version == 6:
            return str(IPv6Address(address))
        return f"{address >> 24}.{address >> 16 & 255}.{address >> 8 & 255}.{address & 255}"


def _network(prefix: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(prefix)
    except ValueError as error:
        raise InputError(
            f"--prefix {prefix}: {error}; legal: a prefix of IPv4 or IPv6, for example 10.64.0.0/12 or fd12:3456::/32"
        ) from None


def _host_bits(hosts: int) -> int:
    """Return the bits that are needed to number hosts from 1.

    The last value is unused, because it is the broadcast address in IPv4.
    """
    return max(1, (hosts + 1).bit_length())
