"""Check and compute InfiniBand port numbers, which are 1 to 254."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.cabling.plan import End, Plan

_MOST = 254


def has_numbers(plan: Plan) -> bool:
    """Return whether every port has an InfiniBand port number, so that the plan is valid for a subnet."""
    try:
        check_numbers(plan)
    except InputError:
        return False
    return True


def check_numbers(plan: Plan) -> None:
    """Check that every port has an InfiniBand port number.

    Raises
    ------
    tulle.InputError
        For a port without a legal number.
    """
    for cable in plan.cables:
        for end in cable.ends:
            number(plan, end)


def number(plan: Plan, end: End) -> int:
    """Return the number of a port. If a host's ports have names instead, return the port's position, from 1."""
    device, port = end
    own = plan.endpoint_ports.get(device, ())
    if own and not any(map(str.isdigit, own)):
        return own.index(port) + 1
    if not (port.isascii() and port.isdigit() and len(port) < 4 and 1 <= int(port) <= _MOST):
        raise InputError(f"port {port!r} of {device} is not an InfiniBand port; legal: 1 to {_MOST}")
    return int(port)
