"""``tulle cabling plan`` and ``tulle cabling verify``: plan cables for technicians, and verify the wiring."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle._internal.text import counted, tulle_command, verb
from tulle.cabling.live import TOOLS, live_tools
from tulle.cli.network.fabric import Fail, Link, Spec, build
from tulle.cli.network.layout import (
    Floor,
    Parts,
    Ports,
    PriceList,
    Through,
    lengths,
    lengths_line,
    ports_of,
)
from tulle.cli.network.price_note import without_nics
from tulle.cli.options import destination
from tulle.cli.options.replace import CABLING, Force, check_plan_replaced, check_replaced
from tulle.cli.terminal.output import Column, Json, Seed, note, print_fields, print_json, print_some, print_table

if TYPE_CHECKING:
    from tulle.cabling.miswirings import Miswiring, Verdict
    from tulle.cabling.plan import Plan

cabling = typer.Typer(
    help="Plans every cable of a fabric from port to port, and compares a plan with the actual wiring.",
    rich_markup_mode=None,
)

# Maximum number of cables whose numbers are printed after an instruction. Instructions with more ports than this are
# printed without numbers and places.
_MOST_PLACES = 4
_OUTPUTS = [tool.output for tool in live_tools()]

Folder = Annotated[
    Path,
    typer.Option("-o", "--out", metavar="DIR", callback=destination.folder, help="The folder of the plan."),
]
PortName = Annotated[
    str,
    typer.Option(
        "--port", metavar="NAME", help="Name of switch ports, for example swp{}; {} is replaced by the number."
    ),
]
PlanPath = Annotated[
    Path,
    typer.Argument(metavar="PLAN", help="plan.json, the folder that contains it, or a folder that tulle deploy wrote."),
]
Files = Annotated[list[Path] | None, typer.Argument(metavar="[FILE]...", help="More files of --live.")]
Live = Annotated[
    list[Path],
    typer.Option(
        "--live",
        metavar="PATH...",
        help=f"Output of {', '.join(_OUTPUTS[:-1])}, or {_OUTPUTS[-1]}; files, or a folder of files.",
    ),
]
Tool = Annotated[
    str | None,
    typer.Option(
        "--tool",
        metavar="NAME",
        help=f"Tool that wrote the files: {', '.join(TOOLS[:-1])} or {TOOLS[-1]}; default: recognised from the files.",
    ),
]
SwitchesOnly = Annotated[bool, typer.Option("--switches-only", help="Leave out cables to endpoints.")]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore", metavar="PATTERN", help="Devices or ports to leave out, for example 'eth*'; may be repeated."
    ),
]


@cabling.command("plan")
def plan(
    spec: Spec,
    out: Folder,
    floor: Floor = None,
    prices: PriceList = None,
    parts: Parts = None,
    through: Through = None,
    ports: Ports = None,
    port: PortName = "{}",
    force: Force = False,
    seed: Seed = 0,
    link: Link = None,
    fail: Fail = None,
    json: Json = False,
) -> None:
    """Writes files for technicians: every cable from port to port, labels, diagrams, and files for other tools."""
    from tulle._internal.writing.lock import reserved
    from tulle.cabling.plan_folder import write_plan
    from tulle.cabling.planning import plan_cabling
    from tulle.design.placement import place
    from tulle.design.prices import read_prices

    own_ports = ports_of(through, ports)
    listed = None if prices is None else read_prices(prices)
    fabric = build(spec, seed, fail, link)
    more = [name for name, asked in (("bill.csv", listed), ("port-maps.csv", through)) if asked is not None]
    with reserved(out):
        check_replaced(out, CABLING, fabric, force=force, more=more)
        found = place(fabric, floor, parts=parts, through=through, ports=own_ports, seed=seed)
        bill = None if listed is None else found.bill(listed)
        made = plan_cabling(found, port)
        check_plan_replaced(out, fabric, made, force=force)
        written, notes = write_plan(made, out, bill, listed)
    told = [*found.notes, *notes]
    if listed is not None and bill is not None:
        told += [listed.other_rates(fabric), without_nics(listed.title) if bill.without_nics else ""]
    for line in filter(None, told):
        note(line)
    fields: dict[str, Any] = {
        "fabric": made.fabric,
        "seed": made.seed,
        "faults": list(made.faults),
        "floor": made.floor,
        "racks": len(made.racks),
        "places": "proposed" if made.proposed_places else "planned",
        "switches": sum(device.kind == "switch" for device in made.devices),
        "devices": sum(device.kind in ("optical", "panel") for device in made.devices),
        "endpoints": sum(map(len, made.endpoint_ports.values())),
        "hosts": len(made.endpoint_ports),
        "cables": len(made.cables),
        "lengths": lengths(found),
    }
    if not made.joins:
        del fields["devices"]
    if made.proposed_places:
        note(
            f"{made.fabric} has no racks, so racks, rack units and lengths without a known value are a proposal: "
            "ignore them if the devices are already installed"
        )
    steps = _steps(made)
    if json:
        print_json({**fields, "steps": steps, "written": [str(path) for path in written]})
        return
    shown = {name: value for name, value in fields.items() if value != []}
    print_fields(shown | {"lengths": lengths_line(found), "written": str(out)})
    print()
    columns = [
        Column("step", rank=0),
        Column("what", rank=1, kind="name"),
        Column("colour", rank=5, kind="name"),
        *(Column(name, rank=rank) for rank, name in enumerate(("cables", "of copper", "total m"), 2)),
    ]
    print_table(columns, [list(row.values()) for row in steps])


@cabling.command("verify")
def verify(
    plan: PlanPath,
    live: Live,
    files: Files = None,
    tool: Tool = None,
    switches_only: SwitchesOnly = False,
    ignore: Ignore = None,
    json: Json = False,
) -> None:
    """Prints miswirings as instructions: the first 20, or all with --json.

    Exit code 0 if all is as planned, 1 otherwise.
    """
    from tulle.cabling.live import expanded, read_live, tool_of
    from tulle.cabling.plan_file import read_plan
    from tulle.cabling.verify import verify_cabling
    from tulle.deploy.cabling import BundleCabling, is_bundle, read_cabling

    cabled = read_cabling(plan) if is_bundle(plan) else BundleCabling(read_plan(plan))
    known = cabled.plan
    paths = expanded([*live, *(files or ())])
    whose = tool or tool_of(paths[0])
    seen = cabled.with_aliases(read_live(whose, paths), whose)
    verdict = verify_cabling(known, seen, tool=whose, switches_only=switches_only, ignore=ignore or ())
    verdict = replace(verdict, miswirings=cabled.kept(verdict.miswirings, plan, paths[0]))
    if count := cabled.unknown_guids(seen):
        note(
            f"{counted(count, 'node')} {verb(count, 'has a GUID that is', 'have GUIDs that are')} not in the bundle: "
            f"`{tulle_command('deploy', 'verify', plan, '--live', paths[0])}` says what to do"
        )
    if whose == "table" and cabled.has_other_ports(seen, verdict):
        note(
            "the table has all cables between switches, but at other ports: if it is the table of a cabling plan, "
            "write the bundle with the folder of this plan as the fabric, because other bundles number ports in "
            "another way"
        )
    if json:
        print_json(
            {
                "agrees": verdict.agrees,
                "tool": whose,
                "planned": list(verdict.planned),
                "agreeing": list(verdict.agreeing),
                "faults": [fault.fields() for fault in verdict.miswirings],
                "notes": list(verdict.notes),
            }
        )
    else:
        _print(known, verdict)
    if not verdict.agrees:
        raise typer.Exit(1)


def _steps(plan: Plan) -> list[dict[str, Any]]:
    rows = []
    for step, what in enumerate(plan.steps):
        of = [cable for cable in plan.cables if cable.step == step]
        rows.append(
            {
                "step": step,
                "what": what.name,
                "colour": what.colour,
                "cables": len(of),
                "copper": sum(bool(cable.is_copper) for cable in of),
                "metres": sum(cable.length for cable in of) / 1000,
            }
        )
    return rows


def _print(plan: Plan, verdict: Verdict) -> None:
    from tulle.cabling.links import links_of

    for line in verdict.notes:
        note(line)
    steps = links_of(plan).plan.steps
    rows = zip(range(len(steps)), steps, verdict.agreeing, verdict.planned, strict=True)
    columns = [
        Column("step", rank=0),
        Column("what", rank=3, kind="name"),
        Column("planned", rank=1),
        Column("found", rank=2),
    ]
    print_table(columns, [[step, what.name, of, good] for step, what, good, of in rows])
    print()
    print_some([f"{fault.kind}: {fault.instruction}{_located(plan, fault)}" for fault in verdict.miswirings])
    if verdict.agrees:
        print("all as planned")


def _located(plan: Plan, fault: Miswiring) -> str:
    """Return the numbers of a miswiring's cables, as on their labels, and the places of its devices, in parentheses."""
    # A bundle says nothing about racks and labels, so there is nothing to add to its instructions.
    if not 0 < len(fault.ends) <= _MOST_PLACES or not any(device.rack for device in plan.devices):
        return ""
    numbers = ", ".join(str(row + 1) for row in fault.cables[:_MOST_PLACES]) + (
        ", …" if len(fault.cables) > _MOST_PLACES else ""
    )
    words = [f"{'cable' if len(fault.cables) == 1 else 'cables'} {numbers}"] if fault.cables else []
    devices = [plan.device[name] for name in dict.fromkeys(name for name, _ in fault.ends) if name in plan.device]
    where = "proposed for" if plan.proposed_places else "in"
    words += [f"{device.name} {where} {device.rack} U{device.unit}" for device in devices]
    return f" ({'; '.join(words)})" if words else ""
