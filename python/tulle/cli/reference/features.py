"""``tulle features``: print a feature table of the routing schemes, measured from their paths."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from tulle.cli.options import complete
from tulle.cli.terminal.output import Column, Json, print_fields, print_json, print_table

Schemes = Annotated[
    list[str] | None, complete.argument(metavar="[SCHEME]...", what="Schemes to show; default: all", kind="routings")
]


def features(schemes: Schemes = None, json: Json = False) -> None:
    """Routes small fabrics by routing schemes, and prints a feature table of the schemes (after FatPaths Table I)."""
    from tulle.routing.features import CRITERIA, PROBES, features

    found = features(schemes or ())
    if json:
        print_json({"probes": PROBES, "criteria": CRITERIA, "features": [asdict(scheme) for scheme in found]})
        return
    print_table([Column("routing", kind="spec"), *CRITERIA], [[scheme.spec, *scheme.cells()] for scheme in found])
    print()
    print_fields({**CRITERIA, "probes": PROBES})
