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
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan

FILES = frozenset(
    {"bundle.json", "README.md", "fabric.json", "routing.tulle", "plan.json", "plan.schema.json", "ports.csv"}
    | {"switches"}
)
"""The files and folders of every Ethernet bundle; only bundles of explicit paths have no plan.json and schema."""
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
        raise InputError(
            f"{BUFFER.flag}={brief(text)} is not a size in the legal range; legal: {BUFFER.legal}"
        ) from None


IPV6 = Option("ipv6", bool, "Use IPv6 addresses (fd00:layer:switch::host) instead of IPv4.", default=False)
PREFIX = Option(
    "prefix",
    str,
    "Prefix that contains all addresses, for example 10.64.0.0/12 or fd12:3456::/32; default: 10.0.0.0/8 or fd00::/16.",
    metavar="PREFIX",
    legal="a prefix of IPv4 or IPv6",
)
TABLE_SIZE = Option(
    "table_size", int, "Maximum number of prefix entries of a switch; default: no limit.", metavar="N", least=1
)
DEADLOCK = Option(
    "deadlock",
    str,
    "For a lossless network: the scheme that assigns priorities, for example dfsssp.",
    metavar="SCHEME",
    legal="a scheme of tulle list deadlocks",
)
HOSTS = Option(
    "hosts",
    MODES,
    "How hosts use layers: a subflow of MPTCP per layer, a layer per flowlet, or a layer per flow (hash).",
    default=MODES[0],
)
FLOWLET_GAP = Option(
    "flowlet_gap",
    str,
    "With --hosts flowlets: idle time after which a flow may take another layer, for example 50ms.",
    metavar="TIME",
    default=f"{GAP_MS}ms",
    legal="1ms to 60s, in whole milliseconds",
    read=milliseconds,
)
LINK_PREFIX = Option(
    "link_prefix",
    str,
    "Prefix from which links get addresses, for example 172.16.0.0/16; default: an unused part of --prefix.",
    metavar="PREFIX",
    legal="a prefix of IPv4 or IPv6",
)
UNDERLAY = Option(
    "underlay",
    ("static", "bgp"),
    "How switches learn routes: static routes, or BGP with BFD, which finds other paths after failures.",
    default="static",
)
BFD = Option(
    "bfd",
    bool,
    "With static routes: BFD monitors next hops, and removes them from routes while a cable has failed.",
    default=False,
)
LOSSLESS = Option(
    "lossless",
    int,
    f"Number of lossless priorities of the switches; default: {MOST_LOSSLESS}.",
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
    "Sizes of your ASIC for the buffer headroom, for example cell=96,mac_phy=819,mtu=9216.",
    metavar="KEY=BYTES,…",
    legal="sizes in bytes by name, and small_packets from 0 to 1",
    read=_headroom,
)


def written(plan: EthernetPlan, paths: list[Path]) -> Written:
    """Return the report of a bundle."""
    fields = {
        "fabric": plan.fabric.spec,
        "routing": plan.spec,
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
    return Written(paths, fields, notes=name_notes(plan))


def name_notes(plan: EthernetPlan) -> tuple[str, ...]:
    """Return notes on devices with other names than in the fabric, and on ports whose names follow from numbers."""
    from tulle.cabling.plan_names import changed_names

    fabric = plan.routing.fabric
    switches = zip(fabric.labels, plan.names, strict=True)
    hosts = zip(fabric.properties.get("endpoint_names") or (), (host.name for host in plan.hosts), strict=False)
    return (*changed_names([*switches, *hosts], "this bundle"), *_port_notes(plan))


def _port_notes(plan: EthernetPlan) -> tuple[str, ...]:
    """Return a note if some port names in the files are not names of the fabric, but follow from port numbers."""
    # The routing's fabric has the original names of ports. In the fabric of the plan, numbers replace them.
    fabric = plan.routing.fabric
    known = fabric.properties
    between = fabric.ports if "ports" in known else ()
    hosts = fabric.endpoint_ports if "endpoint_ports" in known else ()
    total = sum(map(len, plan.ports))
    rows = [(plan.names[switch], port) for switch, ports in enumerate(plan.ports) for port in ports if not port.given]
    what = "no name in the fabric"
    if len(rows) == total:
        # In the fabric, port numbers may start at 0 or exceed the legal range. The files then use other numbers.
        what = "another number in the fabric"
        texts = ((hosts, port.endpoint) if port.channel is None else (between, port.channel) for _, port in rows)
        given = [texts[at or 0] if texts else "" for texts, at in texts]
        rows = [row for row, text in zip(rows, given, strict=True) if text not in ("", str(row[1].number))]
    if not rows:
        return ()
    name, port = rows[0]
    return (
        f"{len(rows)} of {counted(total, 'port')} {verb(total, 'has', 'have')} {what}, so their names in the files "
        f"follow from their numbers (for example port {port.number} of {name}): rename the interfaces of the switches "
        "to the names that ports.csv lists",
    )


def for_bgp(what: Routing | VcPlan, link_prefix: str | None, *, bfd: bool = False) -> Routing:
    """Check the options of a bundle with BGP, and return the routing that BGP installs."""
    from tulle.deploy.ethernet.bgp import underlay_routing
    from tulle.routing.routing import Routing

    if link_prefix is not None:
        raise InputError(
            f"--link-prefix {link_prefix}: with --underlay bgp, links have no addresses; legal: without it"
        )
    if bfd:
        raise InputError("--bfd with --underlay bgp: BGP always has BFD sessions; legal: without --bfd")
    if not isinstance(what, Routing):
        raise InputError(
            "--deadlock with --underlay bgp: BGP changes paths by itself, and nothing proves them free of deadlock; "
            "legal: one of them"
        )
    return underlay_routing(what)
