"""The README of a bundle: the steps for an operator, in order, and how to go back."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from tulle._internal.text import counted, verb
from tulle.deploy.infiniband.bundle import HOSTS_TO_ASK, UNASKED
from tulle.deploy.infiniband.names import roots

if TYPE_CHECKING:
    from collections.abc import Container

    from tulle.deploy.infiniband.generate import Deployment

_FILES = (
    ("opensm.conf", "settings of OpenSM"),
    ("guid2lid", "the LIDs of every port"),
    ("lfts", "forwarding tables, in the format of OpenSM's file engine"),
    ("sl2vl", "SL-to-VL tables, and the service level of every path"),
    ("partitions.conf", "the default partition, with the service level of multicast"),
    ("root_guids, node_names", "root switches, for OpenSM's own engines; the names of nodes"),
    ("plugin/", "the source of the routing engine, which is built on site"),
    ("hosts/", "the setup of hosts"),
    (
        "fabric.json, routing.tulle, plan",
        "the planned fabric, routing and virtual lanes with the proof, for `tulle deploy verify` and `repair`",
    ),
    (
        UNASKED,
        "the service levels from before the repair, which hosts use until they query path records again",
    ),
    (
        HOSTS_TO_ASK,
        "the names of the hosts that must query path records again, because the repair changed service levels; one per "
        "line",
    ),
    ("bundle.json", "sizes and SHA-256 of all other files; without it the bundle is incomplete"),
    (
        "current, versions/",
        "`current` is a symbolic link to the version in use, and the other files here are links through it; "
        "`versions/` holds all versions",
    ),
)


# These files are in the table only if the bundle has them.
_OPTIONAL = (UNASKED, HOSTS_TO_ASK)


def readme(made: Deployment, folder: str, spec: str, *, optional: Container[str] = ()) -> str:
    """Write the README for a bundle in `folder` on the subnet manager's machine.

    The parameter `spec` names the fabric. `optional` has the names of the files that only some bundles have.
    """
    plan, fabric = made.plan, made.fabric
    hops = [len(counts) - 1 for counts in made.walked.hops]
    rows = "\n".join(f"| `{name}` | {what} |" for name, what in _FILES if name not in _OPTIONAL or name in optional)
    shown = shlex.quote(folder)
    top = ", ".join(fabric.labels[switch] for switch in roots(fabric)[:4])
    return f"""# {spec}: {plan.routing.spec} on InfiniBand

{counted(fabric.num_switches, "switch", "switches")}, {counted(fabric.num_endpoints, "adapter port")}, \
LIDs 1 to {made.top_lid}, LMC {made.lmc}: \
{counted(1 << made.lmc, "LID")} per port, {counted(plan.routing.num_layers, "layer")}.
Deadlock scheme `{plan.spec}`: {counted(plan.num_vcs, "data VL")} and {counted(plan.num_sls, "service level")}.
{_lanes(made)}
Before these files were written, all {made.walked.paths} paths were followed through the tables: each leads to its LID
on the lanes of the plan in at most {counted(max(hops), "hop")}, \
and their {made.walked.dependencies} channel dependencies have no cycle.

| file | what it is |
|---|---|
{rows}

## Load it

On the machine of the subnet manager, with the bundle in `{folder}`:

1. Compare the cabling: `ibnetdiscover > live`, then `tulle deploy verify {shown} --live live`. While cables are still
   missing, use `tulle cabling verify {shown} --live live`: it compares only cables.
   GUIDs in `fabric.json` must be those of the site: import them (`tulle import ibnetdiscover`) or bind them (`--bind`).
2. Build the plug-in: `make -C {shown}/plugin`, then as root `make -C {shown}/plugin install`. It works only with the
   version of OpenSM that it was built for, and reports an error with another.
3. Stop standby subnet managers. They would load their own routing when they take over. A standby with a copy of this
   bundle at the same path, the plug-in, `guid2lid` in its cache, and a lower priority (`opensm -p 3`, the first one
   `-p 14`) may run. After each repair, copy the bundle to all subnet managers.
4. Save the current state. A second run keeps the first copy:

       test -e /etc/opensm.before || cp -a /etc/opensm /etc/opensm.before
       test -e /var/cache/opensm.before || cp -a /var/cache/opensm /var/cache/opensm.before

5. Stop OpenSM, install the LIDs in its cache, and start it:

       systemctl stop opensm
       install -m 644 {shown}/guid2lid /var/cache/opensm/guid2lid
       opensm -F {shown}/opensm.conf -B

   This changes LIDs, so end all jobs first.
6. Verify before jobs start:

       ibnetdiscover > live; dump_fts > lfts
       tulle deploy verify {shown} --live live --lfts lfts

   To compare SL-to-VL tables and path records too, add `--sl2vl` and `--paths` with their files.
7. Set up hosts as `hosts/README.md` describes. **A host that uses another SL, for example SL 0, voids the proof.**

## When cables or switches fail

    ibnetdiscover > live
    tulle deploy repair {shown} --live live --dry-run
    tulle deploy repair {shown} --live live -o {shown} --sighup $(pidof opensm)

LIDs stay, and if possible, only entries whose paths use failed parts change. Nothing is written unless every state that
can exist while switches load is proved free of deadlock. Such repairs exist most often with the deadlock schemes
`colouring` and `dfsssp` without parameters. If the command says *not proved safe under traffic*, stop traffic instead:

1. End jobs, so that hosts send nothing.
2. `tulle deploy repair {shown} --live live --drained -o {shown} --sighup $(pidof opensm)`
3. Wait until OpenSM's log has SUBNET UP. Then verify the subnet, as in step 6 of *Load it*.
4. If the repair has written the file `{HOSTS_TO_ASK}`, restart the programs on the hosts that it lists, so that they
   query path records again.
5. Start jobs.

If OpenSM was still loading a repair when the next part failed, add `--lfts tables`, the output of `dump_fts`: the proof
then covers switches that have not loaded this bundle.

`tulle deploy versions {shown}` lists earlier versions of this bundle. To load one, do these steps with
`tulle deploy rollback {shown} --drained` and `kill -HUP $(pidof opensm)` as step 2. In step 4, restart the programs on
all hosts.

## Go back

    kill $(pidof opensm)
    rm -f /var/cache/opensm/guid2lid
    test ! -e /var/cache/opensm.before/guid2lid || cp -a /var/cache/opensm.before/guid2lid /var/cache/opensm/guid2lid
    systemctl start opensm

OpenSM then routes as before. It resets SL-to-VL tables if `qos TRUE` is set; otherwise reboot the switches.
Restore the earlier settings of hosts too.

## Multicast, IPoIB, management

{_multicast(made)}
OpenSM makes a spanning tree per group over any cables, with the root that has the fewest hops on average.
Management packets use VL 15 and wait for no other VL. Queries of counters go to the LIDs of switches through layer 0,
on data VLs: their paths are in the tables, but not in the proof.
`root_guids` begins with {top}.
"""


def _lanes(made: Deployment) -> str:
    """Say how many data VLs every port must have, and why."""
    total, used = made.hardware_vls, made.plan.num_vcs
    need = f"Every port must have {counted(total, 'data VL')} (`--vls`)"
    parts = [f"the plan uses {counted(used, 'VL')}"]
    if made.multicast_sl is not None:
        parts.append(f"VL {total - 1} is for multicast")
    if free := total - used - len(parts) + 1:
        parts.append(f"{counted(free, 'VL')} {verb(free, 'is', 'are')} left for repairs")
    return f"{need}: {', '.join(parts[:-1])} and {parts[-1]}." if len(parts) > 1 else f"{need}."


def _multicast(made: Deployment) -> str:
    level = made.multicast_sl
    if level is None:
        return (
            "Multicast, including IPoIB's broadcast, uses SL 0 and shares VLs with unicast, because the plan "
            "leaves no\n"
            "VL or SL. Trees and paths together are not proved free of deadlock. A scheme with fewer VLs (`vcs=`)\n"
            "leaves one for multicast."
        )
    return (
        f"Multicast, including IPoIB's broadcast, uses SL {level} and VL {made.hardware_vls - 1}, which unicast does\n"
        "not use. A single tree cannot deadlock. Groups with different trees share that VL, and nothing proves\n"
        "that they cannot deadlock."
    )
