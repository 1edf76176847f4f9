"""``tulle compare SPEC…``: compare a few fabrics in one table, and name the best fabric of each row."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tulle import __version__
from tulle.cli.network.layout import Floor  # noqa: TC001 - typer reads it
from tulle.cli.network.price_note import example_prices, without_nics
from tulle.cli.options import destination
from tulle.cli.options.plotting import plot_option
from tulle.cli.terminal.numbers import ENDPOINTS, whole
from tulle.cli.terminal.output import Json, ProgressLine, Seed, note, print_json, span, text
from tulle.cli.terminal.table import Column, print_table, render
from tulle.cli.terminal.text import Screen

if TYPE_CHECKING:
    from tulle.compare import Band, Card

Specs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SPEC]…", help="At least two fabrics, for example slimfly:q=9 fattree:k=16; none with --endpoints."
    ),
]
Endpoints = Annotated[
    str | None,
    typer.Option(
        "--endpoints",
        metavar="N",
        help="Compare the fabric of each family near N endpoints that costs least per throughput.",
    ),
]
Radix = Annotated[str, typer.Option("--radix", metavar="K", help="With --endpoints: ports of a switch.")]
Family = Annotated[
    str, typer.Option("--family", "--families", metavar="NAME,…", help="With --endpoints: families to compare.")
]
Routing = Annotated[
    list[str] | None,
    typer.Option(
        "--routing",
        metavar="SPEC",
        help="One routing for all fabrics, or one per fabric in order; default: the routing that 'tulle tune' chooses.",
    ),
]
Selector = Annotated[
    str | None,
    typer.Option(
        "--selector",
        metavar="SPEC",
        help="Path selector in packet simulations; default: ecmp if all routings are ecmp, otherwise that of the "
        "transport.",
    ),
]
Transport = Annotated[
    str | None,
    typer.Option("--transport", metavar="SPEC", help="Transport of packet simulations; default: purified."),
]
Size = Annotated[str, typer.Option("--bytes", metavar="SIZE", help="Size of every message in packet simulations.")]
Rate = Annotated[
    str, typer.Option("--rate", metavar="RATE", help="Rate of links of unknown rate in packet simulations.")
]
PriceList = Annotated[
    str,
    typer.Option(
        "--prices", metavar="LIST", help="Price list: a name that 'tulle prices list' shows, or a .toml file."
    ),
]
Switch = Annotated[
    str | None,
    typer.Option(
        "--switch",
        metavar="NAME",
        help="Switch of the price list to use, by name or number of ports; default: the smallest that fits.",
    ),
]
Seeds = Annotated[
    int, typer.Option("--seeds", metavar="N", help="Number of seeds for routings, traffic, simulations and failures.")
]
Csv = Annotated[
    Path | None,
    typer.Option(
        "--csv",
        metavar="FILE",
        callback=destination.table,
        help="Write the results as CSV: a row per metric and fabric.",
    ),
]
Plot = Annotated[Path | None, plot_option("the comparison", "-o", "--output", "--plot")]


def compare(
    specs: Specs = None,
    endpoints: Endpoints = None,
    radix: Radix = "64",
    family: Family = "slimfly,dragonfly,hyperx,fattree",
    routing: Routing = None,
    selector: Selector = None,
    transport: Transport = None,
    size: Size = "256KiB",
    rate: Rate = "10Gbps",
    prices: PriceList = "fatpaths-100gbe",
    switch: Switch = None,
    floor: Floor = None,
    seeds: Seeds = 3,
    seed: Seed = 0,
    csv: Csv = None,
    output: Plot = None,
    json: Json = False,
) -> None:
    """Compares a few fabrics: price, cables, power, paths, throughput, completion times, failures."""
    from tulle.compare import compare as make
    from tulle.design.floor import read_floor
    from tulle.design.prices import read_prices
    from tulle.errors import InputError
    from tulle.packet.configuration import TRANSPORT

    chosen = list(specs or [])
    room = None if floor is None else read_floor(floor)
    if endpoints is not None:
        if chosen:
            raise InputError("fabrics and --endpoints are both given; legal: one of them")
        from tulle.design.ranking import ranked
        from tulle.design.search import RADIX, design

        with ProgressLine("fabrics to choose") as line:
            size_of, ports = whole("--endpoints", endpoints, 1, ENDPOINTS), whole("--radix", radix, 2, RADIX)
            fitting = design(size_of, ports, families=family.split(","), prices=prices, switch=switch, floor=room)
            found = ranked(fitting, 1, progress=line.show)
        chosen = [proposal.forms.spec for proposal in found.best(1)]
    # The price list is read first, so that its errors are reported before the long computation.
    listed = read_prices(prices)
    with ProgressLine("steps", estimate=True) as line:
        card = make(
            chosen,
            routings=routing or (),
            selector=selector,
            transport=transport or TRANSPORT,
            prices=prices,
            switch=switch,
            floor=room,
            size=size,
            rate=rate,
            # An illegal number of seeds is passed on unchanged, because `compare` reports it.
            seeds=range(seed, seed + seeds) if seeds > 0 else seeds,
            progress=line.show,
        )
    if csv is not None:
        _write(card, csv)
    if output is not None:
        card.draw(output)
    for told in card.notes:
        note(told)
    if json:
        print_json(
            {
                **asdict(card),
                "seed": seed,
                "bytes": size,
                "price_list": prices,
                "switch": switch,
                "tulle": __version__,
            }
        )
        return
    _print(card)
    if not listed.nics:
        note(without_nics(listed.title))
    if listed.example:
        note(example_prices(listed.title, listed.date))


def _print(card: Card) -> None:
    from tulle.compare import cost, saturation
    from tulle.compare.card import ENOUGH

    names = "ABCDEFGHIJKLMNOP"
    columns = (
        Column("", 0),
        Column("fabric", 1, "spec"),
        Column("endpoints", 2),
        Column("switches", 4),
        Column("cables", 5),
        Column("radix", 6),
        Column("routing", 3, "spec"),
        Column("ports bought", 7, "number"),
        Column("ports used", 8, "number"),
    )
    entrants = [
        [name, of.fabric, of.endpoints, of.switches, of.cables, of.radix, of.routing, of.ports_bought, of.ports_used]
        for name, of in zip(names, card.entrants, strict=False)
    ]
    print_table(columns, entrants)
    print()
    cells = []
    for row in card.rows:
        # Cost metrics do not depend on the seed, so they have one value.
        seeds = 1 if row.name in cost.METRICS else card.seeds
        winner = "".join(names[at] for at in row.winners) + ("" if row.apart or not row.winners else " ~")
        head = f"{row.head} ({card.currency})" if row.name == "cost_per_endpoint" else row.head
        cells.append([head, *(_cell(band, seeds) for band in row.bands), winner or "-"])
    # A terminal that is too narrow omits the column `best` before the columns of fabrics.
    heads = [Column("", 0, "prose"), *(Column(name, 1) for name in names[: len(card.entrants)]), Column("best", 2)]
    if render(heads, cells, Screen.width())[2]:
        # In a narrow terminal, minimum and maximum are printed below the median, so that all fabrics fit.
        cells = [[head, *(cell.replace(" (", "\n(") for cell in bands), best] for head, *bands, best in cells]
    print_table(heads, cells, title=f"{card.currency}, {card.prices}")
    print()
    for name, of in zip(names, card.entrants, strict=False):
        print(f"worst permutation of {name}: {of.worst_permutation}")
    for line in card.left_out:
        note(f"left out: {line}")
    values = "values of one seed" if card.seeds == 1 else f"median (minimum to maximum) of {card.seeds} seeds"
    few = "" if card.seeds >= ENOUGH else f"; values that depend on the seed need {ENOUGH} seeds for a clear winner"
    note(f"{values}; ~: the best fabric is not clearly better than another{few}")
    note(f"completion times (FCT): selector {card.selector}, transport {card.transport}")
    note(f"saturation: selector {saturation.LAYERS}, or {saturation.PATHS} for path sets")
    note("cables: between switches, without those of endpoints; links per endpoint: with the endpoint's own cable")


def _cell(band: Band | None, seeds: int) -> str:
    if band is None:
        return "-"
    words = [found] if (found := span(band.low, band.high)) else []
    words += [] if band.seeds == seeds else [f"{band.seeds} of {seeds} seeds"]
    return text(band.median) + (f" ({', '.join(words)})" if words else "")


def _unit(name: str, currency: str) -> str:
    """Return the unit of a metric; empty for counts, hops and fractions of the link rate."""
    return {"cost_per_endpoint": currency, "watts_per_endpoint": "W"}.get(name, "us" if name.endswith("_us") else "")


def _write(card: Card, path: Path) -> None:
    from tulle._internal.text import csv_number, csv_row
    from tulle._internal.writing.atomic import replacing

    lines = ["figure,unit,better,fabric,median,low,high,seeds,best"]
    for row in card.rows:
        for at, (of, band) in enumerate(zip(card.entrants, row.bands, strict=True)):
            values = (None, None, None, 0) if band is None else (band.median, band.low, band.high, band.seeds)
            lines.append(
                csv_row(
                    [
                        row.name,
                        _unit(row.name, card.currency),
                        row.better,
                        of.fabric,
                        *map(csv_number, values),
                        int(at in row.winners),
                    ]
                )
            )
    with replacing(path) as file:
        file.write("".join(f"{line}\n" for line in lines).encode())
