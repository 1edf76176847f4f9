"""``tulle list KIND [NAME]``: list the plug-ins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tulle.cli.options.complete import names
from tulle.cli.terminal.output import Column, Json, print_fields, print_json, print_line, print_table

if TYPE_CHECKING:
    from tulle.declarations import Entry

KINDS = (
    "fabrics, routings, deadlocks, traffics, transports, selectors, queues, nics, faults, metrics; routers, "
    "flit-selectors, policies or flit-traffics of the flit simulator; measurements and executors of studies; targets "
    "and schedulers of deployment; imports, live-tools or exports of cabling"
)


def list_kind(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="KIND",
            help=f"One of {KINDS}. It may be omitted with --json or --schema, which then show all kinds.",
            autocompletion=names,
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A plug-in to describe in full, for example slimfly.")
    ] = None,
    json: Json = False,
    schema: Annotated[
        bool,
        typer.Option("--schema", help="Print a JSON Schema of the parameters, with their types, ranges and defaults."),
    ] = False,
) -> None:
    """Lists the plug-ins of a kind, or describes one of them: parameters, defaults, paper, limitations."""
    from tulle import registry
    from tulle._internal.text import did_you_mean
    from tulle.registry import registered

    if schema:
        print_schema(kind, name)
        return
    if kind is None:
        if not json:
            from tulle.errors import InputError

            raise InputError(f"list needs a kind; legal: {KINDS}, or --json or --schema for all of them")
        print_json({every: registered(every) for every in registry.KINDS})
        return

    entries = registered(kind)
    if name is not None:
        found = {name: entry for entry in entries for name in (entry["name"], *entry["aliases"])}
        if name not in found:
            from tulle.errors import InputError

            raise InputError(f"{kind}: unknown name '{name}'; {did_you_mean(name, list(found))}")
        if json:
            print_json({"kind": kind, "entry": found[name]})
        else:
            print_entry(kind, found[name])
        return
    if json:
        print_json({"kind": kind, "entries": entries})
        return
    rows = [(entry["name"], entry["examples"][0], entry["summary"], entry["paper"]) for entry in entries]
    print_table(
        [
            Column("name", rank=0, kind="name"),
            Column("example", rank=2, kind="name"),
            Column("what it is", rank=1, kind="prose"),
            Column("from", rank=3, kind="prose"),
        ],
        rows,
    )


def print_schema(kind: str | None, name: str | None) -> None:
    """Print the JSON Schema of all kinds, of one kind, or of the plug-in `name` of a kind."""
    from tulle import registry
    from tulle._internal.text import did_you_mean
    from tulle.errors import InputError
    from tulle.registry import schema

    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    if kind is None:
        print_json({**head, "$defs": {every: {"$defs": schema(every)} for every in registry.KINDS}})
        return
    found = schema(kind)
    if name is None:
        print_json({**head, "$defs": found})
        return
    if name not in found:
        raise InputError(f"{kind}: unknown name '{name}'; {did_you_mean(name, list(found))}")
    print_json({**head, **found[name]})


def print_entry(kind: str, entry: Entry) -> None:
    """Print the description of a plug-in, and a table of its parameters."""
    fields = {
        "name": entry["name"],
        "also called": ", ".join(entry["aliases"]),
        "kind": kind,
        "what it is": entry["summary"],
        "from": entry["paper"],
        "limitations": entry["limitations"],
        "examples": "  ".join(entry["examples"]),
    }
    print_fields({name: value for name, value in fields.items() if value})
    if entry["nested"]:
        print()
        print_line(f"The value after the colon is another spec: {entry['examples'][0]}")
    if entry["parameters"]:
        print()
        rows = [
            (" or ".join(filter(None, (p["name"], p["alias"]))), p["legal"], p["default"] or "must be given", p["help"])
            for p in entry["parameters"]
        ]
        columns = [
            Column("parameter", rank=0, kind="name"),
            Column("legal", rank=1, kind="prose"),
            Column("default", rank=3, kind="name"),
            Column("what it is", rank=2, kind="prose"),
        ]
        print_table(columns, rows)
