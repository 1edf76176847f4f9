"""Micro segments of SRv6 (RFC 9800, NEXT-CSID, F3216): a block of 32 bits, segments of 16 bits, six per address.

Each switch has a global segment (uN). Local segments of a switch name a port (uA), which is necessary if several cables
lead to the same switch, and the end of a path, where the packet is decapsulated (uDT6).
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Network
from typing import TYPE_CHECKING

from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["BLOCK", "DECAPSULATE", "PER_ADDRESS", "Block", "pack", "unpack"]

BLOCK = "fcbb:bb00::/32"
"""The default block of locators, as in RFC 9602 and SONiC's examples."""
BLOCK_BITS = 32
BITS = 16
PER_ADDRESS = (128 - BLOCK_BITS) // BITS
"""Micro segments that one address carries: 6."""
FIRST_LOCAL = 0xE000
"""The first local segment (LIB); segments below are global (GIB)."""
DECAPSULATE = 0xFE06
"""uDT6: decapsulate the inner packet, and look up its route."""


@dataclass(frozen=True)
class Block:
    """The address block of all segments."""

    base: IPv6Network

    @classmethod
    def of(cls, prefix: str) -> Block:
        """Parse the prefix of a block.

        Raises
        ------
        tulle.InputError
            For anything but an IPv6 /32.
        """
        try:
            base = IPv6Network(prefix)
        except ValueError as error:
            raise InputError(f"--block {prefix}: {error}; legal: an IPv6 /32, for example {BLOCK}") from None
        if base.prefixlen != BLOCK_BITS:
            raise InputError(f"--block {prefix} is a /{base.prefixlen}; legal: a /{BLOCK_BITS}, for example {BLOCK}")
        return cls(base)

    def node(self, number: int) -> int:
        """The global segment of the switch with this number.

        Raises
        ------
        tulle.InputError
            For a switch number that is too large for a global segment.
        """
        if number + 1 >= FIRST_LOCAL:
            raise InputError(
                f"{number + 1} switches are more than there are global micro segments; legal: at most {FIRST_LOCAL - 1}"
            )
        return number + 1

    def port(self, number: int) -> int:
        """The local segment of the port with this number.

        Raises
        ------
        tulle.InputError
            For a port number that is too large for a local segment.
        """
        if FIRST_LOCAL + number >= DECAPSULATE & 0xFF00:
            raise InputError(
                f"port {number} has no micro segment; legal: 1 to {(DECAPSULATE & 0xFF00) - FIRST_LOCAL - 1}"
            )
        return FIRST_LOCAL + number

    def prefix(self, *segments: int) -> str:
        """The prefix of all addresses that begin with these segments."""
        return f"{self.address(segments)}/{BLOCK_BITS + BITS * len(segments)}"

    def address(self, segments: Sequence[int]) -> str:
        """The address with these segments, at most six."""
        value = int(self.base.network_address)
        for place, segment in enumerate(segments):
            value |= segment << 128 - BLOCK_BITS - BITS * (place + 1)
        return str(IPv6Address(value))


def pack(block: Block, segments: Sequence[int]) -> tuple[str, ...]:
    """Pack a list of segments into addresses, six per address, in the order in which packets visit the segments.

    A list of one address needs no segment routing header: it is the packet's destination (RFC 8986 §4, RFC 9800 §4.1).

    Examples
    --------
    >>> pack(Block.of("fcbb:bb00::/32"), [2, 7, 0xFE06])
    ('fcbb:bb00:2:7:fe06::',)
    """
    return tuple(block.address(segments[at : at + PER_ADDRESS]) for at in range(0, len(segments), PER_ADDRESS))


def unpack(block: Block, addresses: Sequence[str]) -> tuple[int, ...]:
    """Unpack the segments of addresses, in order.

    Raises
    ------
    ValueError
        For an address outside the block.
    """
    found: list[int] = []
    for address in addresses:
        value = int(IPv6Address(address))
        if IPv6Address(address) not in block.base:
            raise ValueError(f"{address} is not in {block.base}")
        parts = [value >> 128 - BLOCK_BITS - BITS * (place + 1) & 0xFFFF for place in range(PER_ADDRESS)]
        found += [part for part in parts if part]
    return tuple(found)
