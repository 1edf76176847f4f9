"""Find the version of a bundle that uses live parts which the version in use lacks.

A repair removes switches that were cut off. If their cables are plugged in again, the version in use has no paths to
them, but an earlier version has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tulle._internal.text import tulle_command
from tulle.deploy.infiniband.bundle import read_bundle
from tulle.deploy.infiniband.failures import find_failures
from tulle.deploy.infiniband.rebind import find_replaced
from tulle.deploy.versions.history import replaced_by
from tulle.deploy.versions.layout import VERSIONS, folder_of, numbers

if TYPE_CHECKING:
    from os import PathLike

    from tulle.deploy.infiniband.bundle import Bundle
    from tulle.deploy.read.subnet import Subnet

__all__ = ["Earlier", "find_earlier", "has_unknown", "removed_hosts"]


class Earlier(NamedTuple):
    """A version of a bundle that has all live switches, hosts and cables."""

    version: str
    """Its number."""
    guids: frozenset[int]
    """The GUIDs of its switches and adapters, and of live nodes that may replace some of them."""
    hosts: tuple[str, ...]
    """The names of live hosts that the version in use lacks."""
    instruction: str
    """How to put it in use."""


def has_unknown(bundle: Bundle, subnet: Subnet) -> bool:
    """Return whether the subnet has links that the bundle does not have."""
    switches = {address[0] for address in bundle.switch_addresses}
    return bool(switches & subnet.nodes.keys()) and find_failures(bundle, subnet).unknown > 0


def find_earlier(bundle: Bundle, subnet: Subnet, live: str | PathLike[str]) -> Earlier | None:
    """Return the version with the fewest missing parts among those that have all live parts; None if there is none.

    Of versions with equally few missing parts, the one with the fewest replaced nodes is returned, then the newest. The
    instruction has commands with `live`, the file of the subnet.
    """
    place = bundle.folder.parent.parent
    if bundle.folder.parent.name != VERSIONS:
        return None
    used = {address[0] for address in bundle.endpoint_addresses}
    best: Earlier | None = None
    fewest: tuple[int, int] | None = None
    for number in reversed(numbers(place)):
        if number == bundle.folder.name:
            continue
        other = read_bundle(folder_of(place, number))
        if not any(address[0] in subnet.nodes for address in other.switch_addresses):
            continue
        failures, seen = find_failures(other, subnet), subnet
        replaced = find_replaced(other, subnet) if failures.unknown else []
        if replaced:
            # A switch that a repair has removed may return with a new GUID.
            seen = subnet.with_guids({one.new[0]: one.old[0] for one in replaced})
            failures = find_failures(other, seen)
        missing = len(failures.switches) + len(failures.cables)
        cost = missing, len(replaced)
        if failures.unknown or (fewest is not None and cost >= fewest):
            continue
        adapters = {address[0]: at for at, address in enumerate(other.endpoint_addresses)}
        hosts = tuple(
            other.fabric.endpoint_names[at] for guid, at in adapters.items() if guid in seen.nodes and guid not in used
        )
        guids = frozenset(
            (*adapters, *(address[0] for address in other.switch_addresses), *(one.new[0] for one in replaced))
        )
        place, bind = bundle.place, [word for one in replaced for word in ("--bind", one.binding)]
        change = tulle_command("deploy", "repair", place, "--live", live, *bind, "-o", place)
        then = f", then `{change}`" if replaced else ""
        then += ", then repair the bundle" if missing else ""
        back = tulle_command("deploy", "rollback", place, "--to", number, "--drained")
        how = f"stop traffic, and run `{back}`{then}"
        best, fewest = Earlier(number, guids, hosts, how), cost
    return best


def removed_hosts(bundle: Bundle) -> tuple[str, ...]:
    """Return the names of hosts that repairs have removed from the bundle, because they were dead or cut off."""
    known = {address[2] for address in bundle.endpoint_addresses}
    removed: dict[int, str] = {}
    folder = replaced_by(bundle.folder)
    while folder is not None:
        earlier = read_bundle(folder)
        if earlier.header.fabric != bundle.header.fabric:
            break
        # A repair keeps LIDs, even if a host has a new GUID.
        for name, address in zip(earlier.fabric.endpoint_names, earlier.endpoint_addresses, strict=True):
            if address[2] not in known:
                removed.setdefault(address[2], str(name))
        folder = replaced_by(folder)
    return tuple(removed[lid] for lid in sorted(removed))
