"""``tulle design``: what fits a number of endpoints and a switch, priced and ranked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle.cli import destination
from tulle.cli.output import Json, note, print_json, print_table

if TYPE_CHECKING:
    from tulle.design.forms import ClosedForms
    from tulle.design.search import Design, Proposal

Endpoints = Annotated[
    int | None,
    typer.Option(
        "--endpoints", metavar="N", help="Endpoints to connect; without it, the largest network of each family."
    ),
]
Radix = Annotated[int, typer.Option("--radix", metavar="K", help="Ports of a switch.")]
Tolerance = Annotated[
    str, typer.Option("--tolerance", metavar="SHARE", help="By how much the number of endpoints may differ.")
]
Families = Annotated[
    str | None, typer.Option("--families", metavar="NAME,…", help="Families to look at; all where not given.")
]
Oversubscription = Annotated[
    str, typer.Option("--oversubscription", metavar="R,…", help="Endpoints per uplink of leaves of trees, as 1,2.")
]
MinThroughput = Annotated[
    float | None,
    typer.Option("--min-throughput", metavar="T", help="The least all-to-all bound, 0 to 1; 0.9 without --endpoints."),
]
Lids = Annotated[
    int | None,
    typer.Option("--lids-per-endpoint", metavar="A", help="InfiniBand addresses of an endpoint that have to fit."),
]
PriceList = Annotated[
    str, typer.Option("--prices", metavar="LIST", help="A price list, as for tulle layout: a name or a .toml file.")
]
Cable = Annotated[float, typer.Option("--cable", metavar="METRES", help="Length to price a cable between switches at.")]
Top = Annotated[int, typer.Option("--top", metavar="N", help="Configurations to show of each family; 0 for all.")]
Plot = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        callback=destination.plot,
        help="Draw cost over what is carried; without --endpoints, endpoints over radix.",
    ),
]


def design(
    endpoints: Endpoints = None,
    radix: Radix = 64,
    tolerance: Tolerance = "10%",
    families: Families = None,
    oversubscription: Oversubscription = "1",
    min_throughput: MinThroughput = None,
    lids_per_endpoint: Lids = None,
    prices: PriceList = "fatpaths-100gbe",
    cable: Cable = 10.0,
    top: Top = 3,
    output: Plot = None,
    json: Json = False,
) -> None:
    """Finds what fits a number of endpoints and a switch: every family, priced and ranked, without building any."""
    from tulle.design.search import design as search
    from tulle.errors import InputError

    if top < 0:
        raise InputError(f"top={top} is out of range; legal: 0 or more")
    names = None if families is None else families.split(",")
    if endpoints is None:
        _show_largest(radix, names, 0.9 if min_throughput is None else min_throughput, output, json)
        return
    found = search(
        endpoints,
        radix,
        tolerance=_share(tolerance),
        families=names,
        oversubscription=[_number("oversubscription", ratio) for ratio in oversubscription.split(",")],
        min_throughput=min_throughput or 0.0,
        lids_per_endpoint=lids_per_endpoint,
        prices=prices,
        cable=cable,
    )
    if output is not None:
        from tulle.design.figure import draw

        draw(found, output)
    shown = found.best(top)
    if json:
        print_json(_fields(found, shown, cable))
        return
    _print(found, shown, cable)


def _show_largest(radix: int, names: list[str] | None, min_throughput: float, output: Path | None, json: bool) -> None:
    from tulle.design.largest import largest

    found = largest(radix, families=names, min_throughput=min_throughput)
    if output is not None:
        from tulle.design.figure import draw_largest

        draw_largest(radix, names, min_throughput, output)
    if json:
        print_json({"radix": radix, "min_throughput": min_throughput, "largest": [_sizes(forms) for forms in found]})
        return
    heads = ("fabric", "endpoints", "switches", "cables", "ports each", "links each", "diameter", "all-to-all", "Moore")
    cells = [
        [
            forms.spec,
            forms.endpoints,
            forms.switches,
            forms.cables,
            round(forms.ports_per_endpoint, 2),
            round(forms.links_per_endpoint, 2),
            forms.diameter,
            f"{forms.all_to_all:.3f}",
            "" if forms.moore_share is None else f"{forms.moore_share:.2f}",
        ]
        for forms in found
    ]
    print_table(heads, cells, title=f"the largest on switches of {radix} ports")


def _share(text: str) -> float:
    number = _number("tolerance", text.removesuffix("%"))
    return number / 100 if text.endswith("%") else number


def _number(what: str, text: str) -> float:
    from tulle.errors import InputError

    try:
        return float(text)
    except ValueError:
        raise InputError(f"{what}={text} is no number; legal: as 1, 0.5 or 10%") from None


def _fields(found: Design, shown: tuple[Proposal, ...], cable: float) -> dict[str, Any]:
    return {
        "endpoints": found.endpoints,
        "least": found.low,
        "most": found.high,
        "radix": found.radix,
        "prices": found.prices,
        "currency": found.currency,
        "cable_m": cable,
        "tried": found.tried,
        "fitting": len(found.proposals),
        "proposals": [_row(proposal) for proposal in shown],
    }


def _row(proposal: Proposal) -> dict[str, Any]:
    return {
        **_sizes(proposal.forms),
        "cost_per_endpoint": proposal.cost_per_endpoint,
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


def _print(found: Design, shown: tuple[Proposal, ...], cable: float) -> None:
    kinds = {"exact": "", "most": "≤", "least": "≥", "unknown": ""}
    cells = []
    for proposal in shown:
        forms = proposal.forms
        cells.append(
            [
                ("*" if proposal.pareto else " ") + " " + forms.spec,
                forms.endpoints,
                forms.switches,
                forms.cables,
                round(forms.ports_per_endpoint, 2),
                "" if forms.diameter is None else f"{kinds[forms.diameter_is]}{forms.diameter}",
                ""
                if forms.average_path_length is None
                else f"{kinds[forms.average_is]}{forms.average_path_length:.3f}",
                "" if forms.all_to_all is None else f"{forms.all_to_all:.3f}",
                "" if forms.moore_share is None else f"{forms.moore_share:.2f}",
                round(proposal.cost_per_endpoint),
                "" if proposal.watts_per_endpoint is None else f"{proposal.watts_per_endpoint:.1f}",
            ]
        )
    money = f"{found.currency} each"
    heads = (
        "fabric",
        "endpoints",
        "switches",
        "cables",
        "ports each",
        "diameter",
        "average path",
        "all-to-all",
        "Moore",
    )
    print_table((*heads, money, "W each"), cells, title=found.prices)
    note(
        f"{len(found.proposals)} of {found.tried} configurations fit {found.low} to {found.high} endpoints and"
        f" {found.radix} ports; * is beaten by none in cost, all-to-all bound and diameter; cables between switches"
        f" priced at {cable:g} m"
    )
