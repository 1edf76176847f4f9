"""``tulle layout SPEC``: place racks on a floor, and print cable lengths and a bill of materials."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle import __version__
from tulle._internal.quantities import watts
from tulle._internal.text import are, counted
from tulle.cli.network.fabric import Fail, Format, Spec, Write, build, check_format
from tulle.cli.network.price_note import example_prices, without_nics
from tulle.cli.options import destination
from tulle.cli.options.plotting import plot_option, write_plot
from tulle.cli.terminal.output import Column, Json, Seed, note, print_fields, print_json, print_line, print_table
from tulle.cli.terminal.text import exact, money

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tulle.design.bill import Bill
    from tulle.design.placement import Layout
    from tulle.design.power import Power


def _floors(incomplete: str) -> list[str]:
    from tulle.design.shipped_files import shipped

    return [name for name in shipped("floors") if name.startswith(incomplete)]


def _lists(incomplete: str) -> list[str]:
    from tulle.design.shipped_files import shipped

    return [name for name in shipped("prices") if name.startswith(incomplete)]


Floor = Annotated[
    str | None,
    typer.Option(
        "--floor",
        metavar="FLOOR",
        help="Floor: spacing and racks, for example column=2m,row=1m,slack=2m; or clos, flattened-clos, standard, "
        "or a .toml file; default: standard.",
        autocompletion=_floors,
    ),
]
PriceList = Annotated[
    str | None,
    typer.Option(
        "--prices",
        metavar="LIST",
        help="Price list: a name that 'tulle prices list' shows, or a .toml file.",
        autocompletion=_lists,
    ),
]
Switch = Annotated[
    str | None,
    typer.Option(
        "--switch",
        metavar="NAME",
        help="Switch of the price list to use, by name or number of ports; default: the smallest that fits each "
        "switch.",
    ),
]
Through = Annotated[
    str | None,
    typer.Option(
        "--through", metavar="DEVICES", help="Route cables through optical (circuit switches) or panels (patch panels)."
    ),
]
Ports = Annotated[
    int | None, typer.Option("--ports", metavar="N", help="With --through: ports of a device; default: 320.")
]
Parts = Annotated[
    str | None,
    typer.Option(
        "--parts",
        metavar="metis",
        help="Group switches into racks by partitioning the graph instead of the family's structure.",
    ),
]
NicsPerHost = Annotated[
    int | None,
    typer.Option("--nics-per-host", metavar="N", help="Endpoints per host; a host is in one rack; default: 1."),
]
HostUnits = Annotated[
    int | None,
    typer.Option(
        "--host-units",
        metavar="U",
        help="Height of a host in rack units; default: 1. At height 1, a rack unit holds as many hosts as density= in "
        "--floor, by default two.",
    ),
]
HostWatts = Annotated[
    str | None,
    typer.Option(
        "--host-watts", metavar="W", help="With --prices: power of a host without its NICs, for example 500 or 500W."
    ),
]
Plot = Annotated[Path | None, plot_option("the floor to scale, with racks and cable trays", "--plot", "--svg")]
Latency = Annotated[
    str | None,
    typer.Option(
        "--latency",
        metavar="TIME",
        help="With --write: latency of a switch, for example 100ns. Every link gets 5 ns per metre of cable, plus its "
        "known latency, or this latency if none is known.",
    ),
]
Cables = Annotated[
    Path | None,
    typer.Option("--cables", metavar="FILE", callback=destination.table, help="Write a row per cable: .csv."),
]


def layout(
    spec: Spec,
    floor: Floor = None,
    prices: PriceList = None,
    switch: Switch = None,
    through: Through = None,
    ports: Ports = None,
    parts: Parts = None,
    nics_per_host: NicsPerHost = None,
    host_units: HostUnits = None,
    host_watts: HostWatts = None,
    plot: Plot = None,
    cables: Cables = None,
    write: Write = None,
    format: Format = None,
    latency: Latency = None,
    seed: Seed = 0,
    fail: Fail = None,
    json: Json = False,
) -> None:
    """Places a fabric in racks on a floor: cable lengths and media, a bill of materials, a floor plan."""
    from tulle.design.placement import place
    from tulle.design.prices import read_prices

    check_priced(prices, switch, host_watts)
    host_power = 0.0 if host_watts is None else watts("--host-watts", host_watts)
    if latency is not None and write is None:
        raise typer.BadParameter("--latency applies only to links that --write writes; legal: with --write FILE")
    check_format(write, format)
    # The price list is read first, so that its errors are reported before the long computation.
    listed = None if prices is None else read_prices(prices)
    fabric = build(spec, seed, fail, None)
    found = place(
        fabric,
        floor,
        parts=parts,
        through=through,
        ports=ports_of(through, ports),
        nics_per_host=nics_per_host,
        host_units=host_units,
        seed=seed,
    )
    bill = None if listed is None else found.bill(listed, switch)
    power = None if listed is None else found.power(listed, switch, host_watts=host_power)
    if write is not None:
        linked = found.linked(latency)
        written = [str(path) for path in linked.write(write, format)]
        for line in linked.left_out(write, format):
            note(line)
    if cables is not None:
        found.cables.write_csv(cables)
    fields: dict[str, Any] = {
        "fabric": fabric.spec,
        "seed": fabric.seed,
        "faults": fabric.faults,
        "floor": found.floor,
        "structure": found.structure,
        **_sizes(found),
        "lengths": lengths(found),
        "cables": _cables(found),
    }
    for line in found.notes:
        note(line)
    if listed is not None and (told := listed.other_rates(fabric)):
        note(told)
    if bill is not None:
        fields["bill"] = _bill(bill)
    if power is not None:
        fields["power"] = _power(power)
    if write is not None:
        fields["written"] = written
    if json:
        options = {"parts": parts, "through": through, "ports": ports}
        more = {"notes": found.notes, "places": _places(found), "fingerprint": fabric._fingerprint()}
        print_json({**fields, **more, "options": options, "tulle": __version__})
    else:
        _print(fields, found)
        if bill is not None:
            print()
            _print_bill(bill)
        if power is not None and (power.watts or not power.without_watts):
            _print_power(power)
    write_plot(plot, lambda: found.plot(listed, switch, host_watts=host_power))


def check_priced(prices: str | None, switch: str | None, host_watts: str | None) -> None:
    """Check that options about items of a price list are given only together with a price list."""
    if switch is not None and prices is None:
        raise typer.BadParameter("--switch names an item of a price list; legal: with --prices LIST")
    if host_watts is not None and prices is None:
        raise typer.BadParameter("--host-watts adds to the power of a price list; legal: with --prices LIST")


def ports_of(through: str | None, ports: int | None) -> int:
    """Return the number of ports of an optical switch or patch panel. Refuse the option without such devices."""
    from tulle.design.through import PORTS

    if ports is not None and through is None:
        raise typer.BadParameter("--ports is for optical switches or patch panels; legal: with --through DEVICES")
    return PORTS if ports is None else ports


def _sizes(found: Layout) -> dict[str, Any]:
    columns, rows = (found.rack_places.max(axis=0, initial=-1) + 1).tolist()
    return {
        "racks": len(found.racks),
        "columns": columns,
        "rows": rows,
        "switches": found.fabric.num_switches,
        "endpoints": found.fabric.num_endpoints,
        "devices": 0 if found.circuits is None else found.circuits.num_devices,
    }


def lengths(found: Layout) -> dict[str, int]:
    """Return how many cable lengths are given by the fabric, and how many are estimated from the floor."""
    known, estimated = found.known_lengths
    return {"known": known, "estimated": estimated}


def lengths_line(found: Layout) -> str:
    """Return the numbers of known and estimated cable lengths as text."""
    known, estimated = found.known_lengths
    return f"{known:,} known, {estimated:,} estimated from the floor"


def _power(power: Power) -> dict[str, Any]:
    """Return the power of all racks and of each rack, including hosts, and the required cooling."""
    least, mean, most = _spread(power)
    return {
        "hosts": power.hosts,
        "watts": power.watts,
        "network_watts": power.network_watts,
        "least_watts_per_rack": least,
        "mean_watts_per_rack": mean,
        "most_watts_per_rack": most,
        "cooling_tons": power.cooling_tons,
        "rack_watts": power.racks.tolist(),
        "without_watts": list(power.without_watts),
    }


def _spread(power: Power) -> tuple[float, float, float]:
    """Return minimum, mean and maximum power of a rack, in watts."""
    racks = power.racks
    return (float(racks.min()), float(racks.mean()), float(racks.max())) if len(racks) else (0.0, 0.0, 0.0)


def _print_power(power: Power) -> None:
    hosts = counted(power.hosts, "host")
    print_line(f"power  {power.network_watts:,.0f} W of switches, NICs, cables and transceivers")
    if power.host_watts:
        print_line(f"       {power.watts:,.0f} W with {hosts} of {exact(power.host_watts)} W")
    else:
        print_line(f"       power of {hosts} not included; --host-watts adds it")
    least, mean, most = (watts / 1000 for watts in _spread(power))
    print_line(f"racks  {least:.1f} kW minimum, {mean:.1f} kW mean, {most:.1f} kW maximum")
    print_line(f"heat   {power.watts / 1000:,.1f} kW, {power.cooling_tons:,.1f} tons of refrigeration")


def _places(found: Layout) -> list[dict[str, Any]]:
    """Return a row per rack, with its position and the number of devices in it."""
    import numpy as np

    held = (found.switch_rack, found.endpoint_rack, found.device_rack)
    counts = [np.bincount(racks, minlength=len(found.racks)) for racks in held]
    rows = np.column_stack([found.rack_places, found.rack_groups, *counts]).tolist()
    names = ("column", "row", "group", "switches", "endpoints", "devices")
    return [{"rack": rack, **dict(zip(names, row, strict=True))} for rack, row in zip(found.racks, rows, strict=True)]


def _cables(found: Layout) -> list[dict[str, Any]]:
    """Return counts and lengths of cables, by the connected devices and by medium."""
    import numpy as np

    kinds: list[tuple[str, NDArray[np.int64], NDArray[np.bool_]]] = []
    if found.circuits is None:
        kinds.append(("between switches", found.cable_length, found.cable_copper))
    else:
        switch, _, device, _ = found.device_cables
        kinds.append(("to devices", found.device_length[switch, device], np.zeros(len(switch), np.bool_)))
    kinds.append(("to endpoints", found.endpoint_length, found.endpoint_copper))
    rows = []
    for name, lengths, copper in kinds:
        for medium, of in (("copper", lengths[copper]), ("fibre", lengths[~copper])):
            if len(of):
                least, mean, most = int(of.min()) / 1000, float(of.mean()) / 1000, int(of.max()) / 1000
                total = int(of.sum()) / 1000
                rows.append(
                    {
                        "cables": name,
                        "medium": medium,
                        "count": len(of),
                        "shortest_m": least,
                        "mean_m": mean,
                        "longest_m": most,
                        "total_m": total,
                    }
                )
    return rows


def _bill(bill: Bill) -> dict[str, Any]:
    rows = [
        {
            "item": row.item,
            "size": row.size,
            "count": row.count,
            "unit_cost": row.unit_cost,
            "cost": row.cost,
            "unit_watts": row.unit_watts,
            "source": row.source,
        }
        for row in bill.rows
    ]
    return {
        "prices": bill.prices,
        "currency": bill.currency,
        "rows": rows,
        "cost": bill.cost,
        "cost_per_endpoint": bill.cost_per_endpoint,
        "watts": bill.watts,
        "without_watts": list(bill.without_watts),
        "without_nics": bill.without_nics,
        "ports_bought": bill.ports_bought,
        "ports_used": bill.ports_used,
        "copper_as_fibre": int(bill.as_fibre),
        "example": bill.example,
    }


def _print(fields: dict[str, Any], found: Layout) -> None:
    shown = {name: value for name, value in fields.items() if name not in ("cables", "bill", "power") and value != []}
    shown["lengths"] = lengths_line(found)
    if found.circuits is None:
        del shown["devices"]
    print_fields(shown)
    print()
    heads = ("cables", "of", "count", "shortest m", "mean m", "longest m", "total m")
    print_table(heads, [list(row.values()) for row in fields["cables"]])


def _print_bill(bill: Bill) -> None:
    whole = all(float(row.count).is_integer() for row in bill.rows)
    cells = [
        [row.item, row.size, int(row.count) if whole else row.count, money(row.unit_cost), row.cost]
        for row in bill.rows
    ]
    each = f"{bill.currency} each"
    ranks = {"item": 0, "size": 1, "count": 2, each: 4, bill.currency: 3}
    columns = [Column(head, rank, "number" if head == each else None) for head, rank in ranks.items()]
    print_table(columns, cells, title=bill.prices)
    per = bill.cost_per_endpoint
    per_each = "" if per is None else f", {per:,.0f} per endpoint"
    print(f"cost   {bill.cost:,.0f} {bill.currency}{per_each}")
    print(f"ports  {bill.ports_bought:,} bought, {bill.ports_used:,} used")
    if bill.as_fibre:
        note(f"{are(round(bill.as_fibre), 'cable')} longer than all copper cables in the price list: bought as fibre")
    if bill.example:
        note(example_prices(bill.prices))
    if bill.without_nics:
        note(without_nics(bill.prices))
    if bill.without_watts:
        note(f"prices '{bill.prices}' do not list the power of: {', '.join(bill.without_watts)}")
