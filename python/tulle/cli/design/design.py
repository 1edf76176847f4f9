"""``tulle design``: find networks for a number of endpoints and a switch, priced and ranked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tulle import __version__
from tulle._internal.quantities import metres
from tulle._internal.text import brief, counted
from tulle.cli.design.notes import larger_switches, legend
from tulle.cli.network.layout import Floor  # noqa: TC001 - typer reads it
from tulle.cli.network.price_note import example_prices, without_nics
from tulle.cli.options import destination
from tulle.cli.options.plotting import write_plot
from tulle.cli.terminal.numbers import ENDPOINTS, whole
from tulle.cli.terminal.output import Json, ProgressLine, note, print_json
from tulle.cli.terminal.table import Column, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.design.forms import ClosedForms
    from tulle.design.search import Design, Proposal

Endpoints = Annotated[
    str | None,
    typer.Option(
        "--endpoints",
        metavar="N",
        help="Number of endpoints, for example 2000 or 2k; if not given, show the largest network of each family.",
    ),
]
Radix = Annotated[str, typer.Option("--radix", metavar="K", help="Ports of a switch.")]
Tolerance = Annotated[
    str,
    typer.Option(
        "--tolerance", metavar="SHARE", help="Allowed difference in the number of endpoints, for example 10%."
    ),
]
Family = Annotated[
    str | None,
    typer.Option(
        "--family",
        "--families",
        metavar="NAME,…",
        help="Families to search, for example slimfly,fattree; default: all.",
    ),
]
Oversubscription = Annotated[
    str,
    typer.Option(
        "--oversubscription",
        metavar="R,…",
        help="Oversubscription of tree leaves (endpoints per uplink), for example 1,2.",
    ),
]
MinThroughput = Annotated[
    str | None,
    typer.Option(
        "--min-throughput",
        metavar="T",
        help="Leave out networks whose all-to-all throughput is lower, 0 to 1; default: 0, or 0.9 without --endpoints.",
    ),
]
Lids = Annotated[
    str | None,
    typer.Option(
        "--lids-per-endpoint",
        metavar="N",
        help="InfiniBand LIDs per endpoint; networks that need more LIDs than a subnet has are left out.",
    ),
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
Cable = Annotated[
    str,
    typer.Option(
        "--cable",
        metavar="LENGTH",
        help="Assumed length of a cable between switches in cost estimates, for example 10m.",
    ),
]
Pareto = Annotated[
    bool, typer.Option("--pareto", help="Show the Pareto-optimal rows, at most 15; this is the default.")
]
Top = Annotated[
    str | None,
    typer.Option(
        "--top",
        metavar="N",
        help="Show this many rows of each family instead of the Pareto-optimal rows; 0 shows all, with estimated "
        "costs.",
    ),
]
NoCertify = Annotated[
    bool,
    typer.Option(
        "--no-certify", help="Show only closed-form bounds of all-to-all throughput; do not compute certified bounds."
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        callback=destination.rows,
        help="Write the rows (.csv) or a plot (.svg, .pdf, .png): cost over all-to-all throughput; without "
        "--endpoints, endpoints over radix.",
    ),
]


def design(
    endpoints: Endpoints = None,
    radix: Radix = "64",
    tolerance: Tolerance = "10%",
    family: Family = None,
    oversubscription: Oversubscription = "1",
    min_throughput: MinThroughput = None,
    lids_per_endpoint: Lids = None,
    prices: PriceList = "fatpaths-100gbe",
    switch: Switch = None,
    cable: Cable = "10m",
    floor: Floor = None,
    pareto: Pareto = False,
    top: Top = None,
    no_certify: NoCertify = False,
    output: Output = None,
    json: Json = False,
) -> None:
    """Finds networks of every family for a number of endpoints and a switch; prices, certifies and ranks them."""
    from tulle.design.floor import read_floor
    from tulle.design.largest_within import RADIX as LARGEST_RADIX
    from tulle.design.prices import read_prices
    from tulle.design.ranking import ranked
    from tulle.design.search import LONGEST, RADIX
    from tulle.design.search import design as search
    from tulle.errors import InputError

    rows = None if top is None else whole("--top", top, 0, ENDPOINTS)
    if top is not None and pareto:
        raise InputError(f"--pareto and --top {top} are both given; legal: one of them")
    names = None if family is None else family.split(",")
    least = None if min_throughput is None else _share("--min-throughput", min_throughput)
    if endpoints is None:
        ports = whole("--radix", radix, 2, LARGEST_RADIX)
        _show_largest(ports, names, 0.9 if least is None else least, output, json)
        return
    length = metres("--cable", cable)
    if not 0 <= length <= LONGEST:
        raise InputError(f"--cable={brief(cable)} is out of range; legal: 0m to {LONGEST}m")
    listed = read_prices(prices)
    room = None if floor is None else read_floor(floor)
    found = search(
        whole("--endpoints", endpoints, 1, ENDPOINTS),
        whole("--radix", radix, 2, RADIX),
        tolerance=_share("--tolerance", tolerance),
        families=names,
        oversubscription=[_number("--oversubscription", ratio, 0.1, 100) for ratio in oversubscription.split(",")],
        min_throughput=least or 0.0,
        lids_per_endpoint=None
        if lids_per_endpoint is None
        else whole("--lids-per-endpoint", lids_per_endpoint, 1, 128),
        prices=listed,
        switch=switch,
        cable=length,
        floor=room,
    )
    with ProgressLine("rows") as line:
        found = ranked(found, rows, certified=not no_certify, progress=line.show)
    shown = found.pareto() if rows is None else found.best(rows)
    if output is not None and output.suffix.lower() == ".csv":
        _write(shown, found.currency, output)
    elif output is not None:
        found.draw(output)
    for told in found.notes:
        note(told)
    if json:
        print_json({**_fields(found, shown, length), "price_list": prices, "tulle": __version__})
        return
    _print(found, shown, families=rows is not None)
    if not listed.nics:
        note(without_nics(listed.title))
    if listed.example:
        note(example_prices(listed.title, listed.date))


def _show_largest(radix: int, names: list[str] | None, min_throughput: float, output: Path | None, json: bool) -> None:
    from tulle.design.largest_within import largest

    found = largest(radix, families=names, min_throughput=min_throughput)
    if output is not None and output.suffix.lower() == ".csv":
        _write_rows([_sizes(forms) for forms in found], output)
    elif output is not None:
        from tulle.design.curves import plot_largest

        write_plot(output, lambda: plot_largest(radix, names, min_throughput))
    if json:
        print_json({"radix": radix, "min_throughput": min_throughput, "largest": [_sizes(forms) for forms in found]})
        return
    rows = [
        {**_shown(forms), "ports each": forms.ports_per_endpoint, "links each": forms.links_per_endpoint}
        for forms in found
    ]
    # Columns, the most important first. A narrow terminal omits the last of them.
    kept = ("fabric", "endpoints", "all-to-all", "diameter", "switches", "cables", "ports each", "links each", "Moore")
    _print_rows(rows, kept, title=f"the largest on switches of {radix} ports")
    note(legend(kept))


def _share(name: str, text: str) -> float:
    return _number(name, text, 0, 1)


def _number(name: str, text: str, least: float, most: float) -> float:
    """Read a number or a percentage within a range."""
    from tulle.errors import InputError

    legal = f"legal: {least} to {most}"
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise InputError(f"{name}={brief(text)} is not a number; {legal}") from None
    if not least <= value <= most:
        raise InputError(f"{name}={brief(text)} is out of range; {legal}")
    return value


def _fields(found: Design, shown: tuple[Proposal, ...], cable: float) -> dict[str, Any]:
    return {
        "endpoints": found.endpoints,
        "least": found.low,
        "most": found.high,
        "radix": found.radix,
        "prices": found.prices,
        "currency": found.currency,
        "cable_m": cable,
        "switch": found.switch,
        "floor": found.floor,
        "tried": found.tried,
        "fitting": found.fitting,
        "proposals": [_row(proposal) for proposal in shown],
        "unpriced": found.unpriced,
        "notes": found.notes,
    }


def _row(proposal: Proposal) -> dict[str, Any]:
    certificate, bound = proposal.certificate, proposal.forms.all_to_all
    upper = bound
    if certificate is not None:
        # The bound can be below the certified value by an error of rounding.
        upper = certificate.upper if bound is None else max(certificate.lower, min(bound, certificate.upper))
    return {
        **_sizes(proposal.forms),
        "all_to_all": proposal.all_to_all,
        "all_to_all_is": proposal.all_to_all_is,
        "all_to_all_lower": None if certificate is None else certificate.lower,
        "all_to_all_upper": upper,
        "ports_bought": proposal.ports_bought,
        "ports_used": proposal.ports_used,
        "cost_per_endpoint": proposal.cost_per_endpoint,
        "cost_is": "layout" if proposal.laid_out else "estimate",
        "watts_per_endpoint": proposal.watts_per_endpoint,
        "pareto": proposal.pareto,
    }


def _sizes(forms: ClosedForms) -> dict[str, Any]:
    return {
        "fabric": forms.spec,
        "family": forms.family,
        "endpoints": forms.endpoints,
        "switches": forms.switches,
        "cables": forms.cables,
        "network_radix": forms.network_radix,
        "concentration": forms.concentration,
        "radix": forms.radix,
        "ports_per_endpoint": forms.ports_per_endpoint,
        "links_per_endpoint": forms.links_per_endpoint,
        "diameter": forms.diameter,
        "diameter_is": forms.diameter_is,
        "average_path_length": forms.average_path_length,
        "average_path_length_is": forms.average_is,
        "all_to_all_bound": forms.all_to_all,
        "moore_share": forms.moore_share,
    }


def _write(shown: tuple[Proposal, ...], currency: str, path: Path) -> None:
    rows = [{**_row(proposal), "currency": currency} for proposal in shown]
    _write_rows(rows, path)


def _write_rows(rows: list[dict[str, Any]], path: Path) -> None:
    from tulle._internal.text import csv_row
    from tulle._internal.writing.atomic import replacing

    lines = (
        [csv_row(list(rows[0])), *(csv_row([_cell(value) for value in row.values()]) for row in rows)] if rows else []
    )
    with replacing(path) as file:
        file.write("".join(f"{line}\n" for line in lines).encode())


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    return int(value) if isinstance(value, bool) else value


def _shown(forms: ClosedForms) -> dict[str, Any]:
    """Return the table cells of a network by heading."""
    return {
        "fabric": forms.spec,
        "endpoints": forms.endpoints,
        "all-to-all": None if forms.all_to_all is None else f"{forms.all_to_all:.3f}",
        "diameter": _known(forms.diameter, forms.diameter_is),
        "switches": forms.switches,
        "cables": forms.cables,
        "average path": _known(forms.average_path_length, forms.average_is, ".3f"),
        "Moore": None if forms.moore_share is None else f"{forms.moore_share:.2f}",
    }


def _known(value: float | None, what: str, digits: str = "") -> str | None:
    """Return a value as text, with ≤ or ≥ if it is a bound."""
    return None if value is None else {"most": "≤", "least": "≥"}.get(what, "") + format(value, digits)


def _print_rows(rows: list[dict[str, Any]], kept: Sequence[str], *, title: str, output: str | None = None) -> None:
    """Print a table with the columns in `kept`, which lists the most important column first.

    The columns of the table are in the order of the keys of a row.
    """
    kinds: dict[str, Literal["name", "spec"]] = {"fabric": "spec", "all-to-all is": "name", "price is": "name"}
    heads = sorted(kept, key=list(rows[0]).index) if rows else kept
    columns = [Column(head, kept.index(head), kinds.get(head, "number")) for head in heads]
    print_table(columns, [[row[head] for head in heads] for row in rows], title=title, output=output)


def _print(found: Design, shown: tuple[Proposal, ...], *, families: bool) -> None:
    """Print the rows. `families` says that they are the first of each family, not the Pareto-optimal ones."""
    from tulle.design import certify

    estimates = [proposal for proposal in shown if not proposal.laid_out]
    each = f"{found.currency} each"
    if estimates and len(estimates) == len(shown):
        each += ", estimated"
    # Some rows have prices of a layout, and others have estimates.
    price_is = ("price is",) if 0 < len(estimates) < len(shown) else ()
    rows = []
    for proposal in shown:
        cells = _shown(proposal.forms)
        carried, watts = proposal.all_to_all, proposal.watts_per_endpoint
        rows.append(
            {
                "fabric": ("* " if proposal.pareto else "  ") + cells.pop("fabric"),
                "endpoints": cells.pop("endpoints"),
                "all-to-all": None if carried is None else f"{carried:.3f}",
                "all-to-all is": proposal.all_to_all_is,
                each: round(proposal.cost_per_endpoint),
                **dict.fromkeys(price_is, "layout" if proposal.laid_out else "estimate"),
                "W each": None if watts is None else f"{watts:.1f}",
                "ports bought": proposal.ports_bought,
                "ports used": proposal.ports_used,
                **{head: cell for head, cell in cells.items() if head != "all-to-all"},
            }
        )
    figures = ("all-to-all", each, *price_is, "endpoints", "all-to-all is", "diameter", "switches", "cables")
    others = ("ports bought", "ports used", "W each", "average path", "Moore")
    _print_rows(rows, ("fabric", *figures, *others), title=f"prices: {found.prices}", output="-o rows.csv")
    note(legend((*figures, *others)))
    starred = sum(proposal.pareto for proposal in found.proposals)
    if families:
        more = f", {len(shown)} shown"
    else:
        more = f", the first {len(shown)} of {starred} Pareto-optimal rows shown" if starred > len(shown) else ""
    note(
        f"{found.fitting} of {found.tried} configurations have {found.low} to {found.high} endpoints on switches of "
        f"{counted(found.radix, 'port')}{more}; * is Pareto-optimal in cost, all-to-all throughput and diameter"
    )
    if found.unpriced:
        further = len(found.unpriced) - 1
        note(f"left out: {found.unpriced[0]}" + (f" (and {counted(further, 'other')}, see --json)" if further else ""))
    bounds = sum(proposal.certificate is None for proposal in shown)
    if bounds:
        note(f"{bounds} of {len(shown)} rows are not certified: their all-to-all throughput is a closed-form bound")
    if (line := larger_switches(found, shown)) is not None:
        note(line)
    if estimates:
        are_large = all(proposal.forms.switches > certify.SWITCHES for proposal in estimates)
        why = "these fabrics are too large for a layout" if are_large else "--top 0 makes no layouts"
        note(f"{len(estimates)} of {len(shown)} costs are estimates, because {why}")
