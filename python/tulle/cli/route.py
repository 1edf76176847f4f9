"""``tulle route SPEC ROUTING``: routes a fabric and says how long the paths are."""

from time import perf_counter
from typing import Annotated, Any

import typer

from tulle.cli.fabric import Fail, Spec, build
from tulle.cli.output import Json, Seed, print_fields, print_json, print_table

Scheme = Annotated[
    str, typer.Argument(metavar="ROUTING", help="A routing, as random:layers=9,rho=0.6; see tulle list routings.")
]


def route(spec: Spec, routing: Scheme, seed: Seed = 0, fail: Fail = None, json: Json = False) -> None:
    """Routes a fabric and prints the path lengths of every layer."""
    import numpy as np

    import tulle

    fabric = build(spec, seed, fail)
    started = perf_counter()
    routed = tulle.route(fabric, routing, seed)
    seconds = perf_counter() - started
    hops: list[dict[str, Any]] = []
    for layer in range(routed.num_layers):
        pairs = routed.hop_counts(layer)
        total = int(pairs.sum())
        mean = int(pairs @ np.arange(len(pairs), dtype=np.uint64)) / total if total else None
        hops.append({"layer": layer, "mean": mean, "max": max(len(pairs) - 1, 0), "pairs": pairs.tolist()})
    fields = {
        "fabric": fabric.spec,
        "faults": fabric.faults,
        "routing": routed.spec,
        "seed": seed,
        "switches": fabric.num_switches,
        "layers": routed.num_layers,
        "build_seconds": round(seconds, 6),
    }
    if json:
        print_json({**fields, "hops": hops})
        return
    print_fields({name: value for name, value in fields.items() if value != []})
    print()
    longest = max(layer["max"] for layer in hops)
    rows = [
        [layer["layer"], layer["mean"], layer["max"], *(layer["pairs"] + [0] * longest)[1 : longest + 1]]
        for layer in hops
    ]
    names = [f"{length} hop{'s' if length > 1 else ''}" for length in range(1, longest + 1)]
    print_table(["layer", "mean hops", "max", *names], rows, title="pairs of switches by the hops of their path")
