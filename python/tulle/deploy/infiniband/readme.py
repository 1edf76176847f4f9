"""The README of a bundle: what an operator runs, in what order, and how to go back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.text import counted
from tulle.deploy.infiniband.names import roots

if TYPE_CHECKING:
    from tulle.deploy.infiniband.generate import Deployment

_FILES = (
    ("opensm.conf", "settings of OpenSM"),
    ("guid2lid", "the LIDs of every port"),
    ("lfts", "forwarding tables, as OpenSM's file engine has them"),
    ("sl2vl", "SL-to-VL tables, and the service level of every path"),
    ("partitions.conf", "the default partition, with the service level of multicast"),
    ("root_guids, node_names", "roots, for OpenSM's own engines; what nodes are called"),
    ("plugin/", "the routing engine: source, built on site"),
    ("hosts/", "what hosts are set up with"),
    ("fabric.json, routing.tulle, plan", "what is meant, with the proof, for `tulle deploy verify` and `repair`"),
    ("unasked", "after a repair in traffic: service levels of before, which hosts use until they ask again"),
    ("bundle.json", "sizes and SHA-256 of all others; while it is missing the bundle is not whole"),
)


def readme(made: Deployment, folder: str) -> str:
    """The text, for a bundle that will lie in `folder`."""
    plan, fabric = made.plan, made.fabric
    hops = [len(counts) - 1 for counts in made.walked.hops]
    rows = "\n".join(f"| `{name}` | {what} |" for name, what in _FILES)
    top = ", ".join(fabric.labels[switch] for switch in roots(fabric)[:4])
    return f"""# {fabric.spec}: {plan.routing.spec} on InfiniBand

{counted(fabric.num_switches, "switch", "switches")}, {counted(fabric.num_endpoints, "adapter port")}, \
LIDs 1 to {made.top_lid}, LMC {made.lmc}: \
{counted(1 << made.lmc, "LID")} a port, {counted(plan.routing.num_layers, "layer")}.
Deadlock scheme `{plan.spec}`: {counted(plan.num_vcs, "data VL")} and {counted(plan.num_sls, "service level")}. \
Every port must have \
{counted(made.hardware_vls, "data VL")}.
Before this was written all {made.walked.paths} paths were walked by the tables alone: each leads to its LID on the
lanes of the plan, at most {counted(max(hops), "hop")}, \
and their {made.walked.dependencies} channel dependencies have no cycle.

| file | what it is |
|---|---|
{rows}

## Load it

On the machine of the subnet manager, with the bundle in `{folder}`:

1. Compare the cabling: `ibnetdiscover > live`, `tulle cabling verify`, or `tulle deploy verify {folder} --live live`.
   GUIDs in `fabric.json` must be those of the site: import them (`tulle import ibnetdiscover`) or bind them (`--bind`).
2. Build the plug-in: `make -C {folder}/plugin`, then as root `make -C {folder}/plugin install`. It is tied to the
   version of OpenSM that it was built for, and says so where another loads it.
3. Stop standby subnet managers: one of them would load its own routing.
4. Keep what is there: `cp -a /etc/opensm /etc/opensm.before`, `cp -a /var/cache/opensm /var/cache/opensm.before`.
5. Stop OpenSM, put the LIDs where it looks for them, and start it:

       systemctl stop opensm
       install -m 644 {folder}/guid2lid /var/cache/opensm/guid2lid
       opensm -F {folder}/opensm.conf -B

   LIDs change now: end jobs first.
6. Verify before jobs start: `tulle deploy verify {folder}` with the forwarding tables, SL-to-VL tables and path records
   read back.
7. Set up hosts: `hosts/README.md`. **A host on an SL of its own, as SL 0, voids the proof.**

## When cables or switches die

    ibnetdiscover > live
    tulle deploy repair {folder} --live live --dry-run
    tulle deploy repair {folder} --live live -o {folder} --sighup $(pidof opensm)

LIDs stay; only entries that lead over what is dead change, and nothing is written unless every state that can exist
while switches load is proved free of deadlock. If the command says *not proved safe in traffic*, stop traffic instead:

1. End jobs, so that hosts send nothing.
2. `tulle deploy repair {folder} --live live --drained -o {folder} --sighup $(pidof opensm)`
3. Wait until OpenSM says SUBNET UP, and compare: `tulle deploy verify {folder}` with the tables read back.
4. Restart what runs on the hosts that the command counts: they must ask for path records again.
5. Start jobs.

## Go back

    kill $(pidof opensm)
    cp -a /var/cache/opensm.before/guid2lid /var/cache/opensm/guid2lid
    systemctl start opensm

OpenSM then routes as before; it sets SL-to-VL tables where `qos TRUE` is, else a reboot of the switches does.
Hosts go back to their own settings.

## Multicast, IPoIB, management

{_multicast(made)}
OpenSM makes a spanning tree per group, rooted where hops are fewest on average, over any cables.
Management packets are on VL 15 and wait for none. Queries of counters go to LIDs of switches by layer 0, on data VLs:
their paths are in the tables, and not in the proof.
`root_guids` names {top}.
"""


def _multicast(made: Deployment) -> str:
    level = made.multicast_sl
    if level is None:
        return (
            "Multicast, and so IPoIB's broadcast, is on SL 0 and shares VLs with unicast, as the plan leaves no VL or\n"
            "SL: trees and paths together are not proved free of deadlock. A scheme of fewer VLs (`vcs=`) leaves one."
        )
    return (
        f"Multicast, and IPoIB's broadcast, is on SL {level} and VL {made.hardware_vls - 1}, unused by unicast.\n"
        "One tree alone cannot deadlock; groups whose trees differ share that VL, which is not proved."
    )
