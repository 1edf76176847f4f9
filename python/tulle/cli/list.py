"""``tulle list KIND``: what is registered."""

from typing import Annotated

import typer

from tulle.cli.output import Json, print_json, print_table

KINDS = (
    "fabrics, routings, deadlocks, traffics, transports, selectors, queues, nics, faults, metrics; routers, flit-selectors, "
    "policies or flit-traffics of the flit simulator"
)


def list_kind(
    kind: Annotated[str, typer.Argument(metavar="KIND", help=f"One of {KINDS}.")], json: Json = False
) -> None:
    """Lists what is registered under KIND."""
    from tulle.registry import registered

    entries = registered(kind)
    if json:
        print_json({"kind": kind, "entries": entries})
        return
    rows = [(entry["name"], entry["examples"][0], entry["summary"], entry["paper"]) for entry in entries]
    print_table(["name", "example", "what it is", "from"], rows)
