"""``tulle prices list``, ``show`` and ``new``: list price lists, show the items of a list, and copy a list to edit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle._internal.text import counted
from tulle.cli.network.layout import _lists
from tulle.cli.options import destination
from tulle.cli.terminal.output import Json, print_fields, print_json
from tulle.cli.terminal.table import Column, print_table
from tulle.cli.terminal.text import money

if TYPE_CHECKING:
    from tulle.design.prices import Line, Price, Prices

prices = typer.Typer(help="Shows price lists, and writes a copy to edit.", rich_markup_mode=None)

Name = Annotated[
    str,
    typer.Argument(
        metavar="LIST", help="A name that 'tulle prices list' shows, or a .toml file.", autocompletion=_lists
    ),
]
File = Annotated[Path, typer.Argument(metavar="FILE", help="The list to write: .toml.", callback=destination.toml)]
From = Annotated[str, typer.Option("--from", metavar="LIST", help="The list to start from.", autocompletion=_lists)]


@prices.command("list")
def list_prices(json: Json = False) -> None:
    """Lists the price lists that tulle comes with."""
    from tulle.design.prices import read_prices
    from tulle.design.shipped_files import shipped

    found = [{"name": name, **_head(read_prices(name))} for name in shipped("prices")]
    if json:
        print_json({"prices": found})
        return
    columns = (Column("name", 0, "name"), Column("title", 1, "name"), Column("currency", 4), Column("rate_gbps", 3))
    rows = [[of["name"], of["title"], of["currency"], of["rate_gbps"], of["date"], of["example"]] for of in found]
    print_table((*columns, Column("date", 5, "name"), Column("example", 2, "name")), rows)


@prices.command("show")
def show(name: Name, json: Json = False) -> None:
    """Shows a price list: every item with its size, cost, power and source."""
    from tulle.design.prices import read_prices

    found = read_prices(name)
    items = _items(found)
    if json:
        print_json({**_head(found), "source": found.source, "items": items})
        return
    print_fields({**_head(found), "source": found.source})
    print()
    columns = (
        Column("item", 0, "name"),
        Column("size", 1, "name"),
        Column("name", 3, "name"),
        Column(found.currency, 2, "number"),
        Column("W", 4, "number"),
        Column("source", 5, "name"),
    )
    print_table(columns, [list((item | {"cost": money(item["cost"])}).values()) for item in items])


@prices.command("new")
def new(file: File, start: From = "example-400gbe", json: Json = False) -> None:
    """Writes a copy of a price list, with its comments, to edit."""
    from tulle._internal.writing.atomic import replacing
    from tulle.design.prices import read_prices
    from tulle.design.shipped_files import find
    from tulle.errors import InputError

    if file.exists():
        raise InputError(f"{file} exists, and may have been edited; legal: a file that does not exist yet")
    # Errors of the list are reported now, not when the user has edited the copy.
    read_prices(start)
    content = find("prices", start).read_bytes()
    with replacing(file) as copy:
        copy.write(content)
    if json:
        print_json({"written": str(file), "from": start})
        return
    print(f"{file}: a copy of {start}; edit it, then --prices {file}")


def _head(found: Prices) -> dict[str, Any]:
    return {
        "title": found.title,
        "currency": found.currency,
        "rate_gbps": None if found.rate is None else found.rate / 1e9,
        "date": found.date,
        "example": found.example,
    }


def _items(found: Prices) -> list[dict[str, Any]]:
    """Return all items of a price list, in the order of the list."""
    rows = []
    for item, listed, line in (
        ("switch", found.switches, found.switch_line),
        ("copper", found.copper, found.copper_line),
        ("fibre", found.fibre, found.fibre_line),
        ("transceiver", found.transceivers, None),
        ("NIC", found.nics, None),
    ):
        unit = "ports" if item in ("switch", "NIC") else "m"
        rows += [_item(item, price, unit) for price in listed]
        if line is not None:
            rows += _line(item, line, unit)
    if found.fibre_beyond is not None:
        step, cost = found.fibre_beyond
        rows.append(_fields("fibre", f"each {step / 1000:g} m beyond", None, cost, None, found.source))
    for item, device in (("optical switch", found.optical_switch), ("patch panel", found.patch_panel)):
        if device is not None:
            rows.append(_item(item, device, "ports"))
    return rows


def _item(item: str, price: Price, unit: str) -> dict[str, Any]:
    size = f"{price.size / 1000:g} m" if unit == "m" else counted(price.size, "port")
    return _fields(item, size, price.name, price.cost, price.watts, price.source)


def _line(item: str, line: Line, unit: str) -> list[dict[str, Any]]:
    """Return two rows for a linear price: the fixed cost, and the cost per port or metre."""
    scale = 1000 if unit == "m" else 1
    most = "" if line.most is None else f", at most {line.most / scale:g} {unit}"
    return [
        _fields(item, f"any{most}", None, line.cost, None, line.source),
        _fields(item, f"and each {unit.removesuffix('s')}", None, line.per, line.watts_per, line.source),
    ]


def _fields(item: str, size: str, name: str | None, cost: float, watts: float | None, source: str) -> dict[str, Any]:
    return {"item": item, "size": size, "name": name, "cost": cost, "watts": watts, "source": source}
