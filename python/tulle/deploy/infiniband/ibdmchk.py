"""Check for credit loops independently with ``ibdmchk`` of ibutils: write its files, run it, read its result.

ibdmchk fails if adapters have more than one LID. So ibdmchk gets an equivalent network in which every LID is a separate
adapter at its own switch port. If all tables treat several endpoints of a switch alike, one endpoint represents them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.html_summary import Shown
from tulle.deploy.infiniband.intent import LEVELS, NO_LANE
from tulle.deploy.read.lfts import NO_PORT
from tulle.errors import InputError, TulleError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from tulle.deploy.infiniband.intent import Intent, Lanes, Links

__all__ = ["Opinion", "find_ibdmchk", "run_ibdmchk", "write_for_ibdmchk"]

FILES = {"-s": "subnet", "-f": "fdbs", "-m": "mcfdbs", "-c": "psl", "-d": "slvl"}
"""The options of ibdmchk and their files."""

_LOOP = re.compile(r"^-E- credit loops in routing|^Found credit loop on", re.MULTILINE)
_NONE = re.compile(r"^-I- no credit loops found", re.MULTILINE)
_FAILED = re.compile(r"^-E- .*", re.MULTILINE)
_MOST_PORTS = 254
_TIMEOUT = 600
# Folders where ibdmchk may be installed although the user's PATH lacks them.
_PLACES = os.pathsep.join(("/usr/bin", "/usr/sbin", "/usr/local/bin"))


@dataclass(frozen=True)
class Opinion(Shown):
    """The result of ibdmchk."""

    loops: bool
    """Whether it finds credit loops."""
    credit_lines: str
    """The lines of ibdmchk's output about credit loops."""
    code: int
    """The exit code of ibdmchk. ibdmchk may crash (139) after it has printed the result."""


def find_ibdmchk() -> str | None:
    """Find the executable of ibdmchk; None if it is not installed."""
    return shutil.which("ibdmchk") or shutil.which("ibdmchk", path=_PLACES)


def write_for_ibdmchk(
    folder: Path,
    intent: Intent,
    ports: NDArray[np.uint8],
    lanes: Lanes,
    levels: NDArray[np.uint8],
    links: Links | None = None,
) -> None:
    """Write the input files ``subnet``, ``fdbs``, ``mcfdbs``, ``psl`` and ``slvl``.

    Raises
    ------
    tulle.InputError
        If a switch would need more ports than InfiniBand allows.
    """
    links = intent.links if links is None else links
    split = _split(intent, ports, lanes, levels, links)
    folder.mkdir(parents=True, exist_ok=True)
    _write_subnet(folder / FILES["-s"], intent, links, split)
    _write_tables(folder / FILES["-f"], intent, ports, split)
    # ibdmchk requires a file of multicast tables, but accepts an empty one.
    (folder / FILES["-m"]).write_text("", encoding="ascii")
    with (folder / FILES["-c"]).open("w", encoding="ascii") as file:
        for source in split:
            file.writelines(
                f"0x{source.guid:016x} {to.lid} {levels[source.switch, to.lid]}\n" for to in split if to is not source
            )
    _write_lanes(folder / FILES["-d"], intent, lanes, links, split)


def run_ibdmchk(folder: Path) -> Opinion:
    """Run ibdmchk on the files in a folder.

    Raises
    ------
    tulle.InputError
        If ibdmchk is not installed.
    tulle.TulleError
        If ibdmchk ends without a result.
    """
    command = find_ibdmchk()
    if command is None:
        raise InputError("ibdmchk is not installed; legal: install it (Debian, Ubuntu: package ibutils)")
    arguments = [word for option, name in FILES.items() for word in (option, name)]
    try:
        done = subprocess.run(
            [command, *arguments],
            cwd=folder,
            capture_output=True,
            timeout=_TIMEOUT,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise TulleError(f"ibdmchk gave no result within {_TIMEOUT} s") from None
    output = done.stdout.decode("utf-8", "replace")
    loops, none = _LOOP.findall(output), _NONE.search(output)
    credit_lines = "\n".join(line for line in output.splitlines() if "credit" in line.lower())
    if none is not None or loops:
        return Opinion(
            none is None, credit_lines, abs(done.returncode) + 128 if done.returncode < 0 else done.returncode
        )
    failed = _FAILED.search(output)
    why = failed[0] if failed else f"exit code {done.returncode}"
    raise TulleError(f"ibdmchk gave no result: {why}")


@dataclass(frozen=True, eq=False)
class _Adapter:
    """An adapter with one LID."""

    guid: int
    lid: int
    switch: int
    port: int
    """The switch port of the adapter in the equivalent network."""
    like: int
    """The real switch port of the adapter's endpoint, whose SL-to-VL rows the adapter uses."""
    endpoint: int


def _split(
    intent: Intent, ports: NDArray[np.uint8], lanes: Lanes, levels: NDArray[np.uint8], links: Links
) -> list[_Adapter]:
    """Make an adapter per LID for one endpoint of every group with equal tables, lanes and service levels."""
    ends = np.zeros(links.to.shape, np.bool_)
    ends[intent.endpoint_switch, intent.endpoint_ports] = True
    free = [intent.num_ports] * len(intent.switch_guids)
    made: list[_Adapter] = []
    seen: set[tuple[int, bytes]] = set()
    for endpoint, switch in enumerate(intent.endpoint_switch.tolist()):
        port = int(intent.endpoint_ports[endpoint])
        if links.endpoint[switch, port] != endpoint:
            continue
        base = int(intent.endpoint_lids[endpoint])
        lids = np.arange(base, base + (1 << intent.lmc))
        others = np.arange(len(intent.switch_guids)) != switch
        # Compare only rows to and from other switches, because paths within a switch cannot be part of a cycle.
        rows = lanes.switches[switch][:, ~ends[switch]][port], lanes.switches[switch][~ends[switch], port]
        alike = ports[others][:, lids], levels[others][:, lids], lanes.adapters[endpoint], *rows
        key = switch, b"".join(part.tobytes() for part in alike)
        if key in seen:
            continue
        seen.add(key)
        for layer, lid in enumerate(lids.tolist()):
            at = port
            if layer:
                at, free[switch] = free[switch], free[switch] + 1
            # A GUID that no device has: the group bit is set.
            guid = intent.bundle.endpoint_addresses[endpoint][0] if not layer else 0x0300_0000_0000_0000 | lid << 8
            made.append(_Adapter(guid, lid, switch, at, port, endpoint))
    if max(free) - 1 > _MOST_PORTS:
        raise InputError(
            f"ibdmchk: a switch needs {max(free) - 1} ports for its cables and the LIDs of its hosts; legal: at most "
            f"{_MOST_PORTS}"
        )
    return made


def _write_subnet(path: Path, intent: Intent, links: Links, split: list[_Adapter]) -> None:
    width = max([intent.num_ports - 1, *(adapter.port for adapter in split)])

    def switch(at: int, port: int) -> str:
        guid, lid = intent.switch_guids[at], int(intent.switch_lids[at])
        return _end("SW", width, guid, guid, f"S{guid:016x}", lid, port)

    with path.open("w", encoding="ascii") as file:
        for at, port in np.argwhere(links.to >= 0).tolist():
            file.write(f"{switch(at, port)} {switch(int(links.to[at, port]), int(links.port[at, port]))} {_RATE}\n")
        for adapter in split:
            here = switch(adapter.switch, adapter.port)
            there = _end("CA", 1, adapter.guid, adapter.guid + 1, f"H{adapter.lid}", adapter.lid, 1)
            file.write(f"{here} {there} {_RATE}\n{there} {here} {_RATE}\n")


_RATE = "PHY=4x LOG=ACT SPD=10"


def _end(kind: str, ports: int, node: int, port_guid: int, name: str, lid: int, port: int) -> str:
    return (
        f"{{ {kind} Ports:{ports:02X} SystemGUID:{node:016X} NodeGUID:{node:016X} PortGUID:{port_guid:016X} "
        f"VenID:0002C9 DevID:0000 Rev:000000A1 {{{name}}} LID:{lid:04X} PN:{port:02X} }}"
    )


def _write_tables(path: Path, intent: Intent, ports: NDArray[np.uint8], split: list[_Adapter]) -> None:
    with path.open("w", encoding="ascii") as file:
        for switch, guid in enumerate(intent.switch_guids):
            file.write(f"osm_ucast_mgr_dump_ucast_routes: Switch 0x{guid:016x}\nLID    : Port : Hops : Optimal\n")
            row = ports[switch]
            entries = [(int(lid), int(row[lid])) for lid in intent.switch_lids]
            entries += [
                (adapter.lid, adapter.port if adapter.switch == switch else int(row[adapter.lid])) for adapter in split
            ]
            file.writelines(f"0x{lid:04X} : {port:03d}  : 01   : yes\n" for lid, port in entries if port != NO_PORT)
            file.write("\n")


def _write_lanes(path: Path, intent: Intent, lanes: Lanes, links: Links, split: list[_Adapter]) -> None:
    at_switch: dict[int, list[_Adapter]] = {}
    for adapter in split:
        at_switch.setdefault(adapter.switch, []).append(adapter)
    with path.open("w", encoding="ascii") as file:
        for switch, guid in enumerate(intent.switch_guids):
            network = [(port, port) for port in np.flatnonzero(links.to[switch] >= 0).tolist()]
            ends = network + [(adapter.port, adapter.like) for adapter in at_switch.get(switch, ())]
            for in_port, in_like in ends:
                for out_port, out_like in ends:
                    row = lanes.switches[switch, in_like, out_like]
                    if in_port != out_port and (row != NO_LANE).all():
                        file.write(f"0x{guid:016x} {in_port} {out_port} {_pairs(row)}\n")
        for adapter in split:
            row = lanes.adapters[adapter.endpoint]
            if (row != NO_LANE).all():
                file.write(f"0x{adapter.guid:016x} 0 1 {_pairs(row)}\n")


def _pairs(row: NDArray[np.uint8]) -> str:
    return " ".join(f"0x{row[level]:x}{row[level + 1]:x}" for level in range(0, LEVELS, 2))
