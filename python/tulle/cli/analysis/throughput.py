"""``tulle throughput SPEC [ROUTING] TRAFFIC``: bound the throughput of a traffic on a fabric or a routing."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tulle.cli.network.fabric import (
    FILES,
    FailFirst,
    Link,
    Spec,
    build,
    note_assumed_rate,
    routing_file,
    routing_of,
    workload_of,
)
from tulle.cli.terminal.output import Json, ProgressLine, Seed, print_fields, print_json

Words = Annotated[
    list[str],
    typer.Argument(
        metavar="[ROUTING] TRAFFIC",
        help="If a routing is given, traffic uses only its paths. TRAFFIC is all-to-all, or a name that 'tulle list "
        "traffics' shows.",
    ),
]
Gap = Annotated[
    str, typer.Option("--gap", metavar="SHARE", help="Maximum relative gap between the two bounds, for example 1%.")
]
Rate = Annotated[
    str | None,
    typer.Option(
        "--rate",
        metavar="RATE",
        help="Rate of links whose rate the fabric does not define. At throughput 1, the busiest endpoint sends at "
        "this rate; default: the rate of the fastest endpoint link, or of the fastest link if the rates of endpoint "
        "links are unknown.",
    ),
]
How = Annotated[
    str | None, typer.Option("--method", metavar="M", help="Method that computes the bounds; default: chosen by size.")
]


def throughput(
    spec: Spec,
    words: Words,
    gap: Gap = "1%",
    method: How = None,
    rate: Rate = None,
    seed: Seed = 0,
    link: Link = None,
    fail: FailFirst = None,
    json: Json = False,
) -> None:
    """Bounds the maximum achievable throughput: the largest factor by which a traffic can be scaled."""
    import tulle
    from tulle.workload import matrix_path

    if len(words) > 2:
        raise typer.BadParameter(f"{len(words) + 1} arguments; legal: SPEC [ROUTING] TRAFFIC")
    *routings, traffic = words
    _check_traffic(traffic)
    fabric = build(spec, seed, fail, link)
    if matrix_path(traffic) is None and traffic.startswith(FILES):
        # The workload has the warnings from reading the file.
        demands = tulle.analysis.demands(fabric, workload_of(fabric, traffic, seed))
    else:
        demands = tulle.analysis.demands(fabric, traffic, seed)
    routing = routing_of(fabric, routings[0], seed) if routings else None
    if rate is None:
        note_assumed_rate(fabric, has_rate=True)
    with ProgressLine("lower bound, % of upper") as line:
        found = tulle.analysis.throughput(
            fabric,
            demands,
            routing,
            gap,
            method=method,
            rate=rate,
            progress=lambda _, lower, upper: line.show(round(100 * lower / upper), 100),
        )
    fields: dict[str, Any] = {
        "fabric": fabric.spec,
        "links": list(fabric.links),
        "faults": fabric.faults,
        "routing": None if routing is None else routing.spec,
        **routing_file(routings[0] if routings else None),
        "traffic": demands.spec,
        "seed": seed,
        "pairs": demands.num_pairs,
        **found.as_dict(),
    }
    if routing is not None and found.method != "split":
        # The bounds assume that traffic is split optimally over paths. Selectors that do not adapt to load split it
        # evenly, or by the weights of the routing, and reach only the throughput of this split. It can be higher than
        # `lower`, which is a bound and not the exact maximum.
        even = tulle.analysis.throughput(fabric, demands, routing, method="split", rate=rate)
        fields["best_split"] = max(found.lower, even.lower)
        fields["even_split"] = even.lower
    if json:
        print_json(fields)
    else:
        print_fields({name: value for name, value in fields.items() if value not in ([], None)})


def _check_traffic(traffic: str) -> None:
    """Raise an error if the last argument is a routing instead of a traffic."""
    from tulle import _tulle
    from tulle._internal.reading import at_file
    from tulle.errors import SpecError

    names = {kind: {entry["name"] for entry in _tulle.registered(kind)} for kind in ("routings", "traffics")}
    name = traffic.partition(":")[0]
    if at_file(traffic) is not None or name in names["routings"] - names["traffics"]:
        raise SpecError(
            f"'{traffic}' is a routing; legal: TRAFFIC, or ROUTING TRAFFIC, for example {traffic} all-to-all"
        )
