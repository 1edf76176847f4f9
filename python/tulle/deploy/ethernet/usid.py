"""Micro segments of SRv6 (RFC 9800, NEXT-CSID, form F3216): blocks of 32 bits, segments of 16, six to an address.

A switch is a global segment (uN). A port is one of its switch alone (uA), needed where several cables lead to the same
switch, and so is the end of a path, where the packet is unpacked (uDT6).
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
"""The block of locators that RFC 9602 and SONiC's examples have theirs in."""
BLOCK_BITS = 32
BITS = 16
PER_ADDRESS = (128 - BLOCK_BITS) // BITS
"""Micro segments that one address carries: 6."""
FIRST_LOCAL = 0xE000
"""Segments below are global (GIB), those from here on are a switch's own (LIB)."""
DECAPSULATE = 0xFE06
"""uDT6: unpack, and look the packet inside up."""


@dataclass(frozen=True)
class Block:
    """The block that all segments are in."""

    base: IPv6Network

    @classmethod
    def of(cls, prefix: str) -> Block:
        """The block of that prefix.

        Raises
        ------
        tulle.InputError
            For anything but a /32 of IPv6.
        """
        try:
            base = IPv6Network(prefix)
        except ValueError as error:
            raise InputError(f"--block {prefix}: {error}; legal: a /32 of IPv6, as {BLOCK}") from None
        if base.prefixlen != BLOCK_BITS:
            raise InputError(f"--block {prefix} is a /{base.prefixlen}; legal: a /{BLOCK_BITS}, as {BLOCK}")
        return cls(base)

    def node(self, number: int) -> int:
        """The segment of the switch with that number.

        Raises
        ------
        tulle.InputError
            For more switches than there are global segments.
        """
        if number + 1 >= FIRST_LOCAL:
            raise InputError(f"{number + 1} switches have no micro segments; legal: at most {FIRST_LOCAL - 1}")
        return number + 1

    def port(self, number: int) -> int:
        """The segment of the port with that number, its switch's own.

        Raises
        ------
        tulle.InputError
            For a number that has none.
        """
        if FIRST_LOCAL + number >= DECAPSULATE & 0xFF00:
            raise InputError(
                f"port {number} has no micro segment; legal: 1 to {(DECAPSULATE & 0xFF00) - FIRST_LOCAL - 1}"
            )
        return FIRST_LOCAL + number

    def prefix(self, *segments: int) -> str:
        """The prefix of addresses that begin with these segments."""
        return f"{self.address(segments)}/{BLOCK_BITS + BITS * len(segments)}"

    def address(self, segments: Sequence[int]) -> str:
        """The address that carries these segments, at most six."""
        value = int(self.base.network_address)
        for place, segment in enumerate(segments):
            value |= segment << 128 - BLOCK_BITS - BITS * (place + 1)
        return str(IPv6Address(value))


def pack(block: Block, segments: Sequence[int]) -> tuple[str, ...]:
    """The addresses that carry a list of segments, six to each, the first to be visited first.

    One address needs no segment routing header: the packet's destination is the list (RFC 8986 §4, RFC 9800 §4.1).

    Examples
    --------
    >>> pack(Block.of("fcbb:bb00::/32"), [2, 7, 0xFE06])
    ('fcbb:bb00:2:7:fe06::',)
    """
    return tuple(block.address(segments[at : at + PER_ADDRESS]) for at in range(0, len(segments), PER_ADDRESS))


def unpack(block: Block, addresses: Sequence[str]) -> tuple[int, ...]:
    """The segments that addresses carry, in order.

    Raises
    ------
    ValueError
        For an address outside of the block.
    """
    found: list[int] = []
    for address in addresses:
        value = int(IPv6Address(address))
        if IPv6Address(address) not in block.base:
            raise ValueError(f"{address} is not in {block.base}")
        parts = [value >> 128 - BLOCK_BITS - BITS * (place + 1) & 0xFFFF for place in range(PER_ADDRESS)]
        found += [part for part in parts if part]
    return tuple(found)
