"""``tulle report RESULT… -o report.html``: show the results of commands in one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tulle.cli.options import destination
from tulle.cli.terminal.output import Json, ProgressLine, print_fields, print_json

Sources = Annotated[
    list[Path],
    typer.Argument(
        metavar="RESULT...",
        help="A file that compare, design, layout or resilience printed with --json; a run directory; or a bundle of "
        "deploy.",
    ),
]
Output = Annotated[
    Path, typer.Option("-o", "--output", metavar="FILE", callback=destination.html, help="The report: .html.")
]
Routing = Annotated[
    str | None,
    typer.Option(
        "--routing",
        metavar="SPEC",
        help="Routing to show, except for comparisons and bundles; default: that of the result, or minimal for designs "
        "and layouts.",
    ),
]
PriceList = Annotated[
    str | None,
    typer.Option(
        "--prices", metavar="LIST", help="Price list for bills of materials; default: the list that the result names."
    ),
]
Networks = Annotated[
    int, typer.Option("--networks", metavar="N", help="Maximum number of networks to draw per result.")
]
Cuts = Annotated[
    int | None,
    typer.Option(
        "--cuts",
        metavar="N",
        help="Number of cables per network whose failure the report can show; their reroutes are computed in "
        "advance; default: 12, and more in small networks.",
    ),
]
Title = Annotated[
    str | None,
    typer.Option(
        "--title", metavar="TEXT", help="Heading of the report; default: a heading that describes the results."
    ),
]


def report(
    sources: Sources,
    output: Output,
    routing: Routing = None,
    prices: PriceList = None,
    networks: Networks = 4,
    cuts: Cuts = None,
    title: Title = None,
    json: Json = False,
) -> None:
    """Shows results in one HTML file: summary, networks to explore, racks, bills, charts, tables, manifest.

    The file opens without a network connection and can be printed.
    """
    from tulle.report_html import report as make

    with ProgressLine("networks") as line:
        page = make(
            *sources,
            routing=routing,
            prices=prices,
            networks=networks,
            cuts=cuts,
            title=title,
            progress=line.show,
        )
    page.write(output)
    fields = {
        "written": str(output),
        "bytes": output.stat().st_size,
        "title": page.title,
        "sections": [section.title for section in page.sections],
    }
    if json:
        print_json(fields)
        return
    print_fields({**fields, "sections": ", ".join(section.title for section in page.sections)})
