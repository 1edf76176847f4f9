"""``tulle export NAME``: the command of a scheduler, made from the scheduler's declaration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle.cli.network.fabric import FailFirst, Link, Spec, build, routing_of
from tulle.cli.options import complete, destination
from tulle.cli.options.declared import keyword, parameter, with_signature
from tulle.cli.terminal.output import Column, Json, Seed, note, print_fields, print_json, print_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tulle.schedulers.model import Scheduler
    from tulle.schedulers.tree import NetworkTree, Tier

Routing = Annotated[
    str,
    complete.argument(
        metavar="[ROUTING]", what="The routing; hosts are grouped by its measured throughput", kind="routings"
    ),
]
Out = Annotated[
    Path, typer.Option("-o", "--out", metavar="DIR", callback=destination.folder, help="The folder of the files.")
]
Replace = Annotated[
    bool, typer.Option("--force", help="Replace files with the same names, even if 'tulle export' did not write them.")
]
_FABRIC = (
    "The fabric is a spec, a file (for example file:edges=fabric.json from tulle import), or a folder that tulle "
    "cabling plan wrote."
)
# A note is printed if, for a pair of groups, the throughput in the exported tree has a larger relative error than this.
_ERROR = 0.05


def command(scheduler: Scheduler) -> Callable[..., None]:
    """Return the function of ``tulle export NAME``, with the scheduler's options in its signature."""

    def run(
        *,
        spec: str,
        routing: str,
        out: Path,
        force: bool,
        seed: int,
        link: list[str] | None,
        fail: str | None,
        json: bool,
        **given: Any,
    ) -> None:
        from tulle.cabling.plan_names import changed_names
        from tulle.deploy.plan_fabric import fabric_of_plan
        from tulle.schedulers.names import switch_names
        from tulle.schedulers.tree import network_tree
        from tulle.schedulers.write import write

        values = scheduler.values(given)
        fabric = fabric_of_plan(spec) or build(spec, seed, fail, link)
        tree = network_tree(routing_of(fabric, routing, seed), seed)
        described = scheduler.described(tree, values)
        written = write(out, described.files, force=force)
        renamed = changed_names(zip(fabric.labels, switch_names(fabric), strict=True), "these files")
        for line in (*renamed, *described.notes, *_errors(tree)):
            note(line)
        fields: dict[str, Any] = {
            "fabric": tree.fabric,
            "routing": tree.routing,
            "hosts": tree.hosts,
            "leaves": len(tree.leaves),
            "tiers": [tier.as_dict() for tier in tree.tiers],
            "written": [str(path) for path in written],
        }
        if json:
            print_json(fields)
        else:
            print_fields({name: value for name, value in fields.items() if name != "tiers"})
            _print_tiers(tree.tiers)

    parameters = [
        keyword("spec", Spec),
        keyword("routing", Routing, default="minimal"),
        keyword("out", Out),
        *map(parameter, scheduler.options),
        keyword("force", Replace, default=False),
        keyword("seed", Seed, default=0),
        keyword("link", Link, default=None),
        keyword("fail", FailFirst, default=None),
        keyword("json", Json, default=False),
    ]
    return with_signature(run, parameters, doc=f"{scheduler.help}\n\n{_FABRIC}")


def _errors(tree: NetworkTree) -> Iterable[str]:
    worst = tree.worst
    if worst is not None and abs(worst.worst) > _ERROR:
        yield (
            f"a tree does not describe this network well: between {' and '.join(worst.worst_pair)}, the throughput of "
            f"the network is {_off(worst.worst)} that of the tree; on average over pairs of groups of the tier "
            f"{worst.name}, it is {_off(worst.error)} that of the tree"
        )


def _off(error: float) -> str:
    return f"{abs(error):.0%} {'below' if error < 0 else 'above'}"


def _print_tiers(tiers: Iterable[Tier]) -> None:
    rows = [
        (
            tier.name,
            tier.groups,
            "–".join(map(str, dict.fromkeys(tier.hosts))),
            tier.pairs,
            round(tier.implied, 3),
            round(tier.sustained, 3),
            round(tier.least, 3),
            f"{tier.error:+.0%}",
            round(tier.hops, 2),
        )
        for tier in tiers
    ]
    if rows:
        print()
        print_table(
            (
                Column("tier", rank=0),
                Column("groups", rank=1),
                Column("hosts", rank=5),
                Column("pairs", rank=7),
                Column("tree implies", rank=3),
                Column("sustained", rank=2),
                Column("least", rank=6),
                Column("error", rank=4),
                Column("hops", rank=8),
            ),
            rows,
        )
