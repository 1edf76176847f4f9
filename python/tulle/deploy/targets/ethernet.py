"""The common part of the Ethernet targets: options, the files of every bundle, and the report of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._internal.text import brief, counted, verb
from tulle.declarations import Declaration, DeclaredParameter, Option
from tulle.deploy.ethernet.host_modes import GAP_MS, MODES, milliseconds
from tulle.deploy.ethernet.pfc import MOST_LOSSLESS
from tulle.deploy.targets.model import Written
from tulle.errors import InputError, SpecError

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.deploy.ethernet.pfc import Headroom
    from tulle.deploy.ethernet.plan import EthernetPlan

FILES = frozenset(
    {"bundle.json", "README.md", "fabric.json", "routing.tulle", "plan.json", "plan.schema.json", "switches"}
)
"""The files and folders of every Ethernet bundle."""
LOSSLESS_FILES = frozenset({"vcs"})
REPAIRED_FILES = frozenset({"changes"})
PAPER = "Besta et al.: FatPaths (SC20) §V-D, §V-E"


def _headroom(text: str) -> Headroom:
    from tulle.deploy.ethernet.pfc import read_headroom

    return read_headroom(text)


def _buffer(text: str) -> int:
    """The bytes of a packet buffer."""
    kind = {"type": "bytes", "min": 1 << 16, "max": 1 << 40}
    parameter = DeclaredParameter(name="buffer", kind=kind, default="", help="packet buffer of a switch")
    declared = _tulle.Declared(
        Declaration(
            name="deploy",
            summary="a bundle",
            parameters=[parameter],
            paper="none",
            limitations="None.",
            examples=["deploy:buffer=32MiB"],
        )
    )
    try:
        return int(declared.read(_tulle.join_spec("deploy", [("buffer", text)]))[1]["buffer"])
    except SpecError:
        raise InputError(f"{BUFFER.flag}={brief(text)} is no size in range; legal: {BUFFER.legal}") from None


IPV6 = Option("ipv6", bool, "Use IPv6 addresses: fd00:layer:switch::host.", default=False)
PREFIX = Option(
    "prefix",
    str,
    "All addresses are in it, as 10.64.0.0/12 or fd12:3456::/32.",
    metavar="PREFIX",
    legal="a prefix of IPv4 or IPv6",
)
TABLE_SIZE = Option("table_size", int, "Maximum number of prefix entries of a switch.", metavar="N", least=1)
DEADLOCK = Option(
    "deadlock",
    str,
    "For a lossless network: the scheme that assigns priorities, for example dfsssp.",
    metavar="SCHEME",
    legal="of tulle list deadlocks",
)
HOSTS = Option(
    "hosts", MODES, "How hosts use layers: mptcp, flowlets, or a hash of the flow.", metavar="MODE", default=MODES[0]
)
FLOWLET_GAP = Option(
    "flowlet_gap",
    str,
    "Pause after which a flow may take another layer, for example 50ms.",
    metavar="TIME",
    default=f"{GAP_MS}ms",
    legal="1ms to 60s, in whole milliseconds",
    read=milliseconds,
)
LINK_PREFIX = Option(
    "link_prefix",
    str,
    "Prefix from which links get addresses, for example 172.16.0.0/16.",
    metavar="PREFIX",
    legal="a prefix of IPv4 or IPv6",
)
LOSSLESS = Option(
    "lossless",
    int,
    "Number of lossless priorities of the switches.",
    metavar="N",
    least=1,
    most=MOST_LOSSLESS,
)
BUFFER = Option(
    "buffer",
    str,
    "Packet buffer of a switch, for example 32MiB; default: SONiC sizes its pools.",
    metavar="SIZE",
    legal="64KiB to 1TiB",
    read=_buffer,
)
HEADROOM = Option(
    "headroom",
    str,
    "Sizes of your ASIC, for example cell=96,mac_phy=819,mtu=9216.",
    metavar="KEY=BYTES,…",
    legal="sizes in bytes by name",
    read=_headroom,
)


def written(plan: EthernetPlan, paths: list[Path], *, names_ports: bool = False) -> Written:
    """Return the report of a bundle; `names_ports` tells that the bundle's files name ports eth1, eth2 and so on."""
    fields = {
        "fabric": plan.fabric.spec,
        "routing": plan.routing.spec,
        "deadlock": None if plan.vcs is None else plan.vcs.spec,
        "switches": plan.fabric.num_switches,
        "endpoints": plan.fabric.num_endpoints,
        "layers": plan.num_layers,
        "prefix": str(plan.addressing.base),
        "entries": plan.num_entries,
        "entries_per_switch": int(plan.entries_per_switch.max()),
        "paths": plan.walked.paths,
        "most_hops": plan.walked.most_hops,
    }
    return Written(paths, fields, notes=other_port_names(plan) if names_ports else ())


def other_port_names(plan: EthernetPlan) -> tuple[str, ...]:
    """Return a note if the port names of the fabric differ from eth1, eth2 and so on."""
    # In the fabric of the plan, port names are replaced by numbers.
    fabric = plan.routing.fabric
    known = fabric.properties
    between = list(fabric.ports) if "ports" in known else []
    hosts = list(fabric.endpoint_ports) if "endpoint_ports" in known else []
    differ = of = 0
    example = ""
    for switch, ports in enumerate(plan.ports):
        for port in ports:
            names, at = (hosts, port.endpoint) if port.channel is None else (between, port.channel)
            name = names[at or 0] if names else ""
            of += bool(name)
            # A port named by its number counts as having the same name.
            if name and name not in (port.name, str(port.number)):
                differ += 1
                example = example or f"{brief(name)} of {brief(fabric.labels[switch])} is {port.name}"
    if not differ:
        return ()
    return (
        f"{differ} of {counted(of, 'port')} {verb(of, 'has', 'have')} another name in the fabric than in the files "
        f"({example}): eth1, eth2, … are a switch's ports in the order of the fabric; rename the interfaces, for "
        "example with ip link set dev NAME name eth1",
    )
