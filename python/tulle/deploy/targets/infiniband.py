"""The target `infiniband`: subnets of a stock OpenSM."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tulle.declarations import Option
from tulle.deploy.bundle_header import INFINIBAND
from tulle.deploy.targets.model import Target, Written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan

_FILES = frozenset(
    {"bundle.json", "README.md", "fabric.json", "routing.tulle", "plan", "guid2lid", "lfts", "sl2vl", "opensm.conf"}
    | {"root_guids", "node_names", "partitions.conf", "hosts", "plugin"}
)


def prepare(fabric: Fabric, values: dict[str, Any]) -> Fabric:
    """Check port names, and read GUIDs from a file if one is given."""
    from tulle.deploy.infiniband.bind import bound
    from tulle.deploy.infiniband.names import check_ports

    check_ports(fabric)
    file = values.pop("bind")
    return fabric if file is None else bound(fabric, file)


def assign(routing: Routing, scheme: str, values: Mapping[str, Any]) -> VcPlan:
    """Assign virtual lanes; ``dfsssp`` without parameters reserves a lane for repairs under traffic."""
    from tulle.deploy.infiniband.assign import assign_lanes

    return assign_lanes(routing, scheme, values["vls"])


def write(plan: VcPlan, place: Path, *, lmc: int, vls: int, compact: bool, at: str | None) -> Written:
    """Write a bundle."""
    from tulle.deploy.infiniband.generate import deploy_infiniband
    from tulle.deploy.infiniband.write import write_bundle

    made = deploy_infiniband(plan, lmc=lmc, vls=vls)
    paths = write_bundle(made, place, compact=compact, at=at)
    fields: dict[str, Any] = {
        "fabric": made.fabric.spec,
        "routing": plan.routing.spec,
        "deadlock": plan.spec,
        "switches": made.fabric.num_switches,
        "endpoints": made.fabric.num_endpoints,
        "lmc": lmc,
        "layers": plan.routing.num_layers,
        "lids": made.top_lid,
        "vls": plan.num_vcs,
        "sls": plan.num_sls,
        "multicast_sl": made.multicast_sl,
        "paths": made.walked.paths,
        "hops": [counts.tolist() for counts in made.walked.hops],
        "dependencies": made.walked.dependencies,
    }
    return Written(paths, fields, shown={"hops": max(map(len, fields["hops"])) - 1})


TARGET = Target(
    name="infiniband",
    summary="subnets of a stock OpenSM: LIDs, forwarding tables, SL-to-VL tables, settings, host setup",
    paper="Blach et al.: A high-performance design, implementation, deployment, and evaluation of the Slim Fly "
    "network (NSDI24) §5",
    limitations="Only routings with layers of next-hop tables; each LID uses only one of several equal-cost ports. "
    "Deadlock schemes: one-vc, dfsssp, lash, colouring.",
    examples=("infiniband", "infiniband --lmc 3 --vls 4"),
    help="Writes the files that set up a stock OpenSM and the hosts; all paths are proved deadlock-free and checked"
    " first.",
    options=(
        Option("lmc", int, "An adapter port has 2^N LIDs, one per layer.", metavar="N", default=2, least=0, most=7),
        Option(
            "deadlock",
            str,
            "The scheme that assigns virtual lanes, for example colouring; dfsssp without parameters reserves a lane "
            "for repairs under traffic.",
            metavar="SCHEME",
            default="dfsssp",
            legal="a scheme of tulle list deadlocks",
        ),
        Option(
            "vls",
            int,
            "Data VLs that every port has: 1, 2, 4, 8 or 15.",
            metavar="N",
            default=8,
            legal="1, 2, 4, 8 or 15",
        ),
        Option(
            "compact",
            bool,
            "Omit comments in forwarding tables; OpenSM then does not detect changed LIDs.",
            default=False,
        ),
        Option(
            "at",
            str,
            "Path of the bundle's folder on the subnet manager's machine; default: the path on this machine.",
            metavar="PATH",
            legal="a folder there",
        ),
        Option("bind", Path, "Take GUIDs from this ibnetdiscover output of the cabled fabric.", metavar="FILE"),
    ),
    write=write,
    format=INFINIBAND,
    files=_FILES,
    repaired_files=frozenset({"hosts_to_ask", "unasked"}),
    prepare=prepare,
    assign=assign,
)
