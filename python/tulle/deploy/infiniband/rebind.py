"""Give a bundle the GUIDs of replaced switches and adapters. LIDs, ports and paths stay the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tulle._internal.html_summary import shown
from tulle._internal.reading import sha256
from tulle._internal.text import brief
from tulle._internal.writing.folders import NEW
from tulle.deploy.bundle_header import BUNDLE, check_files
from tulle.deploy.infiniband.bundle import header_text
from tulle.deploy.versions.commit import add_version, writing
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from tulle.deploy.infiniband.bundle import Bundle
    from tulle.deploy.read.subnet import Subnet

__all__ = ["Replacement", "find_replaced", "read_bindings", "rebind"]

_BINDING = re.compile(r"(?P<name>.+)=(?:0x)?(?P<guid>[0-9a-fA-F]{1,16})")
_GUID = re.compile(rb"0x[0-9a-f]{16}")


@shown
class Replacement(NamedTuple):
    """A missing node of the bundle, and the live node that is now connected to the same ports."""

    name: str
    """The name of the switch or host in the bundle."""
    old: tuple[int, int]
    """The node GUID and the port GUID in the bundle."""
    new: tuple[int, int]
    """The node GUID and the port GUID of the live node."""

    @property
    def binding(self) -> str:
        """The value of ``--bind``."""
        return f"{self.name}=0x{self.new[0]:016x}"


def find_replaced(bundle: Bundle, live: Subnet) -> list[Replacement]:
    """Find switches and adapters that are missing, while an unknown node has their links at the same ports."""
    guids = [address[0] for address in bundle.switch_addresses]
    adapters = [address[0] for address in bundle.endpoint_addresses]
    known = {*guids, *adapters}

    def other_end(switch: int, port: int) -> tuple[int, int] | None:
        node = live.nodes.get(guids[switch])
        return None if node is None else node.links.get(port)

    # For every missing switch, the nodes and ports to which its planned neighbours are now connected.
    seen: dict[int, list[tuple[int, int]]] = {at: [] for at, guid in enumerate(guids) if guid not in live.nodes}
    is_same: dict[int, bool] = dict.fromkeys(seen, True)
    reverse = bundle.fabric.reverse.tolist()
    for channel, (switch, other) in enumerate(bundle.fabric.channels.tolist()):
        if switch in seen and (end := other_end(other, bundle.ports[reverse[channel]])) is not None:
            seen[switch].append(end)
            is_same[switch] &= end[1] == bundle.ports[channel]
    found = []
    for switch, ends in seen.items():
        nodes = {guid for guid, _ in ends}
        if is_same[switch] and len(nodes) == 1 and (guid := nodes.pop()) not in known and live.nodes[guid].switch:
            address = bundle.switch_addresses[switch]
            found.append(Replacement(bundle.fabric.labels[switch], address[:2], (guid, guid)))
    for endpoint, address in enumerate(bundle.endpoint_addresses):
        end = other_end(int(bundle.fabric.endpoint_switch[endpoint]), bundle.endpoint_ports[endpoint])
        if address[0] in live.nodes or end is None or end[0] in known or end[1] != address[4]:
            continue
        node = live.nodes[end[0]]
        if not node.forwards:
            port_guid = node.port_guids.get(end[1], node.guid + end[1])
            found.append(Replacement(bundle.fabric.endpoint_names[endpoint], address[:2], (node.guid, port_guid)))
    return found


def read_bindings(texts: Iterable[str], replaced: Sequence[Replacement], bundle: Bundle) -> list[Replacement]:
    """Read values of ``--bind``, each the name of a node of the bundle and the GUID of its replacement.

    Values that the bundle already has are left out.

    Raises
    ------
    tulle.InputError
        For a value of another form, or a node that is not at the ports of the missing one.
    """
    legal = ", ".join(one.binding for one in replaced[:4]) or (
        "none, because the live file shows no replacement of a missing node; if a repair has removed the node from the "
        "bundle, first return to the earlier version with `tulle deploy rollback`"
    )
    wanted = {one.binding: one for one in replaced}
    fabric, found = bundle.fabric, []
    names = (*fabric.labels, *fabric.endpoint_names)
    addresses = (*bundle.switch_addresses, *bundle.endpoint_addresses)
    bound = {f"{name}=0x{address[0]:016x}" for name, address in zip(names, addresses, strict=True)}
    for text in texts:
        match = _BINDING.fullmatch(text)
        if match is None:
            form = ", ".join(wanted) or "the name of a switch or host and its GUID, as in leaf1=0x506b4b0300a1c2e0"
            raise InputError(f"--bind {brief(text)} is not NAME=GUID; legal: {form}")
        binding = f"{match['name']}=0x{int(match['guid'], 16):016x}"
        if binding in bound:
            continue
        if binding not in wanted:
            raise InputError(
                f"--bind {brief(text)}: the live file has no such node at the ports of a missing one; legal: {legal}"
            )
        found.append(wanted[binding])
    return found


def rebind(bundle: Bundle, replaced: Iterable[Replacement], place: Path) -> list[Path]:
    """Write the bundle with the GUIDs of replaced nodes.

    All files are copied, and every old GUID in them (``0x`` and 16 hexadecimal digits) is replaced by the new one.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        If a file of the bundle was changed, or the folder cannot be written.
    """
    names = [*bundle.header.files]
    check_files(bundle.folder, bundle.header.files, names)
    guids = {old: new for one in replaced for old, new in zip(one.old, one.new, strict=True)}
    texts = {_text(old): _text(new) for old, new in guids.items()}
    with writing(place) as staged:
        new = staged / NEW
        for name in names:
            path = new / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(_exchanged((bundle.folder / name).read_bytes(), texts))
        sums = {name: sha256(new / name) for name in sorted(names)}
        header = header_text(bundle.header.__class__(**{**vars(bundle.header), "files": sums}))
        (new / BUNDLE).write_text(header, encoding="utf-8", newline="")
        add_version(staged, place)
    return [place / name for name in (*names, BUNDLE)]


def _text(guid: int) -> bytes:
    return f"0x{guid:016x}".encode()


def _exchanged(data: bytes, texts: Mapping[bytes, bytes]) -> bytes:
    return _GUID.sub(lambda match: texts.get(match[0], match[0]), data)
